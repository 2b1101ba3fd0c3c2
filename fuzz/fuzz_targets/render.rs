#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| maintext_fuzz_targets::render::run(data));
