#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // Every frame takes at least one byte.
    assert!(pagerace_transport::quic::frame::frames(data).count() <= data.len());
});
