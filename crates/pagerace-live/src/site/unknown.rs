//! Requests for resources that a site does not have.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use pagerace_peer::Request;

/// Maximum number of stored requests.
const REMEMBERED_MAX: usize = 1_000;

/// Maximum length of a stored request, in characters.
const LENGTH_MAX: usize = 2_000;

/// A set of requests that clones share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unknown(Arc<Mutex<BTreeSet<String>>>);

impl Unknown {
    pub(crate) fn note(&self, request: &Request) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (method, host) = (text(&request.method), text(&request.authority));
        let url = format!("{method} https://{host}{}", text(&request.path));
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < REMEMBERED_MAX {
            all.insert(url.chars().take(LENGTH_MAX).collect());
        }
    }

    /// Returns the requests in the form `GET https://host/path`, in alphabetical order.
    pub(crate) fn list(&self) -> Vec<String> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().cloned().collect()
    }
}
