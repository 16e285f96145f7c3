//! Quantities that change during a run: steps and ramps.
//!
//! A schedule is a list of consecutive pieces from the start of the run. Each piece holds
//! one value or moves in a straight line from one value to another. After the last piece
//! a final value stays for ever, or the pieces repeat. Values are whole numbers; their
//! unit (nanoseconds of delay, bits per second) is up to the owner.

use pagerace_core::{Duration, Instant};
use serde::{Deserialize, Serialize};

use crate::units::span_text;

/// The maximum length of a piece, so that sums of products fit into 128 bits.
const LASTS_MAX: Duration = Duration::from_secs(3_600);

/// The maximum number of pieces; a trace suits longer recordings better.
const PIECES_MAX: usize = 1_000;

/// A value as a function of time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Schedule {
    pieces: Vec<Piece>,
    end: End,
}

/// A value that holds or changes linearly for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    /// The value at the beginning of the piece.
    pub from: u64,
    /// The value at the end of the piece; equal to `from` if the value holds.
    pub to: u64,
    /// The length of the piece; not zero, and at most an hour.
    pub lasts: Duration,
}

/// The value of a schedule after its last piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The value stays constant for ever.
    Stays(u64),
    /// The schedule starts again from its first piece.
    Repeats,
}

impl Schedule {
    /// Creates a schedule of at least one piece.
    ///
    /// # Errors
    /// Returns a message if there is no piece or there are too many, or if a piece has no
    /// length or is too long.
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

    /// Returns the pieces in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Returns the value after the last piece.
    pub fn end(&self) -> End {
        self.end
    }

    /// Returns the total length of the pieces.
    pub fn length(&self) -> Duration {
        self.pieces.iter().map(|p| p.lasts).sum()
    }

    /// Returns the value at `time`, rounded down on a ramp. At the boundary of two
    /// pieces, the value is that of the later piece.
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

    /// Returns the largest value that the schedule has or approaches.
    pub fn max(&self) -> u64 {
        let stays = match self.end {
            End::Stays(value) => value,
            End::Repeats => 0,
        };
        let pieces = self.pieces.iter().map(|p| p.from.max(p.to));
        pieces.fold(stays, u64::max)
    }

    /// Returns the schedule with `f` applied to every value.
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

    /// Writes the schedule in the syntax of the grammar:
    /// `50ms..250ms over 10s then 80ms`.
    pub(crate) fn spec(&self, value: impl Fn(u64) -> String) -> String {
        let mut words = self.describe_pieces(&value, "..");
        let last = self.pieces[self.pieces.len() - 1];
        match self.end {
            End::Repeats => return format!("{} repeat", words.join(" then ")),
            // The value at the end of a ramp stays unless something follows, so it needs
            // no word.
            End::Stays(stays) if !last.holds() && stays == last.to => {}
            End::Stays(stays) => words.push(value(stays)),
        }
        words.join(" then ")
    }

    /// Returns a description for people: `50 ms to 250 ms over 10s, then 80 ms`.
    pub(crate) fn to_human(&self, value: impl Fn(u64) -> String) -> String {
        let mut words = self.describe_pieces(&value, " to ");
        words.push(match self.end {
            End::Repeats => "again from the start".to_owned(),
            End::Stays(stays) => value(stays),
        });
        words.join(", then ")
    }

    /// Describes each piece, with `to` between the two values of a ramp.
    fn describe_pieces(&self, value: impl Fn(u64) -> String, to: &str) -> Vec<String> {
        let piece = |p: &Piece| {
            let (from, lasts) = (value(p.from), span_text(p.lasts));
            if p.holds() {
                format!("{from} for {lasts}")
            } else {
                format!("{from}{to}{} over {lasts}", value(p.to))
            }
        };
        self.pieces.iter().map(piece).collect()
    }
}

impl Piece {
    /// Returns true if the value does not change.
    pub fn holds(&self) -> bool {
        self.from == self.to
    }

    /// Returns the value `x` nanoseconds after the beginning of the piece, rounded down.
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
