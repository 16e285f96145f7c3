use std::collections::{BTreeMap, BTreeSet};

use pagerace_core::Destination;
use pagerace_page::change::Edit;
use pagerace_page::{Changes, Page};
use serde_json::{Value, json};
use url::Url;

use super::{in_head, in_markup, in_styles, inside, replaced};
use crate::har::{ImportOptions, recording_from_bytes};
use crate::recording::Recording;

const PAGE: &str = r#"<head><link rel=stylesheet href="a.css"><script src=b.js>x</script></head>
<body><picture><source srcset="h.webp 1x"><img src="/h.jpg"></picture>
<img alt="b" src="/i.jpg" fetchpriority=low><div style="background:url('/i.jpg')">t</div></body>"#;

fn edited(edit: &Edit, styles: bool, url: &str) -> String {
    let base = Url::parse("https://a.example/").unwrap();
    let url = base.join(url).unwrap().to_string();
    let urls = BTreeSet::from([url.clone()]);
    let all = BTreeMap::from([(url, edit.clone())]);
    let mut named = BTreeSet::new();
    let mut edits = in_markup(PAGE, &base, &all, &mut named);
    edits.extend(in_head(PAGE, &all, &mut named));
    if styles {
        edits.extend(in_styles(PAGE, &base, &urls, &mut named));
    }
    assert_eq!(named, urls);
    replaced(PAGE, edits)
}

#[test]
fn elements_go_with_their_content() {
    let without = |url: &str, part: &str| {
        assert_eq!(
            edited(&Edit::Remove, true, url),
            PAGE.replace(part, ""),
            "{url}"
        );
    };
    without("a.css", r#"<link rel=stylesheet href="a.css">"#);
    without("b.js", "<script src=b.js>x</script>");
    // One of a picture's sources stands for the picture.
    let picture = r#"<picture><source srcset="h.webp 1x"><img src="/h.jpg"></picture>"#;
    without("h.webp", picture);
    without("h.jpg", picture);
}

#[test]
fn styles_name_nothing_instead() {
    let text = edited(&Edit::Remove, true, "i.jpg");
    assert!(text.contains(r#"style="background:url(data:,)""#), "{text}");
    assert!(!text.contains("i.jpg"), "{text}");
    let base = Url::parse("https://a.example/css/a.css").unwrap();
    let urls = BTreeSet::from(["https://a.example/css/b.css".to_owned()]);
    let sheet = "@import 'b.css' print; @import url(c.css); p{}";
    let edits = in_styles(sheet, &base, &urls, &mut BTreeSet::new());
    assert_eq!(
        replaced(sheet, edits),
        "@import \"data:,\" print; @import url(c.css); p{}"
    );
}

#[test]
fn attributes_come_first() {
    let edit = Edit::Set("fetchpriority", "high".to_owned());
    let text = edited(&edit, false, "i.jpg");
    let expected = PAGE.replace("<img alt", r#"<img fetchpriority="high" alt"#);
    assert_eq!(text, expected);
    // A picture's source has no such attribute; its image has.
    let expected = PAGE.replace(r#"<img src="/h"#, r#"<img fetchpriority="high" src="/h"#);
    assert_eq!(edited(&edit, false, "h.webp"), expected);
}

#[test]
fn elements_are_added_at_the_begin_of_the_head() {
    let link = "<link rel=preload>";
    let added = edited(&Edit::Insert(link.to_owned()), false, "i.jpg");
    assert_eq!(added, PAGE.replacen("<head>", &format!("<head>{link}"), 1));
    let with_value = edited(&Edit::Set("async", String::new()), false, "b.js");
    assert_eq!(with_value, PAGE.replace("<script", "<script async"));
}

#[test]
fn a_preload_keeps_its_medium() {
    let set = Edit::Set("media", "print\" onload=\"this.media='all'".to_owned());
    let text = edited(&set, false, "a.css");
    let (link, media) = (
        "<link rel=stylesheet",
        r#"<link media="print" onload="this.media='all'" rel=stylesheet"#,
    );
    assert_eq!(text, PAGE.replace(link, media));
    let preload = r#"<link rel=preload as=style href="a.css">"#;
    let both = PAGE.replacen("<head>", &format!("<head>{preload}"), 1);
    let base = Url::parse("https://a.example/").unwrap();
    let all = BTreeMap::from([("https://a.example/a.css".to_owned(), set)]);
    let edits = in_markup(&both, &base, &all, &mut BTreeSet::new());
    assert_eq!(replaced(&both, edits), both.replace(link, media));
}

#[test]
fn elements_move_and_hold_their_names() {
    let text = edited(&Edit::Move, false, "b.js");
    let script = "<script src=b.js>x</script>";
    let without = PAGE.replace(script, "");
    assert_eq!(
        text,
        without.replace("</body>", &format!("{script}</body>"))
    );
    let text = edited(&Edit::Hold, false, "b.js");
    assert_eq!(text, PAGE.replace("src=b.js", "data-src=b.js"));
    let text = edited(&Edit::Hold, false, "i.jpg");
    assert_eq!(text, PAGE.replace("src=\"/i.jpg\"", "data-src=\"/i.jpg\""));
}

#[test]
fn bodies_take_the_places_of_elements() {
    let inside = Edit::Replace("<style>p{}</style>".to_owned());
    let text = edited(&inside, false, "a.css");
    let link = r#"<link rel=stylesheet href="a.css">"#;
    assert_eq!(text, PAGE.replace(link, "<style>p{}</style>"));
    let print = PAGE.replace("href=\"a.css\"", "href=\"a.css\" media=print");
    let base = Url::parse("https://a.example/").unwrap();
    let all = BTreeMap::from([("https://a.example/a.css".to_owned(), inside)]);
    let edits = in_markup(&print, &base, &all, &mut BTreeSet::new());
    assert!(replaced(&print, edits).contains("<style media=\"print\">p{}</style>"));
}

#[test]
fn sheets_and_scripts_stay_what_they_are_inside_a_document() {
    let url = Url::parse("https://a.example/css/a.css").unwrap();
    let sheet =
        "@import 'b.css'; p{background:url(../i.png)} q{background:url(\"data:x\")} </style>";
    let element = inside::element(Destination::Style, sheet, &url);
    let expected = "<style>@import \"https://a.example/css/b.css\"; \
                    p{background:url(https://a.example/i.png)} q{background:url(\"data:x\")} \
                    <\\/style></style>";
    assert_eq!(element, expected);
    let script = inside::element(Destination::Script, "a='</script><!--'", &url);
    assert_eq!(script, "<script>a='<\\/script><\\!--'</script>");
}

#[test]
fn attributes_are_found_as_browsers_do() {
    let names = |tag: &str| -> Vec<String> {
        let all = inside::attributes(tag).into_iter();
        all.map(|(name, _)| tag[name].to_owned()).collect()
    };
    let values = |tag: &str| -> Vec<String> {
        let all = inside::attributes(tag).into_iter();
        all.map(|(_, value)| tag[value].to_owned()).collect()
    };
    assert_eq!(
        values(r#"<img alt="a b" async src = 'c'/>"#),
        ["a b", "", "c"]
    );
    assert_eq!(values("<img src=x/y alt=>"), ["x/y", ""]);
    assert_eq!(names("<img>"), Vec::<String>::new());
    assert_eq!(names(r#"<img alt="a src=b" SRC = 'c'/>"#), ["alt", "SRC"]);
    assert_eq!(
        names("<script async src=x/y defer>"),
        ["async", "src", "defer"]
    );
    assert_eq!(names("<img src"), ["src"]);
    assert_eq!(names("<img src='"), ["src"]);
    assert_eq!(values("<img src='"), [""]);
}

#[test]
fn rules_of_fonts_and_names_of_moved_files_change() {
    let base = Url::parse("https://a.example/a.css").unwrap();
    let sheet = "@font-face{font-family:a;src:url(\"a.woff2?v=1#x\")} p{background:url(a.woff2?v=1)} \
                 @import 'b.css';";
    let edit = |url: &str, edit: Edit| {
        let all = BTreeMap::from([(url.to_owned(), edit)]);
        let mut named = BTreeSet::new();
        let edits = super::in_rules(sheet, &base, &all, &mut named);
        (replaced(sheet, edits), named.len())
    };
    let font = "https://a.example/a.woff2?v=1";
    let (text, named) = edit(font, Edit::Face("swap".to_owned()));
    let expected = sheet.replace("#x\")}", "#x\");font-display:swap}");
    assert_eq!((text, named), (expected, 1));
    let own = "https://own.example/a.example/b.css";
    let (text, named) = edit("https://a.example/b.css", Edit::Rename(own.to_owned()));
    assert_eq!(
        (text, named),
        (sheet.replace("'b.css'", &format!("\"{own}\"")), 1)
    );
    let own = "https://own.example/x.jpg?a=1&b=2";
    let text = edited(&Edit::Rename(own.to_owned()), false, "i.jpg");
    let escaped = "src=\"https://own.example/x.jpg?a=1&amp;b=2\"";
    assert_eq!(text, PAGE.replace("src=\"/i.jpg\"", escaped));
}

/// Returns a recording of a page with one style sheet, of which the first screen needs `rules`.
fn styled(rules: &str) -> Recording {
    let entry = |url: &str, mime: &str, kind: &str, text: &str, own: Value| {
        json!({
            "startedDateTime": "2026-01-01T00:00:00.000Z", "time": 30, "_resourceType": kind,
            "request": {"method": "GET", "url": url, "httpVersion": "h2", "headers": []},
            "response": {"status": 200, "httpVersion": "h2", "headers": [],
                "content": {"mimeType": mime, "size": text.len(), "text": text}, "bodySize": text.len()},
            "timings": {"send": 1, "wait": 19, "receive": 10}, "_pagerace": own,
        })
    };
    let html = r#"<head><link rel=stylesheet href="/css/a.css?x=1&amp;y" media=screen></head><body><p>text</p></body>"#;
    let css = "p{background:url(p.png)} .far{color:red}";
    let har = json!({"log": {"entries": [
        entry("https://a.test/", "text/html", "document", html, json!({})),
        entry("https://a.test/css/a.css?x=1&y", "text/css", "stylesheet", css, json!({"firstScreen": rules})),
    ]}});
    let options = ImportOptions::default();
    recording_from_bytes("page", har.to_string().as_bytes(), &options).unwrap()
}

#[test]
fn the_first_screen_has_its_rules_inside_the_document() {
    let recording = styled("p{background:url(p.png)}");
    let changes: Changes = "critical-css css".parse().unwrap();
    let edited = recording.changed(&changes).unwrap();
    assert!(edited.unnamed.is_empty());
    let html = str::from_utf8(edited.recording.exchanges[0].body.as_ref().unwrap()).unwrap();
    assert_eq!(
        html,
        "<head><style media=\"screen\">p{background:url(https://a.test/css/p.png)}</style>\
         <link rel=\"stylesheet\" href=\"https://a.test/css/a.css?x=1&amp;y\" media=\"print\" \
         onload=\"this.media='all'\"></head><body><p>text</p></body>"
    );
    let page = &edited.recording.page;
    let bytes = |page: &Page| page.resource(page.document).body_bytes;
    assert!(bytes(page) > bytes(&recording.page), "{}", bytes(page));
    assert!(!page.resources[1].render_blocking);
    // Without rules, nothing tells what to write.
    let unknown = styled("").changed(&changes).unwrap_err().to_string();
    assert!(unknown.contains("does not tell which rules"), "{unknown}");
}
