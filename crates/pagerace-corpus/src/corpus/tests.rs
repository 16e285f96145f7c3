use pagerace_lab::fake;

use super::*;

/// A response: URL, version, address, fields.
pub(crate) type Response<'a> = (&'a str, &'static str, &'a str, &'a [(&'a str, &'a str)]);

/// Returns a page of these responses; the first is the document.
pub(crate) fn survey(name: &str, responses: &[Response<'_>]) -> Survey {
    let mut page = fake::page(name);
    let model = page.resources.remove(0);
    let origin = page.origins.remove(0);
    let mut requests = Vec::new();
    for (i, (url, protocol, address, fields)) in responses.iter().enumerate() {
        let (scheme, rest) = url.split_once("://").unwrap();
        let host = rest.split('/').next().unwrap();
        let known = page.origins.iter().position(|o| o.host == host);
        let at = known.unwrap_or_else(|| {
            let mut own = origin.clone();
            own.host = host.to_owned();
            own.scheme = scheme.to_owned();
            own.connection_group = page.origins.len() as u32;
            page.origins.push(own);
            page.origins.len() - 1
        });
        let mut resource = model.clone();
        resource.id = pagerace_page::ResourceId(i as u32);
        resource.url = (*url).to_owned();
        resource.origin = pagerace_page::OriginId(at as u32);
        if i > 0 {
            resource.destination = pagerace_core::Destination::Image;
            resource.render_blocking = false;
            resource.discovery.trigger = pagerace_page::Trigger::Markup {
                parent: pagerace_page::ResourceId(0),
                offset: 0,
            };
        }
        requests.push(SurveyedRequest {
            url: (*url).to_owned(),
            host: host.to_owned(),
            status: 200,
            protocol: Some(protocol),
            address: Some((*address).to_owned()),
            fields: fields
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            resource: Some(resource.id),
            ..SurveyedRequest::default()
        });
        page.resources.push(resource);
    }
    page.url.clone_from(&page.resources[0].url);
    Survey { page, requests }
}

fn named(corpus: &Corpus) -> Vec<Option<(&str, Evidence)>> {
    let requests = corpus.pages.iter().flat_map(|page| &page.requests);
    let name = |request: &'_ CorpusRequest| {
        let (name, evidence) = request.provider.as_ref()?;
        Some((Provider::named(name)?.name, *evidence))
    };
    requests.map(name).collect()
}

const CLOUDFLARE: &[(&str, &str)] = &[("cf-ray", "1")];

#[test]
fn the_best_evidence_names_the_provider() {
    let mut one = survey(
        "one",
        &[
            ("https://a.example/", "h2", "192.0.2.1", CLOUDFLARE),
            ("https://fonts.gstatic.com/f", "h3", "192.0.2.2", &[]),
            ("https://b.example/", "h2", "192.0.2.3", &[]),
        ],
    );
    one.requests[2].cdn = Some("Akamai".to_owned());
    let corpus = Corpus::new(vec![one]);
    assert_eq!(
        named(&corpus),
        [
            Some(("Cloudflare", Evidence::Fields)),
            Some(("Google", Evidence::Host)),
            Some(("Akamai", Evidence::Recorder)),
        ]
    );
}

#[test]
fn most_of_its_neighbours_name_the_provider_of_a_request() {
    let known = ("https://a.example/", "h2", "192.0.2.1", CLOUDFLARE);
    let unknown = ("https://a.example/b", "h2", "192.0.2.1", &[][..]);
    let elsewhere = ("https://c.example/", "h2", "192.0.2.1", &[][..]);
    let neighbour = Some(("Cloudflare", Evidence::Neighbour));
    let corpus = Corpus::new(vec![
        survey("one", &[known, known, unknown]),
        survey("two", &[elsewhere]),
    ]);
    assert_eq!(named(&corpus)[2..], [neighbour, neighbour]);
    // One of four is the response of a redirect's target.
    let corpus = Corpus::new(vec![survey("one", &[known, unknown, unknown, unknown])]);
    assert_eq!(named(&corpus)[1..], [None, None, None]);
}

#[test]
fn hosts_that_spoke_or_announced_http3_speak_it() {
    let announces: &[(&str, &str)] = &[("alt-svc", "h2=\":443\", h3-29=\":443\"; ma=9")];
    let other: &[(&str, &str)] = &[("alt-svc", "quic=\":443\"")];
    let corpus = Corpus::new(vec![survey(
        "one",
        &[
            ("https://spoke.example/", "h3", "192.0.2.1", &[]),
            ("https://announced.example/", "h2", "192.0.2.2", announces),
            ("https://quic.example/", "h2", "192.0.2.3", other),
            (
                "https://offers.example/",
                "http/1.1",
                "192.0.2.4",
                CLOUDFLARE,
            ),
            ("http://plain.example/", "http/1.1", "192.0.2.5", CLOUDFLARE),
            ("https://old.example/", "http/1.1", "192.0.2.6", &[]),
        ],
    )]);
    let versions = |which, over| {
        let page = &corpus.pages[0].page;
        let map = corpus.protocols(page, which, over);
        let hosts = page.origins.iter();
        hosts
            .map(|o| map.of_host(&o.host, o.third_party).unwrap().name())
            .collect::<Vec<_>>()
    };
    let (recorded, providers) = (Http3Hosts::Recorded, Http3Hosts::Providers);
    assert_eq!(
        versions(recorded, Over::Http3),
        ["h3", "h3", "h2", "h1", "h1", "h1"]
    );
    assert_eq!(
        versions(recorded, Over::Http2),
        ["h2", "h2", "h2", "h1", "h1", "h1"]
    );
    assert_eq!(
        versions(providers, Over::Http3),
        ["h3", "h3", "h2", "h3", "h1", "h1"]
    );
    assert_eq!(
        versions(providers, Over::Http2),
        ["h2", "h2", "h2", "h2", "h1", "h1"]
    );
}
