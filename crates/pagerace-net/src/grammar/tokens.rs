//! The words of a description and their positions.

/// A word, which may contain spaces in quotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    /// The column of the word, counted in characters from 1.
    pub(super) column: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    /// The number of bytes already read.
    read: usize,
    /// The last word that was taken, for errors at the end of the text.
    last: &'a str,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            read: 0,
            last: "",
        }
    }

    /// Returns the next word without taking it.
    pub(super) fn peek(&self) -> Option<Token<'a>> {
        self.clone().next()
    }

    /// Returns the word that was taken last.
    pub(super) fn last_word(&self) -> &'a str {
        self.last
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let rest = &self.text[self.read..];
        let word = rest.trim_start();
        let begin = self.read + (rest.len() - word.len());
        let mut quoted = false;
        let end = word.find(|c: char| {
            quoted ^= c == '"';
            c.is_whitespace() && !quoted
        });
        let word = &word[..end.unwrap_or(word.len())];
        if word.is_empty() {
            return None;
        }
        self.read = begin + word.len();
        self.last = word;
        Some(Token {
            text: word,
            column: self.text[..begin].chars().count() + 1,
        })
    }
}
