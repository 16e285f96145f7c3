#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = pagerace_har::from_bytes("fuzz.har", data, &pagerace_har::ImportOptions::default());
});
