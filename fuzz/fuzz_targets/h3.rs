#![no_main]
use libfuzzer_sys::fuzz_target;
use pagerace_http::h3::Role;

fuzz_target!(|data: &[u8]| {
    pagerace_fuzz::http::h3_connection(Role::Server, data);
    pagerace_fuzz::http::h3_connection(Role::Client, data);
});
