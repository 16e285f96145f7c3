//! The largest element of pages without a recorded layout: recorded, drawn or most probable.

use std::sync::Arc;

use crate::common::{Network, document, id, in_markup, load_in, ms, no_cpu, page, visible_image};
use pagerace_browser::{Browser, Profile};
use pagerace_core::Destination;
use pagerace_page::model::{LargestCandidate, LargestElement, Page, PaintFit, Wait};

const TEXT: LargestElement = LargestElement::Text;
const SEEN: LargestElement = LargestElement::Image { id: id(1) };
const UNSEEN: LargestElement = LargestElement::Image { id: id(2) };

/// Returns a page with text, an image that is in the viewport and one that is not, a font, and a
/// script, which end in this order.
fn with_candidates(shares: &[(LargestElement, f64)]) -> Page {
    let p = page(vec![
        document(2_000),
        visible_image(20_000, 1_000),
        in_markup(Destination::Image, 10_000, 1_100),
        in_markup(Destination::Font, 10_000, 1_200),
        in_markup(Destination::Script, 10_000, 1_300),
    ]);
    let candidate = |&(element, probability)| LargestCandidate {
        element,
        probability,
    };
    Page {
        paints: pagerace_page::Paints::Guessed(pagerace_page::Guess {
            candidates: shares.iter().map(candidate).collect(),
            ..pagerace_page::Guess::default()
        }),
        ..Arc::unwrap_or_clone(p)
    }
}

/// Returns the last resource that had ended before the largest paint; 0 if there is none.
fn awaited(page: &Page, draw: Option<f64>) -> u32 {
    let network = Network {
        rate: 50_000,
        ..Network::default()
    };
    let page = Arc::new(page.clone());
    let mut browser = Browser::new(Arc::clone(&page), &no_cpu(Profile::CHROME), 1);
    if let Some(draw) = draw {
        browser.set_largest(draw);
    }
    let loaded = load_in(browser, &page, &network);
    let lcp = loaded.browser.metrics().lcp.expect("painted");
    let ended = |at: &pagerace_core::Instant| at.since_start() <= lcp;
    let mut ends: Vec<_> = loaded.ends.iter().filter(|(_, at)| ended(at)).collect();
    ends.sort_by_key(|(_, at)| **at);
    ends.last().map_or(0, |(last, at)| {
        assert!(lcp < at.since_start() + ms(20.0), "{last:?}");
        last.0
    })
}

#[test]
fn the_most_probable_candidate_is_the_largest_unless_one_is_drawn() {
    let page = with_candidates(&[(SEEN, 0.5), (TEXT, 0.3), (UNSEEN, 0.2)]);
    assert_eq!(awaited(&page, None), 1);
    let drawn = [0.0, 0.49, 0.85, 0.99].map(|draw| awaited(&page, Some(draw)));
    assert_eq!(drawn, [1, 1, 2, 2]);
}

#[test]
fn drawn_text_waits_for_fonts_or_not_or_comes_from_scripts() {
    let page = with_candidates(&[(TEXT, 1.0)]);
    assert_eq!(awaited(&page, None), 3, "the font");
    let drawn = [0.0, 0.5, 0.6, 0.85, 0.95].map(|draw| awaited(&page, Some(draw)));
    assert_eq!(drawn, [3, 3, 0, 0, 4]);
}

#[test]
fn a_small_fitted_image_is_the_largest_element() {
    let mut page = with_candidates(&[(TEXT, 1.0)]);
    page.guess_mut().expect("no layout").fit = Some(PaintFit {
        after: Wait::ContentLoaded,
        delay: None,
        swaps_fonts: true,
        largest: Some(UNSEEN),
    });
    assert_eq!(awaited(&page, None), 2);
    assert_eq!(awaited(&page, Some(0.9)), 2, "no draw changes it");
}

#[test]
fn images_raise_their_requests_if_they_are_drawn() {
    let raised = |draw: f64| {
        let page = with_candidates(&[(TEXT, 0.5), (UNSEEN, 0.5)]);
        let page = Arc::new(page);
        let mut browser = Browser::new(Arc::clone(&page), &no_cpu(Profile::CHROME), 1);
        browser.set_largest(draw);
        let network = Network {
            rate: 5_000,
            ..Network::default()
        };
        load_in(browser, &page, &network).new_signal(2).is_some()
    };
    assert_eq!([0.2, 0.8].map(raised), [false, true]);
}
