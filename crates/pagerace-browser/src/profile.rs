//! The browsers whose request behaviour is modelled.
//!
//! Each browser has its own file with everything that differs, and the sources.

mod chrome;
mod firefox;
mod safari;

use std::fmt;

use pagerace_core::{Destination, Duration, Priority, RequestPriority, ScriptMode, Words};
use pagerace_page::{Page, Resource, Trigger};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::requests::InFlight;

/// A browser: its priority signals, the requests that it holds back, and its threads.
pub struct Profile {
    /// The name in a scenario.
    pub name: &'static str,
    /// The name of the browser.
    pub title: &'static str,
    /// A one-sentence summary.
    pub summary: &'static str,
    /// The documentation or measurement of the browser's behaviour.
    pub source: &'static str,
    /// A word that identifies the browser in the creator of a recording, in lower case.
    pub creator: Option<&'static str>,
    /// True if live loads in this browser have measured the error of the model.
    pub measured: bool,
    /// True if frames of other sites run on their own threads.
    pub isolates_sites: bool,
    /// True if frames of other sites use connections and looked-up names of their own.
    pub partitions_frames: bool,
    /// The time after the document's start within which asynchronous and inserted scripts of
    /// other sites run as tasks of low priority, if they ever do.
    pub low_priority_scripts: Option<Duration>,
    /// True if the preload scanner reads every part of a document when it arrives. Otherwise it
    /// reads the first part, and later ones only when the parser has to wait.
    pub scans_ahead: bool,
    /// True if Chromium's limits on requests over HTTP/1.1 apply (`requests/delayable.rs`).
    pub limits_http1: bool,
    /// True if the browser asks the system for a name that its own resolver does not find, and
    /// looks the name up for QUIC first, where it speaks QUIC, and then for TCP.
    pub asks_system: bool,
    /// The time after which the browser opens another connection to a server if the first one
    /// over TCP is still not established, look-up of the name included.
    pub backup_connection: Option<Duration>,
    /// True if the browser requests what a 103 response preloads. Otherwise, it only connects.
    pub early_preloads: bool,
    /// The time for which fonts that the head preloads hold the first frame at most, once nothing
    /// else does.
    pub font_preloads_hold: Option<Duration>,
    /// True if the browser rarely acknowledges QUIC packets after the first hundred of a
    /// connection.
    pub decimates_acks: bool,
    /// Returns the priority signal of a request in this priority class.
    pub signal: fn(&Resource, RequestPriority) -> Priority,
    /// Returns the signal of a request that is raised to `High`: for an image when layout
    /// finds it in the viewport, for a script when a parser waits for it. Returns `None` if
    /// this browser does not raise the request.
    pub raised: fn(&Resource) -> Option<Priority>,
    /// Returns the priority class of each resource when it is first requested, in page order.
    ///
    /// Recordings contain the final class of a request. Images in the viewport are raised
    /// after layout, so their first class was lower. The slice tells which resources are
    /// in the head; an image in the head is a preload.
    pub(crate) first_classes: fn(&Page, &[bool]) -> Vec<RequestPriority>,
    /// Returns the class of a request whose element the parser reaches before the preload scanner,
    /// given the class of [`first_classes`](Self::first_classes).
    pub(crate) unscanned: fn(&Resource, RequestPriority) -> RequestPriority,
    /// Returns true if the browser may hold the request back, given its class and its
    /// presence in the head.
    pub(crate) may_wait: fn(&Resource, RequestPriority, bool) -> bool,
    /// Returns true if the request counts as a leader, for which others may wait.
    pub(crate) leads: fn(&Resource, RequestPriority) -> bool,
    /// Returns true if a request of this class that may wait need not wait now.
    pub(crate) may_start: fn(&InFlight, RequestPriority) -> bool,
}

/// All profiles in the order in which they are listed to users.
impl Words for &'static Profile {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        entry(Profile::CHROME),
        entry(Profile::FIREFOX),
        entry(Profile::SAFARI),
    ];
}

const fn entry(profile: &'static Profile) -> (&'static Profile, &'static str, &'static str) {
    (profile, profile.name, profile.title)
}

impl Profile {
    /// Returns all profiles in the order in which they are listed to users.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        <&Self>::WORDS.iter().map(|word| word.0)
    }
}

impl PartialEq for Profile {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Serialize for Profile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl<'de> Deserialize<'de> for &'static Profile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::of_word(&name).ok_or_else(|| {
            let names: Vec<&str> = Profile::all().map(|profile| profile.name).collect();
            let names = names.join("`, `");
            de::Error::custom(format!(
                "unknown variant `{name}`, expected one of `{names}`"
            ))
        })
    }
}

/// Returns the recorded classes, except that images in the viewport start low.
fn recorded_classes(page: &Page, _in_head: &[bool]) -> Vec<RequestPriority> {
    let first = |resource: &Resource| match resource.destination {
        Destination::Image if resource.in_viewport => RequestPriority::Low.max(resource.priority),
        _ => resource.priority,
    };
    page.resources.iter().map(first).collect()
}

/// Returns true if no leader is in flight.
const fn after_leaders(in_flight: &InFlight, _class: RequestPriority) -> bool {
    in_flight.leaders == 0
}

/// Returns true if the resource is a parser-blocking script that precedes the body.
fn is_head_script(resource: &Resource, class: RequestPriority) -> bool {
    resource.destination == Destination::Script
        && resource.script_mode == ScriptMode::Blocking
        && class <= RequestPriority::High
        && matches!(
            resource.discovery.trigger,
            Trigger::Markup { .. } | Trigger::Redirect { .. }
        )
}

#[cfg(test)]
mod tests;
