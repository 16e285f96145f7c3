//! Errors in the text of a strategy.

/// Error that occurs when a text does not describe a strategy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StrategyError {
    /// A list has an empty entry, or the whole text is empty.
    #[error(
        "strategy {position} of {text:?} is empty: write a name between the commas; the \
         strategies are {known}"
    )]
    Empty {
        /// The whole text.
        text: String,
        /// Position of the empty entry, from 1.
        position: usize,
        /// Names of all known strategies.
        known: String,
    },
    /// No strategy has this name.
    #[error("unknown strategy {found:?}; the strategies are {known}{suggestion}")]
    UnknownName {
        /// The name as written.
        found: String,
        /// Names of all known strategies.
        known: String,
        /// A suggestion that ends the message, or empty.
        suggestion: String,
    },
    /// The strategy has no such parameter.
    #[error("strategy {strategy} has no parameter {found:?}: it takes {allowed}")]
    UnknownParameter {
        /// Name of the strategy.
        strategy: &'static str,
        /// The parameter as written.
        found: String,
        /// The parameters that the strategy takes.
        allowed: String,
    },
    /// A parameter has no value.
    #[error(
        "parameter {parameter:?} of strategy {strategy} has no value: write {parameter}=VALUE, {allowed}"
    )]
    NoValue {
        /// Name of the strategy.
        strategy: &'static str,
        /// Name of the parameter.
        parameter: String,
        /// The values that the parameter may have.
        allowed: String,
    },
    /// A value is outside the parameter's range.
    #[error("parameter {parameter} of strategy {strategy} is {found:?}: it must be {allowed}")]
    BadValue {
        /// Name of the strategy.
        strategy: &'static str,
        /// Name of the parameter.
        parameter: &'static str,
        /// The value as written.
        found: String,
        /// The values that the parameter may have.
        allowed: String,
    },
    /// A parameter is given more than once.
    #[error("parameter {parameter} of strategy {strategy} is given twice: give it once")]
    ParameterTwice {
        /// Name of the strategy.
        strategy: &'static str,
        /// Name of the parameter.
        parameter: &'static str,
    },
    /// A list contains the same strategy twice with the same parameters.
    #[error("strategy {strategy} is listed twice: name it once, or give it other parameters")]
    StrategyTwice {
        /// The strategy with all parameters resolved.
        strategy: String,
    },
}
