#![no_main]
#![allow(dead_code, reason = "each target uses a part of the shared code")]

mod decoders;
#[path = "../../tests/it/toys.rs"]
mod toys;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    decoders::answer(data);
});
