use pagerace_transport::quic::frame::frames;
use serde_json::{Value, json};

fn qlog(payload: &[u8]) -> Value {
    let all: Vec<_> = frames(payload).collect();
    serde_json::to_value(all).unwrap()
}

#[test]
fn acknowledgements_list_ranges_and_the_delay_in_milliseconds() {
    // Largest acknowledged 9, delay of 125 units of 8 us, one more range: packets 9-8 and
    // 4-4.
    assert_eq!(
        qlog(&[0x02, 9, 0x40, 125, 1, 1, 2, 0]),
        json!([{"frame_type": "ack", "ack_delay": 1.0, "acked_ranges": [[8, 9], [4, 4]]}])
    );
}

#[test]
fn stream_frames_say_fin_only_where_it_is_set() {
    assert_eq!(
        qlog(&[0x0e, 4, 5, 2, 0xaa, 0xbb, 0x09, 8, 0xcc]),
        json!([
            {"frame_type": "stream", "stream_id": 4, "offset": 5, "length": 2},
            {"frame_type": "stream", "stream_id": 8, "offset": 0, "length": 1, "fin": true},
        ])
    );
}

#[test]
fn handshake_frames() {
    assert_eq!(
        qlog(&[0x06, 3, 1, 7, 0x07, 2, 0xab, 0x0c, 0x1e, 0x01, 0, 0, 0]),
        json!([
            {"frame_type": "crypto", "offset": 3, "length": 1},
            {"frame_type": "new_token", "token": {"length": 2, "data": "ab0c"}},
            {"frame_type": "handshake_done"},
            {"frame_type": "ping"},
            {"frame_type": "padding", "length": 3, "payload_length": 3},
        ])
    );
}

#[test]
fn flow_control_frames() {
    let payload = [
        0x10, 9, 0x11, 4, 8, 0x12, 7, 0x13, 6, 0x14, 5, 0x15, 4, 3, 0x16, 7, 0x17, 6, 0x04, 8, 1,
        2, 0x05, 8, 1,
    ];
    assert_eq!(
        qlog(&payload),
        json!([
            {"frame_type": "max_data", "maximum": 9},
            {"frame_type": "max_stream_data", "stream_id": 4, "maximum": 8},
            {"frame_type": "max_streams", "stream_type": "bidirectional", "maximum": 7},
            {"frame_type": "max_streams", "stream_type": "unidirectional", "maximum": 6},
            {"frame_type": "data_blocked", "limit": 5},
            {"frame_type": "stream_data_blocked", "stream_id": 4, "limit": 3},
            {"frame_type": "streams_blocked", "stream_type": "bidirectional", "limit": 7},
            {"frame_type": "streams_blocked", "stream_type": "unidirectional", "limit": 6},
            {"frame_type": "reset_stream", "stream_id": 8, "error_code": 1, "final_size": 2},
            {"frame_type": "stop_sending", "stream_id": 8, "error_code": 1},
        ])
    );
}

#[test]
fn identifier_and_path_frames() {
    let mut payload = vec![0x18, 2, 1, 3, 0x0a, 0xbc, 0xff];
    payload.extend([0; 16]); // Stateless reset token.
    payload.extend([0x19, 1]);
    payload.push(0x1a);
    payload.extend([1; 8]);
    payload.push(0x1b);
    payload.extend([1; 8]);
    assert_eq!(
        qlog(&payload),
        json!([
            {"frame_type": "new_connection_id", "sequence_number": 2, "retire_prior_to": 1,
             "connection_id_length": 3, "connection_id": "0abcff"},
            {"frame_type": "retire_connection_id", "sequence_number": 1},
            {"frame_type": "path_challenge"},
            {"frame_type": "path_response"},
        ])
    );
}

#[test]
fn closing_frames() {
    assert_eq!(
        qlog(&[0x1c, 7, 0, 2, b'n', b'o', 0x1d, 0x41, 0, 0]),
        json!([
            {"frame_type": "connection_close", "error_space": "transport",
             "error_code": 7, "raw_error_code": 7, "reason": "no"},
            {"frame_type": "connection_close", "error_space": "application",
             "error_code": 256, "raw_error_code": 256, "reason": ""},
        ])
    );
}

#[test]
fn frames_without_a_qlog_name_give_their_number() {
    assert_eq!(
        qlog(&[0x1f, 0x40, 0xaf, 0, 1, 2, 3, 0x31, 1, 9, 0x40, 0x52]),
        json!([
            {"frame_type": "unknown", "raw_frame_type": 0x1f},
            {"frame_type": "unknown", "raw_frame_type": 0xaf},
            {"frame_type": "datagram", "length": 1},
            {"frame_type": "unknown", "raw_frame_type": 0x52},
        ])
    );
}
