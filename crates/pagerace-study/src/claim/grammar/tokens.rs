//! The words and signs of claims.

/// A word or a sign of a claim.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Word(String),
    /// A name in quotes.
    Quoted(String),
    Number(f64),
    Sign(&'static str),
}

const SIGNS: [&str; 10] = ["<=", ">=", "<", ">", "(", ")", "+", "-", "*", "/"];

/// Cuts a claim into words and signs.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
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

/// Names the words found and those expected.
pub(super) fn expected(wanted: &str, found: Option<&Token>) -> String {
    let found = match found {
        None => "the end".to_owned(),
        Some(Token::Word(text) | Token::Quoted(text)) => format!("`{text}`"),
        Some(Token::Number(number)) => format!("`{number}`"),
        Some(Token::Sign(sign)) => format!("`{sign}`"),
    };
    format!("found {found}, expected {wanted}")
}
