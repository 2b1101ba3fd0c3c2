//! Files with one wrong bit: at most the part with the bit is lost, and each loss is an error.

use crate::make::{gzip, zip};
use maintext_formats::{Hint, Limits, documents};
use sha1::Digest;

/// Flips of the usual run, and of the run by night.
const FEW: u64 = 60;
const MANY: u64 = 1000;

/// Flips one bit and returns its byte.
fn flip(file: &mut [u8], seed: u64) -> usize {
    let random = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407) >> 16;
    let bit = random as usize % (8 * file.len());
    file[bit / 8] ^= 1 << (bit % 8);
    bit / 8
}

/// Returns the pages of a file and the number of errors.
fn read(bytes: Vec<u8>, name: &str) -> (Vec<Vec<u8>>, usize) {
    let Ok(found) = documents(bytes, &Hint { name: Some(name), ..Hint::default() }, &Limits::default()) else {
        return (Vec::new(), 1);
    };
    let (mut pages, mut errors) = (Vec::new(), 0);
    for document in found {
        match document {
            Ok(document) => pages.push(document.bytes),
            Err(_) => errors += 1,
        }
    }
    (pages, errors)
}

/// A text that no other number has.
fn text(n: usize) -> String {
    (0..12).map(|i| format!("The heron of tale {n} met the fox of tale {} by the river. ", n * 31 + i)).collect()
}

fn record(n: usize) -> Vec<u8> {
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Tale {n}</title><p>{}", text(n));
    let digest = data_encoding::BASE32.encode(&sha1::Sha1::digest(&block));
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.org/{n}\r\nWARC-Block-Digest: sha1:{digest}\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
    .into_bytes()
}

fn a_bit_costs_one_page_of_a_web_archive(flips: u64) {
    let packed: Vec<u8> = (0..12).flat_map(|n| gzip(&record(n))).collect();
    let plain: Vec<u8> = (12..20).flat_map(record).collect();
    let last: Vec<u8> = (20..30).flat_map(|n| gzip(&record(n))).collect();
    let archive = zip(&[
        ("datapackage.json", b"{}"),
        ("archive/one.warc.gz", &packed),
        ("archive/two.warc", &plain),
        ("pages/pages.jsonl", b"{\"format\": \"json-pages-1.0\"}\n"),
        ("archive/three.warc.gz", &last),
    ]);
    let (whole, errors) = read(archive.clone(), "a.wacz");
    assert_eq!((whole.len(), errors), (30, 0));
    // The archive has few bytes around the files, so each of their bits is tried.
    let frame = archive.len() - packed.len() - plain.len() - last.len();
    for seed in 0..flips {
        let mut file = archive.clone();
        let at = flip(&mut file, seed);
        one_is_lost(
            &whole,
            &read(file, "a.wacz"),
            &format!("seed {seed}, byte {at} of {}, {frame} around", archive.len()),
        );
    }
}

/// At most one page is lost, and is then an error. No page changes.
#[track_caller]
fn one_is_lost(whole: &[Vec<u8>], (pages, errors): &(Vec<Vec<u8>>, usize), what: &str) {
    let lost = whole.iter().filter(|page| !pages.contains(page)).count();
    let others = pages.iter().filter(|page| !whole.contains(page)).count();
    assert!(
        lost <= 1 && others == 0 && (lost..=1).contains(errors),
        "{what}: {lost} lost, {others} new, {errors} errors"
    );
    assert_eq!(pages.len() + lost, whole.len(), "{what}");
}

#[test]
fn a_bit_costs_at_most_one_page_of_a_web_archive() {
    a_bit_costs_one_page_of_a_web_archive(FEW);
}

#[test]
#[ignore = "runs by night"]
fn one_of_a_thousand_bits_costs_at_most_one_page_of_a_web_archive() {
    a_bit_costs_one_page_of_a_web_archive(MANY);
}

/// Flips bits around the files of a web archive. A past bug: a single one lost the whole archive.
fn bits_beside_the_files_of_a_web_archive(step: usize) {
    let files: Vec<Vec<u8>> = vec![gzip(&record(0)), record(1), gzip(&record(2))];
    let names = ["archive/one.warc.gz", "archive/two.warc", "archive/three.warc.gz"];
    let mut parts: Vec<(&str, &[u8])> = vec![("datapackage.json", b"{}")];
    parts.extend(names.iter().zip(&files).map(|(name, file)| (*name, file.as_slice())));
    let archive = zip(&parts);
    let (whole, errors) = read(archive.clone(), "a.wacz");
    assert_eq!((whole.len(), errors), (3, 0));
    let begin = |file: &Vec<u8>| archive.windows(file.len()).position(|w| w == file).unwrap();
    let inside: Vec<_> = files.iter().map(|file| begin(file)..begin(file) + file.len()).collect();
    for bit in (0..8 * archive.len()).step_by(step).filter(|bit| !inside.iter().any(|range| range.contains(&(bit / 8))))
    {
        let mut file = archive.clone();
        file[bit / 8] ^= 1 << (bit % 8);
        let (pages, errors) = read(file, "a.wacz");
        assert!(
            pages == whole && errors <= 1,
            "bit {} of byte {}: {} pages, {errors} errors",
            bit % 8,
            bit / 8,
            pages.len()
        );
    }
}

#[test]
fn a_bit_beside_the_files_of_a_web_archive_costs_none() {
    bits_beside_the_files_of_a_web_archive(29);
}

#[test]
#[ignore = "runs by night"]
fn no_bit_beside_the_files_of_a_web_archive_costs_one() {
    bits_beside_the_files_of_a_web_archive(1);
}

fn message(n: usize) -> String {
    let head = format!(
        "From heron{n}@example.org Fri May 17 10:{:02}:00 2024\nFrom: Heron <heron{n}@example.org>\nTo: fox@example.org\n\
         Subject: Tale {n}\nDate: Fri, 17 May 2024 10:{:02}:00 +0000\nMessage-ID: <{n}@example.org>\n",
        n % 60,
        n % 60
    );
    match n % 3 {
        0 => format!(
            "{head}Content-Type: multipart/alternative; boundary=\"=_part-{n}\"\n\n--=_part-{n}\nContent-Type: text/plain\n\n{}\n\
             --=_part-{n}\nContent-Type: text/html\n\n<p>{}</p>\n--=_part-{n}--\n\n",
            text(n),
            text(n)
        ),
        _ => format!("{head}Content-Type: text/plain\n\n{}\n\n>From here on it is quiet.\n\n", text(n)),
    }
}

fn a_bit_costs_one_message_of_a_mailbox(flips: u64) {
    for ends in ["\n", "\r\n"] {
        let mailbox = (0..30).map(message).collect::<String>().replace('\n', ends).into_bytes();
        let (whole, errors) = read(mailbox.clone(), "a.mbox");
        assert_eq!((whole.len(), errors), (30, 0));
        for seed in 0..flips {
            let mut file = mailbox.clone();
            let at = flip(&mut file, seed);
            let (pages, errors) = read(file, "a.mbox");
            // Nothing but its words shows the damage to a text.
            let lost = whole.iter().filter(|page| !pages.contains(page)).count();
            assert!(
                lost <= 1 && pages.len() + errors == 30,
                "seed {seed}, byte {at}: {lost} lost, {} pages",
                pages.len()
            );
        }
    }
}

#[test]
fn a_bit_costs_at_most_one_message_of_a_mailbox() {
    a_bit_costs_one_message_of_a_mailbox(FEW);
}

#[test]
#[ignore = "runs by night"]
fn one_of_a_thousand_bits_costs_at_most_one_message_of_a_mailbox() {
    a_bit_costs_one_message_of_a_mailbox(MANY);
}

/// Each bit of the lines between two messages.
#[test]
fn a_bit_between_messages_joins_none() {
    for ends in ["\n", "\r\n"] {
        let messages: Vec<String> = (0..3).map(|n| message(n).replace('\n', ends)).collect();
        let mailbox = messages.concat().into_bytes();
        let (whole, _) = read(mailbox.clone(), "a.mbox");
        let second = messages[0].len();
        let line = messages[1].find(ends).unwrap() + ends.len();
        for bit in 8 * (second - 2 * ends.len())..8 * (second + line) {
            let mut file = mailbox.clone();
            file[bit / 8] ^= 1 << (bit % 8);
            let (pages, errors) = read(file, "a.mbox");
            let lost = whole.iter().filter(|page| !pages.contains(page)).count();
            let what = format!("bit {} of byte {} from the line", bit % 8, (bit / 8) as i64 - second as i64);
            assert!(lost <= 1 && pages.len() + errors == 3, "{what}: {lost} lost, {} pages", pages.len());
        }
    }
}

fn part(kind: &str, place: &str, body: &str) -> String {
    format!("------bound-7Qx\r\nContent-Type: {kind}\r\nContent-Location: {place}\r\n\r\n{body}\r\n")
}

/// A saved page between a style sheet and an image, and its range of bytes.
fn saved() -> (Vec<u8>, std::ops::Range<usize>) {
    let head = "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.org/\r\nSubject: Tale\r\nMIME-Version: 1.0\r\n\
        Content-Type: multipart/related; type=\"text/html\"; boundary=\"----bound-7Qx\"\r\n\r\n";
    let style = part("text/css", "https://example.org/a.css", &"p { margin: 1em }\r\n".repeat(40));
    let page = part("text/html", "https://example.org/", &format!("<title>Tale</title><p>{}</p>", text(1)));
    let image =
        part("image/png", "https://example.org/a.png", &"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAf\r\n".repeat(40));
    let file = format!("{head}{style}{page}{image}------bound-7Qx--\r\n").into_bytes();
    let start = head.len() + style.len();
    (file, start..start + page.len())
}

/// Flips bits of a saved page. Bits outside of the header and the page do not change the page; others give a page or an error.
fn bits_of_a_saved_page(bits: impl Iterator<Item = usize>) {
    let (saved, page) = saved();
    let (whole, _) = read(saved.clone(), "a.mhtml");
    assert_eq!(whole.len(), 1);
    let boundary = b"------bound-7Qx".len();
    let head = saved.windows(4).position(|w| w == b"\r\n\r\n").unwrap() + 3;
    for bit in bits.map(|bit| bit % (8 * saved.len())) {
        let mut file = saved.clone();
        file[bit / 8] ^= 1 << (bit % 8);
        let (pages, errors) = read(file, "a.mhtml");
        let at = bit / 8;
        assert_eq!(pages.len() + errors, 1, "bit {} of byte {at}", bit % 8);
        // The header of the file and the part of the page, without the lines of boundaries.
        let is_elsewhere = at >= head && !(page.start + boundary..page.end - 1).contains(&at);
        assert!(!is_elsewhere || pages == whole, "bit {} of byte {at} of {page:?}", bit % 8);
    }
}

#[test]
fn a_bit_of_another_part_leaves_a_saved_page_as_it_is() {
    bits_of_a_saved_page((0..FEW as usize).map(|n| n * 7919));
    let (_, page) = saved();
    bits_of_a_saved_page(8 * (page.start - 2)..8 * (page.start + 20));
    bits_of_a_saved_page(8 * (page.end - 2)..8 * (page.end + 20));
}

#[test]
#[ignore = "runs by night"]
fn no_bit_of_another_part_changes_a_saved_page() {
    let (saved, _) = saved();
    bits_of_a_saved_page(0..8 * saved.len());
}
