//! Quantities that change while a run goes on: steps and ramps.
//!
//! A schedule is a list of pieces, one after the other from the start of the
//! run. Each piece holds one value or moves in a straight line from one to
//! another. After the last piece a value stays for ever, or the pieces repeat.
//! Values are whole numbers; what they count (nanoseconds of delay, bits per
//! second) is for the owner to say.

use pagerace_core::{Duration, Instant};
use serde::{Deserialize, Serialize};

use crate::units::span_text;

/// A piece lasts at most an hour, so that sums of products fit into 128 bits.
const LASTS_MAX: Duration = Duration::from_secs(3_600);

/// Pieces beyond which a recording is the better form.
const PIECES_MAX: usize = 1_000;

/// A value as a function of time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Schedule {
    pieces: Vec<Piece>,
    end: End,
}

/// A value that holds, or moves in a straight line, for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    /// The value at its beginning.
    pub from: u64,
    /// The value that it reaches at its end; the same as `from` if it holds.
    pub to: u64,
    /// How long; not zero, at most an hour.
    pub lasts: Duration,
}

/// What comes after the last piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// This value, for ever.
    Stays(u64),
    /// The first piece again.
    Repeats,
}

impl Schedule {
    /// A schedule of at least one piece.
    ///
    /// # Errors
    /// In words: no piece, too many, or one that lasts no time or too long.
    pub fn new(pieces: Vec<Piece>, end: End) -> Result<Self, String> {
        if pieces.is_empty() || pieces.len() > PIECES_MAX {
            let n = pieces.len();
            return Err(format!(
                "a schedule has 1 to {PIECES_MAX} pieces, this one has {n}; record a trace instead"
            ));
        }
        if let Some(piece) = pieces
            .iter()
            .find(|p| p.lasts.is_zero() || p.lasts > LASTS_MAX)
        {
            let lasts = span_text(piece.lasts);
            return Err(format!(
                "a piece of a schedule lasts {lasts}; it must be above 0 and at most 3600s"
            ));
        }
        Ok(Self { pieces, end })
    }

    /// What it is made of, in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// What comes after the last piece.
    pub fn end(&self) -> End {
        self.end
    }

    /// How long all pieces last together.
    pub fn length(&self) -> Duration {
        self.pieces.iter().map(|p| p.lasts).sum()
    }

    /// The value at a time; on a ramp rounded down. Where one piece ends and
    /// another begins, the new one's.
    pub fn at(&self, time: Instant) -> u64 {
        let mut x = time.as_nanos();
        if self.end == End::Repeats {
            x %= self.length().as_nanos();
        }
        for piece in &self.pieces {
            let lasts = piece.lasts.as_nanos();
            if x < lasts {
                return piece.at(x);
            }
            x -= lasts;
        }
        match self.end {
            End::Stays(value) => value,
            End::Repeats => unreachable!("the time was taken modulo the length"),
        }
    }

    /// The largest value that it ever has or approaches.
    pub fn max(&self) -> u64 {
        let stays = match self.end {
            End::Stays(value) => value,
            End::Repeats => 0,
        };
        let pieces = self.pieces.iter().map(|p| p.from.max(p.to));
        pieces.fold(stays, u64::max)
    }

    /// The same with every value replaced.
    pub(crate) fn map(&self, f: impl Fn(u64) -> u64) -> Self {
        let piece = |p: &Piece| Piece {
            from: f(p.from),
            to: f(p.to),
            lasts: p.lasts,
        };
        Self {
            pieces: self.pieces.iter().map(piece).collect(),
            end: match self.end {
                End::Stays(value) => End::Stays(f(value)),
                End::Repeats => End::Repeats,
            },
        }
    }

    /// As the grammar reads it: `50ms..250ms over 10s then 80ms`.
    pub(crate) fn spec(&self, value: impl Fn(u64) -> String) -> String {
        let piece = |p: &Piece| {
            let (from, lasts) = (value(p.from), span_text(p.lasts));
            if p.holds() {
                format!("{from} for {lasts}")
            } else {
                format!("{from}..{} over {lasts}", value(p.to))
            }
        };
        let mut words: Vec<String> = self.pieces.iter().map(piece).collect();
        let last = self.pieces[self.pieces.len() - 1];
        match self.end {
            End::Repeats => return format!("{} repeat", words.join(" then ")),
            // Where a ramp arrives, the value stays unless something follows.
            End::Stays(stays) if !last.holds() && stays == last.to => {}
            End::Stays(stays) => words.push(value(stays)),
        }
        words.join(" then ")
    }

    /// For people: `50 ms to 250 ms over 10s, then 80 ms`.
    pub(crate) fn to_human(&self, value: impl Fn(u64) -> String) -> String {
        let piece = |p: &Piece| {
            let (from, lasts) = (value(p.from), span_text(p.lasts));
            if p.holds() {
                format!("{from} for {lasts}")
            } else {
                format!("{from} to {} over {lasts}", value(p.to))
            }
        };
        let mut words: Vec<String> = self.pieces.iter().map(piece).collect();
        words.push(match self.end {
            End::Repeats => "again from the start".to_owned(),
            End::Stays(stays) => value(stays),
        });
        words.join(", then ")
    }
}

impl Piece {
    /// Whether its value does not change.
    pub fn holds(&self) -> bool {
        self.from == self.to
    }

    /// The value `x` nanoseconds after its beginning, rounded down.
    fn at(&self, x: u64) -> u64 {
        let (from, to) = (i128::from(self.from), i128::from(self.to));
        let moved = ((to - from) * i128::from(x)).div_euclid(i128::from(self.lasts.as_nanos()));
        u64::try_from(from + moved).expect("between two values")
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    pieces: Vec<Piece>,
    end: End,
}

impl TryFrom<Unchecked> for Schedule {
    type Error = String;
    fn try_from(it: Unchecked) -> Result<Self, String> {
        Self::new(it.pieces, it.end)
    }
}

#[cfg(test)]
mod tests;
