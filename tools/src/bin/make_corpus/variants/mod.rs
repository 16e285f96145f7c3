//! Recordings in the form of other recorders.

mod browsertime;
mod devtools;
mod firefox;
mod proxy;
mod safari;
mod webpagetest;

use std::io;

use serde_json::Value;

/// Returns a recording by its name.
type Source<'a> = &'a dyn Fn(&str) -> io::Result<Value>;

/// Returns all files with their names; `example` reads a page of `examples/pages`, and
/// `recorded` a file `NAME.page.gz` of the corpus.
pub(crate) fn all(example: Source, recorded: Source) -> io::Result<Vec<(&'static str, Value)>> {
    Ok(vec![
        ("blog-bare.har.gz", proxy::bare(&example("blog")?)),
        ("blog-safari.har.gz", safari::har(example("blog")?)),
        (
            "carousel-devtools-2017.har.gz",
            devtools::old(recorded("carousel")?),
        ),
        ("courier-devtools.har.gz", devtools::new(example("news")?)),
        (
            "gallery-browsertime.har.gz",
            browsertime::har(&example("gallery")?),
        ),
        (
            "shop-webpagetest.har.gz",
            webpagetest::har(&example("shop")?),
        ),
        ("spectre-firefox.har.gz", firefox::har(recorded("spectre")?)),
        ("todo-proxy.har", proxy::har(&recorded("todo")?)),
    ])
}
