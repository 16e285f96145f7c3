//! Random pages.

use pagerace_core::{Destination, Duration, RequestPriority, ScriptMode};
use pagerace_page::{
    CacheUse, Callback, Category, Content, Discovery, EarlyHint, Element, ElementKind, Evidence,
    FetchPriority, FontDisplay, FontUse, Guess, Hint, ImageBytes, ImageCoding, ImageShare,
    InlineScript, Largest, LargestCandidate, LargestElement, NoResponse, Origin, OriginId, Overlay,
    Page, PageLayout, PaintFit, Paints, PictureShares, RecordedPage, RecordedTimes, Rect,
    RenderingTime, Resource, ResourceId, Trigger, Wait,
};

use super::inputs::Draw;

/// Beginnings of paths, which selectors of interventions match.
const PATHS: [&str; 4] = ["/", "/app.js?", "/fonts/", "/ads/pixel/"];

/// Media types, with some that fit no destination.
const MIME_TYPES: [&str; 12] = [
    "",
    "",
    "",
    "text/html",
    "text/css",
    "text/javascript",
    "image/png",
    "font/woff2",
    "video/mp4",
    "application/json",
    "text/plain",
    "application/font-sfnt",
];

const CATEGORIES: [Category; 8] = [
    Category::Ads,
    Category::Images,
    Category::Html,
    Category::Javascript,
    Category::Json,
    Category::Css,
    Category::Fonts,
    Category::Others,
];

/// The host of an origin: some are subdomains of one domain.
fn host(origin: u32) -> String {
    if origin % 3 == 2 {
        format!("o{origin}.cdn.example")
    } else {
        format!("o{origin}.example")
    }
}

impl Draw {
    pub(crate) fn page(&mut self) -> Page {
        let origins = self.magnitude(1, 12) as usize;
        let count = self.magnitude(1, 150) as usize;
        // A chain of redirects leads to the document.
        let redirects = if self.chance(0.2) {
            self.0.below(count.min(4) as u64) as usize
        } else {
            0
        };
        let mut resources: Vec<Resource> = Vec::new();
        for i in 0..count {
            let resource = self.resource(i, redirects, origins, &resources);
            resources.push(resource);
        }
        let mut groups: Vec<u32> = Vec::new();
        let origins: Vec<Origin> = (0..origins as u32)
            .map(|i| {
                let group = if i > 0 && self.chance(0.2) {
                    self.of(&groups)
                } else {
                    i
                };
                groups.push(group);
                let recorded = self.chance(0.5);
                Origin {
                    scheme: self.of(&["https", "https", "https", "http"]).to_owned(),
                    host: host(i),
                    port: self.of(&[443, 443, 443, 80, 8_443]),
                    address: self.of(&[None, None, Some("192.0.2.1".to_owned())]),
                    connection_group: group,
                    third_party: self.chance(0.5),
                    recorded_rtt: recorded.then(|| Duration::from_millis(self.0.below(300))),
                    protocol: self
                        .of(&[None, Some("http/1.1"), Some("h2"), Some("h3")])
                        .map(str::to_owned),
                    unvisited: self.chance(0.2),
                }
            })
            .collect();
        for r in &mut resources {
            let o = &origins[r.origin.index()];
            r.url = format!(
                "{}://{}:{}{}{}",
                o.scheme,
                o.host,
                o.port,
                PATHS[r.id.index() % PATHS.len()],
                r.id.0
            );
        }
        let joins = vec![(0..2).map(|_| self.id(count)).collect()];
        let end = resources[redirects].body_bytes;
        let mut hints: Vec<Hint> = (0..self.0.below(3))
            .map(|_| Hint {
                of: self.id(count),
                offset: self.0.below(end + 1),
                connects: self.chance(0.7),
            })
            .collect();
        hints.sort_by_key(|hint| hint.offset);
        let mut page = Page {
            name: "random".to_owned(),
            url: "https://o0.example/".to_owned(),
            origins,
            resources,
            joins,
            hints,
            document: ResourceId(redirects as u32),
            recorded: self.recorded_page(),
            paints: Paints::default(),
            notes: Vec::new(),
        };
        if self.chance(0.5) {
            page.paints = Paints::Recorded(self.layout(&page));
            page.check().expect("a valid page");
            return page;
        }
        let mut guess = Guess::default();
        let told = self.chance(0.5);
        guess.content = told.then(|| self.content(&page));
        if self.chance(0.3) {
            guess.fit = Some(PaintFit {
                after: self.wait(count),
                delay: self.chance(0.5).then(|| self.ms(3_000)),
                swaps_fonts: self.chance(0.5),
                largest: match self.0.below(3) {
                    0 => None,
                    1 => Some(LargestElement::Text),
                    _ => Some(LargestElement::Image { id: self.id(count) }),
                },
            });
        }
        if self.chance(0.5) {
            let elements = [
                LargestElement::Image { id: self.id(count) },
                LargestElement::Text,
            ];
            guess.candidates = elements
                .map(|element| LargestCandidate {
                    element,
                    probability: 0.5,
                })
                .into();
        }
        page.paints = Paints::Guessed(guess);
        page.check().expect("a valid page");
        page
    }

    fn wait(&mut self, resources: usize) -> Wait {
        match self.0.below(4) {
            0 => Wait::ContentLoaded,
            1 => Wait::Loaded,
            2 => Wait::Join { join: 0 },
            _ => Wait::Resource {
                id: self.id(resources),
            },
        }
    }

    fn resource(
        &mut self,
        i: usize,
        redirects: usize,
        origins: usize,
        earlier: &[Resource],
    ) -> Resource {
        let trigger = match i {
            0 => Trigger::Navigation,
            _ if i <= redirects => Trigger::Redirect {
                parent: ResourceId(i as u32 - 1),
            },
            _ => self.trigger(earlier, redirects),
        };
        // A synchronous request: its script keeps the thread until the response is complete.
        let synchronous = matches!(trigger, Trigger::Script { .. }) && self.chance(0.2);
        let destination = if i <= redirects {
            Destination::Document
        } else if synchronous {
            Destination::Fetch
        } else {
            self.of(&Destination::ALL[1..])
        };
        let wait = self
            .chance(0.1)
            .then(|| self.wait(i.max(1)))
            .filter(|_| i > redirects);
        let used_at = match trigger {
            Trigger::Markup { parent, .. } if self.chance(0.1) => {
                let whole = earlier[parent.index()].body_bytes;
                Some(self.0.below(whole + 1))
            }
            _ => None,
        };
        let body_bytes = self.size();
        let fails = i > redirects && self.chance(0.03);
        Resource {
            id: ResourceId(i as u32),
            url: String::new(),
            origin: OriginId(if i == 0 {
                0
            } else {
                self.0.below(origins as u64) as u32
            }),
            method: self
                .of(&["GET", "GET", "GET", "POST", "PUT", "OPTIONS", "HEAD"])
                .to_owned(),
            status: if i < redirects {
                301
            } else {
                self.of(&[200, 200, 200, 204, 304, 404, 500])
            },
            no_response: fails.then(|| match self.0.below(2) {
                0 => NoResponse::NoAddress,
                _ => NoResponse::After(self.ms(20_000)),
            }),
            destination,
            script_mode: self.of(&[
                ScriptMode::Blocking,
                ScriptMode::Defer,
                ScriptMode::Async,
                ScriptMode::Inserted,
            ]),
            mime_type: self.of(&MIME_TYPES).to_owned(),
            request_header_bytes: self.magnitude(1, 5_000) as u32,
            request_body_bytes: if self.chance(0.1) {
                self.size().min(2_000_000)
            } else {
                0
            },
            response_header_bytes: self.magnitude(1, 5_000) as u32,
            body_bytes,
            decoded_bytes: self.chance(0.5).then(|| body_bytes * self.0.below(5)),
            think_time: self.ms(2_000),
            priority: if synchronous {
                RequestPriority::VeryHigh
            } else {
                self.of(&[
                    RequestPriority::VeryHigh,
                    RequestPriority::High,
                    RequestPriority::Medium,
                    RequestPriority::Low,
                    RequestPriority::VeryLow,
                ])
            },
            render_blocking: self.chance(0.2),
            discovery: Discovery {
                trigger,
                evidence: Evidence::Recorded,
                wait,
            },
            in_viewport: self.chance(0.3),
            cpu_time: self.chance(0.5).then(|| self.ms(300)),
            blocks_load: self.chance(0.8),
            blocks_load_if_early: self.chance(0.1),
            anonymous: self.chance(0.2),
            category: self.of(&CATEGORIES),
            third_party: self.chance(0.5),
            recorded: self.chance(0.5).then(|| {
                let start = self.ms(5_000);
                RecordedTimes {
                    start,
                    end: start + self.ms(5_000),
                    exchange: None,
                }
            }),
            cache: self.of(&[
                CacheUse::None,
                CacheUse::None,
                CacheUse::Fresh,
                CacheUse::Validate,
            ]),
            image: ImageBytes {
                coding: self.of(&[
                    ImageCoding::Unknown,
                    ImageCoding::TopDown,
                    ImageCoding::Progressive,
                    ImageCoding::Interlaced,
                ]),
                head: self.0.below(2_000),
                rows: self
                    .chance(0.5)
                    .then(|| std::array::from_fn(|k| body_bytes * k as u64 / 10)),
            },
            used_at,
            fetch_priority: FetchPriority::Auto,
            served_priority: None,
            early: EarlyHint::None,
            timeout: None,
            measured: Vec::new(),
        }
    }

    /// A trigger whose parent is most often one of the fitting kind.
    fn trigger(&mut self, earlier: &[Resource], document: usize) -> Trigger {
        let parent = if self.chance(0.5) {
            ResourceId(document.min(earlier.len() - 1) as u32)
        } else {
            self.id(earlier.len())
        };
        let of = &earlier[parent.index()];
        // A redirect after a redirect makes a chain.
        let is_redirect = matches!(of.discovery.trigger, Trigger::Redirect { .. });
        let odd = self.chance(if is_redirect { 0.3 } else { 0.1 });
        if odd && parent.index() >= document {
            return Trigger::Redirect { parent };
        }
        match (of.destination, self.0.below(4)) {
            (Destination::Document | Destination::Iframe, 0..=1) => Trigger::Markup {
                parent,
                offset: self.0.below(of.body_bytes + 1),
            },
            (Destination::Document | Destination::Iframe, 2) => Trigger::Inline {
                parent,
                offset: self.0.below(of.body_bytes + 1),
            },
            (Destination::Style, 0..=2) => Trigger::Style { parent },
            (Destination::Script, 0..=2) => Trigger::Script {
                parent,
                delay: self.ms(1_000),
            },
            _ => Trigger::After {
                parent,
                delay: self.ms(1_000),
            },
        }
    }

    fn content(&mut self, page: &Page) -> Content {
        let html = page.resource(page.document).body_bytes;
        let fonts = page
            .resources
            .iter()
            .filter(|r| r.destination == Destination::Font);
        let fonts: Vec<ResourceId> = fonts.map(|r| r.id).collect();
        let images = page.resources.iter();
        let images = images.filter(|r| r.destination == Destination::Image);
        let (styled, lazy) = images.map(|r| r.id).partition(|_| self.chance(0.5));
        let mut text: Vec<u64> = (0..self.0.below(5))
            .map(|_| self.0.below(html + 1))
            .collect();
        text.sort_unstable();
        let mut inline_scripts: Vec<u64> = (0..self.0.below(3))
            .map(|_| self.0.below(html + 1))
            .collect();
        inline_scripts.sort_unstable();
        Content {
            inline_scripts,
            body_start: self.chance(0.7).then(|| self.0.below(html + 1)),
            text,
            scripted_text: self.chance(0.2),
            fonts: fonts
                .iter()
                .map(|font| FontUse {
                    font: *font,
                    display: self.of(&[FontDisplay::Auto, FontDisplay::Block, FontDisplay::Swap]),
                })
                .collect(),
            icons: fonts.into_iter().take(1).collect(),
            styled,
            lazy,
        }
    }

    fn layout(&mut self, page: &Page) -> PageLayout {
        let count = page.resources.len();
        let html = page.resource(page.document).body_bytes;
        let of = |destination: Destination| {
            let all = page.resources.iter();
            let all = all.filter(move |r| r.destination == destination);
            all.map(|r| r.id).collect::<Vec<_>>()
        };
        let (images, fonts) = (of(Destination::Image), of(Destination::Font));
        let elements: Vec<Element> = (0..self.0.below(20))
            .map(|_| {
                let kind = match self.0.below(4) {
                    0 if !images.is_empty() => ElementKind::Image {
                        resource: self.of(&images),
                    },
                    1 if !images.is_empty() => ElementKind::Background {
                        resource: self.of(&images),
                    },
                    2 => ElementKind::Other,
                    _ => ElementKind::Text {
                        fonts: fonts.iter().take(2).copied().collect(),
                    },
                };
                Element {
                    kind,
                    rect: Rect {
                        x: self.0.below(1_500) as f32,
                        y: self.0.below(1_000) as f32,
                        width: self.0.below(1_500) as f32,
                        height: self.0.below(1_000) as f32,
                    },
                    offset: self.chance(0.7).then(|| self.0.below(html + 1)),
                    after: self.wait(count),
                    delay: self.chance(0.5).then(|| self.ms(2_000)),
                    motion: if self.chance(0.2) {
                        self.ms(1_000)
                    } else {
                        Duration::ZERO
                    },
                    fade: if self.chance(0.1) {
                        self.ms(1_000)
                    } else {
                        Duration::ZERO
                    },
                    contentful: self.chance(0.8),
                    natural: self.chance(0.5).then_some((800.0, 600.0)),
                    unreserved: false,
                    share: self.0.unit() / 20.0,
                }
            })
            .collect();
        let largest = self.chance(0.7).then(|| Largest {
            size: self.0.below(1_000_000) as f64,
            image: images.first().copied().filter(|_| self.chance(0.5)),
            text: (!elements.is_empty() && self.chance(0.5))
                .then(|| self.0.below(elements.len() as u64) as usize),
            rebuilt: self.chance(0.2),
        });
        let share = 0.5 / count as f64;
        PageLayout {
            viewport: self.of(&[(1_280, 720), (412, 823), (1, 1)]),
            scale: self.chance(0.5).then_some(1.75),
            fonts: fonts
                .iter()
                .map(|font| FontUse {
                    font: *font,
                    display: self.of(&[
                        FontDisplay::Auto,
                        FontDisplay::Block,
                        FontDisplay::Swap,
                        FontDisplay::Fallback,
                        FontDisplay::Optional,
                    ]),
                })
                .collect(),
            by_layout: images.iter().take(3).copied().collect(),
            body_start: self.chance(0.7).then(|| self.0.below(html + 1)),
            largest,
            rendering: self.chance(0.5).then(|| RenderingTime {
                first: self.ms(500),
                first_style: self.chance(0.5).then(|| self.ms(500)),
                later: self.chance(0.5).then(|| self.ms(50)),
                presentation: self.chance(0.5).then(|| self.ms(80)),
                later_presentation: self.chance(0.5).then(|| self.ms(80)),
            }),
            processors: self.chance(0.2).then_some(2),
            callbacks: (0..self.0.below(5))
                .map(|_| Callback {
                    after: self.wait(count),
                    delay: self.ms(1_000),
                    cost: self.ms(200),
                })
                .collect(),
            shares: self.chance(0.5).then(|| PictureShares {
                canvas: self.0.unit() / 2.0,
                canvas_scripted: self.chance(0.3),
                images: images
                    .iter()
                    .map(|id| ImageShare {
                        image: *id,
                        share,
                        rows: self
                            .chance(0.5)
                            .then(|| std::array::from_fn(|k| (k as f64 + self.0.unit()) / 9.0)),
                    })
                    .collect(),
                other_images: 0.0,
            }),
            inline_scripts: (0..self.0.below(3))
                .map(|_| InlineScript {
                    offset: self.0.below(html + 1),
                    cost: self.ms(200),
                })
                .collect(),
            overlay: self.chance(0.2).then(|| Overlay {
                after: self.wait(count),
                delay: self.ms(1_000),
                limit: None,
            }),
            hidden: self.chance(0.2).then(|| Overlay {
                after: self.wait(count),
                delay: self.ms(1_000),
                limit: self.chance(0.5).then(|| self.ms(5_000)),
            }),
            measured_in: None,
            pictures: None,
            elements,
        }
    }

    fn recorded_page(&mut self) -> RecordedPage {
        if self.chance(0.5) {
            return RecordedPage::default();
        }
        let first = self.ms(3_000);
        let mut later = || Some(first + self.ms(5_000));
        RecordedPage {
            on_content_load: later(),
            on_load: later(),
            largest_paint: later(),
            speed_index: later(),
            first_paint: Some(first),
            down_bits_per_second: Some(self.magnitude(100_000, 100_000_000)),
            slowdown: self.chance(0.2).then_some(4.0),
            reproduced: None,
            protocols: std::collections::BTreeMap::new(),
            creator: self
                .of(&["", "WebInspector", "Firefox", "Safari", "pagerace"])
                .to_owned(),
        }
    }
}
