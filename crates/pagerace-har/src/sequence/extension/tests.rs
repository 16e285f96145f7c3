use pagerace_core::Destination;

use super::{known, must_be_whole, of};
use crate::sequence::tests::page;

fn extension(mime: &str, url: &str, destination: Destination) -> &'static str {
    let mut resource = page().resources.remove(0);
    mime.clone_into(&mut resource.mime_type);
    url.clone_into(&mut resource.url);
    resource.destination = destination;
    of(&resource)
}

#[test]
fn the_media_type_decides() {
    for (mime, expected) in [
        ("text/html", "html"),
        ("application/x-javascript", "js"),
        ("application/ld+json", "json"),
        ("image/svg+xml", "svg"),
        ("application/rss+xml", "xml"),
        ("application/font-woff2", "woff2"),
        ("application/x-font-woff", "woff"),
        ("video/mp4", "mp4"),
    ] {
        let url = "https://a.test/x.zip";
        assert_eq!(extension(mime, url, Destination::Other), expected, "{mime}");
    }
}

#[test]
fn else_the_address_and_then_the_purpose() {
    let octets = "application/octet-stream";
    for (mime, url, destination, expected) in [
        (
            octets,
            "https://a.test/f/A.WOFF2?v=1",
            Destination::Font,
            "woff2",
        ),
        ("", "https://a.test/p.jpeg", Destination::Image, "jpg"),
        (
            "text/plain",
            "https://a.test/app.js",
            Destination::Script,
            "js",
        ),
        (
            "text/plain",
            "https://a.test/app",
            Destination::Script,
            "js",
        ),
        (
            "text/plain",
            "https://a.test/robots",
            Destination::Fetch,
            "txt",
        ),
        ("", "https://a.test/", Destination::Document, "html"),
        (
            "",
            "https://a.test/run.php?x=a.js",
            Destination::Fetch,
            "bin",
        ),
        (octets, "https://a.b.css/", Destination::Other, "bin"),
        ("", "no address", Destination::Other, "bin"),
    ] {
        assert_eq!(extension(mime, url, destination), expected, "{mime} {url}");
    }
}

#[test]
fn parts_of_pictures_sound_and_film_are_of_use() {
    for extension in known().chain(["bin"]) {
        let shows = ["jpg", "png", "webp", "mp4", "m4s", "mp3"].contains(&extension);
        let whole = ["html", "css", "js", "json", "svg", "woff2", "bin"].contains(&extension);
        assert!(!shows || !must_be_whole(extension), "{extension}");
        assert!(!whole || must_be_whole(extension), "{extension}");
    }
}
