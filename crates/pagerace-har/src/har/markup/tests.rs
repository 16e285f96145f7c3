use super::*;

fn scanned(html: &str) -> Vec<(String, Element, bool)> {
    let document = Url::parse("https://a.test/dir/").unwrap();
    scan(html, &document)
        .into_iter()
        .map(|r| (r.url, r.element, r.in_head))
        .collect()
}

const BLOCKING: Element = Element::Script {
    is_async: false,
    is_deferred: false,
};

#[test]
fn elements_of_head_and_body() {
    let html = r#"<!doctype html><head>
        <link rel=stylesheet href=a.css><link rel="stylesheet" media=print href="p.css">
        <script src="/b.js?x=1&amp;y=2"></script><script defer src=c.js></script>
        <script type=module src=m.js></script><script async src=d.js></script>
        <link rel="preload" as=font href="//cdn.test/f.woff2#x">
        </head><body><img src=i.png loading=lazy><script src="e.js"></script>
        <iframe src="f.html"></iframe>"#;
    let base = "https://a.test";
    let expected = [
        (
            format!("{base}/dir/a.css"),
            Element::StyleSheet { applies: true },
            true,
        ),
        (
            format!("{base}/dir/p.css"),
            Element::StyleSheet { applies: false },
            true,
        ),
        (format!("{base}/b.js?x=1&y=2"), BLOCKING, true),
        (
            format!("{base}/dir/c.js"),
            Element::Script {
                is_async: false,
                is_deferred: true,
            },
            true,
        ),
        (
            format!("{base}/dir/m.js"),
            Element::Script {
                is_async: false,
                is_deferred: true,
            },
            true,
        ),
        (
            format!("{base}/dir/d.js"),
            Element::Script {
                is_async: true,
                is_deferred: false,
            },
            true,
        ),
        (
            "https://cdn.test/f.woff2".to_owned(),
            Element::Preload,
            true,
        ),
        (
            format!("{base}/dir/i.png"),
            Element::Image { lazy: true },
            false,
        ),
        (format!("{base}/dir/e.js"), BLOCKING, false),
        (format!("{base}/dir/f.html"), Element::Frame, false),
    ];
    assert_eq!(scanned(html), expected);
}

#[test]
fn the_offset_is_behind_the_start_tag() {
    let html = "<p>é</p><img src=x.png>rest";
    let document = Url::parse("https://a.test/").unwrap();
    let offset = scan(html, &document)[0].offset as usize;
    assert_eq!(&html[offset..], "rest");
}

#[test]
fn what_a_browser_would_not_load_is_not_found() {
    let html = r#"<noscript><img src=n.png></noscript><!-- <img src=c.png> -->
        <template><img src=t.png></template><script>"<img src=s.png>"</script>
        <script type="text/template" src=x.js></script><img src="data:,x"><img src>"#;
    assert_eq!(scanned(html), []);
}

#[test]
fn the_head_ends_at_the_first_element_of_the_body() {
    let found = scanned("<link rel=stylesheet href=a><div></div><link rel=stylesheet href=b>");
    assert!(found[0].2);
    assert!(!found[1].2);
}

#[test]
fn base_and_srcset() {
    let found = scanned(r#"<base href="/x/"><img src=1.png srcset="2.png 2x, 3.png 3x">"#);
    let urls: Vec<_> = found.iter().map(|f| f.0.as_str()).collect();
    assert_eq!(
        urls,
        [
            "https://a.test/x/1.png",
            "https://a.test/x/2.png",
            "https://a.test/x/3.png"
        ]
    );
}

#[test]
fn objects_of_a_page_without_links_and_frames() {
    let html = r#"<link rel=stylesheet href=a.css><link rel=icon href=i.ico><link rel=next href=2>
        <link rel=preload href=f.woff2><script src=b.js></script><iframe src=c.html></iframe>
        <picture><source srcset="d.webp 2x"><img src=d.png></picture><a href=e.zip></a>
        <video src=g.mp4 poster=h.png></video>"#;
    let document = Url::parse("https://a.test/").unwrap();
    let found = references(html, &document).into_iter();
    let found: Vec<_> = found
        .map(|(kind, url)| (kind, url.path().to_owned()))
        .collect();
    let expected = [
        (Destination::Style, "/a.css"),
        (Destination::Other, "/f.woff2"),
        (Destination::Script, "/b.js"),
        (Destination::Media, "/d.webp"),
        (Destination::Image, "/d.png"),
        (Destination::Media, "/g.mp4"),
        (Destination::Media, "/h.png"),
    ];
    assert_eq!(found, expected.map(|(kind, path)| (kind, path.to_owned())));
}

/// Each of the URLs would repeat the base.
#[test]
fn an_endless_base_is_ignored() {
    let html = format!("<base href=/{}/><img src=i.png>", "x".repeat(BASE_MAX));
    let document = Url::parse("https://a.test/").unwrap();
    assert_eq!(references(&html, &document)[0].1.path(), "/i.png");
}
