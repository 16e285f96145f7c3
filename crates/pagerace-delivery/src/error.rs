//! What can be wrong with a strategy that somebody wrote down.

/// Why a text is not a strategy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StrategyError {
    /// A list has an empty entry, or the whole text is empty.
    #[error(
        "strategy {position} of {text:?} is empty: write a name between the commas; known are {known}"
    )]
    Empty {
        /// The whole text.
        text: String,
        /// Which entry, from 1.
        position: usize,
        /// All names.
        known: String,
    },
    /// No strategy has this name.
    #[error("no strategy is called {found:?}{nearest}; known are {known}")]
    UnknownName {
        /// The name that was written.
        found: String,
        /// "; did you mean ...?", or nothing.
        nearest: String,
        /// All names.
        known: String,
    },
    /// The strategy has no such parameter.
    #[error("strategy {strategy} has no parameter {found:?}: it takes {allowed}")]
    UnknownParameter {
        /// The strategy.
        strategy: &'static str,
        /// The parameter that was written.
        found: String,
        /// What it takes.
        allowed: String,
    },
    /// A parameter without a value.
    #[error(
        "parameter {parameter:?} of strategy {strategy} has no value: write {parameter}=VALUE, {allowed}"
    )]
    NoValue {
        /// The strategy.
        strategy: &'static str,
        /// The parameter.
        parameter: String,
        /// What its value may be.
        allowed: String,
    },
    /// A value that the parameter does not take.
    #[error("parameter {parameter} of strategy {strategy} is {found:?}: it must be {allowed}")]
    BadValue {
        /// The strategy.
        strategy: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The value that was written.
        found: String,
        /// What it may be.
        allowed: String,
    },
    /// A parameter given more than once.
    #[error("parameter {parameter} of strategy {strategy} is given twice: give it once")]
    ParameterTwice {
        /// The strategy.
        strategy: &'static str,
        /// The parameter.
        parameter: &'static str,
    },
    /// The same strategy, with the same parameters, twice in one list.
    #[error("strategy {strategy} is listed twice: name it once, or give it other parameters")]
    StrategyTwice {
        /// The strategy, parameters resolved.
        strategy: String,
    },
}
