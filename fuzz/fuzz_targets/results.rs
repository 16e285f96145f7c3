#![no_main]
use libfuzzer_sys::fuzz_target;
use pagerace_lab::export::json::{read_plan, scenario_text};

fuzz_target!(|data: &[u8]| {
    if let Ok(read) = read_plan("fuzz.json", data) {
        let again = read_plan("again.json", scenario_text(&read.plan).as_bytes());
        assert_eq!(again.expect("what is written can be read").plan, read.plan);
    }
});
