#![no_main]

#[path = "../../tests/consistency/mod.rs"]
mod consistency;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    consistency::check(data);
});
