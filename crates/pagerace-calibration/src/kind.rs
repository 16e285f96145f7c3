//! Classification of pages: type of the largest paint, number of hosts, script
//! load, and viewport.

use pagerace_core::{Destination, Duration};
use pagerace_page::{ElementKind, Page};

/// Script time from which a page counts as script-heavy.
const HEAVY: Duration = Duration::from_millis(500);

/// Maximum viewport width of a phone, in CSS pixels.
const PHONE: u32 = 600;

/// Returns the kinds of a page in words, which are the same for all pages of a kind.
pub fn kinds(page: &Page) -> Vec<&'static str> {
    let mut kinds = vec![largest(page)];
    kinds.push(match page.origins.len() {
        0 | 1 => "one host",
        2..=5 => "2 to 5 hosts",
        _ => "more than 5 hosts",
    });
    let scripts = page
        .resources
        .iter()
        .filter(|resource| resource.destination == Destination::Script);
    let time = scripts.filter_map(|script| script.cpu_time);
    if time.fold(Duration::ZERO, |sum, one| sum + one) >= HEAVY {
        kinds.push("heavy scripts");
    }
    let width = page.layout().map(|layout| layout.viewport.0);
    kinds.push(match width {
        Some(width) if width <= PHONE => "phone",
        _ => "desktop",
    });
    kinds
}

fn largest(page: &Page) -> &'static str {
    let Some(layout) = page.layout() else {
        return "largest paint not known";
    };
    let Some(image) = layout.largest.map(|largest| largest.image) else {
        return "largest paint not known";
    };
    let Some(image) = image else {
        return "largest paint text";
    };
    let shown_as = |wanted: &ElementKind| layout.elements.iter().any(|one| one.kind == *wanted);
    if shown_as(&ElementKind::Image { resource: image }) {
        "largest paint image"
    } else if shown_as(&ElementKind::Background { resource: image }) {
        "largest paint background"
    } else {
        "largest paint video poster or other"
    }
}

#[cfg(test)]
mod tests {
    use super::kinds;
    use pagerace_lab::fake;

    #[test]
    fn a_page_is_of_several_kinds() {
        let mut page = fake::page("news");
        let few = kinds(&page);
        assert!(few.contains(&"one host") && few.contains(&"largest paint not known"));
        assert!(!few.contains(&"heavy scripts"));
        let origin = page.origins[0].clone();
        page.origins.extend(std::iter::repeat_n(origin, 6));
        page.resources[0].destination = pagerace_core::Destination::Script;
        page.resources[0].cpu_time = Some(pagerace_core::Duration::from_secs(1));
        let many = kinds(&page);
        assert!(many.contains(&"more than 5 hosts") && many.contains(&"heavy scripts"));
    }
}
