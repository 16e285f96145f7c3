//! The report in Chromium, on a desk and on a phone, light and dark. Skipped with a message if there
//! is no Chromium. With the path of `axe.min.js` (npm package `axe-core`) in `PAGERACE_AXE`, the page
//! is also checked for what keeps people with disabilities out.

use std::path::Path;
use std::process::Command;

use pagerace_chromium::{Browser, Options, Session};
use pagerace_core::{Destination, Duration, Instant, Priority, Protocol, RequestPriority};
use pagerace_page::ResourceId;
use pagerace_page::timeline::{FrameSent, ResourceTiming, Trace};
use pagerace_report::film::{FilmRun, PartKind, Scene, ScenePart, ScenePictures, Shot, Show};
use pagerace_report::input::{
    Advice, Comparison, LargestElementName, Metric, Named, NetworkResult, PageResult, PathStep,
    Report, Resource, Row, RunDetail, VerdictKind, Why,
};
use serde_json::{Value, json};

/// Pictures of 40 by 30 pixels. A grey box is above a light canvas, a blue text on each of the box
/// and the image, and a red image at the lower right.
const WHOLE: &str = "UklGRlAAAABXRUJQVlA4TEQAAAAvJ0AHAB8gEEjyhxxhHoEA4T/SggQCEiL/P5rggvkP3LikoKCRFOdQgCVMYBKT7XsRENH/CfCtDDy011ptbyPIde3PAA==";
const TEXTLESS: &str = "UklGRkAAAABXRUJQVlA4TDMAAAAvJ0AHABcgEEjyhxxhHoFA4i+ZwggLBJL8IUeYYf7D3hIQCZBw0pPeJGuO6P8EdGKM3wMA";
const IMAGELESS: &str = "UklGRkoAAABXRUJQVlA4TD0AAAAvJ0AHABcgEEjyhxxhHoFAkj/kCDMIBBJ/yRRGeP6DfwooZiQJ6vkO1Uqs5JKeABH9n4BqNRzqzbMi1n0PAA==";
const BARE: &str = "UklGRioAAABXRUJQVlA4TB4AAAAvJ0AHAA9wb/d7u9/bff7jAWIaQv/SApg/ov9pwAI=";
const CANVAS: &str = "UklGRh4AAABXRUJQVlA4TBEAAAAvJ0AHAAdQ97rXvf+BiOh/AAA=";

/// A dark red screenshot of 8 by 6 pixels: JPEG.
const SHOT: &str = "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAYEBQYFBAYGBQYHBwYIChAKCgkJChQODwwQFxQYGBcUFhYaHSUfGhsjHBYWICwgIyYnKSopGR8tMC0oMCUoKSj/2wBDAQcHBwoIChMKChMoGhYaKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCj/wAARCAAGAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAf/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAABgf/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCSADC5P//Z";

/// Waits until the films are drawn, and returns what is wrong with the page.
const CHECKS: &str = r"(async () => {
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  for (let i = 0; i < 100 && !(document.getElementById('film').dataset.ready && document.getElementById('strip').dataset.ready); i += 1) await wait(50);
  document.getElementById('wire-fold').open = true;
  await wait(200);
  const wrong = [];
  if (document.documentElement.scrollWidth > innerWidth) wrong.push(`the page is ${document.documentElement.scrollWidth} px wide`);
  const box = (element) => element.getBoundingClientRect();
  const meets = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
  for (const row of document.querySelectorAll('.wf-row:not(.wf-head)')) {
    for (const bar of row.querySelectorAll('.wf-bars > i')) {
      for (const cell of row.querySelectorAll(':scope > span:not(.wf-bars)')) {
        if (meets(box(bar), box(cell))) wrong.push(`a bar lies on ${cell.textContent}`);
      }
    }
  }
  if (!document.querySelectorAll('.wf-row .wf-bars > i').length) wrong.push('the waterfalls are empty');
  if (document.querySelector('main').innerText.includes('[object')) wrong.push('an object is shown as text');
  for (const chart of document.querySelectorAll('.chart')) {
    if (!chart.getAttribute('aria-label')) wrong.push('a chart has no label');
    const canvas = chart.querySelector('canvas');
    const { width, height } = canvas;
    const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
    const tones = new Set();
    for (let i = 0; i < data.length; i += 4) tones.add(`${data[i]},${data[i + 1]},${data[i + 2]},${data[i + 3]}`);
    if (tones.size < 3) wrong.push(`a chart has no marks: ${chart.getAttribute('aria-label')}`);
  }
  for (const section of document.querySelectorAll('section')) {
    if (!section.hidden && box(section).height < 20) wrong.push(`${section.id} is empty`);
  }
  return wrong;
})()";

/// Returns the colours of a film at four places: box, text on it, image, text on that.
const FRAME: &str = r"(async (ms, film = 0) => {
  const scrub = document.querySelector('#film input');
  scrub.value = String(ms);
  scrub.dispatchEvent(new Event('input'));
  const canvas = document.querySelectorAll('#film canvas')[film];
  const pen = canvas.getContext('2d');
  const at = ([x, y]) => [...pen.getImageData(Math.round((x / 40) * canvas.width), Math.round((y / 30) * canvas.height), 1, 1).data.slice(0, 3)];
  return [[30, 5], [7, 5], [37, 14], [30, 17]].map(at);
})";

#[test]
fn the_report_shows_what_it_should_on_all_screens() {
    if pagerace_chromium::browser::find(None).is_err() {
        eprintln!("skipped: there is no Chromium here");
        return;
    }
    let folder = std::env::temp_dir().join(format!("pagerace-report-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    let file = folder.join("report.html");
    std::fs::write(&file, pagerace_report::render(&report())).expect("written");
    let spawn = |mut command: Command| command.spawn();
    let mut browser =
        Browser::launch(&Options::new(folder.join("browser")), &spawn).expect("Chromium starts");
    for (width, height) in [(1280, 900), (360, 780)] {
        for scheme in ["light", "dark"] {
            let place = format!("{width} px, {scheme}");
            let mut session = browser.page().expect("a page");
            open(&mut session, &file, (width, height), scheme);
            let wrong = session.evaluate(CHECKS).expect("a result");
            assert_eq!(wrong, json!([]), "{place}");
            frames(&mut session, &place);
            accessible(&mut session, &place);
            let problems = problems(&mut session);
            assert!(problems.is_empty(), "{place}: {problems:?}");
        }
    }
    browser.close();
    std::fs::remove_dir_all(&folder).expect("removed");
}

fn open(session: &mut Session, file: &Path, (width, height): (u32, u32), scheme: &str) {
    let mut call = |method: &str, params: Value| session.call(method, params).expect("an answer");
    for domain in [
        "Page.enable",
        "Runtime.enable",
        "Log.enable",
        "Network.enable",
    ] {
        call(domain, json!({}));
    }
    let screen = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
    call("Emulation.setDeviceMetricsOverride", screen);
    let scheme = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
    call("Emulation.setEmulatedMedia", scheme);
    call(
        "Page.navigate",
        json!({"url": format!("file://{}", file.display())}),
    );
    let loaded = "new Promise((done) => { if (document.readyState === 'complete') done(); else addEventListener('load', done); })";
    session.evaluate(loaded).expect("it loads");
}

/// Returns errors of the page and requests other than its own file and what it holds.
fn problems(session: &mut Session) -> Vec<String> {
    let mut problems = Vec::new();
    while let Some(event) = session.next_event(Duration::ZERO).expect("events") {
        let params = &event.params;
        let url = params["request"]["url"].as_str().unwrap_or_default();
        let own = ["file:", "data:", "blob:"]
            .iter()
            .any(|scheme| url.starts_with(scheme));
        match event.method.as_str() {
            "Runtime.exceptionThrown" => problems.push(params["exceptionDetails"].to_string()),
            "Log.entryAdded" if params["entry"]["level"] == "error" => {
                problems.push(params["entry"].to_string());
            }
            "Network.requestWillBeSent" if !own => problems.push(format!("a request: {url}")),
            _ => {}
        }
    }
    problems
}

/// Checks the player's frames: nothing, then box and text, then the upper rows of the image, then
/// all.
fn frames(session: &mut Session, place: &str) {
    let (paper, grey, blue, red, light) = (
        [255, 255, 255],
        [204, 204, 204],
        [0, 0, 255],
        [255, 0, 0],
        [238, 238, 238],
    );
    for (ms, kept) in [
        (100, [paper, paper, paper, paper]),
        (400, [grey, grey, light, light]),
        (500, [grey, blue, light, blue]),
        (600, [grey, blue, red, blue]),
    ] {
        let shown = session
            .evaluate(&format!("{FRAME}({ms})"))
            .expect("colours");
        assert_eq!(shown, json!(kept), "{place}, {ms} ms");
    }
    // A live load shows its screenshots, and its prediction is beside it.
    for (film, ms, kept) in [
        (1, 100, paper),
        (1, 500, [200, 0, 0]),
        (2, 450, paper),
        (2, 500, grey),
    ] {
        let shown = session
            .evaluate(&format!("{FRAME}({ms}, {film})"))
            .expect("colours");
        assert_eq!(shown[0], json!(kept), "{place}, film {film}, {ms} ms");
    }
}

/// Lets axe-core look at the page, if it is there.
fn accessible(session: &mut Session, place: &str) {
    let Some(axe) = std::env::var_os("PAGERACE_AXE") else {
        eprintln!("skipped: PAGERACE_AXE does not name axe.min.js");
        return;
    };
    let axe = std::fs::read_to_string(axe).expect("axe.min.js");
    session.evaluate(&format!("{axe}; 0")).expect("axe starts");
    let found = session
        .evaluate("axe.run().then((all) => all.violations.map((one) => `${one.id}: ${one.nodes[0].html}`))")
        .expect("a result");
    assert_eq!(found, json!([]), "{place}");
}

fn at(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

fn named(name: &str) -> Named {
    Named {
        name: name.to_owned(),
        description: format!("about {name}"),
    }
}

fn advice() -> Advice {
    let long = "https://images.example/a/very/long/path/to/the/largest/image-of-the-page.jpg";
    Advice {
        sentences: vec![
            "All users gain.".to_owned(),
            format!("1. preload=high {long}: -300 ms on cable; the largest element is found late."),
        ],
        lines: vec![format!(
            "in <head>: <link rel=\"preload\" href=\"{long}\" as=\"image\">"
        )],
        without: vec!["resize=0.5 */hero.jpg".to_owned()],
        servers: vec![(
            "nginx".to_owned(),
            format!("add_header Link \"<{long}>; rel=preload\";\n"),
        )],
        header: ["change", "effect", "cable"].map(str::to_owned).into(),
        rows: vec![vec![
            format!("preload=high {long}"),
            "gains".to_owned(),
            "-300 ms".to_owned(),
        ]],
        remarks: vec!["Expect nothing of: lazy */logo.png.".to_owned()],
        record: "How sure: of 38 such claims, 25 came true.".to_owned(),
        settings: "Largest Contentful Paint of shop, seed 1".to_owned(),
    }
}

fn report() -> Report {
    let metric = |name: &str, title: &str| Metric {
        name: name.to_owned(),
        title: title.to_owned(),
        unit: "ms".to_owned(),
        lower_is_better: true,
        definition: format!("{title} of a load"),
    };
    let metrics = vec![
        metric("ttfb", "Time to First Byte"),
        metric("fcp", "First Contentful Paint"),
        metric("lcp", "Largest Contentful Paint"),
        metric("speed-index", "Speed Index"),
        metric("onload", "Page Load Time"),
    ];
    let step = |resource, from_ms, until_ms, part| PathStep {
        resource,
        from_ms,
        until_ms,
        part,
    };
    let result = |network| NetworkResult {
        network,
        outcome: VerdictKind::Better,
        winner: Some(1),
        verdict: "h3 is sooner.".to_owned(),
        visit: "For whom: a first visit sees no difference.".to_owned(),
        record: "How sure: 9 of 10 such winners won.".to_owned(),
        rows: vec![row(1, 500.0), row(0, 600.0)],
        whys: vec![Why {
            contender: 1,
            sentence: "h3 needs fewer round trips.".to_owned(),
            baseline: vec![Duration::from_millis(200), Duration::from_millis(400)],
            own: vec![Duration::from_millis(100), Duration::from_millis(400)],
            baseline_path: vec![step(0, 0.0, 200.0, 0), step(1, 200.0, 600.0, 1)],
            own_path: vec![step(0, 0.0, 100.0, 0), step(1, 100.0, 500.0, 1)],
            ..Why::default()
        }],
    };
    Report {
        title: "news: h3 shows the largest element 100 ms sooner than h2.".to_owned(),
        question: "news: h2 or h3: which shows the largest element sooner?".to_owned(),
        version: "0.0.0".to_owned(),
        runs: 5,
        metric: 2,
        noun: "variant".to_owned(),
        nouns: "variants".to_owned(),
        metrics,
        contenders: vec![named("h2"), named("h3")],
        parts: vec![named("set-up"), named("bandwidth")],
        networks: vec![named("cable"), named("fast-4g")],
        pages: vec![PageResult {
            name: "news".to_owned(),
            url: "https://news.example/".to_owned(),
            resources: resources(),
            scene: Some(scene()),
            largest: Some(LargestElementName {
                name: "the image photo.jpg, 20 x 20 pixels".to_owned(),
                resource: Some(1),
            }),
            networks: vec![result(0), result(1)],
        }],
        notes: vec!["A note.".to_owned()],
        advice: Some(advice()),
        ..Report::default()
    }
}

fn resources() -> Vec<Resource> {
    let urls = [
        "https://news.example/",
        "https://news.example/a-long-name-of-a-picture-that-does-not-fit-on-a-phone.jpg",
        "https://ads.example/one.js",
        "https://ads.example/two.js",
    ];
    let resource = |(number, url): (usize, &&str)| Resource {
        url: (*url).to_owned(),
        destination: [
            Destination::Document,
            Destination::Image,
            Destination::Script,
        ][number.min(2)],
        bytes: 12_345,
        render_blocking: number == 0,
        status: 200,
        priority: RequestPriority::Low,
        owner: if number < 2 {
            String::new()
        } else {
            "ads.example".to_owned()
        },
    };
    urls.iter().enumerate().map(resource).collect()
}

fn scene() -> Scene {
    let part = |kind, place| ScenePart {
        kind,
        place,
        name: String::new(),
    };
    Scene {
        viewport: (40, 30),
        pictures: Some(ScenePictures {
            whole: WHOLE.to_owned(),
            textless: Some(TEXTLESS.to_owned()),
            imageless: Some(IMAGELESS.to_owned()),
            bare: Some(BARE.to_owned()),
            canvas: Some(CANVAS.to_owned()),
        }),
        guessed: false,
        parts: vec![
            part(PartKind::Box, [0, 0, 40, 10]),
            part(PartKind::Text, [2, 2, 10, 6]),
            part(PartKind::Image, [20, 10, 20, 20]),
            part(PartKind::Text, [25, 15, 10, 5]),
        ],
        largest: None,
    }
}

fn row(contender: usize, lcp: f64) -> Row {
    let value = Comparison {
        median: Some(lcp),
        difference: Some(lcp - 600.0),
        difference_percent: Some((lcp - 600.0) / 6.0),
        range: Some((lcp - 50.0, lcp + 80.0)),
        probable_range: Some((lcp - 620.0, lcp - 590.0)),
        sure_range: Some((lcp - 640.0, lcp - 580.0)),
        sooner: Some(0.9),
        counts: contender == 1,
        ..Comparison::default()
    };
    let timing = |number: u64| ResourceTiming {
        protocol: Protocol::H3,
        priority: Some(Priority::new(1, true)),
        connection: Some(0),
        reused: number > 0,
        discovered: at(number * 80),
        queued: Duration::from_millis(10),
        blocked: Duration::ZERO,
        dns: Duration::from_millis(20),
        connect: Duration::from_millis(60),
        wait: Duration::from_millis(80),
        receive: Duration::from_millis(120),
        hol_blocked_bytes: 0,
        hol_other_bytes: 0,
    };
    let show = |ms, part, level| Show { ms, part, level };
    let shot = Shot {
        ms: 300.0,
        jpeg: SHOT.to_owned(),
    };
    let frame = |number: u64| FrameSent {
        at: at(100 + number * 20),
        length: 1_200,
        offset: number * 1_200,
        resource: ResourceId((number % 4) as u32),
        ..FrameSent::default()
    };
    let marks = [
        ("ttfb", 150),
        ("fcp", 400),
        ("lcp", lcp as u64),
        ("onload", 700),
    ];
    Row {
        contender,
        values: vec![value; 5],
        detail: Some(RunDetail {
            recorded: 4,
            marks: marks.map(|(name, ms)| (name.to_owned(), at(ms))).to_vec(),
            visual_progress: vec![(at(0), 0.0), (at(400), 0.2), (at(500), 0.5), (at(600), 1.0)],
            timings: (0..4).map(|number| Some(timing(number))).collect(),
            trace: Trace {
                frames: (0..20).map(frame).collect(),
                ..Trace::default()
            },
            shows: vec![
                show(400.0, 0, 100),
                show(500.0, 1, 100),
                show(500.0, 3, 100),
                show(600.0, 2, 100),
            ],
            shots: vec![shot; contender],
            predicted: (contender > 0).then(|| FilmRun {
                name: "h3: predicted".to_owned(),
                shows: vec![show(500.0, 0, 100)],
                ..FilmRun::default()
            }),
            ..RunDetail::default()
        }),
        ..Row::default()
    }
}
