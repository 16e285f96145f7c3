#![no_main]
use libfuzzer_sys::fuzz_target;
use pagerace_http::h3::Role;

fuzz_target!(|data: &[u8]| {
    pagerace_http::fuzz::h3_connection(Role::Server, data);
    pagerace_http::fuzz::h3_connection(Role::Client, data);
});
