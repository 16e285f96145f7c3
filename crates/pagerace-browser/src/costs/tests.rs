use std::sync::Arc;

use super::*;

fn a_page() -> Arc<Page> {
    let text = r#"{"name":"t","url":"","origins":[],"document":0,"recorded":{"on_content_load":null,"on_load":null,"creator":""},"notes":[],
      "resources":[{"id":0,"url":"","origin":0,"method":"GET","status":200,"destination":"document","script_mode":"blocking",
      "mime_type":"","request_header_bytes":0,"request_body_bytes":0,"response_header_bytes":0,"body_bytes":10240,
      "decoded_bytes":40960,"think_time":0,"priority":"VeryHigh","render_blocking":false,
      "discovery":{"trigger":{"kind":"navigation"},"evidence":"recorded"},"in_viewport":false,"cpu_time":null,
      "blocks_load":true,"category":"html","third_party":false,"recorded":null}]}"#;
    Arc::new(serde_json::from_str(text).expect("a page"))
}

fn costs(cpu: f64, jitter: f64, seed: u64) -> Costs {
    Costs::new(
        &a_page(),
        &BrowserConfig {
            cpu,
            jitter,
            ..BrowserConfig::default()
        },
        seed,
    )
}

#[test]
fn costs_are_linear_in_decoded_bytes_and_slow_down() {
    let page = a_page();
    let document = &page.resources[0];
    // 10 KiB of encoded data are 40 KiB of decoded data.
    assert_eq!(
        costs(1.0, 0.0, 1).parse(document, 0..10_240, true),
        Duration::from_millis_f64(9.0)
    );
    assert_eq!(
        costs(4.0, 0.0, 1).parse(document, 0..5_120, true),
        Duration::from_millis_f64(18.0)
    );
    assert_eq!(
        costs(1.0, 0.0, 1).parse(document, 0..5_120, false),
        Duration::from_millis_f64(2.0),
        "a frame"
    );
    assert_eq!(
        costs(1.0, 0.0, 1).render(Some((document, 10_240)), None),
        Duration::from_millis(32)
    );
    assert_eq!(
        costs(3.0, 0.0, 1).render(None, None),
        Duration::from_millis(9)
    );
}

#[test]
fn recorded_times_come_first() {
    let page = a_page();
    let recorded = Resource {
        cpu_time: Some(Duration::from_millis(80)),
        ..page.resources[0].clone()
    };
    assert_eq!(
        costs(1.0, 0.0, 1).parse(&recorded, 0..5_120, true),
        Duration::from_millis(40)
    );
    // A script inside the document runs where it stands.
    let mut inline = costs(1.0, 0.0, 1);
    inline.inline_scripts = vec![(8_000, 60.0)];
    let mut parsing = |part| inline.parse(&recorded, part, true);
    assert_eq!(parsing(0..5_120), Duration::from_millis(10));
    assert_eq!(parsing(5_120..10_240), Duration::from_millis(70));
    assert_eq!(
        costs(2.0, 0.0, 1).script(&recorded),
        Duration::from_millis(160)
    );
}

#[test]
fn frames_without_content_take_their_part_of_the_recorded_time() {
    let page = a_page();
    let document = &page.resources[0];
    let recorded = || Costs {
        recorded_first_render: Some(80.0),
        recorded_render: Some(5.0),
        ..costs(1.0, 0.0, 1)
    };
    let millis = Duration::from_millis;
    let mut whole = recorded();
    assert_eq!(whole.render(Some((document, 10_240)), None), millis(80));
    assert_eq!(whole.render(None, None), millis(5));
    let mut parts = recorded();
    assert_eq!(
        parts.render(Some((document, 2_560)), Some(0.25)),
        millis(20)
    );
    assert_eq!(
        parts.render(None, Some(0.01)),
        millis(5),
        "as any later one"
    );
    assert_eq!(
        parts.render(None, None),
        millis(55),
        "the frame with content"
    );
    assert_eq!(parts.render(None, None), millis(5));
}

#[test]
fn one_factor_for_each_resource_and_seed_with_median_one() {
    let page = a_page();
    let document = &page.resources[0];
    let mut one = costs(1.0, 0.3, 7);
    assert_eq!(
        one.parse(document, 0..1_024, true),
        one.parse(document, 0..1_024, true),
        "drawn once"
    );
    let faster = (0..2_000)
        .filter(|&seed| {
            costs(1.0, 0.3, seed).script(document) < costs(1.0, 0.0, seed).script(document)
        })
        .count();
    assert!(
        (900..1_100).contains(&faster),
        "{faster} of 2,000 below the median"
    );
}

#[test]
fn a_slow_recording_slows_modelled_costs_and_not_recorded_ones() {
    let mut page = Page::clone(&a_page());
    page.recorded.slowdown = Some(3.0);
    let config = BrowserConfig {
        jitter: 0.0,
        ..BrowserConfig::default()
    };
    let slow = || Costs::new(&page, &config, 1);
    let document = &page.resources[0];
    let parsed = slow().parse(document, 0..10_240, true);
    assert_eq!(parsed, Duration::from_millis_f64(27.0));
    let rendered = slow().render(Some((document, 10_240)), None);
    assert_eq!(rendered, Duration::from_millis_f64(96.0));
    assert_eq!(slow().render(None, None), Duration::from_millis(9));
    let ran = Resource {
        cpu_time: Some(Duration::from_millis(80)),
        ..document.clone()
    };
    assert_eq!(slow().script(&ran), Duration::from_millis(80));
    let mut script = document.clone();
    script.destination = Destination::Script;
    let rest = slow().delay_after(&script, Duration::from_millis(25));
    assert_eq!(rest, Duration::from_millis_f64(17.8), "40 KiB take 7.2 ms");
}

#[test]
fn odd_settings_count_as_none() {
    let page = a_page();
    let document = &page.resources[0];
    let plain = costs(1.0, 0.0, 1).script(document);
    assert_eq!(costs(f64::NAN, f64::INFINITY, 1).script(document), plain);
    assert_eq!(costs(-1.0, -1.0, 1).script(document), Duration::ZERO);
}

#[test]
fn a_recorded_delay_holds_the_scripts_own_time_unless_that_is_recorded() {
    let mut script = a_page().resources[0].clone();
    script.destination = Destination::Script;
    // The 40 KiB of decoded script take 2.4 ms.
    let rest =
        |script: &Resource, ms| costs(1.0, 0.0, 1).delay_after(script, Duration::from_millis(ms));
    assert_eq!(rest(&script, 25), Duration::from_millis_f64(22.6));
    assert_eq!(rest(&script, 2), Duration::ZERO);
    script.cpu_time = Some(Duration::from_millis(20));
    assert_eq!(rest(&script, 25), Duration::from_millis(25));
}
