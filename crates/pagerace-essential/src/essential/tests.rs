use pagerace_core::{Destination, Duration, RequestPriority, ScriptMode};

use super::*;
use crate::ads::{AdKind, AdMatch, AdRequest, Matchers};
use pagerace_har::domain;
use pagerace_page::PaintChange;
use pagerace_page::model::{
    Evidence, FontDisplay, FontUse, Origin, PageLayout, Paints, RecordedPage,
};
use pagerace_page::{ImageCoding, OriginId, Resource, ResourceId, Trigger};

const HOME: &str = "www.site.example";

/// Builder of a page. Each request comes from the document's markup unless changed.
struct Builder {
    page: Page,
}

impl Builder {
    fn new() -> Self {
        let page = Page {
            name: "made by hand".to_owned(),
            url: format!("https://{HOME}/"),
            origins: vec![],
            resources: vec![],
            document: ResourceId(0),
            joins: Vec::new(),
            hints: Vec::new(),
            recorded: RecordedPage::default(),
            paints: Paints::default(),
            notes: vec![],
        };
        let mut builder = Self { page };
        let document = builder.add(HOME, "/", Destination::Document);
        builder.set(document, |r| r.discovery.trigger = Trigger::Navigation);
        builder
    }

    fn add(&mut self, host: &str, path: &str, destination: Destination) -> ResourceId {
        let third_party = domain::is_third_party(host, HOME);
        let origins = &mut self.page.origins;
        let origin = origins
            .iter()
            .position(|o| o.host == host)
            .unwrap_or_else(|| {
                origins.push(Origin {
                    scheme: "https".to_owned(),
                    host: host.to_owned(),
                    port: 443,
                    address: None,
                    connection_group: 0,
                    third_party,
                    recorded_rtt: None,
                    unvisited: false,
                    protocol: None,
                });
                origins.len() - 1
            });
        let id = ResourceId(self.page.resources.len() as u32);
        let offset = 100 * u64::from(id.0);
        self.page.resources.push(Resource {
            origin: OriginId(origin as u32),
            script_mode: ScriptMode::Async,
            body_bytes: 10_000,
            third_party,
            ..Resource::new(
                id,
                format!("https://{host}{path}"),
                destination,
                Trigger::Markup {
                    parent: ResourceId(0),
                    offset,
                },
            )
        });
        id
    }

    /// Adds a resource that script `parent` requests.
    fn by(
        &mut self,
        parent: ResourceId,
        host: &str,
        path: &str,
        destination: Destination,
    ) -> ResourceId {
        let id = self.add(host, path, destination);
        self.set(id, |r| {
            r.script_mode = ScriptMode::Inserted;
            r.discovery.trigger = Trigger::Script {
                parent,
                delay: Duration::ZERO,
            };
        });
        id
    }

    fn set(&mut self, id: ResourceId, change: impl FnOnce(&mut Resource)) {
        change(&mut self.page.resources[id.index()]);
    }

    fn assess(&self) -> Vec<Assessment> {
        self.assess_with(None, &Overrides::default())
    }

    fn assess_with(
        &self,
        paints: Option<&[PaintEffect]>,
        overrides: &Overrides,
    ) -> Vec<Assessment> {
        assess(&self.page, &Matchers::built_in(), paints, overrides).unwrap()
    }

    /// Returns the verdict without paint effects, and its first reason.
    fn verdict(&self, id: ResourceId) -> (bool, Reason) {
        let assessment = &self.assess()[id.index()];
        (assessment.essential, assessment.reasons[0].clone())
    }
}

fn overrides(essential: &[&str], non_essential: &[&str]) -> Overrides {
    let read = |all: &[&str]| all.iter().map(|s| s.parse().unwrap()).collect();
    Overrides {
        essential: read(essential),
        non_essential: read(non_essential),
    }
}

#[test]
fn the_document_is_always_essential() {
    let builder = Builder::new();
    assert_eq!(builder.verdict(ResourceId(0)), (true, Reason::Document));
    let error = assess(
        &builder.page,
        &Matchers::none(),
        None,
        &overrides(&[], &["first-party"]),
    );
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("first-party selects https://www.site.example/"),
        "{error}"
    );
    // An essential override for the same resource resolves the conflict.
    builder.assess_with(None, &overrides(&["html"], &["first-party"]));
}

#[test]
fn redirects_to_the_document_are_too() {
    let mut builder = Builder::new();
    let end = builder.add("m.site.example", "/", Destination::Document);
    builder.set(end, |r| {
        r.discovery.trigger = Trigger::Redirect {
            parent: ResourceId(0),
        }
    });
    builder.page.document = end;
    assert_eq!(
        builder.verdict(ResourceId(0)),
        (true, Reason::RedirectsToDocument)
    );
    assert_eq!(builder.verdict(end), (true, Reason::Document));
}

#[test]
fn the_user_decides_all_else() {
    let mut builder = Builder::new();
    let ad = builder.add("ads.criteo.com", "/a.js", Destination::Script);
    let app = builder.add(HOME, "/app.js", Destination::Script);
    let lib = builder.add("cdn.example", "/lib.js", Destination::Script);
    let all = builder.assess_with(
        None,
        &overrides(&["ads.criteo.com", "cdn.example"], &["js"]),
    );
    let verdicts = [ad, app, lib].map(|id| all[id.index()].essential);
    // A resource that both lists select is essential.
    assert_eq!(verdicts, [true, false, true]);
    let said = all[app.index()].reasons[0].to_string();
    assert_eq!(said, "you say that js is not essential");
}

#[test]
fn selectors_that_select_nothing_are_known() {
    let builder = Builder::new();
    let overrides = overrides(&["html"], &["cdn.exmaple"]);
    let unmatched = overrides.unmatched(&builder.page);
    assert_eq!(unmatched.len(), 1);
    assert_eq!(unmatched[0].to_string(), "cdn.exmaple");
}

#[test]
fn advertisement_is_not_even_if_paints_wait_for_it() {
    let mut builder = Builder::new();
    let ad = builder.add("static.criteo.net", "/ld.js", Destination::Script);
    builder.set(ad, |r| r.render_blocking = true);
    let mut paints = vec![PaintEffect::default(); 2];
    paints[ad.index()].fcp_waits = true;
    let all = builder.assess_with(Some(&paints), &Overrides::default());
    let assessment = &all[ad.index()];
    assert!(!assessment.essential);
    assert!(matches!(
        assessment.reasons[0],
        Reason::Listed {
            kind: AdKind::Ad,
            ..
        }
    ));
    // Evidence in favour is reported as well.
    let signs: Vec<Counts> = assessment.reasons.iter().map(Reason::counts).collect();
    assert!(
        signs[1..].contains(&Counts::For),
        "{:?}",
        assessment.reasons
    );
    let single = assessment
        .reasons
        .iter()
        .find(|r| matches!(r, Reason::SinglePoint { .. }));
    assert!(single.unwrap().to_string().contains("static.criteo.net"));
}

struct NoAds;

impl AdMatcher for NoAds {
    fn find(&self, _: &AdRequest<'_>) -> Option<AdMatch> {
        Some(AdMatch {
            kind: None,
            source: "mine.txt line 1".to_owned(),
            rule: "@@*".to_owned(),
        })
    }
}

#[test]
fn what_a_list_excepts_is_judged_like_all_else() {
    let mut builder = Builder::new();
    let script = builder.add("static.criteo.net", "/ld.js", Destination::Script);
    builder.set(script, |r| r.render_blocking = true);
    let ads = Matchers::built_in().after(NoAds);
    let all = assess(&builder.page, &ads, None, &Overrides::default()).unwrap();
    assert!(all[script.index()].essential);
    let told = all[script.index()]
        .reasons
        .iter()
        .any(|r| matches!(r, Reason::Excepted { .. }));
    assert!(told);
}

#[test]
fn scripts_are_judged_by_party_and_place() {
    let mut builder = Builder::new();
    let own = builder.add("static.site.example", "/a.js", Destination::Script);
    let any_time = builder.add("cdn.example", "/a.js", Destination::Script);
    let in_order = builder.add("cdn.example", "/jquery.js", Destination::Script);
    builder.set(in_order, |r| r.script_mode = ScriptMode::Defer);
    let part = builder.by(in_order, "cdn.example", "/chunk.js", Destination::Script);
    let stranger = builder.by(in_order, "other.example", "/x.js", Destination::Script);
    assert_eq!(builder.verdict(own), (true, Reason::OwnScript));
    assert_eq!(builder.verdict(any_time), (false, Reason::ScriptAnyTime));
    assert_eq!(builder.verdict(in_order), (true, Reason::ScriptInOrder));
    assert_eq!(
        builder.verdict(part),
        (true, Reason::PartOf { script: in_order })
    );
    assert_eq!(builder.verdict(stranger), (false, Reason::ScriptAnyTime));
}

#[test]
fn sites_have_hosts_of_their_own_elsewhere() {
    let mut builder = Builder::new();
    let name = builder.add("img.site-cdn.test", "/a.js", Destination::Script);
    let chance = builder.add("website.test", "/a.js", Destination::Script);
    let app = builder.add("assets.test", "/app.js", Destination::Script);
    let sheet = builder.add("assets.test", "/app.css", Destination::Style);
    assert_eq!(builder.verdict(app), (false, Reason::ScriptAnyTime));
    builder.set(sheet, |r| r.render_blocking = true);
    let host = || "assets.test".to_owned();
    assert_eq!(
        builder.verdict(app),
        (true, Reason::BuiltOn { host: host() })
    );
    assert!(matches!(
        builder.verdict(name),
        (true, Reason::OwnName { .. })
    ));
    assert_eq!(builder.verdict(chance), (false, Reason::ScriptAnyTime));
}

#[test]
fn a_blocking_script_of_others_is_a_single_point_of_failure() {
    let mut builder = Builder::new();
    let lib = builder.add("cdn.example", "/lib.js", Destination::Script);
    builder.set(lib, |r| r.render_blocking = true);
    builder.add(HOME, "/1.png", Destination::Image);
    builder.add(HOME, "/2.png", Destination::Image);
    let (essential, reason) = builder.verdict(lib);
    let expected = Reason::SinglePoint {
        host: "cdn.example".to_owned(),
        behind: 2,
    };
    assert_eq!((essential, reason), (true, expected));
}

#[test]
fn style_sheets_are_judged_by_medium_and_party() {
    let mut builder = Builder::new();
    let own = builder.add(HOME, "/late.css", Destination::Style);
    let print = builder.add(HOME, "/print.css", Destination::Style);
    builder.set(print, |r| r.priority = RequestPriority::VeryLow);
    let other = builder.add("cdn.example", "/widget.css", Destination::Style);
    builder.set(other, |r| {
        r.discovery.trigger = Trigger::After {
            parent: ResourceId(0),
            delay: Duration::ZERO,
        };
    });
    assert_eq!(builder.verdict(own), (true, Reason::Style));
    assert_eq!(builder.verdict(print), (false, Reason::OtherMedium));
    assert_eq!(builder.verdict(other), (false, Reason::StyleOfOthers));
}

#[test]
fn fonts_fall_back_unless_they_hide_text() {
    let mut builder = Builder::new();
    let [unknown, swap, block] =
        ["/a.woff2", "/b.woff2", "/c.woff2"].map(|path| builder.add(HOME, path, Destination::Font));
    builder.page.paints = Paints::Recorded(PageLayout {
        viewport: (800, 600),
        elements: vec![],
        fonts: vec![
            FontUse {
                font: swap,
                display: FontDisplay::Swap,
            },
            FontUse {
                font: block,
                display: FontDisplay::Block,
            },
        ],
        ..PageLayout::default()
    });
    // A font that text waits for is not essential, because the text has a fallback.
    let mut paints = vec![PaintEffect::default(); 4];
    paints[unknown.index()].fcp_waits = true;
    let all = builder.assess_with(Some(&paints), &Overrides::default());
    let first = |id: ResourceId| all[id.index()].reasons[0].clone();
    assert_eq!(first(unknown), Reason::FontFallsBack);
    assert_eq!(first(swap), Reason::FontFallsBack);
    assert_eq!(first(block), Reason::FontBlocks);
}

#[test]
fn images_are_judged_by_what_is_seen() {
    let mut builder = Builder::new();
    let seen = builder.add(HOME, "/hero.jpg", Destination::Image);
    builder.set(seen, |r| r.in_viewport = true);
    let below = builder.add(HOME, "/below.jpg", Destination::Image);
    let pixel = builder.add("cdn.example", "/p.gif", Destination::Image);
    builder.set(pixel, |r| r.body_bytes = 43);
    let icon = builder.add(HOME, "/favicon.png?v=1", Destination::Image);
    assert_eq!(builder.verdict(seen), (true, Reason::InViewport));
    assert_eq!(builder.verdict(below), (false, Reason::BelowTheFold));
    assert_eq!(builder.verdict(pixel), (false, Reason::Beacon));
    assert_eq!(builder.verdict(icon), (false, Reason::Icon));
    // A paint effect has precedence over the priority.
    let mut paints = vec![PaintEffect::default(); 5];
    let all = builder.assess_with(Some(&paints), &Overrides::default());
    assert_eq!(all[seen.index()].reasons[0], Reason::NothingSeen);
    paints[below.index()].missing = 0.25;
    let all = builder.assess_with(Some(&paints), &Overrides::default());
    let said = all[below.index()].reasons[0].to_string();
    assert!(all[below.index()].essential);
    assert_eq!(said, "25 % of the picture is missing without it");
}

#[test]
fn data_is_what_asks_for_it() {
    let mut builder = Builder::new();
    let app = builder.add(HOME, "/app.js", Destination::Script);
    let data = builder.by(app, "api.example", "/list.json", Destination::Fetch);
    let beacon = builder.by(app, HOME, "/log", Destination::Fetch);
    builder.set(beacon, |r| {
        r.method = "POST".to_owned();
        r.body_bytes = 2;
    });
    let stranger = builder.add("cdn.example", "/x.js", Destination::Script);
    let others = builder.by(stranger, "api2.example", "/x.json", Destination::Fetch);
    let film = builder.by(app, HOME, "/1.ts", Destination::Fetch);
    builder.set(film, |r| "video/mp2t".clone_into(&mut r.mime_type));
    assert_eq!(builder.verdict(data), (true, Reason::DataFor { by: app }));
    assert_eq!(builder.verdict(beacon), (false, Reason::Beacon));
    assert_eq!(builder.verdict(others), (false, Reason::OthersData));
    assert_eq!(builder.verdict(film), (false, Reason::Media));
}

#[test]
fn whatever_leads_to_something_essential_is_essential() {
    let mut builder = Builder::new();
    let loader = builder.add("cdn.example", "/loader.js", Destination::Script);
    let script = builder.by(loader, HOME, "/app.js", Destination::Script);
    let data = builder.by(loader, "api.example", "/x.json", Destination::Fetch);
    assert_eq!(builder.verdict(script), (true, Reason::OwnScript));
    assert_eq!(
        builder.verdict(loader),
        (true, Reason::LeadsTo { to: script })
    );
    // The data that depends on the loader becomes essential as well.
    assert_eq!(
        builder.verdict(data),
        (true, Reason::DataFor { by: loader })
    );
    // A parent known only from times does not become essential.
    builder.set(script, |r| r.discovery.evidence = Evidence::Timing);
    assert_eq!(builder.verdict(loader), (false, Reason::ScriptAnyTime));
    // An override has precedence.
    builder.set(script, |r| r.discovery.evidence = Evidence::Recorded);
    let all = builder.assess_with(None, &overrides(&[], &["cdn.example"]));
    assert!(!all[loader.index()].essential);
}

#[test]
fn what_advertisement_asks_for_is_not() {
    let mut builder = Builder::new();
    let ad = builder.add("www.googletagmanager.com", "/gtm.js", Destination::Script);
    let script = builder.by(ad, "unheard-of.example", "/x.js", Destination::Script);
    let image = builder.by(script, "unheard-of.example", "/x.png", Destination::Image);
    builder.set(image, |r| r.in_viewport = true);
    assert_eq!(
        builder.verdict(script),
        (false, Reason::AskedByAd { by: ad })
    );
    assert_eq!(
        builder.verdict(image),
        (false, Reason::AskedByAd { by: script })
    );
}

#[test]
fn frames_are_judged_by_who_put_them_there() {
    let mut builder = Builder::new();
    let app = builder.add(HOME, "/app.js", Destination::Script);
    let film = builder.add("player.example", "/embed", Destination::Iframe);
    let inside = builder.add("player.example", "/player.js", Destination::Script);
    builder.set(inside, |r| {
        r.discovery.trigger = Trigger::Markup {
            parent: film,
            offset: 1,
        };
    });
    let sync = builder.by(app, "sync.example", "/frame", Destination::Iframe);
    let in_sync = builder.by(sync, "sync.example", "/a.css", Destination::Style);
    let ad = builder.by(sync, "ib.adnxs.com", "/ad.js", Destination::Script);
    let deeper = builder.by(ad, "sync.example", "/frame2", Destination::Iframe);
    let own = builder.by(app, "forum.site.example", "/frame", Destination::Iframe);
    assert_eq!(builder.verdict(film), (true, Reason::FrameInMarkup));
    // The frame's own domain is the first party inside the frame.
    assert_eq!(builder.verdict(inside), (true, Reason::OwnScript));
    assert_eq!(builder.verdict(sync), (false, Reason::FrameByScript));
    assert_eq!(
        builder.verdict(in_sync),
        (false, Reason::InFrame { frame: sync })
    );
    // A frame inside a non-essential frame is not essential, although it has the frame's
    // own domain.
    assert_eq!(
        builder.verdict(deeper),
        (false, Reason::InFrame { frame: sync })
    );
    assert_eq!(builder.verdict(own), (true, Reason::OwnFrame));
}

#[test]
fn redirects_and_preflights_are_what_is_behind_them() {
    let mut builder = Builder::new();
    let app = builder.add(HOME, "/app.js", Destination::Script);
    let preflight = builder.by(app, "api.example", "/x.json", Destination::Fetch);
    builder.set(preflight, |r| r.method = "OPTIONS".to_owned());
    let data = builder.by(app, "api.example", "/x.json", Destination::Fetch);
    let from = builder.add("short.example", "/i", Destination::Image);
    let to = builder.add(HOME, "/i.png", Destination::Image);
    builder.set(to, |r| {
        r.discovery.trigger = Trigger::Redirect { parent: from }
    });
    assert_eq!(
        builder.verdict(preflight),
        (true, Reason::LeadsTo { to: data })
    );
    assert_eq!(
        builder.verdict(from),
        (false, Reason::RedirectsToNonEssential)
    );
    builder.set(to, |r| r.in_viewport = true);
    assert_eq!(builder.verdict(from), (true, Reason::LeadsTo { to }));
}

#[test]
fn widgets_are_not_but_their_images_may_be() {
    let mut builder = Builder::new();
    let chat = builder.add("widget.intercom.io", "/w.js", Destination::Script);
    builder.set(chat, |r| r.script_mode = ScriptMode::Defer);
    let photo = builder.add("scontent.fbcdn.net", "/p.jpg", Destination::Image);
    builder.set(photo, |r| r.in_viewport = true);
    let (essential, reason) = builder.verdict(chat);
    assert!(
        !essential && reason.to_string().starts_with("customer support, says"),
        "{reason}"
    );
    assert_eq!(builder.verdict(photo), (true, Reason::InViewport));
}

#[test]
fn some_things_are_of_use_in_part() {
    let mut builder = Builder::new();
    let coarse = builder.add(HOME, "/a.jpg", Destination::Image);
    builder.set(coarse, |r| r.image.coding = ImageCoding::Progressive);
    let top_down = builder.add(HOME, "/b.jpg", Destination::Image);
    builder.set(top_down, |r| r.image.coding = ImageCoding::TopDown);
    let film = builder.add(HOME, "/c.mp4", Destination::Media);
    builder.set(film, |r| "video/mp4".clone_into(&mut r.mime_type));
    let list = builder.add(HOME, "/c.m3u8", Destination::Media);
    builder.set(list, |r| {
        "application/x-mpegurl".clone_into(&mut r.mime_type);
    });
    let titles = builder.add(HOME, "/c.vtt", Destination::Media);
    builder.set(titles, |r| "text/vtt".clone_into(&mut r.mime_type));
    let all = builder.assess();
    let whole =
        [ResourceId(0), coarse, top_down, film, list, titles].map(|id| all[id.index()].whole);
    assert_eq!(whole, [true, false, true, false, true, true]);
    let told = all[coarse.index()].reasons.last().unwrap().to_string();
    assert_eq!(
        told,
        "useful in part: a progressive JPEG is first coarse, then sharp"
    );
}

#[test]
fn paints_are_told_in_words() {
    let effect = PaintEffect {
        fcp: PaintChange::Earlier(Duration::from_millis(120)),
        lcp: PaintChange::Never,
        other_largest: true,
        missing: 0.031,
        fcp_waits: true,
        lcp_waits: false,
        picture_waits: true,
    };
    assert_eq!(
        effect.to_string(),
        "the first paint waits for it and is 120 ms earlier without it; the largest paint never \
         comes without it; something else is the largest element without it; 3.1 % of the picture \
         is missing without it"
    );
    assert_eq!(
        PaintEffect::default().to_string(),
        "no paint changes without it"
    );
    let chance = PaintEffect {
        fcp: PaintChange::Later(Duration::from_millis(9)),
        ..PaintEffect::default()
    };
    assert!(!chance.needs() && !chance.is_seen());
    let text = PaintEffect {
        picture_waits: true,
        ..PaintEffect::default()
    };
    assert_eq!(text.to_string(), "some of the picture waits for it");
    assert!(!text.needs() && text.is_seen());
}

#[test]
fn assessments_are_read_back() {
    let mut builder = Builder::new();
    builder.add("ads.criteo.com", "/a.js", Destination::Script);
    let mut paints = vec![PaintEffect::default(); 2];
    paints[1].fcp = PaintChange::Earlier(Duration::from_millis(1));
    let all = builder.assess_with(Some(&paints), &Overrides::default());
    let text = serde_json::to_string(&all).unwrap();
    assert_eq!(serde_json::from_str::<Vec<Assessment>>(&text).unwrap(), all);
}
