//! Recorders differ in what they note, not in what a page consists of: the corpus holds
//! the same load in the form of several.

use std::collections::BTreeMap;
use std::mem::discriminant;
use std::path::{Path, PathBuf};

use pagerace_core::Destination;
use pagerace_har::{ImportOptions, load};
use pagerace_page::{Evidence, Page, Resource, ResourceId, Trigger};

use crate::files;

fn folder() -> PathBuf {
    files::corpus()[0].parent().unwrap().to_owned()
}

/// The resources with responses by path and query; third parties of a variant may have
/// other hosts. Several resources may have one URL.
fn answered(page: &Page) -> BTreeMap<&str, Vec<&Resource>> {
    let mut found: BTreeMap<&str, Vec<&Resource>> = BTreeMap::new();
    for resource in &page.resources {
        let path = resource.url.splitn(4, '/').nth(3).unwrap();
        if resource.no_response.is_none() {
            found.entry(path).or_default().push(resource);
        }
    }
    found
}

/// Checks that every resource of `source` is in `variant`, with the same size, and with
/// the same destination if the recorder notes it or the media type tells it.
fn compare(variant: &str, source: &Path) {
    let options = ImportOptions::default();
    let variant = load(&folder().join(variant), &options).unwrap();
    let source = load(source, &options).unwrap();
    let found = answered(&variant);
    for (path, resources) in answered(&source) {
        let at = format!("{}: {path}", variant.name);
        let others = found.get(path).unwrap_or_else(|| panic!("{at} is missing"));
        assert!(others.len() <= resources.len(), "{at}");
        for (a, b) in resources.iter().zip(others) {
            assert_eq!(a.body_bytes, b.body_bytes, "{at}: bytes");
            assert_eq!(
                (a.status == 404, &a.method),
                (b.status == 404, &b.method),
                "{at}"
            );
            let told =
                |r: &Resource| !matches!(r.destination, Destination::Other | Destination::Fetch);
            if told(a) && told(b) {
                assert_eq!(a.destination, b.destination, "{at}");
            }
        }
    }
}

/// Checks that every resource has the same cause in both, for recorders that note
/// initiators. Without the body of a document, offsets in it come from line numbers.
fn compare_causes(variant: &str, source: &Path) {
    let options = ImportOptions::default();
    let variant = load(&folder().join(variant), &options).unwrap();
    let source = load(source, &options).unwrap();
    let found = answered(&variant);
    let path = |page: &Page, id: ResourceId| {
        let url = &page.resource(id).url;
        url.splitn(4, '/').nth(3).unwrap().to_owned()
    };
    let mut compared = 0;
    for (name, resources) in answered(&source) {
        let (a, b) = (resources[0].discovery, found[name][0].discovery);
        // Only markup tells that an image is lazy; otherwise its late request has another
        // cause.
        if b.evidence == Evidence::Timing {
            continue;
        }
        compared += 1;
        let at = format!("{}: {name}: {a:?}, {b:?}", variant.name);
        assert_eq!(discriminant(&a.trigger), discriminant(&b.trigger), "{at}");
        let parents = (a.trigger.parent(), b.trigger.parent());
        if let (Some(a), Some(b)) = parents {
            assert_eq!(path(&source, a), path(&variant, b), "{at}");
        }
        let offsets = (a.trigger, b.trigger);
        if let (Trigger::Markup { offset: a, .. }, Trigger::Markup { parent, offset: b }) = offsets
        {
            let whole = variant.resource(parent).body_bytes;
            assert!(a.abs_diff(b) <= whole / 4, "{at} of {whole}");
        }
    }
    assert!(
        compared * 5 >= source.resources.len() * 3,
        "only {compared}"
    );
}

#[test]
fn recorders_with_initiators_agree_on_causes() {
    let examples = folder().join("../../examples/pages");
    compare_causes("gallery-browsertime.har.gz", &examples.join("gallery.har"));
    compare_causes("shop-webpagetest.har.gz", &examples.join("shop.har"));
}

#[test]
fn all_agree_on_resources_and_sizes() {
    let examples = folder().join("../../examples/pages");
    let corpus = folder();
    compare("blog-bare.har.gz", &examples.join("blog.har"));
    compare("blog-safari.har.gz", &examples.join("blog.har"));
    compare("gallery-browsertime.har.gz", &examples.join("gallery.har"));
    compare("shop-webpagetest.har.gz", &examples.join("shop.har"));
    compare(
        "carousel-devtools-2017.har.gz",
        &corpus.join("carousel.page.gz"),
    );
    compare("spectre-firefox.har.gz", &corpus.join("spectre.page.gz"));
    compare("todo-proxy.har", &corpus.join("todo.page.gz"));
}
