//! `pagerace probe --congestion`.

use anyhow::Result;
use pagerace_lab::runner::run_all;
use pagerace_lab::unit::probability;
use pagerace_live::probe::{self as socket, RawTcp};
use pagerace_live::{Lateness, secret_seed};
use pagerace_probe::congestion::{Flights, SCALE, Shape, controllers, observe, shape::STEP};
use pagerace_probe::{Budget, Server, Subject, Verdict, judge};
use pagerace_report::sections::{Figure, Section, Series, SeriesKind};
use serde_json::{Value, json};

use super::ProbeArgs;
use super::answer::{Answer, names};
use super::failed;
use crate::progress::Watch;

/// The survey and the trials, as the progress counts them.
const CONNECTIONS: usize = 3;

pub(super) fn run(
    args: &ProbeArgs,
    server: &Server,
    subject: Subject<'_>,
    budget: &Budget,
    watch: &Watch,
) -> Result<()> {
    let roots = || socket::roots(args.ca.as_deref());
    let mut done = 0;
    let mut step = || {
        done += 1;
        watch.step(done, CONNECTIONS)
    };
    let protocol = args.protocol;
    let mut late = Lateness::default();
    let flights = if protocol.is_tcp() {
        let mut raw = RawTcp::open(server.remote)?;
        let tls = socket::tls(roots()?)?;
        watch.start("probing", CONNECTIONS);
        let survey = |job| Ok(socket::play_http2(job, server, &tls)?);
        observe(protocol, subject, budget, survey, |fetch| {
            step()?;
            Ok(raw.watch(fetch, server, &tls, &mut late)?)
        })
    } else {
        let keys = socket::keys(roots()?)?;
        watch.start("probing", CONNECTIONS);
        let survey = |job| Ok(socket::play(job, server, &keys, secret_seed()?)?);
        observe(protocol, subject, budget, survey, |fetch| {
            step()?;
            Ok(socket::watch(
                fetch,
                server,
                &keys,
                secret_seed()?,
                &mut late,
            )?)
        })
    };
    let flights = flights.map_err(failed)?;
    let model = flights.model(args.random.seed);
    let all = controllers(protocol);
    watch.start("simulating", all.len());
    let expected = run_all(
        args.threads.count(),
        all.len(),
        &|i| Ok(model.expect(all[i], &flights.trials)),
        &|progress| watch.tell(progress),
    )?;
    watch.clear();
    let entries: Vec<_> = all.into_iter().zip(expected).collect();
    let shapes = flights.shapes();
    let values: Vec<_> = shapes.iter().map(Shape::values).collect();
    let answer = Controller {
        args,
        server,
        verdict: judge(&values, &entries, &SCALE),
        flights: &flights,
        shapes,
        late,
    };
    answer.show(args, server)
}

struct Controller<'a> {
    args: &'a ProbeArgs,
    server: &'a Server,
    verdict: Verdict<&'static str>,
    flights: &'a Flights,
    shapes: Vec<Shape>,
    /// How late the bottleneck worked.
    late: Lateness,
}

impl Answer for Controller<'_> {
    const TITLE: &'static str = "Congestion controller";
    const NOUNS: [&'static str; 2] = ["controller", "controllers"];
    type Candidate = &'static str;

    fn verdict(&self) -> &Verdict<&'static str> {
        &self.verdict
    }

    fn sentences(&self) -> Vec<String> {
        let Flights {
            protocol,
            object,
            found,
            rtt,
            used,
            ..
        } = self.flights;
        let called = if object.server.is_empty() {
            String::new()
        } else {
            format!(", which calls itself {}", object.server)
        };
        let mut all = vec![
            format!("{} at {}{called}.", self.args.urls[0], self.server.remote),
            match self.verdict.answer() {
                Some(group) => format!(
                    "Its congestion controller is {} (probability {}).",
                    names(group),
                    probability(group.probability)
                ),
                None => "Its congestion controller is unknown: none that we simulate is near \
                         enough."
                    .to_owned(),
            },
        ];
        if !self.late.is_acceptable() {
            all.push(busy(&self.late));
        }
        let found = found.as_ref();
        all.extend(found.map(|found| found.sentence(std::slice::from_ref(object))));
        all.extend(self.behaviour());
        all.push(format!(
            "Round trip {:.1} ms, loss {:.2} %; {} connections, {} requests, {:.1} MB of {} in \
             {:.1} s.",
            rtt.as_millis_f64(),
            100.0 * self.flights.loss(),
            used.connections,
            used.requests,
            used.payload as f64 / 1e6,
            if protocol.is_tcp() { "TCP" } else { "UDP" },
            used.time.as_secs_f64()
        ));
        all
    }

    fn json(&self) -> Value {
        let Flights {
            protocol,
            object,
            found,
            rtt,
            used,
            ..
        } = self.flights;
        let tcp = protocol.is_tcp();
        let trials = self.flights.trials.iter().zip(&self.shapes);
        let trials = trials.map(|(trial, shape)| {
            json!({
                "name": trial.name,
                "rate_mbit": trial.rate as f64 / 1e6,
                "rtt_ms": trial.rtt.as_millis_f64(),
                "queue_packets": trial.queue,
                "step_ms": STEP * trial.rtt.as_millis_f64(),
                "in_flight_packets": shape.flight,
            })
        });
        json!({
            "rtt_ms": rtt.as_millis_f64(),
            "object": { "path": object.path, "bytes": object.length },
            "found": found.as_ref().map(super::output::found),
            "loss": self.flights.loss(),
            "late_p99_ms": self.late.p99().as_millis_f64(),
            "on_time": self.late.is_acceptable(),
            "connections": used.connections,
            "requests": used.requests,
            "bytes": used.bytes,
            "udp_bytes": (!tcp).then_some(used.payload),
            "tcp_bytes": tcp.then_some(used.payload),
            "seconds": used.time.as_secs_f64(),
            "trials": trials.collect::<Vec<_>>(),
        })
    }

    fn figures(&self) -> Vec<Section> {
        let trials = self.flights.trials.iter().zip(&self.shapes);
        let figures = trials.map(|(trial, shape)| {
            let step = STEP * trial.rtt.as_secs_f64();
            let looks = shape.flight.iter().enumerate();
            let points = looks.map(|(i, packets)| ((i + 1) as f64 * step, *packets));
            let kind = SeriesKind::Line;
            let series = Series::new("in flight", kind, points.collect::<Vec<_>>());
            Section::new(format!("Trial {}", trial.name)).figure(Figure {
                label: format!("Packets in flight over time, trial {}", trial.name),
                x: "Time since the first packet, s".to_owned(),
                y: "Packets in flight".to_owned(),
                series: vec![series],
                ..Figure::default()
            })
        });
        figures.collect()
    }
}

impl Controller<'_> {
    /// Sentences that need no model.
    fn behaviour(&self) -> Vec<String> {
        let mut all = Vec::new();
        for (trial, shape) in self.flights.trials.iter().zip(&self.shapes) {
            if let Some((at, by)) = trial.rise {
                let rises = at.saturating_sub(shape.start.since_start());
                let rises = rises.as_secs_f64() / trial.rtt.as_secs_f64();
                let before = shape.at(rises - 1.0);
                let after = shape.at(rises + 6.0);
                all.push(format!(
                    "At {:.2} Mbit/s and {:.0} ms, {before:.0} packets are in flight; {:.0} ms \
                     more without a loss leave {after:.0} after six round trips.",
                    trial.rate as f64 / 1e6,
                    trial.rtt.as_millis_f64(),
                    by.as_millis_f64()
                ));
            } else if let Some(left) = shape.median(|g| Some(g.left)) {
                let back = shape.median(|g| g.back).map_or_else(
                    || "They are not back before the next loss".to_owned(),
                    |rounds| {
                        let seconds = rounds * trial.rtt.as_secs_f64();
                        format!("They are back after {seconds:.1} s")
                    },
                );
                all.push(format!(
                    "After a loss, {:.0} % of the packets in flight are left. {back} (medians).",
                    100.0 * left
                ));
            } else {
                all.push("No loss after slow start shows how the window comes back.".to_owned());
            }
        }
        all
    }
}

/// Returns the objection to trials on a machine that was too busy for them.
fn busy(late: &Lateness) -> String {
    format!(
        "Careful: this machine was too busy for the probe. The client's bottleneck was late ({late}), \
         which no simulation is. Stop other programs, and probe again."
    )
}

#[cfg(test)]
mod tests {
    use pagerace_core::Duration;

    use super::{Lateness, busy};

    #[test]
    fn a_busy_machine_is_named_with_numbers() {
        let mut late = Lateness::default();
        for ms in [0, 0, 7] {
            late.add(Duration::from_millis(ms));
        }
        assert!(!late.is_acceptable());
        let text = busy(&late);
        assert!(text.contains("max 7.00 ms of 3 packets"), "{text}");
    }
}
