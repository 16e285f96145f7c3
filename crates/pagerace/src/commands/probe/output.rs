//! The answer of a probe to the question of the order of responses.

use std::net::SocketAddr;

use pagerace_core::Protocol;
use pagerace_lab::unit::probability;
use pagerace_probe::{
    Behaviour, Candidate, End, Found, Group, Heeded, Job, Observed, Sharing, Trace, Verdict,
};
use pagerace_report::sections::{Figure, Section, Series, SeriesKind};
use serde_json::{Value, json};

use super::answer::{Answer, names};

/// The order of responses that a server runs.
pub(super) struct Order<'a> {
    pub(super) url: &'a str,
    pub(super) remote: SocketAddr,
    pub(super) behaviour: Behaviour,
    pub(super) verdict: Verdict<Candidate>,
    pub(super) observed: &'a Observed,
}

impl Answer for Order<'_> {
    const TITLE: &'static str = "Order of responses";
    const NOUNS: [&'static str; 2] = ["strategy", "strategies"];
    type Candidate = Candidate;

    fn verdict(&self) -> &Verdict<Candidate> {
        &self.verdict
    }

    fn sentences(&self) -> Vec<String> {
        let Observed { path, used, .. } = self.observed;
        let server = self.observed.objects.first().map(|o| o.server.as_str());
        let called = server.filter(|name| !name.is_empty());
        let called = called.map_or_else(String::new, |name| format!(", which calls itself {name}"));
        // TCP hides the losses of the path.
        let (loss, payload) = match self.observed.protocol {
            Protocol::H2 => (String::new(), "HTTP/2"),
            _ => (format!("loss {:.2} %; ", 100.0 * path.loss), "UDP"),
        };
        let unseen = self.observed.unseen();
        let mut all = vec![
            format!("{} at {}{called}.", self.url, self.remote),
            format!("The server: {}.", self.behaviour),
            match self.verdict.answer() {
                Some(group) => format!(
                    "It orders bytes like {} (probability {}){}.",
                    names(group),
                    probability(group.probability),
                    servers(group, self.observed.protocol)
                ),
                None if !unseen.is_empty() => format!(
                    "Its order is unknown: limits ended {} before a byte arrived whose order counts.",
                    unseen.join(", ")
                ),
                None => {
                    "Its order is unknown: no strategy that we simulate is near enough.".to_owned()
                }
            },
            format!(
                "Round trip {:.1} ms, {}{} connections, {} requests, {:.1} MB of {} in {:.1} s.",
                path.rtt.as_millis_f64(),
                loss,
                used.connections,
                used.requests,
                used.payload as f64 / 1e6,
                payload,
                used.time.as_secs_f64()
            ),
        ];
        let objects = &self.observed.objects;
        let found = self.observed.found.as_ref();
        all.extend(found.map(|found| found.sentence(objects)));
        let limited = self.observed.traces.iter().filter_map(|t| match t.end {
            End::Limit(what) => Some(format!("{} ended at the limit of {what}", t.script)),
            _ => None,
        });
        let limited: Vec<String> = limited.collect();
        if !limited.is_empty() {
            let limited = limited.join(", ");
            all.push(format!(
                "Less is certain, as limits were reached: {limited}."
            ));
        }
        all
    }

    fn json(&self) -> Value {
        let Observed {
            path,
            used,
            objects,
            ..
        } = self.observed;
        let b = &self.behaviour;
        let quic = self.observed.protocol == Protocol::H3;
        let objects = objects.iter().map(|o| {
            json!({
                "path": o.path,
                "bytes": o.length,
                "ranges": o.ranges,
                "media_type": o.media_type,
                "server": o.server,
                "think_ms": o.think_time.as_millis_f64(),
            })
        });
        json!({
            "objects": objects.collect::<Vec<_>>(),
            "found": self.observed.found.as_ref().map(found),
            "rtt_ms": path.rtt.as_millis_f64(),
            "loss": quic.then_some(path.loss),
            "connections": used.connections,
            "requests": used.requests,
            "bytes": used.bytes,
            "udp_bytes": quic.then_some(used.payload),
            "http2_bytes": (!quic).then_some(used.payload),
            "seconds": used.time.as_secs_f64(),
            "behaviour": {
                "without_signals": match b.plain {
                    Sharing::Sequential => "sequential",
                    Sharing::Shared => "shared",
                    Sharing::Unseen => "unseen",
                },
                "packets_in_a_row": b.run,
                "urgency": word(b.field),
                "incremental": word(b.incremental),
                "update_before": word(b.before),
                "update_after": word(b.after),
                "update_in_flight": word(b.in_flight),
                "rfc7540_dependencies": b.tree.map(word),
                "rfc7540_weights": b.weights.map(word),
            },
            "scripts": self.played().map(|(job, trace)| script(job, trace)).collect::<Vec<_>>(),
        })
    }

    fn figures(&self) -> Vec<Section> {
        self.played()
            .map(|(job, trace)| figure(job, trace))
            .collect()
    }
}

impl Order<'_> {
    fn played(&self) -> impl Iterator<Item = (&Job, &Trace)> {
        self.observed.jobs.iter().zip(&self.observed.traces)
    }
}

/// Returns the objects to which a page refers.
pub(super) fn found(found: &Found) -> Value {
    let looked = found.looked.iter();
    let looked = looked.map(|(path, bytes)| json!({ "path": path, "bytes": bytes }));
    json!({
        "page": found.page,
        "objects": found.own,
        "objects_of_other_hosts": found.others,
        "looked_at": looked.collect::<Vec<_>>(),
    })
}

fn script(job: &Job, trace: &Trace) -> Value {
    let asks = job.script.asks.iter().map(|ask| {
        let path = &job.targets[ask.target].path;
        json!({ "path": path, "ranked": ask.ranked })
    });
    let chunks = trace.chunks.iter();
    let chunks = chunks.map(|c| json!([c.at.as_millis_f64(), c.ask, c.offset, c.bytes]));
    json!({
        "name": trace.script,
        "end": match &trace.end {
            End::Complete => "complete",
            End::Limit(what) => what,
            End::Failed(_) => "failed",
        },
        "requests": asks.collect::<Vec<_>>(),
        "chunks_ms_request_offset_bytes": chunks.collect::<Vec<_>>(),
    })
}

/// Returns the bytes of each ranked response over time.
fn figure(job: &Job, trace: &Trace) -> Section {
    let asks = job.script.asks.iter().enumerate();
    let series = asks.filter(|(_, ask)| ask.ranked).map(|(i, ask)| {
        let mut sum = 0;
        let chunks = trace.chunks.iter().filter(|c| c.ask == i);
        let points = chunks.map(|c| {
            sum += c.bytes;
            (c.at.as_millis_f64(), sum as f64 / 1000.0)
        });
        let path = &job.targets[ask.target].path;
        let signals = ask.field.iter().chain(ask.updates.iter().map(|(_, p)| p));
        let signals = signals.map(|p| {
            format!(
                ", u={}{}",
                p.urgency,
                if p.incremental { ", i" } else { "" }
            )
        });
        let place = ask.dependency.map_or_else(String::new, |d| {
            format!(", behind stream {}, weight {}", d.parent, d.weight)
        });
        let name = format!("{} {path}{}{place}", i + 1, signals.collect::<String>());
        Series::new(&name, SeriesKind::Line, points.collect::<Vec<_>>())
    });
    Section::new(format!("Script {}", trace.script)).figure(Figure {
        label: format!("Bytes of each response over time, script {}", trace.script),
        x: "Time, ms".to_owned(),
        y: "Bytes that arrived, kB".to_owned(),
        series: series.collect(),
        ..Figure::default()
    })
}

/// Returns the known servers of a group.
fn servers(group: &Group<Candidate>, protocol: Protocol) -> String {
    let known = group.members.iter().filter_map(|c| c.known_as(protocol));
    let known: Vec<&str> = known.collect();
    if known.is_empty() {
        return String::new();
    }
    format!(", as {} does", known.join(" or "))
}

const fn word(heeded: Heeded) -> &'static str {
    match heeded {
        Heeded::Strictly => "honoured",
        Heeded::Partly => "partly",
        Heeded::Not => "ignored",
        Heeded::Unseen => "unseen",
    }
}
