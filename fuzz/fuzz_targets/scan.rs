#![no_main]
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use pagerace_scan::list::{Domains, Exclusions};
use pagerace_scan::quic::packet::{Meter, kinds, versions};
use pagerace_scan::quic::parameters::Parameters;
use pagerace_scan::{alt_svc, dns};

fuzz_target!(|data: &[u8]| {
    for question in [dns::Question::A, dns::Question::Aaaa, dns::Question::Https] {
        // With the id that the bytes have, so that they are read further.
        let id = data.first_chunk().map_or(0, |id| u16::from_be_bytes(*id));
        let _ = dns::read(data, id, "a.example", question);
    }
    let _ = kinds(data);
    let _ = versions(data, &[0; 16]);
    let mut meter = Meter::default();
    meter.handle_sent(data);
    meter.handle_received(data);
    let _ = Parameters::parse(data);
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = alt_svc::announces_http3(text);
        let _ = Domains::parse(text, Path::new("list"));
        let _ = Exclusions::default().add(text, Path::new("list"));
    }
});
