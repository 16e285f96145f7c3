#![no_main]
use libfuzzer_sys::fuzz_target;
use pagerace_har::TransferSequence;

fuzz_target!(|data: &[u8]| {
    if let Ok(sequence) = TransferSequence::from_json("fuzz.json", data) {
        let again = TransferSequence::from_json("again.json", sequence.to_json().as_bytes());
        assert_eq!(again.expect("what is written can be read"), sequence);
    }
});
