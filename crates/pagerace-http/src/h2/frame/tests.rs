use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::h2::Code;

fn read(input: &[&[u8]]) -> Result<Vec<Piece>, Fault> {
    let mut reader = Reader::new();
    let mut pieces = Vec::new();
    for part in input {
        let mut part = Bytes::copy_from_slice(part);
        while let Some(piece) = reader.next(&mut part, |_| Ok(()))? {
            pieces.push(piece);
        }
        assert!(part.is_empty());
    }
    Ok(pieces)
}

/// Joins the content of each frame, because it may be cut anywhere.
fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    for piece in pieces {
        match (out.last_mut(), piece) {
            (Some(Piece::Data(_, before)), Piece::Data(_, data)) => {
                *before = [&before[..], &data].concat().into();
            }
            (_, piece) => out.push(piece),
        }
    }
    out
}

fn frames() -> Vec<u8> {
    let mut out = Vec::new();
    encode(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 1], &mut out);
    encode(DATA, 0, 1, b"content", &mut out);
    encode(DATA, PADDED, 3, b"\x03xy\0\0\0", &mut out);
    encode(0x77, 0xff, 5, b"passed over", &mut out);
    encode(DATA, END_STREAM, 1, b"", &mut out);
    encode(DATA, PADDED, 1, b"\0", &mut out);
    encode(PING, ACK, 0, b"12345678", &mut out);
    out
}

#[test]
fn pieces_of_each_kind() {
    let header = |length, ty, flags, stream| Header {
        length,
        ty,
        flags,
        stream,
    };
    let first = header(7, DATA, 0, 1);
    let padded = header(6, DATA, PADDED, 3);
    let empty = header(0, DATA, END_STREAM, 1);
    let all_padding = header(1, DATA, PADDED, 1);
    let expected = vec![
        Piece::Frame(
            header(6, SETTINGS, 0, 0),
            Bytes::from_static(&[0, 3, 0, 0, 0, 1]),
        ),
        Piece::DataStart(first),
        Piece::Data(first, Bytes::from_static(b"content")),
        Piece::DataEnd(first, 0),
        Piece::DataStart(padded),
        Piece::Data(padded, Bytes::from_static(b"xy")),
        Piece::DataEnd(padded, 4),
        Piece::DataStart(empty),
        Piece::DataEnd(empty, 0),
        Piece::DataStart(all_padding),
        Piece::DataEnd(all_padding, 1),
        Piece::Frame(header(8, PING, ACK, 0), Bytes::from_static(b"12345678")),
    ];
    assert_eq!(read(&[&frames()]), Ok(expected));
}

#[test]
fn padding_that_cannot_be() {
    let of = |payload: &[u8]| {
        let mut frame = Vec::new();
        encode(DATA, PADDED, 1, payload, &mut frame);
        read(&[&frame]).map_err(|fault| fault.code)
    };
    assert_eq!(of(b""), Err(Code::FRAME_SIZE_ERROR));
    assert_eq!(of(b"\x01"), Err(Code::PROTOCOL_ERROR));
    assert_eq!(of(b"\x03xy"), Err(Code::PROTOCOL_ERROR));
    assert!(of(b"\x02xy").is_ok());
}

/// The reserved bit of a stream id is ignored: section 4.1.
#[test]
fn the_reserved_bit() {
    assert_eq!(stream_id([0xff; 4]), (1 << 31) - 1);
}

proptest! {
    #[test]
    fn any_cut_gives_the_same_pieces(cuts in vec(any::<Index>(), 0..20)) {
        let bytes = frames();
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        at.extend([0, bytes.len()]);
        at.sort_unstable();
        let parts: Vec<&[u8]> = at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        prop_assert_eq!(joined(read(&parts).unwrap()), read(&[&bytes]).unwrap());
    }
}
