use pagerace_core::Duration;

use crate::reliability::*;

fn path() -> Conditions {
    Conditions {
        window: 30_000,
        packets_sent: 1_000,
        packets_lost: 50,
        urgent_left: 100_000,
    }
}

fn object(selected: bool, whole: bool) -> Object {
    Object {
        nature: Nature {
            essential: !selected,
            whole,
            seen: false,
            selected,
        },
        length: 40_000,
    }
}

fn deliver(policy: &str, object: &Object, path: &Conditions) -> Delivery {
    let spec: ReliabilitySpec = policy.parse().expect(policy);
    spec.build().deliver(object, path)
}

#[test]
fn what_is_not_selected_goes_on_its_stream() {
    for policy in [
        "full",
        "datagram:fonts",
        "deadline:500",
        "fec:0.1",
        "late",
        "adaptive",
        "adaptive:1s",
    ] {
        let delivery = deliver(policy, &object(false, false), &path());
        assert_eq!(delivery, Delivery::Stream, "{policy}");
    }
}

#[test]
fn each_does_what_its_name_says() {
    let fonts = object(true, true);
    let on = |policy| deliver(policy, &fonts, &path());
    assert_eq!(on("full"), Delivery::Stream);
    assert_eq!(on("late"), Delivery::Late);
    assert_eq!(on("datagram:fonts"), Delivery::Datagrams(Terms::ONCE));
    let deadline = Some(Duration::from_millis(500));
    let dropped = Terms {
        deadline,
        ..Terms::ONCE
    };
    assert_eq!(on("deadline:500"), Delivery::Datagrams(dropped));
    let repaired = Terms {
        repair: Some(Repair::Later),
        ..dropped
    };
    assert_eq!(on("deadline:500,repair"), Delivery::Datagrams(repaired));
    let parity = Terms {
        parity: 0.1,
        ..Terms::ONCE
    };
    assert_eq!(on("fec:0.1"), Delivery::Datagrams(parity));
}

#[test]
fn adaptive_sends_datagrams_only_where_losses_would_hold_up_what_is_essential() {
    let fonts = object(true, true);
    let lossless = Conditions {
        packets_lost: 0,
        ..path()
    };
    let unknown = Conditions {
        packets_sent: 10,
        ..path()
    };
    let through = Conditions {
        urgent_left: 0,
        ..path()
    };
    assert_eq!(deliver("adaptive", &fonts, &lossless), Delivery::Late);
    assert_eq!(deliver("adaptive", &fonts, &unknown), Delivery::Late);
    assert_eq!(deliver("adaptive", &fonts, &through), Delivery::Late);
    assert!(matches!(
        deliver("adaptive", &fonts, &path()),
        Delivery::Datagrams(Terms {
            late: true,
            repair: Some(Repair::Later),
            ..
        })
    ));
}

#[test]
fn adaptive_delays_nothing_that_is_seen() {
    let mut font = object(true, true);
    font.nature.seen = true;
    for urgent_left in [0, 100_000] {
        let path = Conditions {
            urgent_left,
            ..path()
        };
        assert_eq!(deliver("adaptive", &font, &path), Delivery::Stream);
    }
}

#[test]
fn adaptive_never_leaves_broken_what_must_be_whole() {
    for lost in [0, 1, 5, 50, 500] {
        for urgent_left in [0, 1, 1 << 20] {
            for policy in ["adaptive", "adaptive:1ms", "adaptive:10s,all"] {
                let path = Conditions {
                    packets_lost: lost,
                    urgent_left,
                    ..path()
                };
                if let Delivery::Datagrams(terms) = deliver(policy, &object(true, true), &path) {
                    assert!(terms.repair.is_some(), "{policy}: {terms:?}");
                }
            }
        }
    }
}

#[test]
fn adaptive_leaves_in_part_what_is_of_use_in_part_if_it_is_given_a_time() {
    let image = object(true, false);
    let Delivery::Datagrams(terms) = deliver("adaptive:2s", &image, &path()) else {
        panic!("it goes in datagrams");
    };
    assert_eq!(terms.deadline, Some(Duration::from_secs(2)));
    assert_eq!(terms.repair, Some(Repair::IfUseless));
    let Delivery::Datagrams(terms) = deliver("adaptive", &image, &path()) else {
        panic!("it goes in datagrams");
    };
    assert!(terms.repair.is_some());
}

#[test]
fn the_registry_is_complete() {
    let names: Vec<_> = policies().iter().map(|info| info.name).collect();
    assert_eq!(
        names,
        ["full", "datagram", "deadline", "fec", "late", "adaptive"]
    );
    for info in policies() {
        assert!(info.usage.starts_with(info.name));
        assert!(!info.summary.ends_with('.'));
    }
}
