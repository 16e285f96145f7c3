use std::collections::BTreeMap;

use pagerace_har::fonts;
use serde_json::{Value, json};
use url::Url;

use super::{Context, STYLES, elements, is_rebuilt, scripts, scripts_colour_canvas};

/// Builds a snapshot of nodes, each with its parent, name or text, attributes,
/// non-default styles, and rectangle.
#[derive(Default)]
struct Page {
    strings: Vec<String>,
    nodes: Vec<Value>,
}

impl Page {
    fn string(&mut self, text: &str) -> usize {
        self.strings.push(text.to_owned());
        self.strings.len() - 1
    }

    fn node(
        &mut self,
        parent: i64,
        name: &str,
        attributes: &[(&str, &str)],
        styles: &[(&str, &str)],
        rect: Option<[f64; 4]>,
    ) -> i64 {
        let plain = [
            "block",
            "visible",
            "1",
            "static",
            "visible",
            "visible",
            "F",
            "400",
            "normal",
            "none",
            "rgba(0, 0, 0, 0)",
            "none",
        ];
        let styles: Vec<usize> = (0..STYLES.len())
            .map(|k| {
                let own = styles.iter().find(|(n, _)| *n == STYLES[k]);
                self.string(own.map_or(plain[k], |(_, v)| v))
            })
            .collect();
        let attributes: Vec<usize> = attributes
            .iter()
            .flat_map(|(n, v)| [self.string(n), self.string(v)])
            .collect();
        let (kind, text) = if let Some(text) = name.strip_prefix('"') {
            (3, text)
        } else {
            (1, "")
        };
        let (name, text) = (
            self.string(if kind == 3 { "#text" } else { name }),
            self.string(text),
        );
        self.nodes.push(
            json!({"parent": parent, "kind": kind, "name": name, "text": text,
            "attributes": attributes, "styles": styles, "rect": rect}),
        );
        self.nodes.len() as i64 - 1
    }

    fn snapshot(&self) -> Value {
        let column = |key: &str| {
            self.nodes
                .iter()
                .map(|n| n[key].clone())
                .collect::<Vec<_>>()
        };
        let boxes: Vec<usize> = (0..self.nodes.len())
            .filter(|&n| !self.nodes[n]["rect"].is_null())
            .collect();
        let of_boxes = |key: &str| {
            boxes
                .iter()
                .map(|&n| self.nodes[n][key].clone())
                .collect::<Vec<_>>()
        };
        let texts: Vec<Value> = boxes
            .iter()
            .map(|&n| {
                if self.nodes[n]["kind"] == 3 {
                    self.nodes[n]["text"].clone()
                } else {
                    json!(-1)
                }
            })
            .collect();
        // In this test, the selected source of an image is its first attribute.
        let images: Vec<usize> = (0..self.nodes.len())
            .filter(|&n| {
                let name = self.nodes[n]["name"].as_u64().expect("an index") as usize;
                self.strings[name] == "IMG"
            })
            .collect();
        let pseudo: Vec<usize> = (0..self.nodes.len())
            .filter(|&n| {
                let name = self.nodes[n]["name"].as_u64().expect("an index") as usize;
                self.strings[name].starts_with("::")
            })
            .collect();
        let sources: Vec<Value> = images
            .iter()
            .map(|&n| self.nodes[n]["attributes"][1].clone())
            .collect();
        json!({"strings": self.strings, "documents": [{
            "nodes": {"parentIndex": column("parent"), "nodeType": column("kind"),
                "nodeName": column("name"), "nodeValue": column("text"),
                "attributes": column("attributes"),
                "currentSourceURL": {"index": images, "value": sources},
                "pseudoType": {"index": pseudo, "value": []}},
            "layout": {"nodeIndex": boxes, "styles": of_boxes("styles"), "bounds": of_boxes("rect"),
                "text": texts}}]})
    }
}

fn found(page: &Page, html: Option<&str>) -> Vec<Value> {
    found_beside(page, None, html)
}

fn found_beside(page: &Page, unscripted: Option<&Page>, html: Option<&str>) -> Vec<Value> {
    let url = Url::parse("https://a.test/").expect("a URL");
    let css =
        "@font-face{font-family:F;src:url(f.woff2)}@font-face{font-family:B;src:url(b.woff2)}";
    let context = Context {
        document: &url,
        html,
        faces: &fonts::scan(css, &url),
        requested: &|_| true,
        images: &BTreeMap::from([("https://a.test/i.png".to_owned(), (40.0, 30.0))]),
        histories: &BTreeMap::new(),
        waits: &|_| None,
        viewport: (800.0, 600.0),
    };
    let unscripted = unscripted.map(Page::snapshot);
    let elements = elements(&page.snapshot(), unscripted.as_ref(), &context);
    elements.iter().map(|element| json!(element)).collect()
}

#[test]
fn a_shadow_reaches_beyond_its_box() {
    let of = |shadow: &str| {
        let mut page = Page::default();
        let html = page.node(-1, "HTML", &[], &[], Some([0.0, 0.0, 800.0, 600.0]));
        let rect = Some([100.0, 100.0, 50.0, 20.0]);
        page.node(html, "DIV", &[], &[("box-shadow", shadow)], rect);
        let mut all = found(&page, None);
        all.pop().map(|element| element["rect"].clone())
    };
    let soft = "rgba(0, 0, 0, 0.4) 1px -2px 24px 3px";
    assert_eq!(of(soft), Some(json!([74.0, 71.0, 104.0, 74.0])));
    let both = format!("rgb(1, 2, 3) 0px 30px 0px 0px, {soft}");
    assert_eq!(of(&both), Some(json!([74.0, 71.0, 104.0, 79.0])));
    for nothing in [
        "none",
        "rgba(0, 0, 0, 0) 0px 0px 9px 9px",
        "rgb(0, 0, 0) 0px 0px 9px 9px inset",
    ] {
        assert_eq!(of(nothing), None, "{nothing}");
    }
}

#[test]
fn texts_of_a_block_are_one_element() {
    let mut page = Page::default();
    let body = page.node(-1, "BODY", &[], &[], Some([0.0, 0.0, 800.0, 600.0]));
    let p = page.node(body, "P", &[], &[], Some([8.0, 8.0, 700.0, 40.0]));
    page.node(p, "\"Some ", &[], &[], Some([8.0, 8.0, 50.0, 18.0]));
    let bold = page.node(
        p,
        "B",
        &[],
        &[("display", "inline")],
        Some([58.0, 8.0, 60.0, 38.0]),
    );
    page.node(
        bold,
        "\"bold text",
        &[],
        &[("font-family", "B")],
        Some([58.0, 8.0, 60.0, 38.0]),
    );
    page.node(p, "\"   \n", &[], &[], Some([0.0, 0.0, 900.0, 900.0]));
    let html = "<body><p>Some <b>bold text</b></p>";
    let expected = json!([{"kind": "text", "rect": [8.0, 8.0, 110.0, 38.0],
        "fonts": ["https://a.test/f.woff2", "https://a.test/b.woff2"],
        "offset": "<body><p>Some <b>bold text".len()}]);
    assert_eq!(json!(found(&page, Some(html))), expected);
}

#[test]
fn images_and_backgrounds_have_their_addresses() {
    let mut page = Page::default();
    let body = page.node(-1, "BODY", &[], &[], Some([0.0, 0.0, 800.0, 600.0]));
    page.node(
        body,
        "IMG",
        &[("src", "https://a.test/i.png#x")],
        &[],
        Some([1.0, 2.0, 3.004, 4.0]),
    );
    page.node(
        body,
        "IMG",
        &[("src", "data:image/png,x")],
        &[],
        Some([1.0, 2.0, 3.0, 4.0]),
    );
    let images = "linear-gradient(red, blue), url(\"https://a.test/b.png\"), url(\"data:x\")";
    page.node(
        body,
        "DIV",
        &[],
        &[("background-image", images)],
        Some([0.0, 0.0, 9.0, 9.0]),
    );
    page.node(body, "canvas", &[], &[], Some([0.0, 0.0, 9.0, 9.0]));
    let expected = json!([
        {"kind": "image", "rect": [1.0, 2.0, 3.0, 4.0], "url": "https://a.test/i.png",
            "natural": [40.0, 30.0]},
        {"kind": "image", "rect": [1.0, 2.0, 3.0, 4.0]},
        {"kind": "background", "rect": [0.0, 0.0, 9.0, 9.0], "url": "https://a.test/b.png"},
        {"kind": "background", "rect": [0.0, 0.0, 9.0, 9.0]},
        {"kind": "canvas", "rect": [0.0, 0.0, 9.0, 9.0]},
    ]);
    assert_eq!(json!(found(&page, None)), expected);
}

#[test]
fn images_of_a_secure_page_are_requested_over_https() {
    let mut page = Page::default();
    let rect = Some([0.0, 0.0, 9.0, 9.0]);
    let body = page.node(-1, "BODY", &[], &[], rect);
    page.node(body, "IMG", &[("src", "http://a.test/i.png")], &[], rect);
    page.node(body, "IFRAME", &[("src", "http://a.test/f")], &[], rect);
    page.node(body, "IMG", &[("src", "http://127.0.0.1/i.png")], &[], rect);
    let expected = json!([
        {"kind": "image", "rect": [0.0, 0.0, 9.0, 9.0], "url": "https://a.test/i.png",
            "natural": [40.0, 30.0]},
        {"kind": "iframe", "rect": [0.0, 0.0, 9.0, 9.0], "url": "http://a.test/f"},
        {"kind": "image", "rect": [0.0, 0.0, 9.0, 9.0], "url": "http://127.0.0.1/i.png"},
    ]);
    assert_eq!(json!(found(&page, None)), expected);
}

#[test]
fn pseudo_elements_stand_where_their_element_does() {
    let mut page = Page::default();
    let rect = Some([0.0, 0.0, 9.0, 9.0]);
    let body = page.node(-1, "BODY", &[], &[], rect);
    page.node(body, "P", &[], &[], rect);
    let header = page.node(body, "HEADER", &[], &[], rect);
    let red = [("background-color", "rgb(255, 0, 0)")];
    let before = page.node(header, "::before", &[], &red, rect);
    page.node(before, "\"icon", &[], &[], rect);
    let html = "<body><p></p><header></header>";
    let place = html.find("</header>");
    let found = found_beside(&page, Some(&page), Some(html));
    let places: Vec<_> = found.iter().map(|e| e["offset"].as_u64()).collect();
    assert_eq!(places, [place.map(|p| p as u64); 2], "{found:?}");
    assert!(found.iter().all(|e| e["scripted"].is_null()));
}

#[test]
fn colours_are_backgrounds_unless_they_are_the_canvas() {
    let mut page = Page::default();
    let (red, blue) = ("rgb(255, 0, 0)", "rgba(0, 0, 255, 0.5)");
    let rect = Some([0.0, 0.0, 9.0, 9.0]);
    let body = page.node(-1, "BODY", &[], &[("background-color", red)], rect);
    page.node(body, "DIV", &[], &[("background-color", red)], rect);
    page.node(body, "DIV", &[], &[("background-color", blue)], rect);
    page.node(body, "DIV", &[], &[], rect);
    let expected = json!([{"kind": "background", "rect": [0.0, 0.0, 9.0, 9.0]}]);
    assert_eq!(json!(found(&page, None)), expected);
}

#[test]
fn what_nobody_sees_is_left_out() {
    let mut page = Page::default();
    let body = page.node(
        -1,
        "BODY",
        &[],
        &[("overflow-x", "hidden")],
        Some([0.0, 0.0, 80.0, 60.0]),
    );
    let big = Some([0.0, 0.0, 100.0, 100.0]);
    let hidden = page.node(body, "DIV", &[], &[("visibility", "hidden")], big);
    page.node(hidden, "\"hidden", &[], &[("visibility", "hidden")], big);
    let clear = page.node(body, "DIV", &[], &[("opacity", "0")], big);
    page.node(clear, "\"transparent", &[], &[], big);
    page.node(body, "\"without a box", &[], &[], None);
    page.node(body, "\"empty", &[], &[], Some([5.0, 5.0, 0.0, 10.0]));
    let svg = page.node(body, "svg", &[], &[], big);
    page.node(svg, "\"inside", &[], &[], big);
    let kinds: Vec<Value> = found(&page, None)
        .iter()
        .map(|e| e["kind"].clone())
        .collect();
    assert_eq!(kinds, ["svg"]);
}

#[test]
fn ancestors_clip_what_they_hold() {
    let mut page = Page::default();
    let body = page.node(
        -1,
        "BODY",
        &[],
        &[("overflow-x", "hidden")],
        Some([0.0, 0.0, 80.0, 60.0]),
    );
    let clip = [("overflow-x", "hidden"), ("overflow-y", "hidden")];
    let window = page.node(body, "DIV", &[], &clip, Some([0.0, 0.0, 50.0, 50.0]));
    let wide = Some([10.0, 10.0, 200.0, 10.0]);
    let picture = |page: &mut Page, position: &str, rect| {
        let source = [("src", "https://a.test/i.png")];
        page.node(window, "IMG", &source, &[("position", position)], rect);
    };
    picture(&mut page, "static", wide);
    // The page contains this box, not the window, which is not positioned.
    picture(&mut page, "absolute", wide);
    picture(&mut page, "fixed", wide);
    picture(&mut page, "static", Some([60.0, 0.0, 10.0, 10.0]));
    let rects: Vec<Value> = found(&page, None)
        .iter()
        .map(|e| e["rect"].clone())
        .collect();
    assert_eq!(
        rects,
        [
            json!([10.0, 10.0, 40.0, 10.0]),
            json!([10.0, 10.0, 200.0, 10.0]),
            json!([10.0, 10.0, 200.0, 10.0]),
        ]
    );
}

#[test]
fn script_elements_tell_how_they_run() {
    let mut page = Page::default();
    page.node(-1, "SCRIPT", &[("src", "/a.js"), ("async", "")], &[], None);
    page.node(
        -1,
        "SCRIPT",
        &[("src", "b.js"), ("type", "Module"), ("defer", "")],
        &[],
        None,
    );
    page.node(-1, "SCRIPT", &[], &[], None);
    let url = Url::parse("https://a.test/x/").expect("a URL");
    let found = scripts(&page.snapshot(), &url);
    let facts: Vec<_> = found
        .iter()
        .map(|s| (s.url.as_str(), s.is_async, s.is_deferred, s.is_module))
        .collect();
    assert_eq!(
        facts,
        [
            ("https://a.test/a.js", true, false, false),
            ("https://a.test/x/b.js", false, true, true),
        ]
    );
}

#[test]
fn nonsense_is_an_empty_page() {
    let url = Url::parse("https://a.test/").expect("a URL");
    let broken = json!({"strings": ["x"], "documents": [{
        "nodes": {"nodeName": [7, "y", 0], "parentIndex": [2, 1, -5]},
        "layout": {"nodeIndex": [0, 9, -1, "z"], "bounds": [[1], 2]}}]});
    for snapshot in [json!(null), json!({"documents": []}), broken] {
        let context = Context {
            document: &url,
            html: Some("<p>"),
            faces: &[],
            requested: &|_| true,
            images: &BTreeMap::new(),
            histories: &BTreeMap::new(),
            waits: &|_| None,
            viewport: (0.0, 0.0),
        };
        assert!(elements(&snapshot, None, &context).is_empty());
        assert!(scripts(&snapshot, &url).is_empty());
    }
}

#[test]
fn the_part_by_which_scripts_enlarge_a_background_is_theirs() {
    let html = "<body><main></main></body>";
    let page = |rect: [f64; 4]| {
        let mut page = Page::default();
        let body = page.node(-1, "BODY", &[], &[], Some([0.0, 0.0, 800.0, 600.0]));
        let grey = [("background-color", "rgb(200, 200, 200)")];
        page.node(body, "MAIN", &[], &grey, Some(rect));
        page
    };
    let (tall, short) = ([100.0, 0.0, 700.0, 500.0], [100.0, 0.0, 700.0, 200.0]);
    let parts = |now, before| {
        let found = found_beside(&page(now), Some(&page(before)), Some(html));
        let parts = found.iter();
        parts
            .map(|e| (e["rect"].clone(), e["scripted"] == true))
            .collect::<Vec<_>>()
    };
    assert_eq!(parts(tall, tall), [(json!(tall), false)]);
    assert_eq!(
        parts(tall, short),
        [
            (json!(short), false),
            (json!([100.0, 200.0, 700.0, 300.0]), true)
        ]
    );
    assert_eq!(parts(short, tall), [(json!(short), false)], "it shrinks");
    let elsewhere = [0.0, 0.0, 650.0, 200.0];
    assert_eq!(
        parts(tall, elsewhere),
        [(json!(tall), false)],
        "what is left is no rectangle"
    );
}

/// A block is visible without scripts if any of its texts is.
#[test]
fn what_is_not_seen_without_scripts_is_theirs() {
    let html = "<body><p>One <b>two</b></p><p>Three</p></body>";
    let page = |second: &str, third: Option<[f64; 4]>| {
        let mut page = Page::default();
        let body = page.node(-1, "BODY", &[], &[], Some([0.0, 0.0, 800.0, 600.0]));
        let p = page.node(body, "P", &[], &[], Some([8.0, 8.0, 700.0, 40.0]));
        page.node(p, "\"One ", &[], &[], Some([8.0, 8.0, 50.0, 18.0]));
        let bold = [("display", "inline")];
        let b = page.node(p, "B", &[], &bold, Some([58.0, 8.0, 60.0, 18.0]));
        page.node(b, second, &[], &[], Some([58.0, 8.0, 60.0, 18.0]));
        let p = page.node(body, "P", &[], &[], third);
        page.node(p, "\"Three", &[], &[], third);
        page
    };
    let shown = Some([8.0, 60.0, 700.0, 40.0]);
    let scripted = |unscripted: Option<&Page>| -> Vec<bool> {
        let found = found_beside(&page("\"two", shown), unscripted, Some(html));
        found.iter().map(|e| e["scripted"] == true).collect()
    };
    assert_eq!(scripted(None), [false, false], "nobody looked");
    assert_eq!(scripted(Some(&page("\"two", shown))), [false, false]);
    assert_eq!(scripted(Some(&page("\"two", None))), [false, true]);
    assert_eq!(scripted(Some(&page("\"changed", None))), [false, true]);
    let beside = Some([-700.0, 60.0, 700.0, 40.0]);
    assert_eq!(
        scripted(Some(&page("\"two", beside))),
        [false, true],
        "it slides in"
    );
    let below = Some([8.0, 700.0, 700.0, 40.0]);
    let found = found_beside(
        &page("\"two", below),
        Some(&page("\"two", beside)),
        Some(html),
    );
    assert_eq!(
        found[1]["scripted"],
        Value::Null,
        "it is never in the viewport"
    );
}

#[test]
fn a_text_that_scripts_rewrite_is_where_the_first_one_was() {
    let html = "<body><pre><code>let it = be;</code></pre></body>";
    let page = |words: &[&str], width: f64| {
        let mut page = Page::default();
        let body = page.node(-1, "BODY", &[], &[], Some([0.0, 0.0, 800.0, 600.0]));
        let pre = page.node(body, "PRE", &[], &[], Some([8.0, 8.0, 700.0, 40.0]));
        let code = page.node(pre, "CODE", &[], &[], Some([8.0, 8.0, 700.0, 40.0]));
        for word in words {
            let rect = Some([8.0, 8.0, width, 18.0]);
            let inline = [("display", "inline")];
            let parent = if words.len() > 1 {
                page.node(code, "SPAN", &[], &inline, rect)
            } else {
                code
            };
            page.node(parent, word, &[], &[], rect);
        }
        page
    };
    let highlighted = page(&["\"let", "\"it", "\"be"], 200.0);
    let element = |unscripted: &Page| {
        let found = found_beside(&highlighted, Some(unscripted), Some(html));
        (found[0]["offset"].clone(), found[0]["scripted"] == true)
    };
    let end = html.find("</code>").expect("there");
    let plain = page(&["\"let it = be;"], 190.0);
    assert_eq!(element(&plain), (json!(end), false));
    // A text of another size is another one.
    let short = page(&["\"let it = be;"], 50.0);
    assert_eq!(element(&short), (Value::Null, false));
}

#[test]
fn an_image_that_scripts_enlarge_in_a_new_box_is_rebuilt() {
    let page = |display: &str, width: f64| {
        let mut page = Page::default();
        let body = page.node(-1, "BODY", &[], &[], Some([0.0, 0.0, 800.0, 600.0]));
        let shown = Some([0.0, 0.0, 100.0, 50.0]);
        let link = page.node(body, "A", &[], &[("display", display)], shown);
        let source = [("src", "https://a.test/i.png")];
        page.node(link, "IMG", &source, &[], Some([0.0, 0.0, width, 20.0]));
        page.snapshot()
    };
    let rebuilt = |with: &Value, without: Option<&Value>| {
        let url = Url::parse("https://a.test/").expect("a URL");
        let context = Context {
            document: &url,
            html: None,
            faces: &[],
            requested: &|_| true,
            images: &BTreeMap::from([("https://a.test/i.png".to_owned(), (40.0, 30.0))]),
            histories: &BTreeMap::new(),
            waits: &|_| None,
            viewport: (800.0, 600.0),
        };
        is_rebuilt(with, without, &context, "https://a.test/i.png")
    };
    let with = page("block", 35.0);
    assert!(rebuilt(&with, Some(&page("inline-block", 30.0))));
    assert!(!rebuilt(&with, Some(&page("block", 30.0))), "the box stays");
    assert!(
        !rebuilt(&with, Some(&page("inline-block", 35.0))),
        "the size stays"
    );
    assert!(!rebuilt(&with, None), "nobody looked");
    // Both are larger than the image itself, whose pixels count.
    let with = page("block", 90.0);
    assert!(!rebuilt(&with, Some(&page("inline-block", 80.0))));
}

#[test]
fn a_canvas_of_another_colour_without_scripts_is_theirs() {
    let page = |colour| {
        let mut page = Page::default();
        let screen = Some([0.0, 0.0, 800.0, 600.0]);
        let html = page.node(0, "HTML", &[], &[], screen);
        page.node(html, "BODY", &[], &[("background-color", colour)], screen);
        page.snapshot()
    };
    let (dark, light) = (page("rgb(20, 20, 20)"), page("rgb(255, 255, 255)"));
    assert!(scripts_colour_canvas(&dark, Some(&light)));
    assert!(!scripts_colour_canvas(&dark, Some(&dark)));
    assert!(!scripts_colour_canvas(&dark, None), "nobody looked");
}
