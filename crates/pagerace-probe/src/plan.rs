//! From a survey of the objects to the scripts of a probe.

use pagerace_core::{Destination, Duration, Protocol, RequestPriority, ScriptMode};
use pagerace_delivery::Facts;
use pagerace_peer::server::UNKNOWN;

use crate::find::Found;
use crate::gate::{Brake, Pace};
use crate::http2::WINDOW;
use crate::player::{Job, Limits, Target};
use crate::probe::Used;
use crate::script::{Ask, Kind, Moment, STREAMS, Script};
use crate::trace::{End, Head, Trace};

/// Highest rate at which the client reads, in bytes per second: 4 Mbit/s, which paths exceed.
const RATE: u64 = 500_000;

/// Least and largest queue of the client in bytes.
const QUEUE: (u64, u64) = (24_000, 96_000);

/// Bytes that a script requests of each object: about forty packets, so that a turn of ten
/// packets can be told from a whole response.
pub(crate) const PART: u64 = 54_000;

/// Smallest usable object in bytes.
pub(crate) const OBJECT_MIN: u64 = 12_000;

/// Most primers of a script.
const PRIMERS_MAX: usize = 4;

/// Limits of a whole probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Most requests.
    pub requests: usize,
    /// Most bytes, counted as [`Trace::counted`] does.
    pub bytes: u64,
    /// Longest time.
    pub time: Duration,
}

impl Default for Budget {
    /// A third more than a probe of six objects needs on a slow path.
    fn default() -> Self {
        Self {
            requests: 100,
            bytes: 6_000_000,
            time: Duration::from_secs(60),
        }
    }
}

/// An object, as the survey found it.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// `:path`.
    pub path: String,
    /// Size in bytes.
    pub length: u64,
    /// True if the server answers requests for ranges.
    pub ranges: bool,
    /// `content-type`, without parameters.
    pub media_type: String,
    /// `server`.
    pub server: String,
    /// Time from the request to the head, less the round trip.
    pub think_time: Duration,
}

/// Error of a survey.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The survey did not end as it should.
    #[error("the objects could not be looked at: {0}")]
    Survey(String),
    /// The server redirects.
    #[error("{path} is answered with {status} and leads to {location:?}; probe that URL instead")]
    Elsewhere {
        /// `:path`.
        path: String,
        /// `:status`.
        status: u16,
        /// `location`.
        location: String,
    },
    /// The answer has no content.
    #[error("{path} is answered with {status}; give the URL of an object that exists")]
    Status {
        /// `:path`.
        path: String,
        /// `:status`.
        status: u16,
    },
    /// The size is unknown.
    #[error("the answer to {path} does not say how long it is; give the URL of a file")]
    Length {
        /// `:path`.
        path: String,
    },
    /// The object is too small to see an order of its bytes.
    #[error(
        "{path} has {length} bytes; give an object of at least {OBJECT_MIN}, better {} bytes",
        PART
    )]
    Small {
        /// `:path`.
        path: String,
        /// Size in bytes.
        length: u64,
    },
    /// The object is a page that is too small, or whose size is unknown.
    #[error(
        "{path} is a page {}; give objects of at least {OBJECT_MIN} bytes, or this URL alone to \
         probe objects that the page refers to",
        length.map_or("of unknown size".to_owned(), |length| format!("of {length} bytes"))
    )]
    Page {
        /// `:path`.
        path: String,
        /// Size in bytes, if it is known.
        length: Option<u64>,
    },
    /// Objects should be found on something that is no page.
    #[error("{path} is no page, but {media_type:?}; leave out --find")]
    NoPage {
        /// `:path`.
        path: String,
        /// `content-type`.
        media_type: String,
    },
    /// The page refers to no object that can be probed.
    #[error("{}; give the URL of an object of at least {least} bytes", found.nothing())]
    Nothing {
        /// References of the page.
        found: Box<Found>,
        /// Smallest usable object in bytes.
        least: u64,
    },
    /// The probe would need more requests than it may send.
    #[error("the probe needs {needed} requests and may send {allowed}; allow more with --requests")]
    Requests {
        /// Requests that the probe needs.
        needed: usize,
        /// Requests that it may send.
        allowed: usize,
    },
}

/// Returns the job that looks at the objects: one request for the first byte of each.
pub fn survey(paths: &[String], budget: &Budget, protocol: Protocol) -> Job {
    let ask = |target| Ask {
        target,
        at: Moment::Open,
        ranked: false,
        field: None,
        updates: Vec::new(),
        dependency: None,
    };
    let target = |path: &String| Target {
        path: path.clone(),
        range: Some(1),
        length: 1,
    };
    Job {
        script: Script {
            name: "survey",
            asks: (0..paths.len()).map(ask).collect(),
        },
        targets: paths.iter().map(target).collect(),
        brake: match protocol {
            Protocol::H2 => Brake::Window,
            _ => Brake::Queue(Pace {
                rate: u64::from(u32::MAX),
                queue: QUEUE.1 as u32,
            }),
        },
        heads_only: true,
        keeps_content: false,
        rtt: Duration::ZERO,
        limits: Limits {
            bytes: budget.bytes,
            time: Duration::from_secs(10).min(budget.time),
        },
    }
}

/// Returns the objects that a survey of `paths` found.
///
/// # Errors
/// Returns an error if the survey failed or an object cannot be used.
pub fn objects(paths: &[String], survey: &Trace) -> Result<Vec<Object>, PlanError> {
    match &survey.end {
        End::Complete => {}
        End::Limit(what) => {
            let reason = format!("the server did not answer within the limit of {what}");
            return Err(PlanError::Survey(reason));
        }
        End::Failed(reason) => return Err(PlanError::Survey(reason.clone())),
    }
    let each = paths.iter().zip(&survey.heads);
    each.map(|(path, head)| object(path, head.as_ref(), survey.connect))
        .collect()
}

/// Returns the object whose head arrived over a path of this round trip.
pub(crate) fn object(path: &str, head: Option<&Head>, rtt: Duration) -> Result<Object, PlanError> {
    let path = path.to_owned();
    let Some(head) = head else {
        return Err(PlanError::Survey(format!("{path} was not answered")));
    };
    let status = head.status;
    if !head.location.is_empty() && (300..400).contains(&status) {
        let location = head.location.clone();
        return Err(PlanError::Elsewhere {
            path,
            status,
            location,
        });
    }
    if status != 206 && status != 200 {
        return Err(PlanError::Status { path, status });
    }
    let length = head.size();
    if head.is_page() && length.is_none_or(|length| length < OBJECT_MIN) {
        return Err(PlanError::Page { path, length });
    }
    let Some(length) = length else {
        return Err(PlanError::Length { path });
    };
    if length < OBJECT_MIN {
        return Err(PlanError::Small { path, length });
    }
    Ok(Object {
        path,
        length,
        ranges: status == 206,
        media_type: head.media_type.clone(),
        server: head.server.clone(),
        think_time: head.after.saturating_sub(rtt),
    })
}

/// Returns the rate and queue of a client that is slower than its path.
pub fn pace(rtt: Duration) -> Pace {
    // A queue of more than the bandwidth-delay product stays busy when a congestion
    // controller has reduced its window.
    let needed = rtt.mul_f64(1.5) + Duration::from_millis(30);
    let queue = (RATE as f64 * needed.as_secs_f64()) as u64;
    let queue = queue.clamp(QUEUE.0, QUEUE.1);
    let rate = (queue as f64 / needed.as_secs_f64()) as u64;
    Pace {
        rate: rate.min(RATE),
        queue: queue as u32,
    }
}

/// Returns the jobs of a probe, in the order in which they are played. They share what `used`
/// leaves of the bytes and the time of `budget`.
///
/// # Errors
/// Returns an error if the jobs need more requests than allowed.
pub fn jobs(
    objects: &[Object],
    rtt: Duration,
    budget: &Budget,
    used: &Used,
    protocol: Protocol,
) -> Result<Vec<Job>, PlanError> {
    let queue = pace(rtt);
    // The primers keep the path full while the other requests travel to the server, and while
    // the server's congestion controller finds the rate. Over HTTP/2, they use up the window.
    let (brake, fill, primers_max) = match protocol {
        Protocol::H2 => (Brake::Window, WINDOW, usize::MAX),
        _ => (Brake::Queue(queue), u64::from(queue.queue) * 3, PRIMERS_MAX),
    };
    let target = |object: &Object, most: u64| Target {
        path: object.path.clone(),
        range: object.ranges.then(|| object.length.min(most)),
        length: object.length.min(most),
    };
    let mut targets: Vec<Target> = objects.iter().map(|o| target(o, PART)).collect();
    let largest = objects.iter().max_by_key(|o| o.length);
    targets.extend(largest.map(|o| target(o, fill)));
    let primer = targets.last().map_or(fill, |t| t.length);
    let primers = (fill.div_ceil(primer) as usize).min(primers_max);
    let kinds = Kind::ALL
        .into_iter()
        .filter(|kind| kind.suits(protocol, objects.len()));
    let scripts: Vec<Script> = kinds
        .map(|kind| kind.script(objects.len(), primers))
        .collect();
    let needed = used.requests + scripts.len() * (STREAMS + primers);
    if needed > budget.requests {
        let allowed = budget.requests;
        return Err(PlanError::Requests { needed, allowed });
    }
    let share = scripts.len() as u64;
    let left = used.left(budget);
    let job = |script| Job {
        script,
        targets: targets.clone(),
        brake,
        heads_only: false,
        keeps_content: false,
        rtt,
        limits: Limits {
            bytes: left.bytes / share,
            time: Duration::from_nanos(left.time.as_nanos() / share),
        },
    };
    Ok(scripts.into_iter().map(job).collect())
}

/// Returns the facts that a server which knows its site would know of an object: Chromium's
/// class for its type, as in a page that uses it in the head.
pub fn facts(media_type: &str) -> Facts {
    use Destination as D;
    use RequestPriority as P;
    let of = |destination, class, render_blocking| Facts {
        destination,
        script_mode: ScriptMode::Blocking,
        class,
        render_blocking,
        served: None,
    };
    let (kind, subtype) = media_type.split_once('/').unwrap_or((media_type, ""));
    match (kind, subtype) {
        ("text", "html") | ("application", "xhtml+xml") => of(D::Document, P::VeryHigh, true),
        ("text", "css") => of(D::Style, P::VeryHigh, true),
        (_, "javascript" | "x-javascript" | "ecmascript") => of(D::Script, P::High, true),
        ("font", _) => of(D::Font, P::VeryHigh, false),
        ("image", _) => of(D::Image, P::Low, false),
        ("audio" | "video", _) => of(D::Media, P::Low, false),
        (_, "json") => of(D::Fetch, P::High, false),
        _ => UNKNOWN,
    }
}
