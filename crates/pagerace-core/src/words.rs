//! Enums whose values people write.

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

    /// Returns the value of this name.
    fn of_word(name: &str) -> Option<Self> {
        let mut words = Self::WORDS.iter();
        words.find(|(_, word, _)| *word == name).map(|w| w.0)
    }
}
