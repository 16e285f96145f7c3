//! Pages and scenarios for tests and benchmarks.
#![allow(dead_code, unreachable_pub, reason = "each test uses some of it")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use pagerace_browser::BrowserConfig;
use pagerace_core::{Destination, Duration, RequestPriority, Rng, ScriptMode};
use pagerace_net::Network;
use pagerace_page::{
    Category, Interventions, Origin, Page, Paints, RecordedPage, Resource, ResourceId, Trigger,
};
use pagerace_sim::{LoadSettings, ProtocolMap, RecordEnds, Reprioritisation, Scenario, Visit};
use pagerace_transport::tls;

/// Returns a page whose document references `images` at its very beginning, all on one
/// origin.
pub fn flat_page(images: &[u64]) -> Page {
    let document = resource(0, Destination::Document, 1_000, Trigger::Navigation);
    let markup = Trigger::Markup {
        parent: ResourceId(0),
        offset: 1,
    };
    let children = images
        .iter()
        .enumerate()
        .map(|(i, size)| resource(i as u32 + 1, Destination::Image, *size, markup));
    Page {
        name: "flat".to_owned(),
        url: "https://site.example/".to_owned(),
        origins: vec![Origin {
            scheme: "https".to_owned(),
            host: "site.example".to_owned(),
            port: 443,
            address: None,
            connection_group: 0,
            third_party: false,
            recorded_rtt: None,
            unvisited: false,
            protocol: None,
        }],
        resources: std::iter::once(document).chain(children).collect(),
        document: ResourceId(0),
        joins: Vec::new(),
        hints: Vec::new(),
        recorded: RecordedPage::default(),
        paints: Paints::default(),
        notes: vec![],
    }
}

fn resource(id: u32, destination: Destination, body_bytes: u64, trigger: Trigger) -> Resource {
    Resource {
        request_header_bytes: 400,
        body_bytes,
        priority: if id == 0 {
            RequestPriority::VeryHigh
        } else {
            RequestPriority::Low
        },
        in_viewport: id < 5,
        cpu_time: Some(Duration::ZERO),
        category: Category::Images,
        ..Resource::new(
            ResourceId(id),
            format!("https://site.example/{id}"),
            destination,
            trigger,
        )
    }
}

/// Response of a [`busy_page`].
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub destination: Destination,
    pub script_mode: ScriptMode,
    pub class: RequestPriority,
    pub render_blocking: bool,
    pub body_bytes: u64,
    pub think_time: Duration,
}

/// Returns a page whose document references `items` at its very beginning, all on one
/// origin, and arrives before any of them. The responses compete from the start.
pub fn busy_page(items: &[Item]) -> Page {
    let mut page = flat_page(&items.iter().map(|i| i.body_bytes).collect::<Vec<_>>());
    for (resource, item) in page.resources.iter_mut().skip(1).zip(items) {
        resource.destination = item.destination;
        resource.script_mode = item.script_mode;
        resource.priority = item.class;
        resource.render_blocking = item.render_blocking;
        resource.think_time = item.think_time;
        // No priority is raised later.
        resource.in_viewport = false;
    }
    page
}

/// Returns the page of the performance goals: 100 requests, about 4.8 MB.
pub fn hundred() -> Page {
    let mut rng = Rng::new(7, "page");
    let sizes: Vec<_> = (0..99).map(|_| 5_000 + rng.below(92_000)).collect();
    flat_page(&sizes)
}

/// Returns a scenario without run-to-run variation.
pub fn scenario(page: &Page, network: &str, strategy: &str) -> Scenario {
    Scenario {
        page: Arc::new(page.clone()),
        network: Network::parse(network).expect("a network"),
        strategy: strategy.parse().expect("a strategy"),
        protocols: ProtocolMap::default(),
        congestion: "cubic-rfc9438".to_owned(),
        visit: Visit::Cold,
        reliability: pagerace_sim::ReliabilitySpec::default(),
        needs: Arc::default(),
        interventions: Interventions::default(),
        changes: pagerace_page::Changes::default(),
        browser: BrowserConfig {
            jitter: 0.0,
            ..BrowserConfig::default()
        },
        settings: plain(),
        world: pagerace_sim::World::NOMINAL,
    }
}

/// Returns settings with the fewest mechanisms: packets of one size (for closed forms),
/// no records that end early, and servers that learn of every changed priority.
pub fn plain() -> LoadSettings {
    LoadSettings {
        deadline: Duration::from_secs(600),
        quic_mtu: 1_200,
        client_hello: tls::ClientHello::Small,
        record_ends: RecordEnds::Joined,
        reprioritisation: Reprioritisation::Update,
        ..LoadSettings::default()
    }
}
