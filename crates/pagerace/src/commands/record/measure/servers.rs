//! What a page that Chromium loaded from this machine lacks of the recorded servers.

use pagerace_page::{Origin, Page};

/// Gives the origins of `page` the addresses, distances, versions of HTTP and shared connections
/// that they have in `recorded`, and its responses their think times.
pub(super) fn take(page: &mut Page, recorded: &Page) {
    // All is served as https.
    let same = |origin: &Origin| {
        let of_host = |other: &&Origin| other.host == origin.host;
        let of_host = recorded.origins.iter().filter(of_host);
        of_host.max_by_key(|other| other.port == origin.port)
    };
    // The group in the recording, if the origin is in it.
    let mut groups: Vec<Option<u32>> = Vec::new();
    let mut count = 0;
    let mut numbers: Vec<u32> = Vec::new();
    for origin in &mut page.origins {
        let known = same(origin);
        let group = known.map(|known| known.connection_group);
        let earlier = groups.iter().position(|g| group.is_some() && *g == group);
        let number = earlier.map_or(count, |at| numbers[at]);
        count += u32::from(earlier.is_none());
        groups.push(group);
        numbers.push(number);
        origin.connection_group = number;
        if let Some(known) = known {
            origin.address.clone_from(&known.address);
            origin.recorded_rtt = known.recorded_rtt;
            origin.protocol.clone_from(&known.protocol);
        }
    }
    let rest = |url: &str| url.split_once("://").map(|(_, rest)| rest.to_owned());
    for resource in &mut page.resources {
        let url = rest(&resource.url);
        let mut all = recorded.resources.iter();
        let known = all.find(|r| r.method == resource.method && rest(&r.url) == url);
        if let Some(known) = known {
            resource.think_time = known.think_time;
        }
    }
}

#[cfg(test)]
mod tests {
    use pagerace_core::Duration;
    use pagerace_har::ImportOptions;
    use serde_json::{Value, json};

    use super::{Page, take};

    fn page(scheme: &str, hosts: &[&str]) -> Page {
        let entry = |host: &&str| -> Value {
            json!({"request": {"method": "GET", "url": format!("{scheme}://{host}/")},
                "response": {"status": 200, "content": {"size": 9, "mimeType": "text/html"}}})
        };
        let entries: Vec<Value> = hosts.iter().map(entry).collect();
        let har = json!({"log": {"version": "1.2", "entries": entries}}).to_string();
        pagerace_har::from_bytes("a.har", har.as_bytes(), &ImportOptions::default())
            .expect("a page")
    }

    #[test]
    fn servers_are_those_of_the_recording() {
        let mut recorded = page("http", &["a.test", "b.test", "c.test"]);
        for (origin, group) in recorded.origins.iter_mut().zip([0, 1, 0]) {
            origin.connection_group = group;
            origin.recorded_rtt = Some(Duration::from_millis(20 + u64::from(group)));
            origin.protocol = Some("h3".to_owned());
        }
        recorded.resources[2].think_time = Duration::from_millis(70);
        let mut shown = page("https", &["a.test", "new.test", "c.test", "b.test"]);
        take(&mut shown, &recorded);
        let groups: Vec<u32> = shown.origins.iter().map(|o| o.connection_group).collect();
        assert_eq!(groups, [0, 1, 0, 2]);
        let far: Vec<_> = shown.origins.iter().map(|o| o.recorded_rtt).collect();
        let ms = |ms| Some(Duration::from_millis(ms));
        assert_eq!(far, [ms(20), None, ms(20), ms(21)]);
        assert_eq!(shown.origins[3].protocol.as_deref(), Some("h3"));
        assert_eq!(shown.resources[2].think_time, Duration::from_millis(70));
        assert_eq!(shown.check(), Ok(()));
    }
}
