//! Formatting of numbers with units for tables and sentences.

/// The unit of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Milliseconds.
    Milliseconds,
    /// Bytes.
    Bytes,
    /// Bytes times the milliseconds that they waited.
    ByteMilliseconds,
    /// A number of items.
    Count,
    /// A dimensionless number.
    Score,
}

impl Unit {
    /// The symbol that follows a number; empty for counts and scores.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Milliseconds => "ms",
            Self::Bytes => "bytes",
            Self::ByteMilliseconds => "byte ms",
            Self::Count | Self::Score => "",
        }
    }

    /// Formats `value` in the scale that suits its size.
    pub fn format(self, value: f64) -> String {
        self.scale(value).format(value)
    }

    /// Returns the scale for a column of numbers up to `largest`.
    pub fn scale(self, largest: f64) -> Scale {
        let size = if largest.is_finite() {
            largest.abs()
        } else {
            0.0
        };
        let step = |divisor, decimals, symbol| Scale {
            divisor,
            decimals,
            symbol,
        };
        match self {
            Self::Milliseconds if size >= 9_999.5 => step(1e3, 2, " s"),
            Self::Milliseconds if size >= 9.95 => step(1.0, 0, " ms"),
            Self::Milliseconds => step(1.0, 1, " ms"),
            Self::Bytes if size >= 999_950.0 => step(1e6, 2, " MB"),
            Self::Bytes if size >= 999.5 => step(1e3, 1, " kB"),
            Self::Bytes => step(1.0, 0, " B"),
            Self::ByteMilliseconds if size >= 999_950.0 => step(1e6, 2, " MB ms"),
            Self::ByteMilliseconds if size >= 999.5 => step(1e3, 1, " kB ms"),
            Self::ByteMilliseconds => step(1.0, 0, " B ms"),
            Self::Count if size >= 99.95 => step(1.0, 0, ""),
            Self::Count => step(1.0, 1, ""),
            Self::Score => step(1.0, 3, ""),
        }
    }
}

/// A multiple of a unit and a precision, shared by all numbers of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    divisor: f64,
    decimals: usize,
    symbol: &'static str,
}

impl Scale {
    /// Formats `value` with its unit.
    pub fn format(self, value: f64) -> String {
        if value.is_infinite() {
            return self.number(value);
        }
        format!("{}{}", self.number(value), self.symbol)
    }

    /// Formats `value` with its unit and always a sign, except for zero.
    pub fn format_signed(self, value: f64) -> String {
        if value.is_infinite() {
            return self.signed_number(value);
        }
        format!("{}{}", self.signed_number(value), self.symbol)
    }

    /// Formats `low` to `high` in one unit, both with a sign.
    pub fn format_range(self, low: f64, high: f64) -> String {
        format!(
            "{} to {}{}",
            self.signed_number(low),
            self.signed_number(high),
            self.symbol
        )
    }

    /// Formats `low` to `high` in one unit, without plus signs.
    pub fn format_plain_range(self, low: f64, high: f64) -> String {
        format!(
            "{} to {}{}",
            self.number(low),
            self.number(high),
            self.symbol
        )
    }

    fn number(self, value: f64) -> String {
        if value.is_infinite() {
            return if value > 0.0 { "∞" } else { "-∞" }.to_owned();
        }
        let text = format!("{:.*}", self.decimals, value / self.divisor);
        if text.trim_start_matches(['-', '0', '.']).is_empty() {
            text.trim_start_matches('-').to_owned()
        } else {
            text
        }
    }

    fn signed_number(self, value: f64) -> String {
        let text = self.number(value);
        let zero = text.trim_matches(['0', '.']).is_empty();
        if zero || text.starts_with('-') {
            text
        } else {
            format!("+{text}")
        }
    }
}

/// Formats a share as per cent, with one decimal below ten and none above.
pub fn percent(share: f64) -> String {
    let value = share * 100.0;
    let decimals = usize::from(value.abs() < 9.95);
    let text = format!("{value:.decimals$}");
    let text = if text.trim_start_matches(['-', '0', '.']).is_empty() {
        "0"
    } else {
        &text
    };
    format!("{text} %")
}

/// Formats a share as per cent with a sign.
pub fn signed_percent(share: f64) -> String {
    let text = percent(share);
    if text.starts_with('-') || text == "0 %" {
        text
    } else {
        format!("+{text}")
    }
}

/// Formats a probability with three decimals, or as below one thousandth.
pub fn probability(p: f64) -> String {
    if p < 0.001 {
        "< 0.001".to_owned()
    } else {
        format!("{p:.3}")
    }
}

#[cfg(test)]
mod tests;
