#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // Files named by a trace are not the grammar's business.
    if !text.contains("trace:") {
        let _ = pagerace_net::Network::parse(text);
    }
});
