//! Checks that the example runs and sends in the documented order.

#[allow(
    dead_code,
    unreachable_pub,
    reason = "an example is a program, here only a part of one"
)]
#[path = "../examples/shortest_first.rs"]
mod shortest_first;

/// Returns the streams of the packets that `strategy` sends.
fn streams(strategy: &str) -> Vec<String> {
    let order = shortest_first::order(strategy).expect(strategy);
    let stream = |line: &str| line.split([' ', ',']).nth(3).map(str::to_owned);
    order.lines().filter_map(stream).collect()
}

#[test]
fn the_added_strategy_sends_the_shortest_first() {
    assert_eq!(
        streams("shortest-first"),
        ["4", "4", "8", "0", "0", "0", "0", "0"]
    );
    assert_eq!(
        streams("round-robin"),
        ["0", "4", "0", "4", "8", "0", "0", "0"]
    );
}

#[test]
fn an_unknown_name_lists_the_added_strategy_too() {
    let message = shortest_first::order("shortest-frist")
        .unwrap_err()
        .to_string();
    assert!(message.contains("did you mean shortest-first"), "{message}");
}

#[test]
fn the_program_runs() {
    shortest_first::main().expect("it prints");
}
