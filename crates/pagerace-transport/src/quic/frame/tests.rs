use super::*;

/// RFC 9000, appendix A.1.
#[test]
fn variable_length_integers_of_the_rfc() {
    for (bytes, value) in [
        (
            &[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c][..],
            151_288_809_941_952_652,
        ),
        (&[0x9d, 0x7f, 0x3e, 0x7d][..], 494_878_333),
        (&[0x7b, 0xbd][..], 15_293),
        (&[0x25][..], 37),
        (&[0x40, 0x25][..], 37),
    ] {
        assert_eq!(read_varint(bytes), Some((value, &[][..])));
    }
    assert_eq!(read_varint(&[0x40]), None);
}

#[test]
fn a_stream_frame_without_length_takes_the_rest() {
    let payload = [0x01, 0x0d, 0x04, 0x40, 0x64, 9, 9, 9];
    let got: Vec<_> = frames(&payload).collect();
    let stream = StreamFrame {
        id: 4,
        offset: 100,
        length: 3,
        fin: true,
    };
    assert_eq!(got, [Frame::Ping, Frame::Stream(stream)]);
}

#[test]
fn ack_ranges_count_down() {
    // Largest 10, first range 2 (8..=10), gap 1, range 0 (5..=5).
    let payload = [0x02, 10, 0, 1, 2, 1, 0];
    let got: Vec<_> = frames(&payload).collect();
    let [Frame::Ack { acked_ranges, .. }] = &got[..] else {
        panic!("{got:?}");
    };
    assert_eq!(acked_ranges.iter().collect::<Vec<_>>(), [(8, 10), (5, 5)]);
}

#[test]
fn padding_is_one_run_and_rubbish_ends_the_walk() {
    let got: Vec<_> = frames(&[0, 0, 0, 0x21, 1, 2]).collect();
    let padding = Frame::Padding {
        length: 3,
        payload_length: 3,
    };
    let raw_frame_type = 0x21;
    assert_eq!(got, [padding, Frame::Unknown { raw_frame_type }]);
    assert_eq!(frames(&[0x06, 0, 50]).count(), 0);
}

#[test]
fn bytes_behind_a_probe_are_seen() {
    let payload = [0x1f, 0x08, 0x04, 1, 2];
    let stream = StreamFrame {
        id: 4,
        offset: 0,
        length: 2,
        fin: false,
    };
    let got: Vec<_> = frames(&payload).collect();
    let raw_frame_type = IMMEDIATE_ACK;
    assert_eq!(
        got,
        [Frame::Unknown { raw_frame_type }, Frame::Stream(stream)]
    );
}
