//! The sites. Counts and sizes are modelled on pages of their kind: a news
//! front page with third parties, a shop's category page, an article, a gallery
//! of photographs.

use pagerace_core::Rng;

use crate::site::{Cause, Host, Kind, Site};

fn host(
    name: &'static str,
    address: &'static str,
    protocol: &'static str,
    rtt_ms: f64,
    connection: u32,
) -> Host {
    Host {
        name,
        address,
        protocol,
        rtt_ms,
        connection,
    }
}

/// A size within a quarter of `kilobytes`, the same on each run.
fn around(rng: &mut Rng, kilobytes: f64) -> f64 {
    kilobytes * (0.75 + 0.5 * rng.unit())
}

/// A news front page: 73 requests, 7 origins, advertisements.
pub(crate) fn news() -> Site {
    let mut rng = Rng::new(1, "news");
    let mut s = Site {
        name: "news",
        title: "The Example Courier",
        hosts: vec![
            host("www.courier.example", "192.0.2.10", "h3", 24.0, 1),
            host("static.courier.example", "192.0.2.10", "h3", 24.0, 1),
            host("img.courier.example", "192.0.2.11", "h3", 26.0, 2),
            host("fonts.typeworks.example", "198.51.100.20", "h2", 31.0, 3),
            host("tags.adnet.example", "198.51.100.40", "h2", 42.0, 4),
            host("ads.adnet.example", "198.51.100.41", "h2", 44.0, 5),
            host("stats.counter.example", "203.0.113.9", "http/1.1", 58.0, 6),
        ],
        document_bytes: 148_000,
        document_think_ms: 95.0,
        items: Vec::new(),
    };
    let style = s.add(1, "/css/site.css", Kind::Style, 38.0, 3.0, Cause::Head);
    s.add(1, "/css/front.css", Kind::Style, 14.5, 3.0, Cause::Head);
    s.add(
        1,
        "/js/head.js",
        Kind::BlockingScript,
        22.0,
        3.0,
        Cause::Head,
    );
    s.add(3, "/serif/bold.woff2", Kind::Font, 31.0, 2.0, Cause::Head);
    let tag = s.add(4, "/tag.js", Kind::AsyncScript, 64.0, 6.0, Cause::Head);
    let app = s.add(
        1,
        "/js/app.js",
        Kind::DeferredScript,
        118.0,
        4.0,
        Cause::Head,
    );
    s.add(
        1,
        "/js/vendor.js",
        Kind::DeferredScript,
        86.0,
        4.0,
        Cause::Head,
    );
    s.add(1, "/favicon.ico", Kind::Icon, 1.9, 2.0, Cause::Head);
    for name in ["regular", "italic", "sans"] {
        let path = format!("/serif/{name}.woff2");
        let size = around(&mut rng, 27.0);
        s.add(3, &path, Kind::Font, size, 2.0, Cause::Style(style));
    }
    for name in ["masthead.svg", "icons.svg"] {
        s.add(
            1,
            &format!("/img/{name}"),
            Kind::Background,
            5.2,
            2.0,
            Cause::Style(style),
        );
    }
    s.add(
        2,
        "/2026/lead.jpg",
        Kind::Hero,
        142.0,
        8.0,
        Cause::Body(0.05),
    );
    for i in 0..4 {
        let size = around(&mut rng, 34.0);
        let cause = Cause::Body(0.08 + 0.03 * f64::from(i));
        s.add(
            2,
            &format!("/2026/top-{i}.jpg"),
            Kind::Hero,
            size,
            8.0,
            cause,
        );
    }
    for i in 0..30 {
        let size = around(&mut rng, 22.0);
        let cause = Cause::Body(0.2 + 0.024 * f64::from(i));
        let kind = if i < 14 { Kind::Image } else { Kind::Lazy };
        s.add(
            2,
            &format!("/2026/story-{i:02}.jpg"),
            kind,
            size,
            9.0,
            cause,
        );
    }
    s.add(
        1,
        "/js/comments.js",
        Kind::BlockingScript,
        17.0,
        3.0,
        Cause::Body(0.93),
    );
    let market = s.add(
        0,
        "/api/markets.json",
        Kind::Data,
        3.4,
        40.0,
        Cause::Script(app, 5.0),
    );
    s.add(
        0,
        "/api/weather.json",
        Kind::Data,
        1.8,
        55.0,
        Cause::Script(app, 6.0),
    );
    s.add(
        0,
        "/api/most-read.json",
        Kind::Data,
        6.1,
        30.0,
        Cause::Script(app, 40.0),
    );
    debug_assert!(market > app);
    let bid = s.add(
        5,
        "/bid.js",
        Kind::InsertedScript,
        92.0,
        12.0,
        Cause::Script(tag, 4.0),
    );
    for i in 0..4 {
        let delay = 20.0 + 3.0 * f64::from(i);
        let path = format!("/auction?slot={i}");
        s.add(5, &path, Kind::Data, 2.6, 110.0, Cause::Script(bid, delay));
    }
    for i in 0..3 {
        let delay = 240.0 + 12.0 * f64::from(i);
        let path = format!("/frame?slot={i}");
        s.add(5, &path, Kind::Frame, 11.0, 35.0, Cause::Script(bid, delay));
    }
    for i in 0..6 {
        let size = around(&mut rng, 41.0);
        let path = format!("/creative/{i}.webp");
        s.add(
            5,
            &path,
            Kind::Image,
            size,
            15.0,
            Cause::Script(bid, 300.0 + 9.0 * f64::from(i)),
        );
    }
    let count = s.add(
        6,
        "/count.js",
        Kind::InsertedScript,
        19.0,
        8.0,
        Cause::Script(tag, 8.0),
    );
    for i in 0..5 {
        let path = format!("/hit?event={i}");
        s.add(
            6,
            &path,
            Kind::Beacon,
            0.1,
            9.0,
            Cause::Script(count, 30.0 + 150.0 * f64::from(i)),
        );
    }
    s
}

/// A shop's category page: 42 requests, 4 origins.
pub(crate) fn shop() -> Site {
    let mut rng = Rng::new(1, "shop");
    let mut s = Site {
        name: "shop",
        title: "Example Outfitters: Jackets",
        hosts: vec![
            host("www.outfitters.example", "192.0.2.60", "h2", 33.0, 1),
            host("cdn.outfitters.example", "192.0.2.61", "h3", 14.0, 2),
            host("pay.wallet.example", "198.51.100.77", "h2", 29.0, 3),
            host("analytics.insight.example", "203.0.113.40", "h3", 37.0, 4),
        ],
        document_bytes: 92_000,
        document_think_ms: 160.0,
        items: Vec::new(),
    };
    let style = s.add(1, "/assets/shop.css", Kind::Style, 52.0, 2.0, Cause::Head);
    s.add(
        1,
        "/assets/runtime.js",
        Kind::BlockingScript,
        9.0,
        2.0,
        Cause::Head,
    );
    let app = s.add(
        1,
        "/assets/shop.js",
        Kind::DeferredScript,
        196.0,
        2.0,
        Cause::Head,
    );
    let pay = s.add(2, "/sdk.js", Kind::AsyncScript, 44.0, 7.0, Cause::Head);
    let insight = s.add(3, "/collect.js", Kind::AsyncScript, 28.0, 5.0, Cause::Head);
    s.add(0, "/favicon.ico", Kind::Icon, 3.2, 4.0, Cause::Head);
    for name in ["grotesk-400", "grotesk-700"] {
        let path = format!("/assets/{name}.woff2");
        s.add(1, &path, Kind::Font, 24.0, 2.0, Cause::Style(style));
    }
    s.add(
        1,
        "/assets/sprite.svg",
        Kind::Background,
        8.8,
        2.0,
        Cause::Style(style),
    );
    s.add(
        1,
        "/media/banner.avif",
        Kind::Hero,
        96.0,
        4.0,
        Cause::Body(0.08),
    );
    for i in 0..4 {
        let size = around(&mut rng, 29.0);
        let cause = Cause::Body(0.16 + 0.03 * f64::from(i));
        s.add(
            1,
            &format!("/media/jacket-{i:02}.avif"),
            Kind::Hero,
            size,
            4.0,
            cause,
        );
    }
    for i in 4..24 {
        let size = around(&mut rng, 29.0);
        let cause = Cause::Body(0.16 + 0.03 * f64::from(i));
        let kind = if i < 12 { Kind::Image } else { Kind::Lazy };
        s.add(
            1,
            &format!("/media/jacket-{i:02}.avif"),
            kind,
            size,
            4.0,
            cause,
        );
    }
    s.add(
        0,
        "/api/stock",
        Kind::Data,
        4.7,
        85.0,
        Cause::Script(app, 12.0),
    );
    s.add(
        0,
        "/api/basket",
        Kind::Data,
        0.9,
        60.0,
        Cause::Script(app, 14.0),
    );
    s.add(
        0,
        "/api/recommend",
        Kind::Data,
        9.4,
        140.0,
        Cause::Script(app, 25.0),
    );
    s.add(
        2,
        "/session",
        Kind::Data,
        1.1,
        45.0,
        Cause::Script(pay, 9.0),
    );
    for i in 0..3 {
        let path = format!("/event?n={i}");
        s.add(
            3,
            &path,
            Kind::Beacon,
            0.1,
            6.0,
            Cause::Script(insight, 15.0 + 200.0 * f64::from(i)),
        );
    }
    s
}

/// An article of a personal site: 14 requests, 2 origins.
pub(crate) fn blog() -> Site {
    let mut s = Site {
        name: "blog",
        title: "Notes on Queues",
        hosts: vec![
            host("notes.example", "192.0.2.90", "h3", 19.0, 1),
            host("fonts.typeworks.example", "198.51.100.20", "h2", 31.0, 2),
        ],
        document_bytes: 41_000,
        document_think_ms: 18.0,
        items: Vec::new(),
    };
    let style = s.add(0, "/style.css", Kind::Style, 6.3, 1.0, Cause::Head);
    let code = s.add(0, "/code.css", Kind::Style, 2.1, 1.0, Cause::Head);
    s.add(
        0,
        "/highlight.js",
        Kind::DeferredScript,
        29.0,
        1.0,
        Cause::Head,
    );
    let search = s.add(
        0,
        "/search.js",
        Kind::DeferredScript,
        11.0,
        1.0,
        Cause::Head,
    );
    s.add(0, "/favicon.ico", Kind::Icon, 1.2, 1.0, Cause::Head);
    s.add(
        1,
        "/serif/regular.woff2",
        Kind::Font,
        27.0,
        2.0,
        Cause::Style(style),
    );
    s.add(
        1,
        "/mono/regular.woff2",
        Kind::Font,
        22.0,
        2.0,
        Cause::Style(code),
    );
    s.add(
        0,
        "/img/queue.webp",
        Kind::Hero,
        68.0,
        1.0,
        Cause::Body(0.12),
    );
    for i in 0..4 {
        let kind = if i < 2 { Kind::Image } else { Kind::Lazy };
        let cause = Cause::Body(0.35 + 0.15 * f64::from(i));
        s.add(
            0,
            &format!("/img/figure-{i}.webp"),
            kind,
            36.0 + 9.0 * f64::from(i),
            1.0,
            cause,
        );
    }
    s.add(
        0,
        "/index.json",
        Kind::Data,
        14.0,
        1.0,
        Cause::Script(search, 8.0),
    );
    s
}

/// A photographer's gallery: one origin, sixteen pictures of half a megabyte
/// and more, as in the experiment of Agarwal 2020.
pub(crate) fn gallery() -> Site {
    let mut s = Site {
        name: "gallery",
        title: "Example Photographs",
        hosts: vec![host("www.gallery.example", "192.0.2.60", "h2", 30.0, 1)],
        document_bytes: 24_000,
        document_think_ms: 20.0,
        items: Vec::new(),
    };
    s.add(0, "/gallery.css", Kind::Style, 18.0, 3.0, Cause::Head);
    s.add(
        0,
        "/gallery.js",
        Kind::DeferredScript,
        45.0,
        3.0,
        Cause::Head,
    );
    for i in 0..16 {
        let kind = if i < 4 { Kind::Hero } else { Kind::Image };
        let kilobytes = 500.0 + 20.0 * f64::from(i);
        let cause = Cause::Body(0.05 + 0.05 * f64::from(i));
        let path = format!("/photos/{i:02}.jpg");
        s.add(0, &path, kind, kilobytes, 5.0, cause);
    }
    s
}
