//! The grammar of claims.
//!
//! ```text
//! claim      = statistic "over pages of" expression "of" METRIC comparison NUMBER
//!            | "share of pages with" expression "of" METRIC comparison NUMBER
//!              comparison NUMBER
//! statistic  = "median" | "mean" | "minimum" | "maximum" | "quantile" NUMBER
//!            | "signed-rank-p"
//! expression = arithmetic with + - * / and parentheses over numbers and names
//! comparison = "<" | "<=" | ">" | ">="
//! ```

use std::iter::Peekable;
use std::vec::IntoIter;

use pagerace_lab::MetricId;

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

/// How the numbers of all pages become one.
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
    /// The share of pages whose number compares so with a limit.
    Share(Comparison, f64),
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
    /// An operation.
    Operation(Box<Self>, Operator, Box<Self>),
}

/// A predicate.
#[derive(Clone, Debug, PartialEq)]
pub struct Sentence {
    /// How the pages' numbers become one.
    pub statistic: Statistic,
    /// The number of a run.
    pub expression: Expression,
    /// The metric whose values the names stand for.
    pub metric: MetricId,
    /// How the deciding number compares with the limit.
    pub comparison: Comparison,
    /// The limit.
    pub limit: f64,
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

impl Sentence {
    /// Returns true if the claim holds with this deciding number.
    pub fn holds(&self, number: f64) -> bool {
        self.comparison.holds(number, self.limit)
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
}

/// A word or a sign of a claim.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    /// A name in quotes.
    Quoted(String),
    Number(f64),
    Sign(&'static str),
}

const SIGNS: [&str; 10] = ["<=", ">=", "<", ">", "(", ")", "+", "-", "*", "/"];

/// The longest claim, in bytes.
const LONGEST: usize = 1_000;
/// The deepest nesting of parentheses.
const DEEPEST: usize = 50;

/// Parses a claim.
///
/// # Errors
/// What was found and what is expected.
pub fn parse(text: &str) -> Result<Sentence, String> {
    if text.len() > LONGEST {
        return Err(format!("has more than {LONGEST} bytes"));
    }
    let tokens = tokens(text)?.into_iter().peekable();
    let mut parser = Parser { tokens, depth: 0 };
    let sentence = parser.sentence()?;
    match parser.tokens.next() {
        None => Ok(sentence),
        Some(token) => Err(expected("the end", Some(&token))),
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            tokens.push(Token::Sign(sign));
            sign.len()
        } else if matches!(first, '\'' | '"') {
            let inner = &rest[1..];
            let end = inner
                .find(first)
                .ok_or_else(|| format!("the quote before {inner} does not end"))?;
            tokens.push(Token::Quoted(inner[..end].to_owned()));
            end + 2
        } else {
            let part = |c: char| c.is_alphanumeric() || "_.:-%".contains(c);
            let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
            if end == 0 {
                return Err(format!(
                    "found `{first}`, which no claim has; names with signs have quotes"
                ));
            }
            let word = &rest[..end];
            let (digits, unit) = match word.strip_suffix('%') {
                Some(digits) => (digits, 0.01),
                None => (word, 1.0),
            };
            let number = first.is_ascii_digit().then(|| digits.parse::<f64>());
            tokens.push(match number {
                Some(Ok(number)) => Token::Number(number * unit),
                _ => Token::Word(word.to_owned()),
            });
            end
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

struct Parser {
    tokens: Peekable<IntoIter<Token>>,
    depth: usize,
}

impl Parser {
    fn sentence(&mut self) -> Result<Sentence, String> {
        let share = self.is_word("share");
        let mut statistic = if share {
            self.words(&["share", "of", "pages", "with"])?;
            Statistic::Median
        } else {
            let statistic = self.statistic()?;
            self.words(&["over", "pages", "of"])?;
            statistic
        };
        let expression = self.sum()?;
        if expression.names().is_empty() {
            return Err("the arithmetic names no contender".to_owned());
        }
        self.words(&["of"])?;
        let metric = self.metric()?;
        if share {
            statistic = Statistic::Share(self.comparison()?, self.limit()?);
        }
        Ok(Sentence {
            statistic,
            expression,
            metric,
            comparison: self.comparison()?,
            limit: self.limit()?,
        })
    }

    fn statistic(&mut self) -> Result<Statistic, String> {
        let token = self.tokens.next();
        Ok(match &token {
            Some(Token::Word(word)) if word == "median" => Statistic::Median,
            Some(Token::Word(word)) if word == "mean" => Statistic::Mean,
            Some(Token::Word(word)) if word == "minimum" => Statistic::Quantile(0.0),
            Some(Token::Word(word)) if word == "maximum" => Statistic::Quantile(1.0),
            Some(Token::Word(word)) if word == "signed-rank-p" => Statistic::SignedRankP,
            Some(Token::Word(word)) if word == "quantile" => {
                let place = self.limit()?;
                if !(0.0..=1.0).contains(&place) {
                    return Err(format!("a quantile lies between 0 and 1, not at {place}"));
                }
                Statistic::Quantile(place)
            }
            _ => {
                return Err(expected(
                    "median, mean, minimum, maximum, quantile, signed-rank-p or share",
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
            Some(Token::Word(name)) if name != "of" => Ok(Expression::Name(name)),
            Some(Token::Sign("(")) => {
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
            other => Err(expected("a name or a number", other.as_ref())),
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

/// Returns the simulated metric with this name, or with the name of its column.
///
/// # Errors
/// The names that exist.
pub fn metric(name: &str) -> Result<MetricId, String> {
    let all = || crate::row::metrics();
    let of_column = all().find(|one| one.metric().key() == name);
    let found = of_column.or_else(|| all().find(|one| one.metric().name == name));
    found.ok_or_else(|| {
        let known: Vec<String> = all().map(|one| one.metric().key()).collect();
        format!("`{name}` is no metric; use {}", known.join(", "))
    })
}

fn expected(wanted: &str, found: Option<&Token>) -> String {
    let found = match found {
        None => "the end".to_owned(),
        Some(Token::Word(text) | Token::Quoted(text)) => format!("`{text}`"),
        Some(Token::Number(number)) => format!("`{number}`"),
        Some(Token::Sign(sign)) => format!("`{sign}`"),
    };
    format!("found {found}, expected {wanted}")
}

#[cfg(test)]
mod tests;
