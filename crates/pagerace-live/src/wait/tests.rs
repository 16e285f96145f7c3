use super::*;
use crate::Clock;

#[test]
fn nothing_comes_before_its_time() {
    let mut waiter = Waiter::new().unwrap();
    let clock = Clock::start();
    for micros in [300, 1, 2_500, 50] {
        let wait = Duration::from_micros(micros);
        let before = clock.now();
        assert_eq!(waiter.wait(wait).unwrap().count(), 0);
        let waited = clock.now().since(before).to_std();
        assert!(waited >= wait, "{waited:?} for {wait:?}");
    }
}

/// Takes the best of many waits, as other work on the machine may delay any of them.
#[cfg(target_os = "linux")]
#[test]
fn waits_are_shorter_than_a_millisecond() {
    let mut waiter = Waiter::new().unwrap();
    let clock = Clock::start();
    let wait = Duration::from_micros(200);
    let best = (0..200)
        .map(|_| {
            let before = clock.now();
            assert_eq!(waiter.wait(wait).unwrap().count(), 0);
            clock.now().since(before).to_std()
        })
        .min();
    assert!(best.unwrap() < Duration::from_micros(900), "{best:?}");
}

#[test]
fn a_socket_wakes_it() {
    let mut waiter = Waiter::new().unwrap();
    let mut socket = mio::net::UdpSocket::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    waiter
        .registry()
        .register(&mut socket, Token(7), mio::Interest::READABLE)
        .unwrap();
    socket.send_to(b"x", socket.local_addr().unwrap()).unwrap();
    let long = Duration::from_mins(1);
    let tokens: Vec<Token> = waiter.wait(long).unwrap().map(Event::token).collect();
    assert_eq!(tokens, [Token(7)]);
}
