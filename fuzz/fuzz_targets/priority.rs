#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    pagerace_http::fuzz::priority_field(data);
    pagerace_http::fuzz::qpack_decoder(data);
});
