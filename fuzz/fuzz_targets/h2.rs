#![no_main]
use libfuzzer_sys::fuzz_target;
use pagerace_http::Role;

fuzz_target!(|data: &[u8]| {
    pagerace_http::fuzz::h2_connection(Role::Server, data);
    pagerace_http::fuzz::h2_connection(Role::Client, data);
    pagerace_http::fuzz::hpack_decoder(data);
});
