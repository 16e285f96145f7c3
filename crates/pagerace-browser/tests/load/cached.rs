//! Loads with a filled cache.

use std::sync::Arc;

use crate::common::{
    KIB, Network, blocking_sheet, document, head_script, id, load, ms, no_cpu, page, visible_image,
};
use pagerace_browser::{BrowserConfig, Cached, Moment, Profile};
use pagerace_page::model::Page;

/// Returns a document with a sheet, a script and an image.
fn site() -> Arc<Page> {
    page(vec![
        document(10 * KIB),
        blocking_sheet(30_000, 500),
        head_script(30_000, 800),
        visible_image(50_000, 5_000),
    ])
}

fn with(cached: [Cached; 4]) -> Network {
    Network {
        rate: 100_000,
        cached: cached.to_vec(),
        ..Network::default()
    }
}

#[test]
fn what_is_fresh_is_there_at_once_and_never_requested() {
    use Cached::{Fresh, No};
    let l = load(
        &site(),
        &no_cpu(Profile::CHROME),
        &with([No, Fresh, Fresh, Fresh]),
        1,
    );
    assert!(l.done);
    assert_eq!(l.fetch_order(), [0]);
    assert_eq!(l.browser.requested_at(id(1)), None);
    assert_eq!(l.found(1), Some(112.0), "with the first 1,200 bytes");
    let m = l.browser.metrics();
    // The first layout begins when the parser is past the head: 2.4 kB arrive within
    // 24 ms.
    let fcp = m.fcp.expect("painted");
    assert!(fcp > ms(120.0) && fcp < ms(135.0), "{fcp:?}");
    // The document is the cause of every moment.
    for moment in Moment::ALL {
        let cause = l.browser.metric_cause(moment).expect("a cause");
        assert_eq!(cause.resource, id(0), "{moment}");
    }
    // 10 KiB, one byte every 10 us, in pieces of 1,200.
    let mean = m.byte_index.expect("bytes arrived").as_millis_f64();
    assert!(
        mean > 151.0 && mean < 160.0,
        "{mean}: the document's bytes only"
    );
}

#[test]
fn what_is_validated_costs_a_round_trip_and_no_bytes() {
    use Cached::{No, Validate};
    let network = with([No, Validate, Validate, Validate]);
    let l = load(&site(), &no_cpu(Profile::CHROME), &network, 1);
    assert!(l.done);
    assert_eq!(l.fetch_order(), [0, 1, 2, 3]);
    let cold = load(&site(), &no_cpu(Profile::CHROME), &with([No; 4]), 1);
    let (m, cold) = (l.browser.metrics(), cold.browser.metrics());
    assert!(m.fcp < cold.fcp && m.onload < cold.onload);
    assert_eq!(
        l.ends[&id(1)],
        l.browser.requested_at(id(1)).expect("asked") + ms(100.0)
    );
    let mean = m.byte_index.expect("bytes arrived").as_millis_f64();
    assert!(
        mean > 151.0 && mean < 160.0,
        "{mean}: the document's bytes only"
    );
    let cause = l.browser.metric_cause(Moment::Fcp).expect("a cause");
    assert!(cause.ended && cause.received == 0 && [id(1), id(2)].contains(&cause.resource));
}

#[test]
fn a_page_that_is_all_fresh_takes_the_cpu_s_time_only() {
    for profile in Profile::all() {
        let l = load(&site(), &no_cpu(profile), &with([Cached::Fresh; 4]), 1);
        assert!(l.done && l.actions.is_empty(), "{profile:?}");
        let m = l.browser.metrics();
        assert_eq!(m.ttfb, Some(ms(0.0)));
        assert!(m.fcp < Some(ms(10.0)) && m.onload < Some(ms(20.0)), "{m:?}");
        assert!(m.lcp >= m.fcp && m.byte_index.is_none());
        for moment in Moment::ALL {
            assert_eq!(l.browser.metric_cause(moment), None, "the navigation");
        }
        let desktop = BrowserConfig {
            profile,
            cpu: 1.0,
            jitter: 0.0,
        };
        let slow = load(&site(), &desktop, &with([Cached::Fresh; 4]), 1);
        // The script takes 30,000 / 1,024 x 0.06 ms, layout at least 12 ms, commit and
        // presentation 44 ms.
        let fcp = slow.browser.metrics().fcp.expect("painted");
        assert!(fcp > ms(57.7) && fcp < ms(84.0), "{fcp:?}");
    }
}

#[test]
fn a_fresh_redirect_leads_on_at_once() {
    use pagerace_core::Destination;
    use pagerace_page::model::Trigger;
    let first = crate::common::resource(Destination::Document, 0, Trigger::Navigation);
    let target = crate::common::resource(
        Destination::Document,
        5_000,
        Trigger::Redirect { parent: id(0) },
    );
    let p = page(vec![first, target]);
    let network = Network {
        cached: vec![Cached::Fresh],
        ..Network::default()
    };
    let l = load(&p, &no_cpu(Profile::CHROME), &network, 1);
    assert_eq!((l.found(1), l.asked(1)), (Some(0.0), Some(0.0)));
    assert_eq!(l.browser.metrics().ttfb, Some(ms(100.0)));
}
