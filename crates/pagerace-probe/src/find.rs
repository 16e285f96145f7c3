//! Finds objects to probe on a page.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use pagerace_core::{Duration, Protocol};
use url::Url;

use crate::plan::{self, Budget, OBJECT_MIN, Object, PART, PlanError};
use crate::player::{Job, Limits};
use crate::probe::ProbeError;
use crate::script::STREAMS;
use crate::trace::{End, Head, Trace};

/// Most bytes of a page that are read. The rest of a longer page is not looked at.
pub const PAGE_MAX: u64 = 256_000;

/// Most objects of a page whose sizes are asked for: with them, a probe of objects of 54 kB still
/// needs fewer than 100 requests.
pub const LOOKED_MAX: usize = 16;

/// Most bytes that arrive while sizes are asked for. Servers that ignore ranges send whole objects.
pub const SIZES_MAX: u64 = 500_000;

/// Longest `:path` that is requested, in bytes.
const PATH_MAX: usize = 2_000;

/// Objects that a probe requests, or the place to find them.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// The objects with these values of `:path`.
    Objects(&'a [String]),
    /// The object of a URL. If it is a page that cannot be probed itself, objects that it refers
    /// to.
    Url(&'a Url),
    /// Objects that the page of a URL refers to.
    Page(&'a Url),
}

/// Which objects of a page suit a probe.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suit {
    /// Most objects.
    most: usize,
    /// Smallest object in bytes.
    least: u64,
}

/// Objects for a probe of the order of responses.
pub(crate) const ORDER: Suit = Suit {
    most: STREAMS,
    least: OBJECT_MIN,
};

/// An object for a probe of the congestion controller. With the requests that find it, smaller
/// ones need more than 100.
pub(crate) const CONGESTION: Suit = Suit {
    most: 1,
    least: 80_000,
};

/// References of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// `:path` of the page.
    pub page: String,
    /// Number of different objects of the page's own host and port.
    pub own: usize,
    /// Number of different objects of other hosts and ports, which are not contacted.
    pub others: usize,
    /// One of the other hosts.
    pub other: Option<String>,
    /// The own objects whose sizes were asked for: `:path`, and the size in bytes if the server
    /// answered and said it.
    pub looked: Vec<(String, Option<u64>)>,
}

/// The objects to probe.
pub(crate) struct Look {
    pub(crate) objects: Vec<Object>,
    pub(crate) found: Option<Found>,
    /// The trace in which the objects' heads arrived.
    pub(crate) survey: Trace,
}

/// Surveys the objects of a subject. `play` plays a job on a new connection.
pub(crate) fn look<E>(
    subject: Subject<'_>,
    suit: Suit,
    protocol: Protocol,
    budget: &Budget,
    mut play: impl FnMut(&Job) -> Result<Trace, ProbeError<E>>,
) -> Result<Look, ProbeError<E>> {
    let single;
    let (paths, url) = match subject {
        Subject::Objects(paths) => (paths, None),
        Subject::Url(url) | Subject::Page(url) => {
            single = [path(url)];
            (&single[..], Some(url))
        }
    };
    let survey = play(&plan::survey(paths, budget, protocol))?;
    let objects = plan::objects(paths, &survey);
    let head = survey.heads.first().and_then(Option::as_ref);
    let page = match (&objects, subject) {
        (Err(PlanError::Page { .. }), _) => url,
        (Ok(_) | Err(PlanError::Length { .. } | PlanError::Small { .. }), Subject::Page(url)) => {
            if let Some(head) = head.filter(|head| !head.is_page()) {
                let (path, media_type) = (path(url), head.media_type.clone());
                return Err(PlanError::NoPage { path, media_type }.into());
            }
            Some(url)
        }
        _ => None,
    };
    let Some(url) = page else {
        return Ok(Look {
            objects: objects?,
            found: None,
            survey,
        });
    };
    let trace = play(&page_job(url, survey.connect, budget, protocol))?;
    let html = content(url, &trace)?;
    let (mut found, paths) = references(&html, url);
    let mut job = plan::survey(&paths, budget, protocol);
    job.limits.bytes = SIZES_MAX;
    // A script without requests would never end.
    let survey = if paths.is_empty() { trace } else { play(&job)? };
    // One object that is reset ends the script. The others may have their heads by then.
    if let End::Failed(reason) = &survey.end
        && survey.heads.iter().all(Option::is_none)
    {
        return Err(PlanError::Survey(reason.clone()).into());
    }
    let heads = || paths.iter().zip(&survey.heads);
    let size = |(path, head): (&String, &Option<Head>)| {
        let good = head
            .as_ref()
            .filter(|head| matches!(head.status, 200 | 206));
        (path.clone(), good.and_then(Head::size))
    };
    found.looked = heads().map(size).collect();
    let objects = heads()
        .filter_map(|(path, head)| plan::object(path, head.as_ref(), survey.connect).ok())
        .filter(|object| object.length >= suit.least);
    let objects = choose(objects.collect(), suit.most);
    if objects.is_empty() {
        let (found, least) = (Box::new(found), suit.least);
        return Err(PlanError::Nothing { found, least }.into());
    }
    Ok(Look {
        objects,
        found: Some(found),
        survey,
    })
}

/// Returns `:path` of a URL: the path and the query.
pub fn path(url: &Url) -> String {
    let query = url.query().map(|query| format!("?{query}"));
    format!("{}{}", url.path(), query.unwrap_or_default())
}

/// Returns the job that fetches a page.
fn page_job(url: &Url, rtt: Duration, budget: &Budget, protocol: Protocol) -> Job {
    let mut job = plan::survey(&[path(url)], budget, protocol);
    job.script.name = "page";
    // Over HTTP/2, only responses that are ranked have a window.
    job.script.asks[0].ranked = true;
    job.targets[0].range = None;
    job.targets[0].length = PAGE_MAX;
    job.limits = Limits {
        bytes: PAGE_MAX,
        ..job.limits
    };
    Job {
        heads_only: false,
        keeps_content: true,
        rtt,
        ..job
    }
}

/// Returns the content of a page, as far as it arrived.
fn content(url: &Url, trace: &Trace) -> Result<String, PlanError> {
    let path = path(url);
    match (&trace.end, &trace.heads[0]) {
        (End::Failed(reason), _) => Err(PlanError::Survey(reason.clone())),
        (_, Some(head)) if head.status == 200 => {
            Ok(String::from_utf8_lossy(&trace.content).into_owned())
        }
        (_, Some(head)) => Err(PlanError::Status {
            path,
            status: head.status,
        }),
        (_, None) => Err(PlanError::Survey(format!("{path} was not answered"))),
    }
}

/// Returns the references of a page, and the objects whose sizes to ask for.
pub fn references(html: &str, page: &Url) -> (Found, Vec<String>) {
    let mut found = Found {
        page: path(page),
        ..Found::default()
    };
    let mut seen = BTreeSet::new();
    let mut own = Vec::new();
    for (destination, url) in pagerace_har::references(html, page) {
        // With a user's name, a path would count as another object.
        let names_user = !url.username().is_empty() || url.password().is_some();
        let is_known = &url == page || !seen.insert(url.clone());
        if path(&url).len() > PATH_MAX || names_user || is_known {
            continue;
        }
        if url.origin() == page.origin() {
            own.push((destination, path(&url)));
        } else if matches!(url.scheme(), "http" | "https") {
            found.others += 1;
            let host = || url.host_str().map(str::to_owned);
            found.other = found.other.take().or_else(host);
        }
    }
    found.own = own.len();
    let looked = take_turns(own, |(destination, _)| *destination, LOOKED_MAX);
    (found, looked.into_iter().map(|(_, path)| path).collect())
}

/// Returns the largest objects. There are several only if each has the bytes that a script
/// requests.
fn choose(mut objects: Vec<Object>, most: usize) -> Vec<Object> {
    objects.sort_by_key(|object| Reverse(object.length));
    let large = objects.partition_point(|object| object.length >= PART);
    objects.truncate(large.max(1));
    take_turns(objects, |object| object.media_type.clone(), most)
}

/// Returns this many items: the first one of each kind, then the second ones, and so on. What
/// differs in kind shows more of a scheduler.
fn take_turns<T, K: Ord>(items: Vec<T>, kind: impl Fn(&T) -> K, most: usize) -> Vec<T> {
    let mut turns: BTreeMap<K, usize> = BTreeMap::new();
    let numbered = items.into_iter().map(|item| {
        let turn = turns.entry(kind(&item)).or_default();
        *turn += 1;
        (*turn, item)
    });
    let mut numbered: Vec<(usize, T)> = numbered.collect();
    numbered.sort_by_key(|(turn, _)| *turn);
    numbered.truncate(most);
    numbered.into_iter().map(|(_, item)| item).collect()
}

impl Found {
    /// Returns a sentence on the objects that were chosen.
    pub fn sentence(&self, objects: &[Object]) -> String {
        let chosen = objects
            .iter()
            .map(|object| format!("{} ({} bytes)", object.path, object.length));
        format!(
            "The page {} refers to {} objects of this host. Of {} looked at, the probe uses {}.",
            self.page,
            self.own,
            self.looked.len(),
            chosen.collect::<Vec<_>>().join(", ")
        )
    }

    /// Returns the reason for which nothing can be probed.
    pub(crate) fn nothing(&self) -> String {
        let Self { page, own, .. } = self;
        let known = self
            .looked
            .iter()
            .filter_map(|(path, size)| Some((path, (*size)?)));
        let largest = known.max_by_key(|(_, size)| *size);
        let others = self.other.as_ref().map_or_else(String::new, |host| {
            format!(" and {} of other hosts, such as {host}", self.others)
        });
        let looked = self.looked.len();
        let why = match largest {
            _ if looked == 0 => String::new(),
            Some((path, size)) => {
                format!("; of {looked} looked at, the largest is {path} with {size} bytes")
            }
            None => format!("; none of {looked} looked at says how long it is"),
        };
        format!("the page {page} refers to {own} objects of this host{others}{why}")
    }
}
