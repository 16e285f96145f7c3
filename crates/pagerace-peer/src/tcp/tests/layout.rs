use pagerace_transport::tcp::Range;

use crate::tcp::{Layout, Record, Span};

#[test]
fn spans_are_cut_to_what_is_asked() {
    let mut layout = Layout::default();
    layout.push(&[(None, 10)]);
    layout.push(&[(Some(1), 100), (Some(3), 50)]);
    layout.push(&[(Some(1), 20)]);
    let all: Vec<Span> = layout
        .spans(Range {
            offset: 5,
            length: 1_000,
        })
        .collect();
    let span = |start, end, stream, offset| Span {
        start,
        end,
        stream,
        offset,
    };
    assert_eq!(
        all,
        [
            span(5, 10, None, 5),
            span(10, 110, Some(1), 0),
            span(110, 160, Some(3), 0),
            span(160, 180, Some(1), 100),
        ]
    );
    let some: Vec<Span> = layout
        .spans(Range {
            offset: 50,
            length: 70,
        })
        .collect();
    assert_eq!(
        some,
        [span(50, 110, Some(1), 40), span(110, 120, Some(3), 0)]
    );
    let record = |start, end| Some(Record { start, end });
    assert_eq!(layout.record(9), record(0, 10));
    assert_eq!(layout.record(10), record(10, 160));
    assert_eq!(layout.record(159), record(10, 160));
    assert_eq!(layout.record(179), record(160, 180));
    assert_eq!(layout.record(180), None);
}

#[test]
fn what_lies_far_back_is_let_go_of() {
    let mut layout = Layout::default();
    for n in 0..100_000 {
        layout.push(&[(Some(n % 2), 16_406)]);
    }
    let first = layout.record(layout.end() - (32 << 20));
    assert!(first.is_some());
    assert_eq!(layout.record(0), None);
    let kept = layout.spans(Range {
        offset: 0,
        length: layout.end(),
    });
    assert!(kept.count() < 5_000);
}
