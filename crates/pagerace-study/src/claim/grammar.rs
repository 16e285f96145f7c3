//! The grammar of claims.
//!
//! ```text
//! claim      = measure comparison NUMBER
//!            | measure "between" NUMBER "and" NUMBER
//! measure    = statistic "over" ( "pages" | "loads" ) "of" number
//!            | "slope over pages of" expression "of" METRIC "with" ( "requests" | "kilobytes" )
//!            | "share of" ( "pages" | "loads" ) "with" number comparison NUMBER
//!            | "net share of" ( "pages" | "loads" ) "with" number ">" NUMBER
//! number     = expression "of" METRIC
//!            | "spearman of" expression "of" METRIC "with" expression "of" METRIC
//!            | "spearman of" expression "of" METRIC "with network"
//! statistic  = "median" | "mean" | "minimum" | "maximum" | "quantile" NUMBER
//!            | "signed-rank-p"
//! expression = arithmetic with + - * /, "abs" and parentheses over numbers and names
//! name       = WORD | "'" WORD { WORD } [ "@" NETWORK ] "'"
//! comparison = "<" | "<=" | ">" | ">="
//! ```

use std::iter::Peekable;
use std::vec::IntoIter;

use pagerace_lab::MetricId;
use serde::Deserialize;

use tokens::{Token, expected, tokens};

mod tokens;

/// A comparison of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Less than.
    Less,
    /// Less than, or equal.
    AtMost,
    /// More than.
    More,
    /// More than, or equal.
    AtLeast,
}

/// The numbers for which a claim holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wanted {
    /// Those that compare so with a limit.
    Limit(Comparison, f64),
    /// Those between two numbers, ends included.
    Between(f64, f64),
}

/// The partner of a number: in a rank correlation, run by run, or in a slope, page by page.
#[derive(Clone, Debug, PartialEq)]
pub enum With {
    /// Arithmetic over the values of a metric.
    Value(Expression, MetricId),
    /// The place of the network in the list of the claim's `where`.
    Network,
    /// The number of requests of the page.
    Requests,
    /// The kilobytes of the page's bodies.
    Kilobytes,
}

/// The statistic that makes one number of those of all pages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// The median.
    Median,
    /// The mean.
    Mean,
    /// A quantile; 0 is the minimum, and 1 the maximum.
    Quantile(f64),
    /// The probability of Wilcoxon's signed-rank test for numbers about zero.
    SignedRankP,
    /// The share of pages, or of loads, whose number compares so with a limit.
    Share(Comparison, f64),
    /// The share of pages whose number is more than a limit, less the share of those whose
    /// number is below the limit's negative.
    NetShare(f64),
    /// The slope of the pages' numbers over a property of the pages, by least squares.
    Slope,
}

/// An operator of arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Addition.
    Plus,
    /// Subtraction.
    Minus,
    /// Multiplication.
    Times,
    /// Division.
    By,
}

/// Arithmetic over the values of contenders.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A number.
    Number(f64),
    /// The value of the contender with this name.
    Name(String),
    /// The size of a number, without its sign.
    Size(Box<Self>),
    /// An operation.
    Operation(Box<Self>, Operator, Box<Self>),
}

/// The computation of one number from the loads of all pages.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// The statistic over pages, or over loads.
    pub statistic: Statistic,
    /// True if every run of a page has a number, and not every page.
    pub over_loads: bool,
    /// The number of a run.
    pub expression: Expression,
    /// The metric whose values the names stand for.
    pub metric: MetricId,
    /// The partner of a rank correlation over the runs, or of a slope over the pages; `None` if
    /// there is neither.
    pub with: Option<With>,
}

/// A predicate.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Sentence {
    /// The text that says it.
    pub text: String,
    /// The computation of the deciding number.
    pub measure: Measure,
    /// The numbers for which it holds.
    pub wanted: Wanted,
}

impl Comparison {
    /// Returns true if `a` compares so with `b`.
    pub fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Self::Less => a < b,
            Self::AtMost => a <= b,
            Self::More => a > b,
            Self::AtLeast => a >= b,
        }
    }
}

impl Wanted {
    /// Tells whether a claim holds with this number.
    pub fn holds(self, number: f64) -> bool {
        match self {
            Self::Limit(comparison, limit) => comparison.holds(number, limit),
            Self::Between(low, high) => low <= number && number <= high,
        }
    }

    /// Tells whether a claim holds with some number of this interval.
    pub(super) fn meets(self, (low, high): (f64, f64)) -> bool {
        match self {
            Self::Limit(..) => self.holds(low) || self.holds(high),
            Self::Between(from, to) => low <= to && from <= high,
        }
    }
}

impl Expression {
    /// Returns the names without duplicates, in order.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.collect(&mut names);
        names.sort_unstable();
        names.dedup();
        names
    }

    fn collect<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Self::Number(_) => {}
            Self::Name(name) => names.push(name),
            Self::Size(inner) => inner.collect(names),
            Self::Operation(a, _, b) => {
                a.collect(names);
                b.collect(names);
            }
        }
    }

    /// Returns the value of the expression; `None` if it has none, as that of a division of
    /// zero by zero.
    pub fn value(&self, of: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        let value = match self {
            Self::Number(number) => *number,
            Self::Name(name) => of(name)?,
            Self::Size(inner) => inner.value(of)?.abs(),
            Self::Operation(a, operator, b) => {
                let (a, b) = (a.value(of)?, b.value(of)?);
                match operator {
                    Operator::Plus => a + b,
                    Operator::Minus => a - b,
                    Operator::Times => a * b,
                    Operator::By => a / b,
                }
            }
        };
        (!value.is_nan()).then_some(value)
    }

    /// Returns the power of the metric's unit that values have: none for shares of a value.
    fn power(&self) -> i32 {
        match self {
            Self::Number(_) => 0,
            Self::Name(_) => 1,
            Self::Size(inner) => inner.power(),
            Self::Operation(a, Operator::Plus | Operator::Minus, b) => a.power().max(b.power()),
            Self::Operation(a, Operator::Times, b) => a.power() + b.power(),
            Self::Operation(a, Operator::By, b) => a.power() - b.power(),
        }
    }
}

impl Measure {
    /// Returns true if the number is a probability.
    pub fn is_probability(&self) -> bool {
        self.statistic == Statistic::SignedRankP
    }

    /// True if the number of a page is a rank correlation over its runs.
    pub fn correlates(&self) -> bool {
        self.with.is_some() && !self.is_slope()
    }

    /// True if the number is a slope over properties of pages.
    pub fn is_slope(&self) -> bool {
        self.statistic == Statistic::Slope
    }

    /// True if the number is a rank correlation.
    pub fn is_correlation(&self) -> bool {
        self.correlates() && !self.is_share()
    }

    /// Returns true if the number is a share: of pages, or of a value.
    pub fn is_share(&self) -> bool {
        match self.statistic {
            Statistic::Share(..) | Statistic::NetShare(_) => true,
            Statistic::SignedRankP | Statistic::Slope => false,
            _ => self.with.is_none() && self.expression.power() == 0,
        }
    }

    /// Returns the names of contenders without duplicates, in order.
    pub fn names(&self) -> Vec<&str> {
        let mut names = self.expression.names();
        if let Some(With::Value(other, _)) = &self.with {
            names.extend(other.names());
            names.sort_unstable();
            names.dedup();
        }
        names
    }

    /// The metrics that it needs.
    pub fn metrics(&self) -> impl Iterator<Item = MetricId> {
        let other = match self.with {
            Some(With::Value(_, metric)) => Some(metric),
            _ => None,
        };
        [self.metric].into_iter().chain(other)
    }
}

/// The longest claim, in bytes.
const LONGEST: usize = 1_000;
/// The deepest nesting of parentheses.
const DEEPEST: usize = 50;

/// Parses a claim.
///
/// # Errors
/// Names the words found and those expected.
pub fn parse(text: &str) -> Result<Sentence, String> {
    let (measure, wanted) = whole(text, Parser::sentence)?;
    Ok(Sentence {
        text: text.to_owned(),
        measure,
        wanted,
    })
}

impl TryFrom<String> for Sentence {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        parse(&text)
    }
}

/// Parses a claim without its last comparison.
///
/// # Errors
/// Names the words found and those expected.
pub fn parse_measure(text: &str) -> Result<Measure, String> {
    whole(text, Parser::measure)
}

fn whole<T>(text: &str, parse: fn(&mut Parser) -> Result<T, String>) -> Result<T, String> {
    if text.len() > LONGEST {
        return Err(format!("has more than {LONGEST} bytes"));
    }
    let tokens = tokens(text)?.into_iter().peekable();
    let mut parser = Parser { tokens, depth: 0 };
    let parsed = parse(&mut parser)?;
    match parser.tokens.next() {
        None => Ok(parsed),
        Some(token) => Err(expected("the end", Some(&token))),
    }
}

/// Cuts a name into the words for the contender and the network, if it says one.
pub fn with_network(name: &str) -> (&str, Option<&str>) {
    match name.split_once('@') {
        None => (name.trim(), None),
        Some((contender, network)) => (contender.trim(), Some(network.trim())),
    }
}

/// Rejects names without a network beside names with one.
fn check_networks(names: &[&str]) -> Result<(), String> {
    let mut without = names.iter().filter(|name| with_network(name).1.is_none());
    let with = names.iter().find(|name| with_network(name).1.is_some());
    match (with, without.next()) {
        (Some(with), Some(without)) => Err(format!(
            "`{with}` says its network and `{without}` does not; write `@` and the network in \
             all names, or in none"
        )),
        _ => Ok(()),
    }
}

struct Parser {
    tokens: Peekable<IntoIter<Token>>,
    depth: usize,
}

impl Parser {
    fn sentence(&mut self) -> Result<(Measure, Wanted), String> {
        let measure = self.measure()?;
        if !self.is_word("between") {
            let wanted = Wanted::Limit(self.comparison()?, self.limit()?);
            return Ok((measure, wanted));
        }
        self.words(&["between"])?;
        let low = self.limit()?;
        self.words(&["and"])?;
        let high = self.limit()?;
        if low > high {
            return Err(format!("between {low} and {high} is no number"));
        }
        Ok((measure, Wanted::Between(low, high)))
    }

    fn measure(&mut self) -> Result<Measure, String> {
        let net = self.is_word("net");
        let share = net || self.is_word("share");
        let mut statistic = Statistic::Median;
        let over_loads;
        if share {
            let words = ["net", "share", "of"];
            self.words(&words[usize::from(!net)..])?;
            over_loads = self.is_word("loads");
            self.words(&[if over_loads { "loads" } else { "pages" }, "with"])?;
        } else {
            statistic = self.statistic()?;
            self.words(&["over"])?;
            over_loads = self.is_word("loads");
            let of = if over_loads { "loads" } else { "pages" };
            self.words(&[of, "of"])?;
        }
        let is_slope = statistic == Statistic::Slope;
        if is_slope && over_loads {
            return Err("a slope is one over pages".to_owned());
        }
        let correlates = !over_loads && !is_slope && self.is_word("spearman");
        if correlates {
            self.words(&["spearman", "of"])?;
        }
        let (expression, metric) = self.value()?;
        let mut with = None;
        if correlates {
            self.words(&["with"])?;
            with = Some(if self.is_word("network") {
                self.words(&["network"])?;
                With::Network
            } else {
                let (other, metric) = self.value()?;
                With::Value(other, metric)
            });
        }
        if is_slope {
            self.words(&["with"])?;
            with = Some(match self.tokens.next() {
                Some(Token::Word(word)) if word == "requests" => With::Requests,
                Some(Token::Word(word)) if word == "kilobytes" => With::Kilobytes,
                other => return Err(expected("requests or kilobytes", other.as_ref())),
            });
        }
        if share {
            statistic = match (self.comparison()?, net) {
                (comparison, false) => Statistic::Share(comparison, self.limit()?),
                (Comparison::More, true) => Statistic::NetShare(self.limit()?),
                (_, true) => return Err("a net share is one of numbers > a limit".to_owned()),
            };
        }
        let measure = Measure {
            statistic,
            over_loads,
            expression,
            metric,
            with,
        };
        let names = measure.names();
        check_networks(&names)?;
        if measure.with == Some(With::Network) && names.iter().any(|name| name.contains('@')) {
            return Err("a correlation with the network has names without one".to_owned());
        }
        Ok(measure)
    }

    /// Reads arithmetic and its metric.
    fn value(&mut self) -> Result<(Expression, MetricId), String> {
        let expression = self.sum()?;
        if expression.names().is_empty() {
            return Err("the arithmetic names no contender".to_owned());
        }
        self.words(&["of"])?;
        Ok((expression, self.metric()?))
    }

    fn statistic(&mut self) -> Result<Statistic, String> {
        let token = self.tokens.next();
        Ok(match &token {
            Some(Token::Word(word)) if word == "median" => Statistic::Median,
            Some(Token::Word(word)) if word == "mean" => Statistic::Mean,
            Some(Token::Word(word)) if word == "minimum" => Statistic::Quantile(0.0),
            Some(Token::Word(word)) if word == "maximum" => Statistic::Quantile(1.0),
            Some(Token::Word(word)) if word == "signed-rank-p" => Statistic::SignedRankP,
            Some(Token::Word(word)) if word == "slope" => Statistic::Slope,
            Some(Token::Word(word)) if word == "quantile" => {
                let place = self.limit()?;
                if !(0.0..=1.0).contains(&place) {
                    return Err(format!("a quantile lies between 0 and 1, not at {place}"));
                }
                Statistic::Quantile(place)
            }
            _ => {
                return Err(expected(
                    "median, mean, minimum, maximum, quantile, signed-rank-p, slope, share or net share",
                    token.as_ref(),
                ));
            }
        })
    }

    fn sum(&mut self) -> Result<Expression, String> {
        let mut left = self.product()?;
        loop {
            let operator = match self.tokens.peek() {
                Some(Token::Sign("+")) => Operator::Plus,
                Some(Token::Sign("-")) => Operator::Minus,
                _ => return Ok(left),
            };
            self.tokens.next();
            let right = self.product()?;
            left = Expression::Operation(Box::new(left), operator, Box::new(right));
        }
    }

    fn product(&mut self) -> Result<Expression, String> {
        let mut left = self.atom()?;
        loop {
            let operator = match self.tokens.peek() {
                Some(Token::Sign("*")) => Operator::Times,
                Some(Token::Sign("/")) => Operator::By,
                _ => return Ok(left),
            };
            self.tokens.next();
            let right = self.atom()?;
            left = Expression::Operation(Box::new(left), operator, Box::new(right));
        }
    }

    fn atom(&mut self) -> Result<Expression, String> {
        let token = self.tokens.next();
        match token {
            Some(Token::Number(number)) => Ok(Expression::Number(number)),
            Some(Token::Quoted(name)) => Ok(Expression::Name(name)),
            Some(Token::Word(name)) if name == "abs" => match self.tokens.next() {
                Some(Token::Sign("(")) => Ok(Expression::Size(Box::new(self.parentheses()?))),
                other => Err(expected("( after abs", other.as_ref())),
            },
            Some(Token::Word(name)) if name != "of" => Ok(Expression::Name(name)),
            Some(Token::Sign("(")) => self.parentheses(),
            other => Err(expected("a name or a number", other.as_ref())),
        }
    }

    /// Reads the words after an opening parenthesis.
    fn parentheses(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("there are more than {DEEPEST} parentheses"));
        }
        let inner = self.sum()?;
        match self.tokens.next() {
            Some(Token::Sign(")")) => Ok(inner),
            other => Err(expected(")", other.as_ref())),
        }
    }

    fn metric(&mut self) -> Result<MetricId, String> {
        match self.tokens.next() {
            Some(Token::Word(name)) => metric(&name),
            other => Err(expected("a metric", other.as_ref())),
        }
    }

    fn comparison(&mut self) -> Result<Comparison, String> {
        match self.tokens.next() {
            Some(Token::Sign("<")) => Ok(Comparison::Less),
            Some(Token::Sign("<=")) => Ok(Comparison::AtMost),
            Some(Token::Sign(">")) => Ok(Comparison::More),
            Some(Token::Sign(">=")) => Ok(Comparison::AtLeast),
            other => Err(expected("<, <=, > or >=", other.as_ref())),
        }
    }

    fn limit(&mut self) -> Result<f64, String> {
        let minus = self.tokens.peek() == Some(&Token::Sign("-"));
        if minus {
            self.tokens.next();
        }
        match self.tokens.next() {
            Some(Token::Number(number)) => Ok(if minus { -number } else { number }),
            other => Err(expected("a number", other.as_ref())),
        }
    }

    fn is_word(&mut self, wanted: &str) -> bool {
        matches!(self.tokens.peek(), Some(Token::Word(word)) if word == wanted)
    }

    fn words(&mut self, wanted: &[&str]) -> Result<(), String> {
        for word in wanted {
            match self.tokens.next() {
                Some(Token::Word(found)) if found == *word => {}
                other => return Err(expected(&format!("`{word}`"), other.as_ref())),
            }
        }
        Ok(())
    }
}

/// Returns the simulated metric with this name, or with the name of its column. Hyphens and
/// underscores are the same.
///
/// # Errors
/// The names that exist.
pub fn metric(name: &str) -> Result<MetricId, String> {
    let all = || crate::row::metrics();
    let found = all().find(|one| one.metric().is_called(name));
    found.ok_or_else(|| {
        let known: Vec<String> = all().map(|one| one.metric().key()).collect();
        format!("`{name}` is no metric; use {}", known.join(", "))
    })
}

#[cfg(test)]
mod tests;
