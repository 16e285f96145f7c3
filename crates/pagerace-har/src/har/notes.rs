//! Notes of the importer to the user: one per kind, with a count.

use std::collections::BTreeMap;

use pagerace_page::Note;

/// A decision that the user should know about. The order is that of the report: omitted
/// data, repaired data, substitutes, modelled data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    OtherPages,
    BadUrl,
    BadHost,
    Embedded,
    BrowserInternal,
    NotHttp,
    WebSocket,
    Tunnel,
    InternalRedirect,
    Failed,
    CachedRepeat,
    BeforeNavigation,
    NoDocument,
    SecondNavigation,
    LostRedirect,
    SilentRedirect,
    PlainHttp,
    Pushed,
    Cached,
    Aborted,
    NoTimes,
    NoWait,
    LongThink,
    NoRtt,
    NoBodySize,
    RequestHeaderDefault,
    ResponseHeaderDefault,
    NoProtocol,
    NoAddress,
    NoPriority,
    ForeignPriority,
    UnknownInitiator,
    LateInitiator,
    PositionByLine,
    PositionByOrder,
    ParentByTiming,
    LateInMarkup,
    ParentByRule,
    ScriptModeGuessed,
    ViewportModelled,
    AfterLoad,
    AdsByList,
}

impl Kind {
    /// Returns one sentence about `n` entries.
    fn text(self, n: u32) -> String {
        let entries = if n == 1 {
            "1 entry".to_owned()
        } else {
            format!("{n} entries")
        };
        let s = if n == 1 { "" } else { "s" };
        let requests = format!("{n} request{s}");
        match self {
            Self::OtherPages => {
                format!("{entries} of other pages of the file left out (choose one with --page).")
            }
            Self::BadUrl => format!("{entries} without a usable URL left out."),
            Self::BadHost => format!(
                "{entries} left out because no server has such a host name (with a comma, for \
                 example)."
            ),
            Self::Embedded => {
                format!(
                    "{entries} with data:, blob: or about: URLs left out: they cause no traffic."
                )
            }
            Self::BrowserInternal => {
                format!("{entries} of browser extensions and the browser itself left out.")
            }
            Self::NotHttp => format!("{entries} with a scheme other than http or https left out."),
            Self::Tunnel => format!("{entries} of a proxy's tunnels (CONNECT) left out."),
            Self::WebSocket => format!(
                "{entries} of WebSockets left out: they are not exchanges of request and response."
            ),
            Self::InternalRedirect => format!(
                "{entries} of redirects inside the browser (HSTS, HTTPS upgrades) left out: they \
                 cause no traffic."
            ),
            Self::Failed => format!("{requests} that failed without a response left out."),
            Self::CachedRepeat => format!(
                "{entries} answered by an earlier request for the same URL (cache, preload) left out."
            ),
            Self::BeforeNavigation => format!("{entries} before the navigation left out."),
            Self::NoDocument => {
                "No entry is an HTML document: the first one is taken for the navigation."
                    .to_owned()
            }
            Self::SecondNavigation => format!(
                "{requests} for a further top-level document (a script or the page reloaded) \
                 treated as nested document{s}."
            ),
            Self::LostRedirect => {
                format!("{n} redirect{s} to a URL that the recording never requests end there.")
            }
            Self::SilentRedirect => format!(
                "{n} redirect{s} of the navigation without a recorded target: the next top-level \
                 document is taken for it."
            ),
            Self::PlainHttp => {
                format!("{requests} recorded over plain http raced over HTTP/3 like all others.")
            }
            Self::Pushed => format!(
                "{requests} recorded as server push raced as ordinary requests, with no think time \
                 of the server (a push records none)."
            ),
            Self::Cached => format!(
                "{requests} recorded from a cache raced as if not cached; body size: the decoded \
                 size stands in for the encoded one."
            ),
            Self::Aborted => format!(
                "{requests} cut off before the announced length: the bytes that were transferred count."
            ),
            Self::NoTimes => format!(
                "{requests} without usable times: discovery, think time and load order follow fixed \
                 rules."
            ),
            Self::NoWait => format!("{requests} without a recorded wait: think time 0 stands in."),
            Self::LongThink => format!(
                "{requests} for which the recorded server took more than 10 s: taken as recorded; \
                 all results include that wait."
            ),
            Self::NoRtt => format!(
                "{requests} to origins without a recorded handshake: the median round trip of the \
                 page (0 if there is none) is taken off the wait."
            ),
            Self::NoBodySize => format!(
                "{requests} without a recorded encoded size: the decoded size, or 0, stands in."
            ),
            Self::RequestHeaderDefault => {
                format!("{requests} without request headers: 936 bytes stand in.")
            }
            Self::ResponseHeaderDefault => {
                format!("{requests} without response headers: 505 bytes stand in.")
            }
            Self::NoProtocol => format!("{requests} without a recorded HTTP version."),
            Self::NoAddress => {
                format!("{requests} without a server address: their origins share no connection.")
            }
            Self::NoPriority => {
                format!("{requests} without Chromium's priority: inferred from type and position.")
            }
            Self::ForeignPriority => format!(
                "{requests} with another browser's priority words: Chromium's are inferred instead."
            ),
            Self::UnknownInitiator => format!(
                "{requests} whose recorded initiator is not among the requests before: discovery \
                 inferred instead."
            ),
            Self::LateInitiator => format!(
                "{requests} whose recorded initiator was complete only later: executed as soon as \
                 complete."
            ),
            Self::PositionByLine => format!(
                "{requests} found by a parser at a known line of a document whose body is not in \
                 the recording: the byte position is the line's share, bounded by the time of the \
                 request."
            ),
            Self::PositionByOrder => format!(
                "{requests} found by a parser at an unknown position: the byte position is taken \
                 from order and time of the requests."
            ),
            Self::ParentByTiming => {
                format!("{requests} without an initiator: discovery inferred from times.")
            }
            Self::LateInMarkup => format!(
                "{requests} recorded as the parser's, but made long after it was done: discovery \
                 inferred from times."
            ),
            Self::ParentByRule => {
                format!("{requests} with neither initiator nor times: discovery by a fixed rule.")
            }
            Self::ScriptModeGuessed => format!(
                "{n} script{s} whose markup is not recorded: blocking, async or deferred guessed \
                 from priority, position and origin."
            ),
            Self::ViewportModelled => format!(
                "{n} image{s}: nothing recorded says which lie in the first viewport; the first few \
                 of the document are taken (modelled)."
            ),
            Self::AfterLoad => {
                format!(
                    "{requests} begun or finished after the recorded load event do not delay it."
                )
            }
            Self::AdsByList => {
                format!("{requests} classified as advertisement or analytics by a built-in list.")
            }
        }
    }
}

/// Counts of each kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes(BTreeMap<Kind, u32>);

impl Notes {
    /// Counts one entry of this kind.
    pub(super) fn add(&mut self, kind: Kind) {
        self.add_many(kind, 1);
    }

    /// Counts `n` entries of this kind.
    pub(super) fn add_many(&mut self, kind: Kind, n: usize) {
        if n > 0 {
            let count = self.0.entry(kind).or_default();
            *count = count.saturating_add(u32::try_from(n).unwrap_or(u32::MAX));
        }
    }

    /// Converts the counts to the notes of a page.
    pub(super) fn into_notes(self) -> Vec<Note> {
        let note = |(kind, entries): (Kind, u32)| Note {
            text: kind.text(entries),
            entries,
        };
        self.0.into_iter().map(note).collect()
    }
}
