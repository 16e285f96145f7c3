#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    pagerace_http::fuzz::h1_server(data);
    pagerace_http::fuzz::h1_client(data);
});
