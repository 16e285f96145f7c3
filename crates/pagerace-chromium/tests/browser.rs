//! A real Chromium with pages from a server on the loopback interface. The tests are
//! skipped with a message if there is no Chromium. They check only order, counts and
//! presence, because machines are too noisy for more.

#[path = "browser/server.rs"]
mod server;

use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pagerace_chromium::measure::{MeasureOptions, Observed, measure, measure_once};
use pagerace_chromium::{Browser, ChromiumError, Options};
use pagerace_core::Duration;
use pagerace_har::Device;
use serde_json::json;

const PLAIN: server::Files = &[
    (
        "/",
        "text/html",
        "<!doctype html><link rel=stylesheet href='/style.css?wait=80'><h1>Heading</h1><p>Text<img src='/big.svg?wait=300' width=120 height=100><script src='/script.js' defer></script><img src='/gone?reset'><img src='/never.png'>",
    ),
    ("/style.css", "text/css", "body { background: #ddd }"),
    ("/script.js", "text/javascript", "document.title = 'ran'"),
    (
        "/big.svg",
        "image/svg+xml",
        "<svg xmlns='http://www.w3.org/2000/svg' width='120' height='100'><rect width='120' height='100' fill='teal'/><circle cx='50' cy='50' r='40' fill='red'/></svg>",
    ),
];

const SHIFT: server::Files = &[(
    "/",
    "text/html",
    "<!doctype html><p id=first style='margin:0'>Above</p><div style='height:300px;background:teal'>Below</div><script>const move = () => { document.getElementById('first').style.height = '200px' }; new PerformanceObserver(() => setTimeout(move, 200)).observe({ type: 'paint', buffered: true })</script>",
)];

const BUSY: server::Files = &[(
    "/",
    "text/html",
    "<!doctype html><p>Text<script>const work = () => { const end = performance.now() + 250; while (performance.now() < end); }; new PerformanceObserver(() => setTimeout(work, 200)).observe({ type: 'paint', buffered: true })</script>",
)];

/// A video whose poster takes 700 ms.
const POSTER: server::Files = &[
    (
        "/",
        "text/html",
        "<!doctype html><video width=300 height=200 poster='/poster.svg?wait=700'></video>",
    ),
    (
        "/poster.svg",
        "image/svg+xml",
        "<svg xmlns='http://www.w3.org/2000/svg' width='300' height='200'><rect width='300' height='200' fill='teal'/></svg>",
    ),
];

/// A page whose largest image is requested after its load event and takes 700 ms.
const LATE: server::Files = &[
    (
        "/",
        "text/html",
        "<!doctype html><p>Text<script>onload = () => setTimeout(() => { const image = new Image(120, 100); image.src = '/late.svg?wait=700'; document.body.append(image) }, 50)</script>",
    ),
    (
        "/late.svg",
        "image/svg+xml",
        "<svg xmlns='http://www.w3.org/2000/svg' width='120' height='100'><rect width='120' height='100' fill='teal'/><circle cx='50' cy='50' r='40' fill='red'/></svg>",
    ),
];

/// A page that shows a frame of another site after its load event.
const FRAMED: server::Files = &[
    (
        "/",
        "text/html",
        "<!doctype html><p>Text<script>onload = () => setTimeout(() => { const frame = document.createElement('iframe'); frame.src = `http://localhost:${location.port}/frame.html`; document.body.append(frame) }, 50)</script>",
    ),
    ("/frame.html", "text/html", "<!doctype html><p>Frame"),
];

/// An image of 60 by 40 pixels, shown with a width of 50 pixels until a script arrives.
macro_rules! enlarged {
    ($script:literal) => {
        &[
            (
                "/",
                "text/html",
                "<!doctype html><a style='display:inline-block'><img style='width:50px' src='data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAADwAAAAoCAAAAACH0MYjAAAE2ElEQVR42pWWaUzTdxjHi630gNJSoLS0tJSzFhEopdwpct8DRimUG8TNzTkmx8pAQBABA06ju9wVWSQqDIQpgUx3vliyF0tm4jKX3dPo3MYWzY5sWbLn3+f5/4uJb/Z79WnSD8/3eX5H4Rndi+de/5e5D16wkLe4FzKfL4CFvNW9kL29hbBI9vLyCAKB50tCoQgWskTiAwtZKvWDxWOr8aEI/VUhoyD7+Pj6+kqRZXK53N8fOTAwKChIyfPEY6uJxUwNEmQeAb6tDA5G1mi02tBQHtPtFj6FFIlA3KQpkMFRqdXIOp1eH2bgxgYun6sJMZEVigCIxtUJ1emQIyOjomNiNsvULagwCC4klEOGUuEREcgmU+z2uB3cHoFL3YIqk1OHKnUI1KNqUMy4DTkh0ZxkSX6AzLiKAIoKSfVhyMZtpli2mjUlNS09g2R2VExkdjxMUeSoaEZEtiQzHnJuXkFhUTHJIjG4MgoMqk7PloQGE5DTMjKzbNnIJaXlFQ9VkSyWgCtnA+v0hnBkMBOTLMi27Jzc/ALkquoau6OOlX2kfuyoQnVh4RFRNB4zExY5L7+wuKQM2VHf0NjcQrLE10/mT6PSGyIio2lSFmtqWkYWcjFEraxGbm5t7+h8BKbN3yoU06hUIVy3ENhssdJ4oGYp1XQ2NLW0dbBbtUXgLZKwo9JCZC6wNZVmW1RSxtVsbd+1+9HHHiCrNaH68EjkpOQULjCj2h3IYO7d17VJFtMdAtfAtgtlM207abYP2x3ORmQw9/c+7ZGFrKzVGSLYUUHZ7Jw8ZEZtaUPe39PXP3DgvhMm8w9UqjU0qnizJSUNubTcE3jP4/u6unuRJ6amjx4/wcqKoOAQOpLxieBmIldU1dTWNyCD2ucaQJ45duK5F0+RLA9QqjR0Y92uDbnaXudsakXuhrxDB5FPvnDqlddnSfYPDFZraYeTrODmINfWNza37UJ2gXpoAvnl106/MXeOZEUQFKbHxe3m05Foau3YvQeZUY/MIM+eOTu/uMzj8b3FvnSfooyxO8x00UuhXYcTGZrtPzCC/PxLkPcMu1UgS+k+xZjiEiwp3KgcDc3IvZB4dByZUc8teGQJKxtj481W2iS3S3vbPzgyNnGEC7ywtMLJQokfXUZTXKIllZ4Yxm3vZLsdn5x+Fvns/NLK6vpmWeEpnE7n2eFsbuukUY0enpo5fhJ5cfnS2uX37jthyhCdIYrex9zC0orqWhpVj2tgeAz51dOQ+ALyx59cvXb9K5KDNfrwaBNyfnF5lb0eucc1ODxGezs7d35xZRX502vXv/z2BskqbVikcTvd3rLKmjq6Q67BkUOT09TtwoWLa5eRPwf19s+cDKnj6GWE0E7apIFhcI8hv7l8af3K+8hff3/rp1/vkawOhdT0rJdV2uubaJOGx8ClUa2svv3uhx8h3/xx4+4ff/N4ApHUn37QLKlZOwtK6AI+8VTfM0PsqObOL72FfPWzL7754Ra7VQKxVKGkU51uyy2ih25vV2//0Cg7qvmli2tst9/dvLOxWaaf7JTM7PySCuQnu12DBw8jM+76FU+3v/3ukf0CSE7Lyiksq6Tnpm9gZHwKmXHf+QD5xu1f7v75z2ZZhR/SbXnFFfTEQuixSbqAjMuO6s7Gvb/+pX99/gOZPgWvmCh2TQAAAABJRU5ErkJggg=='></a><script src='/script.js?wait=500'></script>",
            ),
            ("/script.js", "text/javascript", $script),
        ]
    };
}

const REBUILT: server::Files = enlarged!(
    "document.querySelector('a').style.display = 'block'; document.querySelector('img').style.width = '60px'"
);
const RESIZED: server::Files = enlarged!("document.querySelector('img').style.width = '60px'");

/// Only one browser runs at a time, because concurrent ones slow each other down.
static TURN: Mutex<()> = Mutex::new(());

/// A scratch folder that is removed after the test, and the test's turn.
struct Scratch {
    folder: PathBuf,
    _turn: MutexGuard<'static, ()>,
}

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = format!("pagerace-chromium-{name}-{}", std::process::id());
        // A failed test leaves no state behind, so that a poisoned lock is harmless.
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        Self {
            folder: std::env::temp_dir().join(folder),
            _turn: turn,
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn options(scratch: &Scratch) -> Option<Options> {
    if pagerace_chromium::browser::find(None).is_err() {
        eprintln!("skipped: there is no Chromium here");
        return None;
    }
    Some(Options::new(&scratch.folder))
}

fn spawn(mut command: Command) -> std::io::Result<std::process::Child> {
    command.spawn()
}

/// Loads the root of `files`; returns `None` if the test is skipped.
fn load(name: &str, files: server::Files, how: &MeasureOptions) -> Option<Observed> {
    let scratch = Scratch::new(name);
    let mut options = options(&scratch)?;
    options.netlog = true;
    let url = format!("http://{}/", server::serve(files));
    let observed = measure_once(&options, &url, how, &spawn).expect("it loads");
    let left: Vec<_> = std::fs::read_dir(&scratch.folder)
        .expect("the scratch folder stays")
        .collect();
    assert!(left.is_empty(), "left behind: {left:?}");
    Some(observed)
}

const QUICK: MeasureOptions = MeasureOptions {
    settle: Duration::from_millis(600),
    deadline: Duration::from_secs(30),
    at_least: Duration::ZERO,
    requests: true,
    speed_index: false,
    blocked: Vec::new(),
    own_profile: false,
};

#[test]
fn a_plain_page_has_its_metrics_in_order() {
    let how = MeasureOptions {
        speed_index: true,
        blocked: vec!["*/never*".into()],
        ..QUICK
    };
    let Some(seen) = load("plain", PLAIN, &how) else {
        return;
    };
    let order = [seen.ttfb, seen.fcp, seen.lcp, seen.onload, Some(seen.until)];
    assert!(order.iter().all(Option::is_some), "{seen:#?}");
    assert!(seen.ttfb < seen.fcp && seen.fcp <= seen.lcp, "{order:?}");
    assert!(seen.dom_content_loaded < seen.onload, "{seen:#?}");
    // The image is the largest paint. It delays the load event by 300 ms, and the style
    // sheet delays the first paint by 80 ms.
    assert!(seen.lcp > Some(Duration::from_millis(300)), "{order:?}");
    assert!(seen.onload > Some(Duration::from_millis(300)), "{order:?}");
    assert!(seen.fcp > Some(Duration::from_millis(80)), "{order:?}");
    assert!(seen.tti.is_none(), "no window of 5 s was seen");
    assert!(seen.hol.is_some(), "{:?}", seen.notes);
    if std::path::Path::new("/proc/self/schedstat").exists() {
        let main_thread = seen.main_thread.unwrap();
        assert!(main_thread.ran > Duration::from_millis(1), "{seen:#?}");
        assert!(main_thread.ran < seen.until, "{seen:#?}");
    }

    let find = |name: &str| {
        let mut found = seen.resources.iter().filter(|r| r.url.contains(name));
        let one = found.next().unwrap_or_else(|| panic!("no {name}"));
        assert!(found.next().is_none(), "{name} twice");
        one
    };
    let style = find("style.css");
    assert_eq!(style.protocol, "http/1.1");
    let waited = style
        .response_start
        .unwrap()
        .saturating_sub(style.request_start.unwrap());
    assert!(waited >= Duration::from_millis(80), "{style:?}");
    assert!(find("script.js").transfer_size > 22);
    for one in &seen.resources {
        let times = [
            Some(one.start),
            one.connect_start,
            one.connect_end,
            one.request_start,
            one.response_start,
            one.response_end,
        ];
        let known: Vec<_> = times.into_iter().flatten().collect();
        assert!(known.is_sorted(), "{one:?}");
    }
    // The document's first byte has the same time in both clocks.
    let document = seen.resources[0].response_start.unwrap().as_millis_f64();
    let ttfb = seen.ttfb.unwrap().as_millis_f64();
    assert!((document - ttfb).abs() < 1.0, "{document} and {ttfb}");
    // Failures are in the order of the requests.
    let failed: Vec<&str> = seen
        .failures
        .iter()
        .map(|text| text.rsplit('/').next().unwrap_or(text))
        .collect();
    assert_eq!(
        failed,
        [
            "gone?reset: net::ERR_EMPTY_RESPONSE",
            "never.png: blocked (inspector)"
        ]
    );

    if let Some(reason) = seen.notes.first() {
        eprintln!("skipped: Speed Index: {reason}");
        return;
    }
    let index = seen.speed_index.unwrap();
    assert!(
        index >= seen.fcp.unwrap().saturating_sub(Duration::from_millis(100)),
        "{seen:#?}"
    );
    assert!(index <= seen.until);
    let progress: Vec<f64> = seen.visual_progress.iter().map(|p| p.1).collect();
    assert!(progress.len() >= 2, "{progress:?}");
    assert!(
        progress[0] < 0.01 && progress.last().unwrap() > &0.99,
        "{progress:?}"
    );
}

#[test]
fn a_load_without_its_requests_has_the_page_s_times() {
    let how = MeasureOptions {
        requests: false,
        ..QUICK
    };
    let Some(seen) = load("unobserved", LATE, &how) else {
        return;
    };
    assert!(seen.fcp.is_some() && seen.onload.is_some(), "{seen:#?}");
    // The script that runs after the load event asks for the image, which takes 700 ms.
    assert!(seen.lcp > Some(Duration::from_millis(700)), "{seen:#?}");
    assert_eq!((seen.resources.len(), seen.tti), (0, None));

    let how = MeasureOptions {
        at_least: Duration::from_millis(2_500),
        ..how
    };
    let seen = load("unobserved", LATE, &how).expect("it was there");
    assert!(seen.until >= Duration::from_millis(2_500), "{seen:#?}");
}

/// Only the frame's own process reports the end of its document.
#[test]
fn a_late_frame_of_another_site_does_not_hold_a_load_up() {
    for requests in [false, true] {
        let how = MeasureOptions { requests, ..QUICK };
        let Some(seen) = load("framed", FRAMED, &how) else {
            return;
        };
        assert_eq!(seen.failures, Vec::<String>::new());
        assert!(seen.until < Duration::from_secs(20), "{seen:#?}");
    }
}

/// The browser model relies on it.
#[test]
fn a_video_is_contentful_before_its_poster_arrives() {
    let Some(seen) = load("poster", POSTER, &QUICK) else {
        return;
    };
    let (fcp, onload) = (seen.fcp.expect("painted"), seen.onload.expect("loaded"));
    assert!(onload > Duration::from_millis(700), "{seen:#?}");
    assert!(fcp < onload, "{fcp:?} {onload:?}");
}

/// The recorder and the browser model rely on it.
#[test]
fn an_image_that_grows_in_a_new_box_is_painted_again() {
    for (name, files, again) in [("rebuilt", REBUILT, true), ("resized", RESIZED, false)] {
        let Some(seen) = load(name, files, &QUICK) else {
            return;
        };
        let lcp = seen.lcp.expect("painted");
        assert_eq!(lcp > Duration::from_millis(500), again, "{name}: {seen:#?}");
    }
}

#[test]
fn a_shift_is_seen() {
    let Some(seen) = load("shift", SHIFT, &QUICK) else {
        return;
    };
    // A box of 300 px moves by about 180 px in a viewport of 940 px.
    let cls = seen.cls.unwrap();
    assert!((0.02..0.5).contains(&cls), "{cls}");
    // The Speed Index was not requested.
    assert_eq!(seen.speed_index, None);
}

#[test]
fn a_long_task_blocks_and_delays_interactivity() {
    let how = MeasureOptions {
        settle: Duration::from_secs(6),
        ..QUICK
    };
    let Some(seen) = load("busy", BUSY, &how) else {
        return;
    };
    assert!(seen.tbt >= Some(Duration::from_millis(190)), "{seen:#?}");
    assert!(seen.tti >= Some(Duration::from_millis(249)), "{seen:#?}");
    assert_eq!(seen.cls, Some(0.0));
}

#[test]
fn a_load_that_never_ends_is_a_result() {
    const HANGS: server::Files = &[("/", "text/html", "<p>Text<img src='/x?wait=60000'>")];
    let how = MeasureOptions {
        deadline: Duration::from_secs(3),
        ..QUICK
    };
    let Some(seen) = load("hangs", HANGS, &how) else {
        return;
    };
    assert!(seen.fcp.is_some() && seen.onload.is_none(), "{seen:#?}");
    assert!(
        seen.failures[0].contains("no load event within 3000 ms"),
        "{:?}",
        seen.failures
    );
}

#[test]
fn pages_share_nothing_and_see_the_device() {
    let scratch = Scratch::new("device");
    let Some(mut options) = options(&scratch) else {
        return;
    };
    options.device = Device::mobile();
    let mut browser = Browser::launch(&options, &spawn).expect("it starts");
    let url = format!("http://{}/", server::serve(PLAIN));
    for _ in 0..2 {
        let seen = measure(&mut browser, &url, &QUICK).expect("it loads");
        // With a shared cache, the second load would have been smaller.
        assert!(
            seen.resources
                .iter()
                .any(|r| r.url.contains("style.css") && r.transfer_size > 50)
        );
    }
    let mut page = browser.page().expect("a page");
    let said = page
        .evaluate("[navigator.userAgent, screen.width, devicePixelRatio, navigator.userAgentData?.mobile ?? true]")
        .expect("it answers");
    assert!(
        said[0]
            .as_str()
            .is_some_and(|agent| agent.contains("Android")),
        "{said}"
    );
    assert_eq!(
        (&said[1], &said[2], &said[3]),
        (&json!(412), &json!(1.75), &json!(true))
    );
    let thrown = page.evaluate("null.x").unwrap_err().to_string();
    assert!(thrown.contains("TypeError"), "{thrown}");
    // A dialog does not block the page.
    assert_eq!(
        page.evaluate("(alert('!'), 7)").expect("accepted"),
        json!(7)
    );
    drop(page);
    browser.close();
}

#[test]
fn what_cannot_be_loaded_is_an_error_that_says_so() {
    let scratch = Scratch::new("errors");
    let Some(mut options) = options(&scratch) else {
        return;
    };
    options.hosts = vec![("a.test".into(), "127.0.0.1".parse().unwrap())];
    let error = measure_once(&options, "https://b.test/", &QUICK, &spawn).unwrap_err();
    assert!(
        error.to_string().contains("ERR_NAME_NOT_RESOLVED"),
        "{error}"
    );

    // A program that is not a browser.
    options.executable = Some("/bin/true".into());
    let error = Browser::launch(&options, &spawn).unwrap_err();
    assert!(matches!(error, ChromiumError::Ended { .. }), "{error}");
}

/// No process of the browser outlives it.
#[test]
fn dropping_a_browser_ends_all_its_processes() {
    let scratch = Scratch::new("drop");
    let Some(options) = options(&scratch) else {
        return;
    };
    let mut browser = Browser::launch(&options, &spawn).expect("it starts");
    let page = browser.page().expect("a page");
    let profile = scratch.folder.join("profile");
    let mark = profile.display().to_string();
    let alive = || -> usize {
        let all = std::fs::read_dir("/proc").expect("procfs");
        all.flatten()
            .filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
            .filter(|line| String::from_utf8_lossy(line).contains(&mark))
            .count()
    };
    assert!(alive() >= 2, "renderers carry the profile's path");
    drop(browser);
    drop(page);
    for _ in 0..100 {
        if alive() == 0 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("{} processes are left", alive());
}
