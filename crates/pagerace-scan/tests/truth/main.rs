//! Compares every column of a scan of several hundred servers with the servers' properties.

#![allow(
    clippy::unwrap_used,
    reason = "this is test code, though not every function is a test"
)]

#[path = "../internet/mod.rs"]
mod internet;

mod columns;
mod kinds;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::thread;
use std::time::Duration;

use columns::{Group, HOST, Place, ROW, Site, Truth, is_null, says_nothing};
use internet::asked::{Folder, rows, scan};
use internet::{Internet, Kind, address};
use kinds::{EXCLUDED, UNWANTED};
use pagerace_scan::{Cell, Row};

/// An Internet that was scanned.
struct Scanned {
    internet: Internet,
    kinds: Vec<Kind>,
    rows: BTreeMap<String, Row>,
}

impl Scanned {
    fn new(kinds: Vec<Kind>, timeout: Duration) -> Self {
        let internet = Internet::start(kinds.clone(), 2);
        let folder = Folder::new(&format!("truth-{}", internet.port));
        let mut scanned = Self {
            internet,
            kinds,
            rows: BTreeMap::new(),
        };
        let names = scanned.sites().map(|site| site.domain()).collect();
        let mut scan = scan(&scanned.internet, &folder, names, timeout);
        let list = Path::new("list");
        let mut exclude = |line: &str| scan.exclusions.add(line, list).unwrap();
        exclude(&format!("{UNWANTED}.test"));
        if let Some(index) = scanned.kinds.iter().position(|k| k.name == EXCLUDED) {
            exclude(&format!("{}/24", address(index, 0)));
        }
        scanned.rows = rows(scan, &folder);
        scanned
    }

    fn sites(&self) -> impl Iterator<Item = Site<'_>> {
        let numbered = self.kinds.iter().enumerate();
        numbered.flat_map(move |(index, kind)| {
            (0..kind.addresses).map(move |number| Site {
                internet: &self.internet,
                kind,
                index,
                number,
            })
        })
    }
}

/// The values of a row by column.
type Cells<'a> = BTreeMap<String, Cell<'a>>;

fn cells(row: &Row) -> Cells<'_> {
    let all = row.cells();
    all.map(|(prefix, name, cell)| (format!("{prefix}{name}"), cell))
        .collect()
}

/// The comparisons of one column, or of several.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    compared: u32,
    right: u32,
    /// Cells that have something to say: neither 0 for a flag nor null.
    values: u32,
    /// Cells that say something.
    said: u32,
    /// Cells that have something to say, and say it.
    hits: u32,
}

impl Score {
    fn add(&mut self, truth: &Truth, cell: Cell<'_>) -> bool {
        let fits = truth.fits(cell);
        self.compared += 1;
        self.right += u32::from(fits);
        self.values += u32::from(truth.is_value());
        self.said += u32::from(!says_nothing(cell));
        self.hits += u32::from(truth.is_value() && fits);
        fits
    }

    fn sum(scores: impl Iterator<Item = Self>) -> Self {
        scores.fold(Self::default(), |a, b| Self {
            compared: a.compared + b.compared,
            right: a.right + b.right,
            values: a.values + b.values,
            said: a.said + b.said,
            hits: a.hits + b.hits,
        })
    }

    /// Returns a line of a table in Markdown.
    fn line(self, name: &str) -> String {
        let share = |whole: u32| f64::from(self.hits) / f64::from(whole);
        let (precision, recall) = (share(self.said), share(self.values));
        format!(
            "| {name} | {} | {} | {} | {precision:.3} | {recall:.3} |",
            self.compared, self.right, self.values
        )
    }
}

/// The columns of the first host, and those of the second.
const FAMILIES: [(&str, bool); 2] = [("v4_", false), ("v6_", true)];

/// All comparisons.
#[derive(Default)]
struct Scores {
    /// By the column's name; those of hosts begin with `host.`, for both families.
    by_column: BTreeMap<String, Score>,
    wrong: Vec<String>,
}

impl Scores {
    fn site(&mut self, site: &Site<'_>, cells: &Cells<'_>) {
        for (name, truth) in columns_of(ROW) {
            self.add(site, name, name, &truth(site), cells[*name], false);
        }
        for (prefix, six) in FAMILIES {
            let host = site.host(six);
            for (name, truth) in columns_of(HOST) {
                let column = format!("{prefix}{name}");
                let cell = cells[&column];
                let Some(host) = &host else {
                    if !is_null(cell) {
                        let domain = site.domain();
                        self.wrong.push(format!("{domain}: {column} is {cell:?}"));
                    }
                    continue;
                };
                let misses = may_miss(host, name);
                let name = format!("host.{name}");
                self.add(site, &name, &column, &truth(host), cell, misses);
            }
        }
    }

    fn add(
        &mut self,
        site: &Site<'_>,
        name: &str,
        column: &str,
        truth: &Truth,
        cell: Cell<'_>,
        may_miss: bool,
    ) {
        let score = self.by_column.entry(name.to_owned()).or_default();
        let passes = score.add(truth, cell) || (may_miss && says_nothing(cell));
        if !passes {
            let domain = site.domain();
            let line = format!("{domain}: {column} must be {truth:?}, and is {cell:?}");
            self.wrong.push(line);
        }
    }

    /// Returns a line of a table for each group.
    fn table<T>(&self, prefix: &str, title: &str, groups: &[Group<T>]) -> String {
        let mut table = String::new();
        for (name, columns) in groups {
            let scores = columns
                .iter()
                .map(|(name, _)| self.by_column[&format!("{prefix}{name}")]);
            let line = Score::sum(scores).line(&format!("{title}{name}"));
            table += &(line + "\n");
        }
        table
    }
}

/// Returns true if a lost datagram may leave this column empty: that with the versions is not
/// asked for again, and a ticket may come after the end.
fn may_miss(host: &Place<'_>, name: &str) -> bool {
    let late = [
        "quic_ticket",
        "quic_early_data_offered",
        "quic_resumed",
        "quic_again_handshake_ms",
        "quic_again_response_ms",
    ];
    name == "quic_versions" || host.is_lossy() && (late.contains(&name) || name.starts_with("h3_"))
}

fn columns_of<T>(groups: &'static [Group<T>]) -> impl Iterator<Item = &'static (&'static str, T)> {
    groups.iter().flat_map(|(_, columns)| columns.iter())
}

#[test]
fn every_column_has_a_truth() {
    let row = Row::default();
    let columns: BTreeSet<String> = cells(&row).into_keys().collect();
    let own = columns_of(ROW).map(|(name, _)| (*name).to_owned());
    let hosts = FAMILIES
        .iter()
        .flat_map(|(prefix, _)| columns_of(HOST).map(move |(name, _)| format!("{prefix}{name}")));
    let compared: Vec<String> = own.chain(hosts).collect();
    assert_eq!(compared.len(), columns.len(), "each column once");
    assert_eq!(compared.into_iter().collect::<BTreeSet<_>>(), columns);
}

#[test]
fn columns_say_what_servers_do() {
    // Only servers for which the scan must wait get a short time: the machine may be slow.
    let patient = Duration::from_secs(30);
    let mut internets = vec![
        (kinds::waiting(), Duration::from_secs(5)),
        (kinds::over_ipv4(), patient),
    ];
    if std::net::TcpListener::bind("[::1]:0").is_ok() {
        let each = kinds::over_ipv6().into_iter();
        internets.extend(each.map(|kind| (vec![kind], patient)));
    } else {
        println!("SKIPPED: servers at ::1; this machine has no such address");
    }
    let scanned: Vec<Scanned> = thread::scope(|scope| {
        let each = internets.into_iter();
        let threads: Vec<_> = each
            .map(|(kinds, timeout)| scope.spawn(move || Scanned::new(kinds, timeout)))
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });

    let mut scores = Scores::default();
    for scanned in &scanned {
        for site in scanned.sites() {
            scores.site(&site, &cells(&scanned.rows[&site.domain()]));
        }
    }
    let sites: usize = scanned.iter().map(|s| s.sites().count()).sum();
    println!("{sites} domains");
    println!("| columns | compared | right | values | precision | recall |");
    println!("|---|---|---|---|---|---|");
    print!("{}", scores.table("", "", ROW));
    print!("{}", scores.table("host.", "each host: ", HOST));
    println!(
        "| all | {} |",
        Score::sum(scores.by_column.values().copied()).right
    );
    assert!(scores.wrong.is_empty(), "{:#?}", scores.wrong);
    assert!(sites > 400, "several hundred servers");
    let empty = scores.by_column.iter().filter(|(_, s)| s.values == 0);
    let empty: Vec<_> = empty.map(|(name, _)| name).collect();
    assert!(empty.is_empty(), "no server has a value for {empty:?}");
    // A busy machine may drop the datagrams of some.
    let versions = scores.by_column["host.quic_versions"];
    assert!(2 * versions.hits > versions.values, "{versions:?}");
    let tickets = scores.by_column["host.quic_ticket"];
    assert!(10 * tickets.hits > 9 * tickets.values, "{tickets:?}");
}
