use pagerace_page::{Content, FontDisplay, ResourceId};
use serde_json::{Value, json};

use super::parts;
use crate::{ImportOptions, from_bytes};

#[test]
fn text_of_the_first_screen_is_divided_by_its_characters() {
    assert_eq!(parts(&[]), [0; 0]);
    assert_eq!(parts(&[(50, 10)]), [50; 4]);
    let four = [(10, 5), (20, 5), (30, 5), (40, 5)];
    assert_eq!(parts(&four), [10, 20, 30, 40]);
    let long: Vec<_> = (1..=100).map(|k| (k * 100, 100)).collect();
    let shown = [500, 1000, 1500, 2000];
    assert_eq!(parts(&long), shown, "the rest is below the fold");
}

fn entry(path: &str, kind: &str, body: &str) -> Value {
    let mime = match kind {
        "document" => "text/html",
        "stylesheet" => "text/css",
        _ => "font/woff2",
    };
    json!({
        "startedDateTime": "2026-11-22T00:00:00.000Z",
        "time": 10,
        "_resourceType": kind,
        "request": {"method": "GET", "url": format!("https://a.test/{path}")},
        "response": {"status": 200, "bodySize": body.len(),
            "content": {"size": body.len(), "mimeType": mime, "text": body}},
    })
}

fn import(html: &str) -> Option<Content> {
    let sheet = "@font-face{font-family:Text;src:url(text.woff2);font-display:swap}
        @font-face{font-family:'Font Awesome 6';src:url(fa.woff2)}";
    let har = json!({"log": {"entries": [
        entry("", "document", html),
        entry("a.css", "stylesheet", sheet),
        entry("text.woff2", "font", "x"),
        entry("fa.woff2", "font", "x"),
        entry("other.woff2", "font", "x"),
    ]}});
    let page = from_bytes(
        "x.har",
        har.to_string().as_bytes(),
        &ImportOptions::default(),
    );
    page.expect("a page").content().cloned()
}

#[test]
fn bodies_tell_of_text_and_fonts() {
    let head = "<!doctype html><head><title>not shown</title><style>a{}</style></head>";
    // The end tags of options and paragraphs may be left out.
    let body = "<body><script>no()</script><select><option>a<option>b</select>";
    let html = format!("{head}{body}<p>one<p>two<noscript>no</noscript>");
    let content = import(&html).expect("the document has a body");
    let body = head.len() as u64;
    assert_eq!(content.body_start, Some(body));
    let after = |text: &str| html.find(text).unwrap() as u64 + text.len() as u64;
    assert_eq!(
        content.text,
        [after("one"), after("one"), after("two"), after("two")]
    );
    let fonts: Vec<_> = content.fonts.iter().map(|f| (f.font, f.display)).collect();
    let (text, icons) = (ResourceId(2), ResourceId(3));
    assert_eq!(
        fonts,
        [(text, FontDisplay::Swap), (icons, FontDisplay::Auto)]
    );
    assert_eq!(content.icons, [icons]);
}

#[test]
fn scripts_inside_the_document_that_stop_the_parser() {
    let html = "<!doctype html><head><script>a()</script><script src=b.js></script>\
        <script type=application/ld+json>{}</script><script type=module>c()</script>\
        <script nomodule>g()</script></head>\
        <body><noscript><script>d()</script></noscript><template><script>e()</script></template>\
        <p>text<script type=text/javascript>f()</script>";
    let behind = |text: &str| html.find(text).unwrap() as u64 + text.len() as u64;
    assert_eq!(
        import(html).expect("a body").inline_scripts,
        [behind("a()"), behind("f()")]
    );
}

#[test]
fn a_document_without_text_says_so_and_one_without_a_body_says_nothing() {
    let html = "<!doctype html><head></head><body><div id=app></div><script src=a.js></script>";
    assert_eq!(import(html).expect("a body").text, [0; 0]);
    assert_eq!(import(""), None);
}

#[test]
fn images_of_styles_and_lazy_images_inside_the_document() {
    let html = "<!doctype html><head><style>p{background:url(sheet.png)}</style></head><body>\
        <p style=\"background:url('attribute.png?a=1&b=2')\">text<img src=plain.png>\
        <img src=lazy.png loading=lazy><img src=both.png><i style='background:url(both.png)'></i>";
    let image = |path: &str| {
        let mut image = entry(path, "image", "");
        image["_initiator"] = json!({"type": "parser", "url": "https://a.test/"});
        image["response"]["content"] = json!({"size": 5000, "mimeType": "image/png"});
        image
    };
    let names = [
        "sheet.png",
        "attribute.png?a=1&b=2",
        "plain.png",
        "lazy.png",
        "both.png",
    ];
    let mut entries = vec![entry("", "document", html)];
    entries.extend(names.map(image));
    let har = json!({"log": {"entries": entries}}).to_string();
    let page = from_bytes("x.har", har.as_bytes(), &ImportOptions::default()).expect("a page");
    let content = page.content().expect("the document has a body");
    assert_eq!(content.styled, [ResourceId(1), ResourceId(2)]);
    assert_eq!(content.lazy, [ResourceId(4)]);
    let delays_load = page.resources.iter().map(|r| r.blocks_load);
    assert_eq!(
        delays_load.collect::<Vec<_>>(),
        [true, true, true, true, false, true]
    );
}

#[test]
fn scripts_make_the_largest_text_where_the_body_has_little() {
    let scripted = |body: &str| {
        let html = format!("<!doctype html><head></head><body>{body}");
        import(&html).expect("a body").scripted_text
    };
    let filler = format!("<p title={}>", "x".repeat(1_500));
    assert!(scripted("<p>short<script>a()</script>"));
    assert!(!scripted("<p>short"), "there are no scripts");
    assert!(!scripted(&format!("{filler}long<script>a()</script>")));
}
