//! Notes of the importer to the user: one per kind, with a count.

use std::collections::BTreeMap;

use pagerace_page::Note;

/// Defines the kinds, each with a sentence about its entries. In it, `{entries}` and `{requests}`
/// stand for a number with its noun, `{n}` for the number, and `{s}` for the ending of a plural.
macro_rules! kinds {
    ($($kind:ident = $text:literal,)+) => {
        /// A decision that the user should know about. The order is that of the report: omitted
        /// data, repaired data, substitutes, modelled data.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Kind {
            $($kind),+
        }

        impl Kind {
            const fn sentence(self) -> &'static str {
                match self {
                    $(Self::$kind => $text),+
                }
            }
        }
    };
}

kinds! {
    NoDocument = "No navigation is recorded: the requests are only transferred, and nothing is \
        painted. The last response stands for the load event.",
    OtherPages = "{entries} of other pages of the file left out (choose one with --page).",
    BadUrl = "{entries} without a usable URL left out.",
    BadHost = "{entries} left out because no server has such a host name (with a comma, for \
        example).",
    Embedded = "{entries} with data:, blob: or about: URLs left out: they cause no traffic.",
    BrowserInternal = "{entries} of browser extensions and the browser itself left out.",
    NotHttp = "{entries} with a scheme other than http or https left out.",
    WebSocket = "{entries} of WebSockets left out: they are not exchanges of request and response.",
    Tunnel = "{entries} of a proxy's tunnels (CONNECT) left out.",
    InternalRedirect = "{entries} of redirects inside the browser (HSTS, HTTPS upgrades) left \
        out: they cause no traffic.",
    Failed = "{requests} that failed without a response left out.",
    CachedRepeat = "{entries} answered by an earlier request for the same URL (cache, preload) \
        left out.",
    AfterEnd = "{requests} left out that began when the page was complete (after 5 s without a request, or \
        a minute after its load event) or were unanswered a minute after it: users and timers ask for \
        them, not the load.",
    BeforeNavigation = "{entries} before the navigation left out.",
    SecondNavigation = "{requests} for a further top-level document (a script or the page \
        reloaded) treated as nested document{s}.",
    LostRedirect = "{n} redirect{s} to a URL that the recording never requests end there.",
    NoTarget = "The navigation ends in a redirect, to itself or to a URL that the recording lacks: the \
        redirect is taken for the document.",
    SilentRedirect = "{n} redirect{s} of the navigation without a recorded target: the next \
        top-level document is taken for it.",
    PlainHttp = "{requests} recorded over plain http raced over HTTP/3 like all others.",
    Pushed = "{requests} recorded as server push raced as ordinary requests, with no think time \
        of the server (a push records none).",
    Cached = "{requests} recorded from a cache raced as if not cached; body size: the decoded \
        size stands in for the encoded one.",
    CopiedSize = "{n} redirect{s} with the sizes of the target: the body counts as empty.",
    ServiceWorker = "{requests} of the page that a service worker passed on: the page's entry and \
        the worker's are one transfer.",
    Aborted = "{requests} cut off before the announced length: the bytes that were transferred \
        count.",
    NoTimes = "{requests} without usable times: discovery, think time and load order follow fixed \
        rules.",
    PageStart = "The start of the page is more than an hour away from its first request: times count \
        from that.",
    BadStatus = "{requests} without a status that HTTP has (100 to 599): raced with the recorded bytes.",
    NoWait = "{requests} without a recorded wait: think time 0 stands in.",
    LongThink = "{requests} for which the recorded server took more than 10 s: all results \
        include what the recording's network does not explain of it.",
    QueueInWait = "{requests} over HTTP/1.1 with the browser's queue for one of six connections in the \
        recorded wait: the queue is taken off.",
    NoRtt = "{requests} to origins without a recorded handshake: the median round trip of the \
        page (0 if there is none) is taken off the wait.",
    NoBodySize = "{requests} without a recorded encoded size: the decoded size, or 0, stands in; it \
        may be several times too large.",
    RequestHeaderDefault = "{requests} without request headers: 936 bytes stand in.",
    ResponseHeaderDefault = "{requests} without response headers: 505 bytes stand in.",
    NoProtocol = "{requests} without a recorded HTTP version.",
    NoAddress = "{requests} without a server address: their origins share no connection.",
    NoPriority = "{requests} without Chromium's priority: inferred from type and position.",
    ForeignPriority = "{requests} with another browser's priority words: Chromium's are inferred \
        instead.",
    UnknownInitiator = "{requests} whose recorded initiator is not among the requests before: \
        discovery inferred instead.",
    LateInitiator = "{requests} whose recorded initiator was complete only later: executed as \
        soon as complete.",
    PositionByLine = "{requests} found by a parser at a known line of a document whose body is \
        not in the recording: the byte position is the line's share, bounded by the time of the \
        request.",
    PositionByOrder = "{requests} found by a parser at an unknown position: the byte position is \
        taken from order and time of the requests.",
    ParentByTiming = "{requests} without an initiator: discovery inferred from times.",
    LateInMarkup = "{requests} recorded as the parser's, but made long after it was done: \
        discovery inferred from times.",
    ParentByRule = "{requests} with neither initiator nor times: discovery by a fixed rule.",
    ScriptModeGuessed = "{n} script{s} whose markup is not recorded: blocking, async or deferred \
        guessed from priority, position and origin.",
    ViewportModelled = "{n} image{s}: nothing recorded says which lie in the first viewport; the \
        first few of the document are taken (modelled).",
    AfterLoad = "{requests} begun or finished after the recorded load event do not delay it.",
    AdsByList = "{requests} classified as advertisement or analytics by a built-in list.",
}

impl Kind {
    /// Returns the sentence about `n` entries.
    fn text(self, n: u32) -> String {
        let (entries, s) = if n == 1 {
            ("entry", "")
        } else {
            ("entries", "s")
        };
        self.sentence()
            .replace("{entries}", &format!("{n} {entries}"))
            .replace("{requests}", &format!("{n} request{s}"))
            .replace("{n}", &n.to_string())
            .replace("{s}", s)
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
