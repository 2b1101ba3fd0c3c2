//! Reads any bytes as a WARC file, plain or as correctly compressed members: each record is read or skipped with a reason, and no
//! more than the limit is held in memory.
use maintext_corpus::warc::Records;
use std::io::{Cursor, Write};

/// Returns the bytes as members of a compressed file, cut at positions taken from the first byte.
fn compressed(data: &[u8], member: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let [size, rest @ ..] = data else { return Vec::new() };
    rest.chunks(usize::from(*size) * 4 + 1).flat_map(member).collect()
}

fn gzip(part: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(part).expect("memory");
    writer.finish().expect("memory")
}

/// Tries one input.
pub fn run(data: &[u8]) {
    let [kind, rest @ ..] = data else { return };
    let file = match kind % 4 {
        0 => compressed(rest, gzip),
        1 => compressed(rest, |part| zstd::encode_all(part, 1).expect("memory")),
        _ => rest.to_vec(),
    };
    let records = Records::from_reader("fuzz", Cursor::new(file)).max_record(1 << 16);
    // A few compressed bytes may contain many records.
    for record in records.take(10_000).flatten() {
        assert!(record.block.len() <= 1 << 16);
        if let Ok(Ok(page)) = record.page(1 << 16) {
            assert!(page.body.len() <= 1 << 16);
        }
    }
}
