#![no_main]
use libfuzzer_sys::fuzz_target;
use pagerace_http::Role;

fuzz_target!(|data: &[u8]| {
    pagerace_fuzz::http::h2_connection(Role::Server, data);
    pagerace_fuzz::http::h2_connection(Role::Client, data);
    pagerace_fuzz::http::hpack_decoder(data);
});
