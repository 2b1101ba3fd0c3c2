//! Any bytes as a model file: an error or a model, and never a panic.
#![no_main]
use libfuzzer_sys::fuzz_target;
use maintext::model::{Learned, Model};

fuzz_target!(|data: &[u8]| {
    if let Ok(model) = Model::from_bytes(data) {
        Learned::new(model);
    }
});
