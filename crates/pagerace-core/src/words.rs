//! Enums whose values people write.

use thiserror::Error;

/// An enum whose values have names on command lines and in lists.
pub trait Words: Copy + PartialEq + Send + Sync + 'static {
    /// Each value, its name, and a phrase on its effect.
    const WORDS: &'static [(Self, &'static str, &'static str)];

    /// Returns the name of the value.
    fn word(self) -> &'static str {
        let mut words = Self::WORDS.iter();
        words.find(|(value, ..)| *value == self).map_or("", |w| w.1)
    }

    /// Returns the phrase on the value.
    fn phrase(self) -> &'static str {
        let mut words = Self::WORDS.iter();
        words.find(|(value, ..)| *value == self).map_or("", |w| w.2)
    }

    /// Returns the value of this name; `None` if no value has it.
    fn of_word(name: &str) -> Option<Self> {
        let mut words = Self::WORDS.iter();
        words.find(|(_, word, _)| *word == name).map(|w| w.0)
    }
}

/// Defines an enum with [`Words`]: each value, its name, and a phrase on its effect.
#[macro_export]
macro_rules! words {
    (
        $(#[$about:meta])*
        $visibility:vis enum $type:ident {
            $($(#[$of_value:meta])* $value:ident = $name:literal: $phrase:literal,)+
        }
    ) => {
        $(#[$about])*
        $visibility enum $type {
            $($(#[$of_value])* $value),+
        }

        impl $crate::Words for $type {
            const WORDS: &'static [(Self, &'static str, &'static str)] =
                &[$((Self::$value, $name, $phrase)),+];
        }
    };
}

/// Defines an enum whose values have names. It has the list `ALL` of its values in order, `name`,
/// and `Display`. With a noun, as in `enum Protocol as "protocol"`, names are parsed as well, in
/// upper or lower case, and so are further spellings, as in `H2 = "h2" | "http/2"`.
#[macro_export]
macro_rules! names {
    (
        $(#[$about:meta])*
        $visibility:vis enum $type:ident {
            $($(#[$of_value:meta])* $value:ident = $name:literal,)+
        }
    ) => {
        $(#[$about])*
        $visibility enum $type {
            $($(#[$of_value])* $value),+
        }

        impl $type {
            /// All values, in order.
            $visibility const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            /// Returns the name.
            $visibility const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
    (
        $(#[$about:meta])*
        $visibility:vis enum $type:ident as $noun:literal {
            $($(#[$of_value:meta])* $value:ident = $name:literal $(| $spelling:literal)*,)+
        }
    ) => {
        $crate::names! {
            $(#[$about])*
            $visibility enum $type {
                $($(#[$of_value])* $value = $name,)+
            }
        }

        impl ::std::str::FromStr for $type {
            type Err = $crate::words::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                const SPELLINGS: &[($type, &[&str])] =
                    &[$(($type::$value, &[$name $(, $spelling)*])),+];
                let is_it = |spelling: &&str| spelling.eq_ignore_ascii_case(name);
                let known = SPELLINGS.iter().find(|(_, all)| all.iter().any(is_it));
                known.map(|(value, _)| *value).ok_or_else(|| $crate::words::UnknownName {
                    noun: $noun,
                    name: name.to_owned(),
                    known: &[$($name),+],
                })
            }
        }
    };
}

/// Error for a text that names no value of an enum.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown {noun} `{name}`; choose {}", alternatives(.known))]
pub struct UnknownName {
    /// A noun for the values.
    pub noun: &'static str,
    /// The unknown name.
    pub name: String,
    /// All names.
    pub known: &'static [&'static str],
}

/// Joins names as in "h1, h2 or h3".
fn alternatives(names: &[&str]) -> String {
    match names {
        [before @ .., last] if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use crate::Words as _;

    names! {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Tide as "tide" {
            High = "high",
            Low = "low",
            Slack = "slack water" | "slack",
        }
    }

    words! {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Wind {
            Calm = "calm": "Less than a knot",
            Gale = "gale": "More than 34 knots",
        }
    }

    #[test]
    fn names_are_shown_and_read() {
        for tide in Tide::ALL {
            assert_eq!(tide.to_string().parse(), Ok(tide));
            assert_eq!(tide.to_string().to_uppercase().parse(), Ok(tide));
        }
        assert_eq!("Slack".parse(), Ok(Tide::Slack));
        assert_eq!(format!("{:>5}|", Tide::Low), "  low|");
        let error = "ebb".parse::<Tide>().unwrap_err().to_string();
        assert_eq!(error, "unknown tide `ebb`; choose high, low or slack water");
    }

    #[test]
    fn words_have_phrases() {
        assert_eq!(Wind::of_word("gale"), Some(Wind::Gale));
        assert_eq!(Wind::of_word("storm"), None);
        assert_eq!(
            (Wind::Calm.word(), Wind::Gale.phrase()),
            ("calm", "More than 34 knots")
        );
    }
}
