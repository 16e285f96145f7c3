use url::Url;

use super::{Face, Style, of_text, scan};

const SHEET: &str = r#"
/* @font-face { font-family: no; src: url(no.woff) } */
@media print { a { color: red } }
@Font-Face { font-family: "My Font"; font-style: normal; font-weight: 300 500;
  font-display: swap; unicode-range: U+0-FF, U+4??;
  src: local("x"), url("a;b.woff2?v=1#iefix") format("woff2"), url('a.woff') }
@font-face{font-family:'My Font';font-weight:bold;src:url(data:font/woff2;base64,AAAA),url(/b.woff2)}
@font-face{font-family:'My Font';unicode-range:U+100-17F;src:url(c.woff2)}
@font-face{font-family:Icons;src:url(icons.woff2)}
@font-face{font-family:broken}
"#;

fn faces() -> Vec<Face> {
    scan(
        SHEET,
        &Url::parse("https://a.test/css/s.css").expect("a URL"),
    )
}

fn needs(family: &str, weight: &str, text: &str) -> Vec<String> {
    let style = Style {
        family,
        weight,
        slant: "normal",
    };
    let short = |u: String| u.trim_start_matches("https://a.test/").to_owned();
    of_text(style, text, &faces(), |_| true)
        .into_iter()
        .map(short)
        .collect()
}

#[test]
fn rules_are_read() {
    let faces = faces();
    assert_eq!(faces.len(), 4);
    assert_eq!(faces[0].family, "my font");
    assert_eq!(
        faces[0].urls,
        [
            "https://a.test/css/a;b.woff2?v=1",
            "https://a.test/css/a.woff"
        ]
    );
    assert_eq!(faces[0].display, "swap");
    assert_eq!(faces[0].weight, (300.0, 500.0));
    assert_eq!(faces[0].ranges, [(0, 0xff), (0x400, 0x4ff)]);
    assert_eq!(faces[1].urls, ["https://a.test/b.woff2"]);
    assert_eq!(faces[1].display, "auto");
}

#[test]
fn texts_take_the_nearest_face_for_their_characters() {
    assert_eq!(
        needs("\"My Font\", serif", "400", "abc"),
        ["css/a;b.woff2?v=1"]
    );
    assert_eq!(needs("'My Font', serif", "800", "abc"), ["b.woff2"]);
    assert_eq!(needs("\"My Font\"", "400", "ā"), ["css/c.woff2"]);
    assert_eq!(
        needs("\"My Font\"", "400", "aā"),
        ["css/a;b.woff2?v=1", "css/c.woff2"]
    );
    assert_eq!(needs("Arial, Icons", "400", "a"), ["css/icons.woff2"]);
}

#[test]
fn nothing_is_needed_behind_a_generic_family_or_for_blanks() {
    assert!(needs("serif, Icons", "400", "a").is_empty());
    assert!(needs("Icons", "400", " \n").is_empty());
    let style = Style {
        family: "Icons",
        weight: "400",
        slant: "normal",
    };
    assert!(of_text(style, "a", &faces(), |_| false).is_empty());
}

#[test]
fn broken_sheets_are_read_as_far_as_they_go() {
    let base = Url::parse("https://a.test/").expect("a URL");
    for css in [
        "@font-face",
        "@font-face {",
        "@font-face{src:url(",
        "/*",
        "@font-face }",
        "@font-face{unicode-range:ü,U}",
    ] {
        assert!(scan(css, &base).is_empty(), "{css}");
    }
}
