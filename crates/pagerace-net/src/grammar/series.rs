//! Values that change over time: `50ms..250ms over 10s then 80ms`.

use super::tokens::{Token, Tokens};
use super::value::{above_zero, unexpected, unfinished, value};
use crate::error::NetworkError;
use crate::schedule::{End, Piece, Schedule};

const OVER: &str = "`over` and a time, as in `50ms..250ms over 10s`";
const THEN: &str = "`then` and the next value, or `repeat`";

/// A constant value or a schedule.
#[derive(Clone, Debug)]
pub(super) enum Series {
    Constant(u64),
    Changing(Schedule),
}

impl Series {
    /// Reads pieces up to a word that does not belong to them. `parse` reads one value,
    /// and `expected` describes a value in the error if none follows.
    pub(super) fn parse(
        tokens: &mut Tokens<'_>,
        expected: &'static str,
        parse: impl Fn(&str) -> Result<u64, String>,
    ) -> Result<Self, NetworkError> {
        let first = tokens.peek();
        let mut pieces = Vec::new();
        let end = loop {
            match Part::parse(tokens, expected, &parse, pieces.is_empty())? {
                Part::Value(value) if pieces.is_empty() => return Ok(Self::Constant(value)),
                Part::Value(value) => break End::Stays(value),
                Part::Pieces(more) => pieces.extend(more),
            }
            match tokens.peek() {
                Some(token) if token.text == "then" => {
                    tokens.next();
                }
                Some(token) if token.text == "repeat" => {
                    tokens.next();
                    break End::Repeats;
                }
                other => {
                    let last: &Piece = pieces.last().expect("one was just read");
                    if !last.holds() {
                        break End::Stays(last.to);
                    }
                    return Err(lacks(tokens, other, THEN));
                }
            }
        };
        match (Schedule::new(pieces, end), first) {
            (Ok(schedule), _) => Ok(Self::Changing(schedule)),
            (Err(why), Some(token)) => Err(unexpected(token, &format!("a schedule; {why}"))),
            (Err(why), None) => unreachable!("a schedule from no words: {why}"),
        }
    }
}

enum Part {
    /// A value without a duration, which ends the series.
    Value(u64),
    Pieces(Vec<Piece>),
}

impl Part {
    fn parse(
        tokens: &mut Tokens<'_>,
        expected: &'static str,
        parse: impl Fn(&str) -> Result<u64, String>,
        is_first: bool,
    ) -> Result<Self, NetworkError> {
        let (from, to) = value(tokens, expected, |text| match text.split_once("..") {
            Some((from, to)) => Ok((parse(from)?, Some(parse(to)?))),
            None => Ok((parse(text)?, None)),
        })?;
        if let Some(to) = to {
            return ramp(tokens, from, to, is_first).map(Self::Pieces);
        }
        if !takes(tokens, "for") {
            return Ok(Self::Value(from));
        }
        let lasts = above_zero(tokens)?;
        Ok(Self::Pieces(vec![Piece {
            from,
            to: from,
            lasts,
        }]))
    }
}

/// Reads the words after a ramp such as `50ms..250ms`.
fn ramp(
    tokens: &mut Tokens<'_>,
    from: u64,
    to: u64,
    is_first: bool,
) -> Result<Vec<Piece>, NetworkError> {
    if !takes(tokens, "over") {
        return Err(lacks(tokens, tokens.peek(), OVER));
    }
    let lasts = above_zero(tokens)?;
    let ramp = Piece { from, to, lasts };
    if !is_first || !takes(tokens, "after") {
        return Ok(vec![ramp]);
    }
    let before = Piece {
        from,
        to: from,
        lasts: above_zero(tokens)?,
    };
    Ok(vec![before, ramp])
}

/// Takes the next word and returns true if it is `word`.
fn takes(tokens: &mut Tokens<'_>, word: &str) -> bool {
    let here = tokens.peek().is_some_and(|t| t.text == word);
    if here {
        tokens.next();
    }
    here
}

fn lacks(tokens: &Tokens<'_>, found: Option<Token<'_>>, expected: &'static str) -> NetworkError {
    match found {
        Some(token) => unexpected(token, expected),
        None => unfinished(tokens.last_word(), expected),
    }
}
