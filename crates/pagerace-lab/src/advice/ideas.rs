//! Changes that may help a page, from what its paints wait for.

use std::collections::BTreeSet;

use pagerace_core::{Destination, Duration, ScriptMode};
use pagerace_page::change::Change;
use pagerace_page::intervention::{Selector, Target};
use pagerace_page::model::ElementKind;
use pagerace_page::{Changes, Page, Resource, ResourceId, Trigger};

/// Images of fewer bytes gain nothing by fewer.
const LARGE_IMAGE_BYTES: u64 = 30_000;
/// The number of pixels of an image for each CSS pixel, above which it may be smaller: screens of
/// desktops differ in their density.
const OVERSIZED: f64 = 2.0;
/// The time of a server above which a cache may answer sooner.
const SLOW_SERVER: Duration = Duration::from_millis(100);
/// Larger files stay outside the document, where later visits find them in their caches.
const SMALL_BYTES: u64 = 15_000;
/// Maximum number of resources that one idea names in a 103 response.
const HINTS_MAX: usize = 4;
/// Maximum number of images that one idea makes lazy.
const LAZY_MAX: usize = 12;
/// Maximum number of hosts whose frames may wait for a click.
const FACADES_MAX: usize = 4;

/// Changes that may help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idea {
    /// The changes.
    pub changes: Changes,
    /// The reason why they may help, in a clause that begins with a subject.
    pub because: String,
    /// True if the page stays as people know it. What removes or postpones something tells only
    /// what that costs.
    pub is_repair: bool,
}

/// Returns changes that may help `page`, whose metric waits for the resources `awaited`.
pub fn ideas(page: &Page, awaited: &BTreeSet<ResourceId>) -> Vec<Idea> {
    let largest = page.layout().and_then(|layout| layout.largest?.image);
    let mut seen = awaited.clone();
    seen.extend(largest);
    // Redirects to the document are no part of it.
    seen.retain(|id| *id >= page.document);
    let shown = seen.iter().map(|id| page.resource(*id));
    let shown = shown.filter(|one| one.destination == Destination::Image);
    let mut ideas = Ideas {
        page,
        shown: shown.map(|one| one.url.as_str()).collect(),
        found: Vec::new(),
        pages: Vec::new(),
    };
    for id in &seen {
        ideas.of_resource(page.resource(*id), Some(*id) == largest);
    }
    ideas.of_hosts(&seen);
    ideas.of_early_hints(&seen);
    ideas.of_page();
    ideas.found
}

/// Collects ideas that can be made to a page.
struct Ideas<'a> {
    page: &'a Page,
    /// The URLs of images for which the metric waits.
    shown: Vec<&'a str>,
    found: Vec<Idea>,
    /// The pages that these make.
    pages: Vec<Page>,
}

impl Ideas<'_> {
    fn of_resource(&mut self, resource: &Resource, is_largest: bool) {
        let Some(own) = selector(self.page, resource) else {
            return;
        };
        if resource.status >= 400 || resource.no_response.is_some() {
            let because = "the request fails, and the page waits for it";
            return self.add(&format!("remove {own}"), because);
        }
        let is_in_markup = matches!(resource.discovery.trigger, Trigger::Markup { .. });
        match resource.destination {
            Destination::Image => {
                let name = if is_largest {
                    "the largest element"
                } else {
                    "an image"
                };
                if is_in_markup {
                    self.add(
                        &format!("fetchpriority=high {own}"),
                        &format!("{name} is requested like any other image"),
                    );
                    self.add(
                        &format!("eager {own}"),
                        &format!("{name} waits for a layout"),
                    );
                    self.add(
                        &format!("eager {own}; fetchpriority=high {own}"),
                        &format!("{name} waits for a layout"),
                    );
                }
                let late = format!("{name} is found late");
                self.add(&format!("preload {own}"), &late);
                if is_largest {
                    self.add(&format!("preload=high {own}"), &late);
                }
                self.add(
                    &format!("background-to-img {own}"),
                    &format!("{name} is a background, which waits for styles"),
                );
                self.add(
                    &format!("no-fade {own}"),
                    &format!("{name} fades or moves in"),
                );
                for format in ["avif", "webp"] {
                    if resource.measured(&format!("format={format}")).is_some() {
                        let because = "another format makes the image smaller, at the same quality";
                        self.add(&format!("format={format} {own}"), because);
                    }
                }
                if let Some(share) = self.oversize(resource) {
                    let because = "the image has more pixels than are shown";
                    self.add(&format!("resize={share:.2} {own}"), because);
                }
            }
            Destination::Script => {
                let is_inserted = matches!(resource.discovery.trigger, Trigger::Inline { .. });
                let waits = if is_inserted {
                    "a script inside the document inserts the script, which hides it from the \
                     preload scanner"
                } else {
                    "the parser waits for the script"
                };
                self.add(&format!("defer {own}"), waits);
                self.add(&format!("async {own}"), waits);
                self.add(&format!("body-end {own}"), waits);
                self.inline(resource, &own);
                self.compress(resource, &own);
                self.add(&format!("preload {own}"), "the script is found late");
            }
            Destination::Style => {
                self.add(&format!("preload {own}"), "the style sheet is found late");
                self.inline(resource, &own);
                self.compress(resource, &own);
                if let Some(bytes) = first_screen(resource) {
                    let kilobytes = bytes as f64 / 1000.0;
                    self.add(
                        &format!("critical-css {own}"),
                        &format!(
                            "the first paint waits for the whole style sheet, of which the first screen needs \
                             {kilobytes:.1} kB"
                        ),
                    );
                }
            }
            Destination::Font => {
                self.add(
                    &format!("preload {own}"),
                    "the font is found by the first layout",
                );
                self.add(
                    &format!("font-display=swap {own}"),
                    "text waits for the font",
                );
            }
            Destination::Fetch => {
                let because = "a script has to run before it asks for the data";
                self.add(&format!("preload {own}"), because);
            }
            _ => {}
        }
        if resource.think_time > SLOW_SERVER && !resource.third_party {
            let took = resource.think_time.as_millis_f64();
            self.add(
                &format!("server-time=50ms {own}"),
                &format!("the server took {took:.0} ms to answer"),
            );
        }
    }

    /// Small style sheets and scripts cost a round trip, and few bytes inside the document.
    fn inline(&mut self, resource: &Resource, own: &str) {
        if resource.body_bytes <= SMALL_BYTES {
            self.add(
                &format!("inline {own}"),
                "the file is small, and a round trip away",
            );
        }
    }

    fn compress(&mut self, resource: &Resource, own: &str) {
        // The site does not configure others' servers.
        if !resource.third_party && resource.measured("compress=br").is_some() {
            self.add(
                &format!("compress=br {own}"),
                "a better coding makes the file smaller",
            );
        }
    }

    /// Adds what a 103 response can name while the document's server prepares the document.
    fn of_early_hints(&mut self, seen: &BTreeSet<ResourceId>) {
        let page = self.page;
        let took = page.resource(page.document).think_time;
        if took <= SLOW_SERVER {
            return;
        }
        let because = format!(
            "the document's server thinks for {:.0} ms, in which the browser does nothing",
            took.as_millis_f64()
        );
        let blocking = seen.iter().map(|id| page.resource(*id));
        let blocking = blocking.filter(|resource| {
            resource.render_blocking || resource.destination == Destination::Font
        });
        let may_be_named = |one: &String| {
            let change = format!("early-hints=preload {one}").parse::<Changes>();
            change.is_ok_and(|change| change.apply(page).is_ok())
        };
        let blocking: Vec<String> = blocking
            .filter_map(|resource| selector(page, resource))
            .filter(may_be_named)
            .take(HINTS_MAX)
            .collect();
        let names = |kind: &str, all: &[String]| {
            let all = all.iter().map(|one| format!("early-hints={kind} {one}"));
            all.collect::<Vec<_>>().join("; ")
        };
        if !blocking.is_empty() {
            self.add(&names("preload", &blocking), &because);
        }
        let own = page.resource(page.document).origin;
        let hosts: BTreeSet<String> = seen
            .iter()
            .map(|id| page.resource(*id))
            .filter(|resource| resource.origin != own)
            .map(|resource| page.origin(resource.origin).host.clone())
            .collect();
        for host in hosts {
            self.add(&format!("early-hints=preconnect {host}"), &because);
        }
    }

    fn of_hosts(&mut self, seen: &BTreeSet<ResourceId>) {
        let own = self.page.resource(self.page.document).origin;
        let origins: BTreeSet<u32> = seen
            .iter()
            .map(|id| self.page.resource(*id).origin)
            .filter(|origin| *origin != own)
            .map(|origin| origin.0)
            .collect();
        for origin in origins {
            let host = self.page.origins[origin as usize].host.clone();
            let because = "the page connects to another host on the way";
            self.add(&format!("preconnect {host}"), because);
            self.add(&format!("self-host {host}"), because);
            let far = "the servers of the host are farther than others";
            self.add(&format!("cdn=10ms {host}"), far);
        }
    }

    fn of_page(&mut self) {
        let scripts = |wanted: &dyn Fn(&Resource) -> bool| {
            let all = self.page.resources.iter();
            let blocking = all.filter(|resource| {
                resource.destination == Destination::Script
                    && resource.script_mode == ScriptMode::Blocking
                    && matches!(resource.discovery.trigger, Trigger::Markup { .. })
                    && wanted(resource)
            });
            blocking.count()
        };
        let (all, third) = (scripts(&|_| true), scripts(&|one| one.third_party));
        if all > 1 {
            self.add("defer js", &format!("the parser waits for {all} scripts"));
        }
        let sheets = self.page.resources.iter().filter(|resource| {
            resource.destination == Destination::Style
                && resource.render_blocking
                && !resource.third_party
        });
        let sheets = sheets.count();
        if sheets > 2 {
            let because = format!("the first paint waits for {sheets} style sheets");
            self.add("bundle first-party-css", &because);
        }
        if self.page.resources.iter().filter_map(first_screen).count() > 1 {
            let change = "critical-css css".parse::<Change>();
            let acted = change.map_or_else(|_| Vec::new(), |change| change.acted(self.page));
            let parts = acted.iter().map(|id| self.page.resource(*id));
            let parts = parts.filter_map(|sheet| sheet.measured("critical-css"));
            let (count, bytes) = parts.fold((0, 0), |(count, sum), bytes| (count + 1, sum + bytes));
            let because = format!(
                "the first paint waits for {count} whole style sheets, of which the first screen needs \
                 {:.1} kB",
                bytes as f64 / 1000.0
            );
            self.add("critical-css css", &because);
        }
        if third > 1 {
            let because = format!("the parser waits for {third} scripts of others");
            self.add("async third-party-js", &because);
        }
        self.add("font-display=swap fonts", "text waits for web fonts");
        // Without a layout, it is not known which images are below the first screen.
        let has_layout = self.page.layout().is_some();
        let below = self.page.resources.iter().filter(|resource| {
            has_layout
                && resource.destination == Destination::Image
                && !resource.in_viewport
                && resource.blocks_load
                && matches!(resource.discovery.trigger, Trigger::Markup { .. })
        });
        let below = below.filter_map(|resource| selector(self.page, resource));
        let below: Vec<String> = below
            .take(LAZY_MAX)
            .map(|one| format!("lazy {one}"))
            .collect();
        if !below.is_empty() {
            self.add(
                &below.join("; "),
                "images below the first screen are requested at once",
            );
        }
        for (what, because) in [
            ("third-party", "so much do other sites' parts cost"),
            ("ads", "so much does advertisement cost"),
        ] {
            self.cost(&format!("remove {what}"), because);
        }
        // Nobody asks for advertisements by a click.
        let ads = "remove ads".parse::<Change>();
        let ads = ads.map_or_else(|_| Vec::new(), |ads| ads.selected(self.page));
        let frames = self.page.resources.iter().filter(|resource| {
            resource.destination == Destination::Iframe
                && resource.third_party
                && !ads.contains(&resource.id)
        });
        let mut hosts: Vec<String> = Vec::new();
        for frame in frames {
            let host = &self.page.origin(frame.origin).host;
            if !hosts.contains(host) && hosts.len() < FACADES_MAX {
                hosts.push(host.clone());
            }
        }
        for host in hosts {
            self.cost(
                &format!("facade {host}"),
                "so much does the frame cost before anybody uses it",
            );
        }
        self.cost(
            "late third-party-js",
            "so much do other sites' scripts cost before the load event",
        );
    }

    /// Adds changes, if they can be made to the page.
    fn add(&mut self, changes: &str, because: &str) {
        self.push(changes, because, true);
    }

    /// Adds changes that tell what something costs.
    fn cost(&mut self, changes: &str, because: &str) {
        self.push(changes, because, false);
    }

    fn push(&mut self, changes: &str, because: &str, is_repair: bool) {
        let Ok(changes) = changes.parse::<Changes>() else {
            return;
        };
        let made = changes.apply(self.page).map(|changed| changed.page);
        // Without the largest image, another element is the largest, which tells no cost.
        let shows = |made: &Page| {
            let has = |url: &&str| made.resources.iter().any(|one| one.url == **url);
            is_repair || self.shown.iter().all(has)
        };
        // Others may have done the same under another name, such as that of the only font.
        if let Ok(made) = made
            && shows(&made)
            && !self.pages.contains(&made)
        {
            self.pages.push(made);
            self.found.push(Idea {
                changes,
                because: because.to_owned(),
                is_repair,
            });
        }
    }

    /// Returns the share of its bytes that an image would have with as many pixels as the screen
    /// shows, if it has many more. Bytes are in proportion to pixels.
    fn oversize(&self, image: &Resource) -> Option<f64> {
        if image.body_bytes < LARGE_IMAGE_BYTES {
            return None;
        }
        let layout = self.page.layout()?;
        let wanted = OVERSIZED.max(layout.scale.unwrap_or(1.0).powi(2));
        let shown = layout.elements.iter().filter_map(|element| {
            let natural = element.natural?;
            let shows = match element.kind {
                ElementKind::Image { resource } | ElementKind::Background { resource } => {
                    resource == image.id
                }
                _ => false,
            };
            let area = f64::from(element.rect.width) * f64::from(element.rect.height);
            let own = f64::from(natural.0) * f64::from(natural.1);
            (shows && area > 0.0 && own > 0.0).then_some(wanted * area / own)
        });
        let share = shown.max_by(f64::total_cmp)?;
        (share < 0.7).then_some(share.max(0.05))
    }
}

/// Returns the bytes that the document would have more with the rules of this style sheet inside that
/// the first screen needs, if paints wait for the sheet and they are few.
fn first_screen(sheet: &Resource) -> Option<u64> {
    let bytes = sheet.measured("critical-css")?;
    (sheet.render_blocking && bytes <= SMALL_BYTES && bytes < sheet.body_bytes).then_some(bytes)
}

/// Returns the shortest selector that selects the resource and no other URL; `None` if there is
/// none.
pub fn selector(page: &Page, resource: &Resource) -> Option<String> {
    let url = resource.url.split(['?', '#']).next()?;
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let mut ends: Vec<usize> = path.match_indices('/').map(|(at, _)| at).collect();
    ends.reverse();
    let names = ends
        .iter()
        .map(|at| &path[*at..])
        .filter(|name| name.len() > 1);
    let patterns = names.flat_map(|name| [format!("*{name}"), format!("*{name}*")]);
    let whole = [resource.url.clone(), format!("{url}*")];
    patterns.chain(whole).find(|pattern| {
        let is_word = !pattern.contains([' ', ';', '+', ',', '=']);
        let Ok(selector) = pattern.parse::<Selector>() else {
            return false;
        };
        let selects = |one: &&Resource| selector.selects(&Target::of(page, one));
        let mut selected = page.resources.iter().filter(selects).peekable();
        is_word && selected.peek().is_some() && selected.all(|one| one.url == resource.url)
    })
}
