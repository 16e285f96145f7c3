//! Published experiments in which one thing of a page changes, as small pages of our own, and the
//! same change made to them. A test of the command line includes this file, as it writes the
//! document with the results.
//!
//! Sizes, times of servers and round trips are read from the publications' texts and waterfalls.
//! [`Draft`] holds the assumptions on all that those leave open, in one place for all pages.

#![allow(dead_code, reason = "each test uses some of it")]

use std::sync::Arc;

use pagerace_browser::BrowserConfig;
use pagerace_core::{Destination, Duration, RequestPriority, ScriptMode};
use pagerace_net::Network;
use pagerace_page::category::asked_as;
use pagerace_page::{
    Changes, Element, ElementKind, FontDisplay, FontUse, Interventions, Largest, Origin, OriginId,
    Page, PageLayout, Paints, RecordedPage, Rect, RenderingTime, Resource, ResourceId, Trigger,
};
use pagerace_sim::{
    LoadSettings, Outcome, ProtocolMap, ReliabilitySpec, Scenario, Visit, World, run,
};

/// Number of loads of each page; the median counts.
const LOADS: u64 = 9;
/// WebPageTest's "3G Fast" (1.6 Mbit/s, 150 ms), over which handshakes took 170 ms in the
/// waterfalls of 2022.
const FAST_3G: &str = "rate 1.6mbit up 768kbit rtt 170ms queue 50p";
/// WebPageTest's "3G".
const PLAIN_3G: &str = "rate 1.6mbit up 768kbit rtt 300ms queue 50p";
/// The network of the test of `fetchpriority`, which was not told: a line and a server near by.
const UNTOLD: &str = "rate 20mbit rtt 20ms queue 100p";

const LCP_2022: &str = "https://csswizardry.com/2022/03/optimising-largest-contentful-paint/";
const ASYNC_2022: &str = "https://csswizardry.com/2022/10/speeding-up-async-snippets/";
const FONTS_2020: &str = "https://csswizardry.com/2020/05/the-fastest-google-fonts/";
const SELF_HOST_2019: &str = "https://csswizardry.com/2019/05/self-host-your-static-assets/";
const PRIORITY_2023: &str =
    "https://comparing-lcp-images-with-lazy-loading-and-fetchpriority-high.glitch.me/";

/// A published experiment.
pub(crate) struct Case {
    /// The change, in a clause.
    pub(crate) name: &'static str,
    pub(crate) source: &'static str,
    pub(crate) network: &'static str,
    page: fn() -> Page,
    /// The change, as after `--change`.
    pub(crate) changes: &'static str,
    pub(crate) metric: Metric,
    /// The published metric before and after the change, or only the difference; in milliseconds.
    pub(crate) published: Published,
    /// The factor within which the difference is to be the published one; `None` if the publication
    /// leaves too much open for that, so that only the sign counts.
    pub(crate) factor: Option<f64>,
}

/// Published figures in milliseconds.
#[derive(Clone, Copy)]
pub(crate) enum Published {
    Times(f64, f64),
    Difference(f64),
}

/// The figure that a publication compares.
#[derive(Clone, Copy)]
pub(crate) enum Metric {
    Fcp,
    Lcp,
    /// Largest contentful paint, beside a published first contentful paint.
    LcpForFcp,
    /// Largest contentful paint less time to first byte.
    LcpAfterTtfb,
    Onload,
    /// The arrival of a resource, by its number.
    Arrival(u32),
    /// The time from the discovery of a resource to its arrival.
    Request(u32),
}

impl Published {
    pub(crate) fn difference(self) -> f64 {
        match self {
            Self::Times(before, after) => after - before,
            Self::Difference(difference) => difference,
        }
    }
}

impl Metric {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Fcp => "FCP",
            Self::Lcp => "LCP",
            Self::LcpForFcp => "FCP (here LCP)",
            Self::LcpAfterTtfb => "LCP after the first byte",
            Self::Onload => "load event",
            Self::Arrival(_) => "arrival",
            Self::Request(_) => "time of the request",
        }
    }

    fn of(self, outcome: &Outcome) -> f64 {
        let load = &outcome.load;
        let timing = |id: u32| outcome.resources[id as usize].as_ref().expect("requested");
        let ms = |time: Option<Duration>| time.expect("it happens").as_millis_f64();
        match self {
            Self::Fcp => ms(load.fcp),
            Self::Lcp | Self::LcpForFcp => ms(load.lcp),
            Self::LcpAfterTtfb => ms(load.lcp) - ms(load.ttfb),
            Self::Onload => ms(load.onload),
            Self::Arrival(id) => timing(id).response_end().as_nanos() as f64 / 1e6,
            Self::Request(id) => {
                let timing = timing(id);
                (timing.response_end().as_nanos() - timing.discovered.as_nanos()) as f64 / 1e6
            }
        }
    }
}

impl Case {
    /// Returns the medians before and after the change, in milliseconds.
    pub(crate) fn measure(&self) -> (f64, f64) {
        let page = Arc::new((self.page)());
        page.check().expect("a sound page");
        let median = |changes: Changes| {
            let scenario = Scenario {
                page: page.clone(),
                network: Network::parse(self.network).expect("a network"),
                strategy: "sequential".parse().expect("a strategy"),
                protocols: "h2".parse::<ProtocolMap>().expect("a protocol"),
                congestion: "cubic".to_owned(),
                visit: Visit::Cold,
                reliability: ReliabilitySpec::default(),
                needs: Arc::default(),
                interventions: Interventions::default(),
                changes,
                browser: BrowserConfig::default(),
                settings: LoadSettings::default(),
                world: World::NOMINAL,
            };
            let mut all: Vec<f64> = (1..=LOADS)
                .map(|seed| {
                    let outcome = run(&scenario, seed, false).expect("a load");
                    assert_eq!(outcome.failure, None, "{}", self.name);
                    self.metric.of(&outcome)
                })
                .collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        };
        let changes: Changes = self.changes.parse().expect("changes");
        changes.apply(&page).expect("they have an effect");
        (median(Changes::default()), median(changes))
    }
}

/// All cases, in the order of the document.
pub(crate) fn cases() -> Vec<Case> {
    let hero = |name, page, changes, published| Case {
        name,
        source: LCP_2022,
        network: FAST_3G,
        page,
        changes,
        metric: Metric::Lcp,
        published,
        factor: Some(1.5),
    };
    let priority = |name, changes, after| Case {
        name,
        source: PRIORITY_2023,
        network: UNTOLD,
        page: six_images,
        changes,
        metric: Metric::LcpAfterTtfb,
        published: Published::Times(139.9, after),
        factor: None,
    };
    // The hosts took up to 270 ms for TLS over the cable, where the own host took 67 ms. Work of
    // servers in handshakes is not simulated, so that all hosts cost the same here.
    let hosts = |network, before, after, factor| Case {
        name: "four files of three hosts on the own host",
        source: SELF_HOST_2019,
        network,
        page: bootstrap,
        changes: "self-host third-party",
        metric: Metric::Onload,
        published: Published::Times(before, after),
        factor: Some(factor),
    };
    vec![
        hero(
            "the largest image is lazy",
            || image_page(Hero::Image),
            "lazy */lcp.jpg",
            Published::Times(3_144.0, 4_418.0),
        ),
        hero(
            "an `img` instead of a background image",
            || image_page(Hero::Background),
            "background-to-img */lcp.jpg",
            Published::Times(4_356.0, 3_144.0),
        ),
        Case {
            metric: Metric::Request(2),
            ..hero(
                "the largest image on the own host",
                || image_page(Hero::Elsewhere),
                "self-host images.example",
                Published::Difference(-509.0),
            )
        },
        hero(
            "no fade of 0.5 s",
            || image_page(Hero::Fading),
            "no-fade html",
            Published::Times(3_767.0, 3_144.0),
        ),
        Case {
            name: "`font-display: swap`",
            source: FONTS_2020,
            network: PLAIN_3G,
            page: || fonts_page(Fonts::Block),
            changes: "font-display=swap fonts",
            // First contentful paint did not count text in a pending font then, and does today.
            metric: Metric::LcpForFcp,
            published: Published::Times(4_600.0, 3_400.0),
            factor: Some(1.5),
        },
        Case {
            name: "the style sheet of the fonts is asynchronous",
            source: FONTS_2020,
            network: PLAIN_3G,
            page: || fonts_page(Fonts::Swap),
            changes: "async css",
            metric: Metric::Fcp,
            published: Published::Times(3_400.0, 1_800.0),
            factor: Some(1.5),
        },
        Case {
            name: "`preconnect` to the host of the fonts",
            source: FONTS_2020,
            network: PLAIN_3G,
            page: || fonts_page(Fonts::Asynchronous),
            changes: "preconnect files.example",
            metric: Metric::Arrival(2),
            published: Published::Times(4_500.0, 3_800.0),
            factor: Some(1.5),
        },
        hosts("cable", 789.0, 478.0, 3.0),
        hosts("slow-3g", 5_390.0, 3_630.0, 2.0),
        Case {
            name: "`<script async>` instead of a snippet that inserts the script",
            source: ASYNC_2022,
            network: FAST_3G,
            page: snippet,
            changes: "async */late.js",
            metric: Metric::Arrival(2),
            published: Published::Times(3_127.0, 2_340.0),
            factor: Some(1.5),
        },
        priority(
            "`fetchpriority=high`",
            "fetchpriority=high */hero.jpg",
            124.5,
        ),
        priority(
            "`fetchpriority=high` and a preload",
            "fetchpriority=high */hero.jpg; preload */hero.jpg",
            126.5,
        ),
        priority(
            "lazy, with `fetchpriority=high`",
            "lazy */hero.jpg; fetchpriority=high */hero.jpg",
            150.4,
        ),
        priority("lazy", "lazy */hero.jpg", 159.4),
    ]
}

/// A page in the making. Its main thread is that of a desktop, unless a page says otherwise.
struct Draft {
    page: Page,
    layout: PageLayout,
}

impl Draft {
    fn new(document_bytes: u64) -> Self {
        let document = Resource {
            body_bytes: document_bytes,
            priority: RequestPriority::VeryHigh,
            cpu_time: Some(Duration::from_millis(5)),
            category: asked_as(Destination::Document, ""),
            ..Resource::new(
                ResourceId(0),
                "https://site.example/",
                Destination::Document,
                Trigger::Navigation,
            )
        };
        let mut draft = Self {
            page: Page {
                name: "case".to_owned(),
                url: "https://site.example/".to_owned(),
                origins: Vec::new(),
                resources: vec![document],
                document: ResourceId(0),
                joins: Vec::new(),
                hints: Vec::new(),
                recorded: RecordedPage::default(),
                paints: Paints::default(),
                notes: Vec::new(),
            },
            layout: PageLayout {
                viewport: (1_366, 768),
                body_start: Some(document_bytes / 2),
                rendering: Some(RenderingTime {
                    first: Duration::from_millis(20),
                    first_style: None,
                    later: Some(Duration::from_millis(5)),
                    presentation: None,
                    later_presentation: None,
                }),
                ..PageLayout::default()
            },
        };
        draft.origin("site.example");
        draft
    }

    fn origin(&mut self, host: &str) -> OriginId {
        let known = self.page.origins.iter().position(|one| one.host == host);
        let at = known.unwrap_or_else(|| {
            let connection_group = self.page.origins.len() as u32;
            self.page.origins.push(Origin {
                scheme: "https".to_owned(),
                host: host.to_owned(),
                port: 443,
                address: None,
                connection_group,
                third_party: connection_group > 0,
                recorded_rtt: None,
                protocol: None,
                unvisited: false,
            });
            connection_group as usize
        });
        OriginId(at as u32)
    }

    /// Adds a resource of a host. The trigger of resources of the markup has an offset.
    fn add(&mut self, url: &str, destination: Destination, trigger: Trigger, bytes: u64) -> u32 {
        let host = url.split('/').next().expect("a host");
        let origin = self.origin(host);
        let id = self.page.resources.len() as u32;
        let in_markup = matches!(trigger, Trigger::Markup { .. });
        let (priority, cpu) = match destination {
            Destination::Script => (RequestPriority::High, 2),
            Destination::Style => (RequestPriority::VeryHigh, 2),
            Destination::Font => (RequestPriority::High, 0),
            _ => (RequestPriority::Low, 10),
        };
        let holds = in_markup && matches!(destination, Destination::Script | Destination::Style);
        self.page.resources.push(Resource {
            origin,
            body_bytes: bytes,
            priority,
            category: asked_as(destination, ""),
            render_blocking: holds,
            in_viewport: destination == Destination::Image,
            cpu_time: Some(Duration::from_millis(cpu)),
            third_party: origin != OriginId(0),
            anonymous: destination == Destination::Font,
            ..Resource::new(
                ResourceId(id),
                format!("https://{url}"),
                destination,
                trigger,
            )
        });
        id
    }

    fn last(&mut self) -> &mut Resource {
        self.page.resources.last_mut().expect("it has a document")
    }

    /// Adds an element that the parser has passed at an offset.
    fn show(&mut self, kind: ElementKind, (y, width, height): (f32, f32, f32), offset: u64) {
        self.layout.elements.push(Element {
            kind,
            rect: Rect {
                x: 0.0,
                y,
                width,
                height,
            },
            offset: Some(offset),
            contentful: true,
            ..Element::default()
        });
    }

    /// Names the largest element.
    fn largest(&mut self, image: u32, size: f64) {
        self.layout.largest = Some(Largest {
            size,
            image: Some(ResourceId(image)),
            text: None,
            rebuilt: false,
        });
    }

    fn done(mut self) -> Page {
        self.page.paints = Paints::Recorded(self.layout);
        self.page
    }
}

fn markup(offset: u64) -> Trigger {
    Trigger::Markup {
        parent: ResourceId(0),
        offset,
    }
}

fn text() -> ElementKind {
    ElementKind::Text { fonts: Vec::new() }
}

/// The form of the largest image.
#[derive(Clone, Copy, PartialEq)]
enum Hero {
    Image,
    Background,
    Elsewhere,
    Fading,
}

/// A head with a script of another host that takes its server 1.4 s, and a photograph of 242 kB in
/// 1440 by 810 pixels (Roberts 2022).
fn image_page(hero: Hero) -> Page {
    let mut draft = Draft::new(1_000);
    draft.add(
        "slow.example/file.js",
        Destination::Script,
        markup(300),
        300,
    );
    draft.last().think_time = Duration::from_millis(1_400);
    let url = match hero {
        Hero::Elsewhere => "images.example/lcp.jpg",
        _ => "site.example/lcp.jpg",
    };
    let image = draft.add(url, Destination::Image, markup(800), 241_683);
    let resource = ResourceId(image);
    let kind = match hero {
        Hero::Background => {
            draft.layout.by_layout.push(resource);
            ElementKind::Background { resource }
        }
        _ => ElementKind::Image { resource },
    };
    draft.show(kind, (0.0, 1_040.0, 585.0), 800);
    if hero == Hero::Fading {
        let element = &mut draft.layout.elements[0];
        element.motion = Duration::from_millis(250);
        element.fade = Duration::from_millis(500);
    }
    draft.show(text(), (600.0, 600.0, 20.0), 950);
    draft.largest(image, 1_040.0 * 585.0);
    draft.done()
}

/// The way in which a page has its fonts.
#[derive(Clone, Copy, PartialEq)]
enum Fonts {
    Block,
    Swap,
    Asynchronous,
}

/// A small page whose only blocking file is the style sheet of its fonts, with two further hosts,
/// on a slow phone (Roberts 2020, harry.is). The first frame of the phone is assumed: with it, the page
/// with the asynchronous sheet appears about when it did.
fn fonts_page(fonts: Fonts) -> Page {
    let mut draft = Draft::new(6_000);
    let sheet = draft.add(
        "sheets.example/css2",
        Destination::Style,
        markup(900),
        1_000,
    );
    if fonts == Fonts::Asynchronous {
        // A preload keeps its class.
        draft.last().render_blocking = false;
    }
    let of_sheet = Trigger::Style {
        parent: ResourceId(sheet),
    };
    let regular = draft.add("files.example/a.woff2", Destination::Font, of_sheet, 16_000);
    let bold = draft.add("files.example/b.woff2", Destination::Font, of_sheet, 16_000);
    let display = match fonts {
        Fonts::Block => FontDisplay::Block,
        _ => FontDisplay::Swap,
    };
    for (font, y, height) in [(regular, 200.0, 300.0), (bold, 0.0, 60.0)] {
        let font = ResourceId(font);
        draft.layout.fonts.push(FontUse { font, display });
        let kind = ElementKind::Text { fonts: vec![font] };
        draft.show(kind, (y, 360.0, height), 5_000);
    }
    draft.layout.viewport = (360, 640);
    draft.layout.rendering = Some(RenderingTime {
        first: Duration::from_millis(400),
        first_style: None,
        later: Some(Duration::from_millis(100)),
        presentation: None,
        later_presentation: None,
    });
    draft.done()
}

/// Bootstrap's starter page of 2019: a style sheet and three scripts of three hosts (Roberts 2019).
/// Sizes are those of the compressed files.
fn bootstrap() -> Page {
    let mut draft = Draft::new(1_200);
    for (url, destination, offset, bytes) in [
        (
            "stack.example/bootstrap.css",
            Destination::Style,
            400,
            21_000,
        ),
        (
            "jquery.example/jquery.slim.js",
            Destination::Script,
            800,
            24_000,
        ),
        ("cdn.example/popper.js", Destination::Script, 950, 7_400),
        (
            "stack.example/bootstrap.js",
            Destination::Script,
            1_100,
            14_900,
        ),
    ] {
        draft.add(url, destination, markup(offset), bytes);
        draft.last().anonymous = true;
        // The scripts are at the end of the body.
        draft.last().render_blocking = destination == Destination::Style;
    }
    draft.show(text(), (0.0, 600.0, 60.0), 700);
    draft.done()
}

/// A style sheet that takes its server 0.9 s, and a snippet that inserts a script of the same host,
/// which takes 0.63 s (Roberts 2022).
fn snippet() -> Page {
    let mut draft = Draft::new(1_000);
    draft.add(
        "slow.example/file.css",
        Destination::Style,
        markup(300),
        300,
    );
    draft.last().think_time = Duration::from_millis(900);
    let inserts = Trigger::Inline {
        parent: ResourceId(0),
        offset: 450,
    };
    draft.add("slow.example/late.js", Destination::Script, inserts, 300);
    draft.last().script_mode = ScriptMode::Inserted;
    draft.last().priority = RequestPriority::Low;
    draft.last().think_time = Duration::from_millis(630);
    draft.show(text(), (0.0, 600.0, 60.0), 900);
    draft.done()
}

/// A style sheet, five small images, which Chromium requests as `Medium`, and a photograph behind
/// them. The publication tells neither sizes nor times: with these, the link is busy when the
/// photograph is found, and idle before the first layout, as the published gain and loss imply.
fn six_images() -> Page {
    let mut draft = Draft::new(3_000);
    draft.add(
        "site.example/style.css",
        Destination::Style,
        markup(300),
        2_000,
    );
    draft.last().think_time = Duration::from_millis(40);
    for i in 0..5_u32 {
        let offset = 600 + u64::from(i) * 100;
        let url = format!("site.example/{i}.png");
        let image = draft.add(&url, Destination::Image, markup(offset), 14_000);
        draft.last().priority = RequestPriority::Medium;
        let resource = ResourceId(image);
        let rect = (i as f32 * 20.0, 160.0, 20.0);
        draft.show(ElementKind::Image { resource }, rect, offset);
    }
    let image = draft.add(
        "site.example/hero.jpg",
        Destination::Image,
        markup(1_500),
        100_000,
    );
    let resource = ResourceId(image);
    draft.show(
        ElementKind::Image { resource },
        (110.0, 1_000.0, 600.0),
        1_500,
    );
    draft.show(text(), (720.0, 600.0, 20.0), 2_500);
    draft.largest(image, 600_000.0);
    draft.done()
}
