//! Parameters of strategies: their declarations and values.

use std::fmt;

/// A parameter that a strategy takes.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name of the parameter, as written before the `=`.
    pub name: &'static str,
    /// Value of the parameter if none is written. Must lie in `range`.
    pub default: &'static str,
    /// The values that the parameter may have.
    pub range: Range,
    /// Effect of the parameter, in one clause.
    pub meaning: &'static str,
}

/// The values that a parameter may have. Bounds are inclusive.
#[derive(Clone, Copy, Debug)]
pub enum Range {
    /// A real number.
    Number {
        /// Least value.
        min: f64,
        /// Greatest value.
        max: f64,
    },
    /// A whole number.
    Integer {
        /// Least value.
        min: u64,
        /// Greatest value.
        max: u64,
    },
    /// One of these words.
    Word(&'static [&'static str]),
}

/// A parameter's value.
#[derive(Clone, Copy, Debug)]
enum Value {
    Number(f64),
    Integer(u64),
    Word(&'static str),
}

/// The values of all parameters of one strategy.
#[derive(Clone, Debug)]
pub struct Values(Vec<(&'static str, Value)>);

impl Range {
    fn read(self, text: &str) -> Option<Value> {
        match self {
            Self::Number { min, max } => {
                let number: f64 = text.parse().ok()?;
                // Adding 0 turns -0 into 0, so that equal values are written alike.
                (min <= number && number <= max).then_some(Value::Number(number + 0.0))
            }
            Self::Integer { min, max } => {
                let integer: u64 = text.parse().ok()?;
                (min <= integer && integer <= max).then_some(Value::Integer(integer))
            }
            Self::Word(words) => words.iter().find(|w| **w == text).map(|w| Value::Word(w)),
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { min, max } => write!(f, "a number from {min} to {max}"),
            Self::Integer { min, max } => write!(f, "a whole number from {min} to {max}"),
            Self::Word(words) => write!(f, "one of {}", words.join(", ")),
        }
    }
}

impl Values {
    /// Returns the defaults of `parameters`.
    pub(crate) fn defaults(parameters: &[Parameter]) -> Self {
        let named = |p: &Parameter| {
            let default = p.range.read(p.default);
            (p.name, default.expect("a default lies in its range"))
        };
        Self(parameters.iter().map(named).collect())
    }

    /// Sets `parameter` to the value of `text`. Returns false if the value is outside the
    /// range.
    pub(crate) fn set(&mut self, parameter: &Parameter, text: &str) -> bool {
        let Some(value) = parameter.range.read(text) else {
            return false;
        };
        let slot = self.0.iter_mut().find(|(name, _)| *name == parameter.name);
        slot.expect("values hold every parameter").1 = value;
        true
    }

    /// Returns the number of parameter `name`.
    ///
    /// # Panics
    /// Panics if the strategy declares no such number, which is a bug in the strategy.
    pub fn number(&self, name: &str) -> f64 {
        match self.get(name) {
            Value::Number(number) => number,
            other => panic!("parameter {name} is {other:?}, not a number"),
        }
    }

    /// Returns the whole number of parameter `name`.
    ///
    /// # Panics
    /// Panics if the strategy declares no such whole number, which is a bug in the
    /// strategy.
    pub fn integer(&self, name: &str) -> u64 {
        match self.get(name) {
            Value::Integer(integer) => integer,
            other => panic!("parameter {name} is {other:?}, not a whole number"),
        }
    }

    /// Returns the word of parameter `name`.
    ///
    /// # Panics
    /// Panics if the strategy declares no such word, which is a bug in the strategy.
    pub fn word(&self, name: &str) -> &'static str {
        match self.get(name) {
            Value::Word(word) => word,
            other => panic!("parameter {name} is {other:?}, not a word"),
        }
    }

    /// Returns the names and values as they are written, in the order of declaration.
    pub(crate) fn written(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.0.iter().map(|&(name, value)| {
            let text = match value {
                Value::Number(number) => number.to_string(),
                Value::Integer(integer) => integer.to_string(),
                Value::Word(word) => word.to_owned(),
            };
            (name, text)
        })
    }

    fn get(&self, name: &str) -> Value {
        let found = self.0.iter().find(|(n, _)| *n == name);
        found
            .unwrap_or_else(|| panic!("no parameter is called {name}"))
            .1
    }
}
