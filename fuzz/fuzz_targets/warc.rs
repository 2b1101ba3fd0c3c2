//! Any bytes as a WARC file, plain or compressed: every record is read or skipped with a reason, and nothing is held beyond the limit.
#![no_main]
use libfuzzer_sys::fuzz_target;
use maintext_io::warc::Records;
use std::io::Cursor;

fuzz_target!(|data: &[u8]| {
    let records = Records::from_reader("fuzz", Cursor::new(data.to_vec())).max_record(1 << 16);
    // Compressed, few bytes hold many records.
    for record in records.take(10_000).flatten() {
        let _ = record.page(1 << 16);
    }
});
