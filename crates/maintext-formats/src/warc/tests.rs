use super::*;
use std::io::Write;

fn record(kind: &str, url: &str, block: &[u8]) -> Vec<u8> {
    let mut bytes = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{}>\r\nWARC-Target-URI: {url}\r\n\
         Content-Type: application/http; msgtype={kind}\r\nContent-Length: {}\r\n\r\n",
        url.len(),
        block.len()
    )
    .into_bytes();
    bytes.extend_from_slice(block);
    bytes.extend_from_slice(b"\r\n\r\n");
    bytes
}

fn response(url: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let mut block = format!("HTTP/1.1 200 OK\r\n{headers}\r\n").into_bytes();
    block.extend_from_slice(body);
    record("response", url, &block)
}

fn pages(n: usize) -> Vec<Vec<u8>> {
    let page = |i: usize| {
        let body =
            format!("<p>page {i} {}", (0..i * 37 % 900).map(|j| (j * i * 7919 % 997).to_string()).collect::<String>());
        response(&format!("http://e.org/{i}"), "Content-Type: text/html; charset=utf-8\r\n", body.as_bytes())
    };
    (0..n).map(page).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A file that is removed at the end of the test.
struct Temporary(std::path::PathBuf);

impl Temporary {
    fn new(name: &str, bytes: &[u8]) -> Temporary {
        let path = std::env::temp_dir().join(format!("maintext-warc-{name}-{}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        Temporary(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn names(records: Records) -> Vec<Result<String, String>> {
    records.map(|r| r.map(|r| r.url.unwrap_or_default()).map_err(|e| e.to_string())).collect()
}

/// Reads the records as a file and as a stream and checks that both give the same.
fn both(name: &str, bytes: &[u8]) -> Vec<Result<String, String>> {
    let file = Temporary::new(name, bytes);
    let from_file = names(Records::open(&file.0).unwrap());
    let from_stream = names(Records::from_reader(file.0.display().to_string(), io::Cursor::new(bytes.to_vec())));
    assert_eq!(from_file, from_stream);
    from_file
}

fn good(names: &[Result<String, String>]) -> Vec<usize> {
    names.iter().flatten().map(|url| url.rsplit('/').next().unwrap().parse().unwrap()).collect()
}

type Pack = fn(&[u8]) -> Vec<u8>;
const PACKS: [(&str, Pack); 3] = [("plain", |b| b.to_vec()), ("gzip", gzip), ("zstd", zstd)];

#[test]
fn every_record_is_read_with_any_compression() {
    for (name, pack) in PACKS {
        let bytes: Vec<u8> = pages(50).iter().flat_map(|r| pack(r)).collect();
        assert_eq!(good(&both(name, &bytes)), (0..50).collect::<Vec<_>>(), "{name}");
        let one_member = pack(&pages(50).concat());
        assert_eq!(good(&both(name, &one_member)), (0..50).collect::<Vec<_>>(), "{name}, one member");
    }
}

#[test]
fn reading_resumes_at_the_offset_of_any_record() {
    for (name, pack) in PACKS {
        let bytes: Vec<u8> = pages(30).iter().flat_map(|r| pack(r)).collect();
        let file = Temporary::new(&format!("resume-{name}"), &bytes);
        for record in Records::open(&file.0).unwrap().map(Result::unwrap) {
            let mut rest = Records::open(&file.0).unwrap();
            rest.resume(record.number, record.next.unwrap()).unwrap();
            let rest: Vec<_> = rest.map(Result::unwrap).collect();
            assert_eq!(rest.len() as u64, 30 - record.number, "{name}");
            assert!(rest.first().is_none_or(|r| r.number == record.number + 1));
        }
    }
}

#[test]
fn a_damaged_record_is_an_error_and_the_next_is_read() {
    for (name, pack) in PACKS {
        let mut packed: Vec<Vec<u8>> = pages(10).iter().map(|r| pack(r)).collect();
        let at = packed[..4].iter().map(Vec::len).sum::<usize>();
        let middle = packed[4].len() / 2;
        match name {
            // In a plain file, only a wrong length is noticed.
            "plain" => packed[4] = response("http://e.org/4", "", b"<p>").replace_length(7),
            _ => packed[4][middle..middle + 8].fill(0xa5),
        }
        let names = both(&format!("damaged-{name}"), &packed.concat());
        assert_eq!(good(&names), [0, 1, 2, 3, 5, 6, 7, 8, 9], "{name}: {names:?}");
        let errors: Vec<_> = names.iter().filter_map(|n| n.as_ref().err()).collect();
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].contains(&format!("record 5 (at byte {at})")), "{errors:?}");
    }
}

trait ReplaceLength {
    fn replace_length(self, by: usize) -> Self;
}

impl ReplaceLength for Vec<u8> {
    fn replace_length(self, by: usize) -> Vec<u8> {
        let text = String::from_utf8(self).unwrap();
        let start = text.find("Content-Length: ").unwrap() + 16;
        let end = start + text[start..].find('\r').unwrap();
        format!("{}{by}{}", &text[..start], &text[end..]).into_bytes()
    }
}

#[test]
fn a_length_that_is_too_long_loses_no_other_record_of_a_file() {
    let mut records = pages(6);
    records[2] = response("http://e.org/2", "", b"<p>short").replace_length(300);
    let file = Temporary::new("long", &records.concat());
    let names_of_file = names(Records::open(&file.0).unwrap());
    assert_eq!(good(&names_of_file), [0, 1, 3, 4, 5], "{names_of_file:?}");
    // A stream that cannot seek loses the records covered by the wrong length, and no others.
    for bytes in [records.concat(), gzip(&records.concat())] {
        let names = names(Records::from_reader("stream", io::Cursor::new(bytes)));
        assert_eq!(good(&names), [0, 1, 4, 5], "{names:?}");
    }
}

#[test]
fn a_file_truncated_anywhere_ends_with_one_error() {
    for (name, pack) in PACKS {
        let packed: Vec<Vec<u8>> = pages(4).iter().map(|r| pack(r)).collect();
        let whole = packed.concat();
        let last = whole.len() - packed[3].len();
        // The two line breaks at the very end of a plain file may be missing.
        let ends = last + 1..whole.len() - if name == "plain" { 4 } else { 0 };
        for end in ends.step_by(7) {
            let names = names(Records::from_reader("cut", io::Cursor::new(whole[..end].to_vec())));
            assert_eq!(good(&names), [0, 1, 2], "{name} at {end}: {names:?}");
            assert_eq!(names.len(), 4, "{name} at {end}: {names:?}");
        }
    }
}

#[test]
fn a_file_that_is_not_warc_gives_one_error() {
    assert_eq!(names(Records::from_reader("empty", &b""[..])), []);
    for bytes in [&b"<html><p>no"[..], b"\x1f\x8b\x08no", b"\x28\xb5\x2f\xfd", b"WARC/1.0\r\n", b"\x5d\x2a\x4d\x18\xff"]
    {
        let names = names(Records::from_reader("wrong", bytes));
        assert_eq!(names.len(), 1, "{names:?}");
        assert!(names[0].is_err());
    }
}

#[test]
fn a_record_above_the_limit_is_skipped() {
    let mut records = pages(3);
    records[1] = response("http://e.org/1", "", &vec![b'x'; 5000]);
    let bytes = records.concat();
    let names = names(Records::from_reader("large", io::Cursor::new(bytes)).max_record(3000));
    assert_eq!(good(&names), [0, 2]);
    assert!(names[1].as_ref().unwrap_err().contains("exceed the limit of 3000"));
}

#[test]
fn a_dictionary_at_the_start_of_a_zstd_file_is_used() {
    // `zstd --train` made it of pages(300). The library's trainer would be a feature that only tests have, and Cargo would compile all that
    // depends on zstd once with it and once without.
    let dictionary = include_bytes!("dictionary.zdict");
    for packed in [dictionary.to_vec(), zstd(dictionary)] {
        let mut bytes = b"\x5d\x2a\x4d\x18".to_vec();
        bytes.extend((packed.len() as u32).to_le_bytes());
        bytes.extend(&packed);
        for page in pages(20) {
            let mut encoder = zstd::stream::write::Encoder::with_dictionary(Vec::new(), 3, dictionary).unwrap();
            encoder.write_all(&page).unwrap();
            bytes.extend(encoder.finish().unwrap());
        }
        assert_eq!(good(&both("dictionary", &bytes)), (0..20).collect::<Vec<_>>());
    }
}

fn page_of(record: Vec<u8>) -> Result<Result<HttpPage, Skipped>, String> {
    let mut records = Records::from_reader("one", io::Cursor::new(record));
    records.next().unwrap().unwrap().page(10_000)
}

#[test]
fn bodies_are_decoded() {
    let body = "<p>привет".as_bytes();
    let chunked = [b"5;x=1\r\n", &body[..5], b"\r\nA\r\n", &body[5..], b"\r\n0\r\n\r\n"].concat();
    let cases = [
        ("", body.to_vec()),
        ("Transfer-Encoding: chunked\r\n", chunked.clone()),
        ("transfer-encoding: chunked\r\n", body.to_vec()),
        ("Content-Encoding: gzip\r\n", gzip(body)),
        ("Content-Encoding: gzip\r\n", body.to_vec()),
        ("Content-Encoding: br\r\n", body.to_vec()),
        ("Content-Encoding: zstd\r\n", zstd(body)),
        ("Content-Encoding: gzip, gzip\r\n", gzip(&gzip(body))),
        ("Content-Encoding: gzip\r\nContent-Encoding: zstd\r\n", zstd(&gzip(body))),
        // The archive undid one of them.
        ("Content-Encoding: zstd, gzip\r\n", zstd(body)),
        ("Content-Encoding: identity, utf-8\r\n", body.to_vec()),
    ];
    for (headers, coded) in cases {
        let page = page_of(response("http://e.org/", &format!("{headers}Content-Type: text/html\r\n"), &coded));
        assert_eq!(page.unwrap().unwrap().body, body, "{headers}");
    }
    let bomb = gzip(&vec![b' '; 20_000]);
    assert!(page_of(response("http://e.org/", "Content-Encoding: gzip\r\n", &bomb)).unwrap_err().contains("10000"));
}

/// A past bug: such a record was skipped as another kind of file without a warning.
#[test]
fn a_body_that_cannot_be_decoded_is_an_error_that_names_the_coding() {
    let packed = gzip("<p>привет".as_bytes());
    let error = |header: &str, body: &[u8]| {
        page_of(response("http://e.org/", &format!("{header}\r\nContent-Type: text/html\r\n"), body)).unwrap_err()
    };
    assert!(error("Content-Encoding: pack200-gzip", &packed).contains("coding 'pack200-gzip' is unknown"));
    assert!(error("Content-Encoding: gzip,gzip,gzip,gzip", &packed).contains("4 content codings, more than 3"));
    let bomb = gzip(&gzip(&vec![b' '; 20_000]));
    assert!(error("Content-Encoding: gzip, gzip", &bomb).contains("limit of 10000 bytes"));
}

#[test]
fn the_charset_is_read_from_the_header_and_other_content_is_skipped() {
    let page = page_of(response("http://e.org/", "content-TYPE: text/html; Charset=\"koi8-r\"\r\n", b"<p>"));
    assert_eq!(page.unwrap().unwrap().charset.as_deref(), Some("koi8-r"));
    let image = page_of(response("http://e.org/", "Content-Type: image/png\r\n", b"\x89PNG\r\n\x1a\n\0\0"));
    assert_eq!(image, Ok(Err(Skipped::NotHtml)));
    let moved = page_of(record("response", "http://e.org/", b"HTTP/1.1 301 Moved\r\nLocation: /\r\n\r\n"));
    assert_eq!(moved, Ok(Err(Skipped::Status(301))));
    assert_eq!(page_of(record("request", "http://e.org/", b"GET / HTTP/1.1\r\n\r\n")), Ok(Err(Skipped::OtherRecord)));
    let resource = |url| page_of(record("resource", url, b"a log, or a page")).unwrap();
    assert_eq!(resource("metadata://gnu.org/software/wget/warc/wget.log"), Err(Skipped::OtherRecord));
    for file in ["https://e.org/a", "FILE:///a.html"] {
        assert_eq!(resource(file), Err(Skipped::NotHtml), "by its type");
    }
    assert!(page_of(record("response", "http://e.org/", b"HTTP/1.1 200 OK\r\nA: b\r\n")).is_err());
    assert!(page_of(record("response", "http://e.org/", b"nonsense")).is_err());
}

/// Flips one bit of a file and returns the number of records that are read as they were, and of errors.
fn flipped(members: &[Vec<u8>], whole: &std::collections::HashSet<Vec<u8>>, seed: u64) -> (usize, usize) {
    let mut file = members.concat();
    let random = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407) >> 16;
    let bit = random as usize % (8 * file.len());
    file[bit / 8] ^= 1 << (bit % 8);
    let (mut good, mut errors) = (0, 0);
    for record in Records::from_seekable("flipped", std::io::Cursor::new(file)) {
        match record {
            Ok(record) => {
                assert!(whole.contains(&record.block), "seed {seed}: a damaged page is taken for a good one");
                good += 1;
            }
            Err(_) => errors += 1,
        }
    }
    (good, errors)
}

/// Adds a digest to the header of a record.
fn digested(record: &[u8]) -> Vec<u8> {
    use sha1::Digest;
    let start = record.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    let digest = sha1::Sha1::digest(&record[start..record.len() - 4]);
    let digest = format!("WARC-Block-Digest: sha1:{}\r\n\r\n", data_encoding::BASE32.encode(&digest));
    [&record[..start - 2], digest.as_bytes(), &record[start..]].concat()
}

/// Flips one bit in each of many files of 200 records.
fn one_bit_costs_one_record(form: fn(&[u8]) -> Vec<u8>, flips: u64) {
    let members: Vec<Vec<u8>> = pages(200).iter().map(|page| form(&digested(page))).collect();
    let records = Records::from_seekable("whole", std::io::Cursor::new(members.concat()));
    let whole = records.map(|record| record.unwrap().block).collect();
    for seed in 0..flips {
        // Some bits mean nothing: a time in the header of a member, a letter of an address.
        let found = flipped(&members, &whole, seed);
        assert!(matches!(found, (200, 0) | (199, 1)), "seed {seed}: {found:?}");
    }
}

#[test]
fn one_bit_costs_at_most_one_record() {
    one_bit_costs_one_record(gzip, 20);
    one_bit_costs_one_record(zstd, 10);
    one_bit_costs_one_record(<[u8]>::to_vec, 100);
}

/// Each bit of the first bytes of a file, which show its compression.
#[test]
fn a_bit_of_the_first_bytes_costs_at_most_one_record() {
    for form in [gzip, zstd, <[u8]>::to_vec] {
        let members: Vec<Vec<u8>> = pages(5).iter().map(|page| form(&digested(page))).collect();
        for bit in 0..64 {
            let mut file = members.concat();
            file[bit / 8] ^= 1 << (bit % 8);
            let names = names(Records::from_seekable("first", io::Cursor::new(file)));
            // A frame of zstd that lacks only its checksum is a good record and an error.
            assert!((5..=6).contains(&names.len()) && good(&names).len() >= 4, "bit {bit}: {names:?}");
        }
    }
}

#[test]
#[ignore = "runs by night"]
fn one_of_a_thousand_bits_costs_at_most_one_record_in_gzip() {
    one_bit_costs_one_record(gzip, 1000);
}

#[test]
#[ignore = "runs by night"]
fn one_of_a_thousand_bits_costs_at_most_one_record_in_zstd() {
    one_bit_costs_one_record(zstd, 1000);
}

#[test]
#[ignore = "runs by night"]
fn one_of_a_thousand_bits_costs_at_most_one_record_in_a_plain_file() {
    one_bit_costs_one_record(<[u8]>::to_vec, 1000);
}
