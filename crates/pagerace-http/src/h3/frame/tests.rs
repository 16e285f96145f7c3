use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// Streams odd types, skips types that are 2 mod 4, and collects all others.
fn dispose(ty: u64) -> Payload {
    match ty % 4 {
        1 | 3 => Payload::Stream,
        2 => Payload::Skip,
        _ => Payload::Collect {
            max: 1000,
            or_else: Code::EXCESSIVE_LOAD,
        },
    }
}

/// The pieces that a reader found in its input.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    frames: Vec<(u64, Vec<u8>)>,
    /// The streamed payloads, joined so that splits do not matter.
    streamed: Vec<u8>,
    between_frames: bool,
}

fn read(chunks: &[Bytes]) -> Outcome {
    let mut reader = Reader::new();
    let mut outcome = Outcome::default();
    for chunk in chunks {
        let mut input = chunk.clone();
        while let Some(piece) = reader.next(&mut input, |ty, _| Ok(dispose(ty))).unwrap() {
            match piece {
                Piece::Frame(ty, payload) => outcome.frames.push((ty, payload.to_vec())),
                Piece::Streamed(part) => outcome.streamed.extend_from_slice(&part),
            }
        }
        assert!(input.is_empty());
    }
    outcome.between_frames = reader.is_between_frames();
    outcome
}

proptest! {
    #[test]
    fn frames_round_trip_however_they_are_split(
        frames in vec((0..=crate::varint::MAX, vec(any::<u8>(), 0..70)), 0..8),
        cuts in vec(any::<proptest::sample::Index>(), 0..12),
    ) {
        let mut bytes = Vec::new();
        for (ty, payload) in &frames {
            encode(*ty, payload, &mut bytes);
        }
        let bytes = Bytes::from(bytes);
        let mut cuts: Vec<usize> = cuts.iter().map(|c| c.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let chunks: Vec<Bytes> = cuts.windows(2).map(|w| bytes.slice(w[0]..w[1])).collect();

        let collected: Vec<_> = frames.iter().filter(|f| f.0 % 4 == 0).cloned().collect();
        let streamed: Vec<u8> =
            frames.iter().filter(|f| f.0 % 2 == 1).flat_map(|f| f.1.clone()).collect();
        let expected = Outcome { frames: collected, streamed, between_frames: true };
        prop_assert_eq!(read(&chunks), expected);
    }

    #[test]
    fn a_cut_frame_is_not_between_frames(payload in vec(any::<u8>(), 1..70), ty in 0_u64..100) {
        let mut bytes = Vec::new();
        encode(ty, &payload, &mut bytes);
        bytes.pop();
        prop_assert!(!read(&[Bytes::from(bytes)]).between_frames);
    }
}

#[test]
fn a_length_is_judged_before_the_payload_comes() {
    let mut bytes = Vec::new();
    encode_header(4, crate::varint::MAX, &mut bytes);
    let fault = Reader::new()
        .next(&mut Bytes::from(bytes), |ty, _| Ok(dispose(ty)))
        .unwrap_err();
    assert_eq!(fault.code, Code::EXCESSIVE_LOAD);
}
