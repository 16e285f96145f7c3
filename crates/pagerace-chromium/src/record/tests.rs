//! A real Chromium records a small site over HTTP/1.1.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pagerace_core::Duration;
use serde_json::{Value, json};

use super::formats::{self, Formats};
use super::har::Body;
use super::log::Request;
use super::{Loads, RecordOptions, record, styles};
use crate::{Browser, ChromiumError, Options};

const HTML: &str = "<!doctype html>\r\n<html><head><title>Größe 😀</title>\
    <link rel=stylesheet href=/s.css></head>\r\n\
    <body><h1 id=head>Überschrift</h1><p>Some <b>bold</b> text</p>\
    <img src=/old.svg width=300 height=200><script src=/a.js></script>\
    <div id=inline style=\"background-image: url(/b.svg)\">x</div>\
    <p id=late hidden>late</p>\
    <script>late.hidden = false; fetch('/data.json', {method: 'POST', body: 'secret'})</script></body></html>";
const CSS: &str = "body { margin: 0 } h1 { height: 100px; margin: 0 } p { height: 50px; margin: 0 }\
    #inline { width: 50px; height: 50px }\
    #head::after { content: ''; display: block; width: 90px; height: 9px; background: #00f }";
const SCRIPT: &str = "let sum = 0; const end = performance.now() + 30;\
    while (performance.now() < end) sum++;\
    document.body.appendChild(document.createElement('p')).textContent = 'inserted';";
const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='60' height='40'>\
    <rect width='60' height='40' fill='red'/></svg>";

/// A page whose text is created by a script from its data.
const MADE: &str = "<!doctype html><body><p>words</p><script src=/made.js></script></body>";
const MAKER: &str = "fetch('/data.json').then(() => {\
    document.body.innerHTML += '<h1>Many more words than there were</h1>'; });\
    addEventListener('load', () => setTimeout(() => { new Image().src = '/late.svg';\
    document.body.append('late') }, 200));";

/// A page with a script that takes as long as the processor needs, one that takes 30 ms, and one
/// that waits for its request.
const SLOW: &str = "<!doctype html><body><script src=/work.js></script><script src=/a.js></script>\
    <script src=/sync.js></script>";
const SYNC: &str =
    "const all = new XMLHttpRequest(); all.open('GET', '/slow.json', false); all.send();";
const WORK: &str = "let all = 0; for (let i = 0; i < 3e7; i++) all += Math.sqrt(i);";

/// A script that takes 40 ms if its response took as long as over a mobile network.
const FAR: &str = "const t = performance.getEntriesByType('resource')[0];\
    const until = performance.now() + (t.responseEnd - t.startTime > 50 ? 40 : 0);\
    while (performance.now() < until);";

/// A page with a video, whose loader goes 100 ms after `DOMContentLoaded`.
const LOADER: &str = "<!doctype html><body>\
    <div id=l style='position: fixed; inset: 0; background: #222'>Wait</div>\
    <h1>Behind it</h1><img src=/old.svg>\
    <video controls poster=/b.svg width=300 height=200></video><script>\
    addEventListener('DOMContentLoaded', () => setTimeout(() => l.remove(), 100))</script></body>";

/// A page whose scripts hide all elements until 100 ms after `DOMContentLoaded`. Elements move for
/// 200 ms: by an animation, by a transition, and by a script, which also draws on a canvas and in a
/// vector graphic. A text that changes its colour does not move, and neither
/// does one whose height is changed and restored.
const HIDES: &str = "<!doctype html><style>.wait > * { visibility: hidden }\
    @keyframes in { from { opacity: 0 } } p { position: relative }\
    #fades { animation: in .2s } #slides { transition: transform .2s }\
    #glows { transition: color .2s }</style>\
    <script>const page = document.documentElement; page.className = 'wait';\
    addEventListener('DOMContentLoaded', () => setTimeout(() => page.className = '', 100))\
    </script><body><h1>Late</h1><img src=/old.svg><p id=fades>A</p><p id=slides>B</p><p id=walks>C</p><p id=glows>D</p><p id=still style='height: 50px'>E</p>\
    <canvas id=chart width=64 height=64></canvas><svg width=64 height=64><rect id=bar width=9 height=9 /></svg>\
    <script>let n = 0; const pen = chart.getContext('2d'); const walk = () => {\
    walks.style.left = n + 'px'; still.style.height = 'auto'; still.style.height = '50px'; pen.fillRect(0, 0, n * 5, 64); bar.setAttribute('height', n);\
    if (n++ < 12) setTimeout(walk, 20) };\
    addEventListener('load', () => { walk(); slides.style.transform = 'translateX(9px)';\
    glows.style.color = 'red' })\
    </script></body>";

/// A page whose body shows the upper tenth of its background, with an image of which half is below
/// the viewport, and a hidden copy of that.
const ROWS: &str = "<!doctype html><html style='background: #fff'>\
    <body style='margin: 0; width: 200px; height: 10vh; background: url(/b.svg) 0 0 / cover fixed'>\
    <img src=/old.svg style='width: 300px; height: 200vh; margin-left: 300px; object-fit: cover'>\
    <img src=/old.svg hidden></body>";

/// Serves the site until the process ends.
fn serve() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(&stream));
        }
    });
    port
}

fn answer(stream: &TcpStream) {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().and_then(Result::ok).unwrap_or_default();
    while lines
        .next()
        .and_then(Result::ok)
        .is_some_and(|line| !line.is_empty())
    {}
    let path = first.split(' ').nth(1).unwrap_or_default();
    let (status, fields, body) = match path {
        "/" => (
            "200 OK",
            "Content-Type: text/html; charset=utf-8\r\nSet-Cookie: id=7\r\n",
            HTML,
        ),
        "/made" => ("200 OK", "Content-Type: text/html\r\n", MADE),
        "/loader" => ("200 OK", "Content-Type: text/html\r\n", LOADER),
        "/hides" => ("200 OK", "Content-Type: text/html\r\n", HIDES),
        "/rows" => ("200 OK", "Content-Type: text/html\r\n", ROWS),
        "/work" => ("200 OK", "Content-Type: text/html\r\n", SLOW),
        "/far" => (
            "200 OK",
            "Content-Type: text/html\r\n",
            "<script src=/far.js></script>",
        ),
        "/far.js" => ("200 OK", "Content-Type: text/javascript\r\n", FAR),
        "/sync.js" => ("200 OK", "Content-Type: text/javascript\r\n", SYNC),
        "/slow.json" => {
            std::thread::sleep(std::time::Duration::from_millis(400));
            ("200 OK", "Content-Type: application/json\r\n", "{}")
        }
        "/work.js" => ("200 OK", "Content-Type: text/javascript\r\n", WORK),
        "/made.js" => ("200 OK", "Content-Type: text/javascript\r\n", MAKER),
        "/s.css" => ("200 OK", "Content-Type: text/css\r\n", CSS),
        "/a.js" => ("200 OK", "Content-Type: text/javascript\r\n", SCRIPT),
        "/old.svg" => ("302 Found", "Location: /i.svg\r\n", ""),
        "/i.svg" | "/b.svg" => ("200 OK", "Content-Type: image/svg+xml\r\n", SVG),
        "/data.json" => ("200 OK", "Content-Type: application/json\r\n", "{}"),
        _ => ("404 Not Found", "Content-Type: text/plain\r\n", "none"),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\n{fields}Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    // A browser that closes the connection is not an error.
    let mut stream = stream;
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(body.as_bytes());
}

fn start(options: &Options) -> Result<Browser, ChromiumError> {
    Browser::launch(options, &|mut c: Command| c.spawn())
}

/// Starts a browser, or returns `None` if there is none.
fn launch(options: &Options) -> Option<Browser> {
    match start(options) {
        Ok(browser) => Some(browser),
        Err(error @ ChromiumError::NotFound { .. }) => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn folder(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("pagerace-record-{name}-{}", std::process::id()))
}

/// Held by tests that watch motions, and by those that keep the processors busy.
static PROCESSORS: Mutex<()> = Mutex::new(());

fn processors() -> MutexGuard<'static, ()> {
    PROCESSORS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Nothing on the pages of the site happens later.
fn settled() -> RecordOptions {
    RecordOptions {
        settle: Duration::from_millis(500),
        ..RecordOptions::default()
    }
}

/// Returns the recording of a page, and the address of the site, or `None` if there is no browser.
fn recording(name: &str) -> Option<(Value, String)> {
    let folder = folder(name);
    let started = Options::new(&folder);
    launch(&started)?.close();
    let base = format!("http://127.0.0.1:{}", serve());
    let url = format!("{base}/{name}");
    let har = record(&|| start(&started), &url, &settled(), &mut |_| {});
    std::fs::remove_dir_all(&folder).expect("was made");
    Some((har.expect("it loads").har, base))
}

/// Returns the recordings of `/`, `/made`, `/loader` and `/hides`, and the address of the site, or
/// `None` if there is no browser.
fn recordings() -> Option<([Value; 4], String)> {
    let folder = folder("test");
    let started = Options::new(&folder);
    launch(&started)?.close();
    let base = format!("http://127.0.0.1:{}", serve());
    let options = settled();
    let all = ["/", "/made", "/loader", "/hides"].map(|path| {
        let url = format!("{base}{path}");
        let mut told = Vec::new();
        let mut tell = |loads: Loads| told.push(loads);
        let recorded = record(&|| start(&started), &url, &options, &mut tell);
        assert_eq!(told.first().map(|loads| loads.done), Some(1));
        assert!(told.is_sorted_by_key(|loads| loads.done), "{told:?}");
        let Loads { done, all } = *told.last().expect("loads");
        assert_eq!(done, all);
        recorded.expect("it loads").har
    });
    let nowhere = "http://127.0.0.1:1/";
    let none = record(&|| start(&started), nowhere, &options, &mut |_| {});
    assert!(
        matches!(none, Err(ChromiumError::Navigation { .. })),
        "{none:?}"
    );
    std::fs::remove_dir_all(&folder).expect("was made");
    Some((all, base))
}

#[test]
fn rows_of_an_image_add_where_they_are_seen() {
    let Some((har, _)) = recording("rows") else {
        return;
    };
    let shares = &har["log"]["pages"][0]["_pagerace"]["layout"]["shares"];
    let rows = |path: &str| {
        let mut images = shares["images"].as_array().expect("images").iter();
        let image = images.find(|i| i["url"].as_str().is_some_and(|u| u.ends_with(path)));
        let rows = image.and_then(|image| image["rows"].as_array()).cloned();
        let rows = rows.unwrap_or_else(|| panic!("{path}: {shares}"));
        rows.iter().filter_map(Value::as_f64).collect::<Vec<_>>()
    };
    let (image, background) = (rows("/old.svg"), rows("/b.svg"));
    assert!((image[1] - 0.4).abs() < 0.05, "{image:?}");
    assert!(
        image[4] > 0.95 && background[0] > 0.8,
        "{image:?} {background:?}"
    );
}

#[test]
fn a_page_is_recorded_as_it_is() {
    let _alone = processors();
    let Some(([har, made, loader, hides], base)) = recordings() else {
        return;
    };
    let layout = |har: &Value| har["log"]["pages"][0]["_pagerace"]["layout"].clone();
    for (field, page) in [("overlay", &loader), ("hidden", &hides)] {
        let told = &layout(page)[field];
        assert_eq!(told["after"], "domContentLoaded", "{told}");
        let late = told["ms"].as_f64().is_some_and(|ms| ms >= 90.0);
        assert!(late, "{told}");
        for other in [&har, &made, &loader, &hides] {
            if other != page {
                assert_eq!(layout(other)[field], Value::Null);
            }
        }
    }
    let elements = layout(&hides)["elements"].clone();
    let moved = elements.as_array().expect("elements").iter();
    let took = |e: &Value| {
        let [from, to] = [0, 2].map(|i| e["motionsMs"][0][i].as_f64());
        Some(to? - from?)
    };
    let took: Vec<f64> = moved.filter_map(took).collect();
    assert!(
        took.len() == 5 && took.iter().all(|ms| (150.0..1_000.0).contains(ms)),
        "{took:?}"
    );
    // The text that fades looks final at the end, the one that slides is in place half-way.
    let moved = elements.as_array().expect("elements").iter();
    let share = |e: &Value| {
        let [from, seen, to] = [0, 1, 2].map(|i| e["motionsMs"][0][i].as_f64());
        Some((seen? - from?) / (to? - from?))
    };
    let shares: Vec<f64> = moved.filter_map(share).collect();
    assert!(shares[0] > 0.7 && shares[1] < 0.5, "{shares:?}");
    let frames = &har["log"]["pages"][0]["_pagerace"]["rendering"];
    for (field, most) in [("firstMs", 1_000.0), ("presentationMs", 500.0)] {
        let time = frames[field].as_f64().unwrap_or_default();
        assert!(time > 0.5 && time < most, "{frames}");
    }
    // The controls of a video stay when its poster is hidden. Nothing else is outside of elements.
    let controls = layout(&loader)["shares"]["canvas"].as_f64();
    assert!(controls.is_some_and(|share| share > 0.02), "{controls:?}");
    let paints = &made["log"]["pages"][0]["_pagerace"]["paints"];
    assert_eq!(paints["lcpKind"], "text");
    assert_eq!(paints["lcpMakers"], json!([format!("{base}/made.js")]));
    assert!(
        paints["lcpRect"][2]
            .as_f64()
            .is_some_and(|width| width > 100.0),
        "{paints}"
    );
    // A timer set in the load event requests an image and writes a text.
    let loaded = &made["log"]["pages"][0]["pageTimings"]["onLoad"];
    let loaded = loaded.as_f64().expect("a time");
    let requests = made["log"]["entries"].as_array().expect("entries").iter();
    let set = requests.filter_map(|e| e["_pagerace"]["timerSetMs"].as_f64());
    let [set] = set.collect::<Vec<_>>()[..] else {
        panic!("one request of a timer: {made}");
    };
    assert!(
        (loaded - 1.0..loaded + 150.0).contains(&set),
        "{set} {loaded}"
    );
    let texts = layout(&made)["elements"].clone();
    let texts = texts.as_array().expect("elements").iter();
    let times: Vec<f64> = texts.filter_map(|e| e["madeMs"].as_f64()).collect();
    let [heading, late] = times[..] else {
        panic!("two texts that scripts made: {times:?}");
    };
    assert!(heading < late && late >= set + 195.0, "{times:?} {set}");
    // The heading waits for the data, the other text only for the script that requests them.
    let id = |path: &str| {
        let entries = made["log"]["entries"].as_array().expect("entries");
        let url = format!("{base}{path}");
        let found = entries.iter().find(|e| e["request"]["url"] == url.as_str());
        found.map(|e| e["_requestId"].clone())
    };
    let texts = layout(&made)["elements"].clone();
    let made_texts = texts.as_array().expect("elements").iter();
    let made_texts = made_texts.filter(|e| e["madeMs"].is_number());
    let waits: Vec<Value> = made_texts.map(|e| e["waitsFor"].clone()).collect();
    let (data, script) = (id("/data.json"), id("/made.js"));
    assert_eq!(waits, [json!([data]), json!([script])]);
    let entries = har["log"]["entries"].as_array().expect("entries");
    let entry = |path: &str| {
        let url = format!("{base}{path}");
        let found = entries.iter().find(|e| e["request"]["url"] == url.as_str());
        found.unwrap_or_else(|| {
            panic!(
                "{path} in {:?}",
                entries
                    .iter()
                    .map(|e| &e["request"]["url"])
                    .collect::<Vec<_>>()
            )
        })
    };
    assert_eq!(entry("/")["response"]["content"]["text"], HTML);
    assert_eq!(entry("/s.css")["response"]["content"]["text"], CSS);
    assert_eq!(entry("/s.css")["_initialPriority"], "VeryHigh");
    assert_eq!(entry("/s.css")["_renderBlocking"], "blocking");
    assert_eq!(entry("/s.css")["response"]["bodySize"], CSS.len());
    assert_eq!(entry("/old.svg")["response"]["status"], 302);
    assert_eq!(entry("/i.svg")["response"]["content"]["text"], SVG);
    assert_eq!(entry("/a.js")["_pagerace"]["scriptMode"], "blocking");
    let cpu = entry("/a.js")["_pagerace"]["cpu"]["scriptMs"]
        .as_f64()
        .expect("it ran");
    assert!(cpu > 1.0, "{cpu} ms of 30 ms");

    let behind = |path: &str| {
        let at = entry(path)["_pagerace"]["initiatorOffset"]
            .as_u64()
            .expect("an offset");
        &HTML[..usize::try_from(at).expect("small")]
    };
    assert!(behind("/s.css").ends_with("href=/s.css>"));
    assert!(behind("/old.svg").ends_with("height=200>"));
    assert!(behind("/a.js").ends_with("<script src=/a.js>"));
    assert!(behind("/b.svg").ends_with("url(/b.svg)\">"));
    assert!(behind("/data.json").ends_with("'secret'})</script>"));

    let page = &har["log"]["pages"][0];
    let own = &page["_pagerace"];
    // The cookie that was set, its return with each later request, and the request body.
    assert_eq!(own["secretsDropped"], 1 + (entries.len() - 1) + 1);
    assert!(!har.to_string().contains("id=7"));
    let at = |value: &Value| value.as_f64().expect("a time");
    let (fcp, lcp) = (at(&own["paints"]["fcpMs"]), at(&own["paints"]["lcpMs"]));
    assert!(0.0 < fcp && fcp <= lcp);
    assert!(at(&page["pageTimings"]["onContentLoad"]) <= at(&page["pageTimings"]["onLoad"]));

    let elements = own["layout"]["elements"].as_array().expect("elements");
    let image = elements
        .iter()
        .find(|e| e["kind"] == "image")
        .expect("the image");
    assert_eq!(image["rect"], json!([0.0, 150.0, 300.0, 200.0]));
    let is_line = |e: &&Value| e["kind"] == "background" && e["rect"][2] == 90.0;
    let line = elements.iter().find(is_line).expect("the pseudo-element");
    let place = usize::try_from(line["offset"].as_u64().expect("in the document"));
    assert!(HTML[..place.expect("small")].ends_with("<h1 id=head>"));

    // The images are red, 300 by 200 and 50 by 50; the rest is white with some text and a line.
    let shares = &own["layout"]["shares"];
    let of = |path: &str| {
        let mut images = shares["images"].as_array().expect("images").iter();
        let image = images.find(|i| i["url"].as_str().is_some_and(|u| u.ends_with(path)));
        image.and_then(|i| i["share"].as_f64()).expect("a share")
    };
    // The small image is too small to be measured individually.
    let small = shares["otherImages"].as_f64().expect("a share");
    let large = of("/old.svg");
    // JPEG blocks around the small image colour more than its area, which is a 24th.
    assert!(
        small > 0.01 && small < large / 8.0 && large > 0.7,
        "{shares}"
    );
    let own_share = |e: &Value| e["share"].as_f64().unwrap_or(0.0);
    let elements_share: f64 = elements.iter().map(own_share).sum();
    let canvas = shares["canvas"].as_f64().expect("a share");
    let all = large + small + elements_share + canvas;
    assert!((all - 1.0).abs() < 1e-3, "{all}: {shares}");
    assert!(own_share(line) > 0.001);
    let texts: Vec<&Value> = elements.iter().filter(|e| e["kind"] == "text").collect();
    assert_eq!(
        texts.len(),
        5,
        "heading, paragraph, what the script inserted and what it revealed, x: {texts:?}"
    );
    let heading = usize::try_from(texts[0]["offset"].as_u64().expect("in the document"));
    assert!(HTML[..heading.expect("small")].ends_with("Überschrift"));
    assert_eq!(
        texts.iter().filter(|t| t["offset"].is_null()).count(),
        1,
        "the inserted one"
    );
    let scripted: Vec<&&Value> = texts.iter().filter(|t| t["scripted"] == true).collect();
    let [late] = scripted[..] else {
        panic!("the one that a script revealed: {scripted:?}");
    };
    let late = usize::try_from(late["offset"].as_u64().expect("in the document"));
    assert!(HTML[..late.expect("small")].ends_with("hidden>late"));
}

/// Work takes longer on a slow device by its factor. A script that runs until a certain time does
/// not, nor does one that waits for the network.
#[test]
fn work_takes_longer_on_a_slow_processor() {
    let _alone = processors();
    let folder = folder("slow");
    let mut options = Options::new(&folder);
    options.device.cpu = 4.0;
    let Some(mut browser) = launch(&options) else {
        return;
    };
    let mut session = browser.page().expect("opens");
    let begin = session.now();
    browser.wait_until_quiet();
    let waited = session.now().since(begin);
    assert!(
        waited.as_millis_f64() < 7_900.0,
        "an idle page is quiet: {waited:?}"
    );
    let timed = format!(
        "(() => {{ const from = performance.now(); {WORK} return performance.now() - from }})()"
    );
    let fast = session.evaluate(&timed).expect("runs");
    let fast = fast.as_f64().expect("a time");
    drop(session);
    let url = format!("http://127.0.0.1:{}", serve());
    browser.close();
    let har = record(
        &|| start(&options),
        &format!("{url}/work"),
        &RecordOptions::default(),
        &mut |_| {},
    );
    std::fs::remove_dir_all(&folder).expect("was made");
    let har = har.expect("it loads").har;
    let entries = har["log"]["entries"].as_array().expect("entries");
    let cpu = |path: &str| {
        let script = entries
            .iter()
            .find(|e| e["request"]["url"] == format!("{url}{path}"));
        let ms = &script.expect("requested")["_pagerace"]["cpu"]["scriptMs"];
        ms.as_f64().expect("it ran")
    };
    let (work, until) = (cpu("/work.js"), cpu("/a.js"));
    assert!(
        work > 2.5 * fast,
        "{work} ms, {fast} ms on a fast processor"
    );
    assert!((20.0..60.0).contains(&until), "{until} ms");
    let waits = cpu("/sync.js");
    assert!(waits < 200.0, "{waits} ms, the response takes 400");
}

#[test]
fn times_are_those_of_loads_over_a_network() {
    let Some((har, url)) = recording("far") else {
        return;
    };
    let entries = har["log"]["entries"].as_array().expect("entries");
    let script = entries
        .iter()
        .find(|e| e["request"]["url"] == format!("{url}/far.js"));
    let ms = &script.expect("requested")["_pagerace"]["cpu"]["scriptMs"];
    let ms = ms.as_f64().expect("it ran");
    assert!(ms >= 38.0, "{ms} ms");
}

#[test]
fn images_are_encoded_in_other_formats() {
    let _alone = processors();
    let folder = folder("formats");
    let Some(mut browser) = launch(&Options::new(&folder)) else {
        return;
    };
    let mut session = browser.page().expect("a page");
    // A picture of soft shapes, as an encoded file. `mask` makes a part of it transparent.
    let mut drawn = |kind: &str, mask: bool| {
        let script = format!(
            "(async () => {{
                const canvas = new OffscreenCanvas(640, 400);
                const context = canvas.getContext('2d');
                for (let i = 0; i < 240; i += 1) {{
                    const [x, y] = [(i * 83) % 640, (i * 47) % 400];
                    const soft = context.createRadialGradient(x, y, 2, x, y, 60);
                    soft.addColorStop(0, `hsl(${{i * 37}} 60% 50%)`);
                    soft.addColorStop(1, {mask} ? 'transparent' : `hsl(${{i * 91}} 50% 60%)`);
                    context.fillStyle = soft;
                    context.fillRect(x - 50, y - 40, 100, 80);
                }}
                const blob = await canvas.convertToBlob({{type: '{kind}', quality: 0.8}});
                return (new Uint8Array(await blob.arrayBuffer())).toBase64();
            }})()"
        );
        let text = session.evaluate(&script).expect("a picture");
        let bytes = STANDARD.decode(text.as_str().expect("base64"));
        Some(Body(bytes.expect("base64")))
    };
    let bodies = [
        drawn("image/jpeg", false),
        drawn("image/png", true),
        Some(Body([b"\x89PNG".to_vec(), vec![7; 20_000]].concat())),
        Some(Body(b"\xff\xd8 few".to_vec())),
    ];
    let mut image = Request::default();
    "Image".clone_into(&mut image.kind);
    let requests = vec![image; bodies.len()];
    let found = formats::sizes(&mut session, &requests, &bodies).expect("sizes");
    for (sizes, body) in found.iter().zip(&bodies).take(2) {
        let all = body.as_ref().map_or(0, |body| body.0.len() as u64);
        let webp = sizes.webp.expect("Chromium writes WebP");
        assert!((all / 20..all).contains(&webp), "{webp} of {all} bytes");
    }
    assert_eq!(
        found[2..],
        [Formats::default(); 2],
        "no picture, and a small one"
    );
    browser.close();
    std::fs::remove_dir_all(&folder).expect("was made");
}

#[test]
fn the_first_screen_needs_the_rules_of_its_elements() {
    let _alone = processors();
    let folder = folder("styles");
    let Some(mut browser) = launch(&Options::new(&folder)) else {
        return;
    };
    let mut session = browser.page().expect("a page");
    let sheet = "@charset 'utf-8'; h1 { color: red } h1:hover { color: blue } h1::before { content: 'x' }\
        .far { color: green } .gone { display: none } li:not(:hover) > b, .far { margin: 0 }\
        @media (min-width: 9999px) { h1 { color: pink } .far { top: 0 } } @media print { h1 { color: black } }\
        @font-face { font-family: Used; src: url(u.woff2) } @font-face { font-family: 'Not used'; src: url(n.woff2) }\
        @keyframes turn { to { opacity: 0 } } @keyframes rest { to { opacity: 1 } }";
    let body = "<h1 style='font-family: Used, serif; animation: turn 1s'>A</h1><p class=gone hidden>B</p>\
        <ul><li><b>C</b></ul><p class=far style='margin-top: 5000px'>D</p>";
    let page = format!("document.body.innerHTML = {}", json!(body));
    session.evaluate(&page).expect("the page changes");
    let request = |kind: &str| {
        let mut request = Request::default();
        kind.clone_into(&mut request.kind);
        request
    };
    let requests = [
        request("Document"),
        request("Stylesheet"),
        request("Stylesheet"),
    ];
    let bodies = [
        None,
        Some(Body(sheet.as_bytes().to_vec())),
        Some(Body(b".far { top: 0 }".to_vec())),
    ];
    let rules = styles::of_first_screen(&mut session, &requests, &bodies).expect("rules");
    assert_eq!(rules[0], None);
    assert_eq!(rules[2], None, "nothing of the first screen");
    assert_eq!(
        rules[1].as_deref().unwrap_or_default(),
        "h1 { color: red; }h1::before { content: \"x\"; }.gone { display: none; }\
         li:not(:hover) > b, .far { margin: 0px; }@media (min-width: 9999px) {h1 { color: pink; }}\
         @font-face { font-family: Used; src: url(\"u.woff2\"); }@keyframes turn { \n  100% { opacity: 0; }\n}"
    );
    browser.close();
    std::fs::remove_dir_all(&folder).expect("was made");
}
