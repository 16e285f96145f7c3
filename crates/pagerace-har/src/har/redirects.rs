//! Redirect chains: the target entry of each redirect.

use std::collections::BTreeMap;

use url::Url;

use super::entry::Entry;
use super::filter::is_navigation;
use super::notes::{Kind, Notes};

/// Redirects between entries, as indices.
#[derive(Debug, Default)]
pub(super) struct Redirects {
    /// Target of each entry that redirects.
    pub(super) to: Vec<Option<usize>>,
    /// Source of the redirect to each entry.
    pub(super) from: Vec<Option<usize>>,
}

impl Redirects {
    /// Finds the target of each redirect: the first later request for the target URL that
    /// no other redirect claimed.
    pub(super) fn find(entries: &[Entry], notes: &mut Notes) -> Self {
        let mut waiting: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (i, entry) in entries.iter().enumerate().rev() {
            if let Some(url) = &entry.url {
                waiting
                    .entry(without_fragment(url.clone()))
                    .or_default()
                    .push(i);
            }
        }
        let mut found = Self {
            to: vec![None; entries.len()],
            from: vec![None; entries.len()],
        };
        for (i, entry) in entries.iter().enumerate().filter(|(_, e)| e.redirects()) {
            let target = entry.url.as_ref().zip(entry.redirect.as_deref());
            let target = target.and_then(|(url, redirect)| url.join(redirect).ok());
            let Some(target) = target else { continue };
            let next = waiting
                .get_mut(&without_fragment(target))
                .and_then(|queue| {
                    // The queue is in reverse order, so the next request is the last
                    // match.
                    let at = queue.iter().rposition(|&j| j > i)?;
                    Some(queue.remove(at))
                });
            match next {
                Some(j) => {
                    found.to[i] = Some(j);
                    found.from[j] = Some(i);
                }
                None => notes.add(Kind::LostRedirect),
            }
        }
        found.complete_navigation(entries, notes);
        found
    }

    /// Completes the navigation's redirect chain. If its last redirect has no recorded
    /// target, or the recording has no request for the target, the chain continues with
    /// the next document that may belong to the main frame, because a page cannot end in
    /// a redirect.
    fn complete_navigation(&mut self, entries: &[Entry], notes: &mut Notes) {
        loop {
            let last = self.end(0);
            if !entries[last].has_redirect_status() {
                return;
            }
            let next = (last + 1..entries.len())
                .find(|&i| self.from[i].is_none() && is_navigation(&entries[i], false));
            let Some(next) = next else {
                notes.add(Kind::NoTarget);
                return;
            };
            notes.add(Kind::SilentRedirect);
            self.to[last] = Some(next);
            self.from[next] = Some(last);
        }
    }

    /// Returns the end of the chain that begins at `i`.
    pub(super) fn end(&self, mut i: usize) -> usize {
        // Terminates because targets come later in the list.
        while let Some(next) = self.to[i] {
            i = next;
        }
        i
    }
}

/// Returns the URL without fragment, user name and password, as in the request.
pub(super) fn without_fragment(mut url: Url) -> String {
    url.set_fragment(None);
    // Fails only for URLs that cannot have user names or passwords.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.into()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn redirect(url: &str, to: &str) -> Value {
        json!({"request": {"url": url}, "response": {"status": 302, "redirectURL": to}})
    }

    fn page(url: &str) -> Value {
        json!({"request": {"url": url}, "response": {"status": 200}})
    }

    fn find(values: &[Value]) -> (Redirects, usize) {
        let entries: Vec<_> = values
            .iter()
            .enumerate()
            .map(|(i, v)| Entry::parse(i, v, None))
            .collect();
        let mut notes = Notes::default();
        let found = Redirects::find(&entries, &mut notes);
        (found, notes.into_notes().len())
    }

    #[test]
    fn chains_and_relative_targets() {
        let values = [
            redirect("http://a/", "https://a/x"),
            redirect("https://a/x", "/y#z"),
            page("https://a/y"),
        ];
        let (found, notes) = find(&values);
        assert_eq!(found.to, [Some(1), Some(2), None]);
        assert_eq!(found.from, [None, Some(0), Some(1)]);
        assert_eq!((found.end(0), notes), (2, 0));
    }

    #[test]
    fn two_redirects_to_one_url_claim_one_request_each() {
        let values = [
            redirect("http://a/1", "/t"),
            redirect("http://a/2", "/t"),
            page("http://a/t"),
            page("http://a/t"),
        ];
        assert_eq!(find(&values).0.to, [Some(2), Some(3), None, None]);
    }

    #[test]
    fn a_redirect_to_itself_or_to_nothing_ends_there() {
        let values = [redirect("http://a/", "/"), redirect("http://a/2", "/lost")];
        let (found, notes) = find(&values);
        assert_eq!(found.to, [None, None]);
        assert_eq!(notes, 2, "the redirects, and the navigation");
    }

    #[test]
    fn a_redirect_without_a_target_leads_to_the_next_document() {
        let silent = |url: &str| json!({"request": {"url": url}, "response": {"status": 302}});
        let mut sheet = page("http://a/s.css");
        sheet["_resourceType"] = json!("stylesheet");
        let mut document = page("http://a/home");
        document["_resourceType"] = json!("document");
        let mut frame = document.clone();
        frame["request"]["headers"] = json!([{"name": "Sec-Fetch-Dest", "value": "iframe"}]);
        let values = [
            silent("http://a/"),
            sheet.clone(),
            frame,
            document.clone(),
            document,
        ];
        let (found, notes) = find(&values);
        assert_eq!(found.to, [Some(3), None, None, None, None]);
        assert_eq!((found.end(0), notes), (3, 1));

        let (found, notes) = find(&[silent("http://a/"), sheet]);
        assert_eq!((found.end(0), notes), (0, 1), "nothing follows");
    }
}
