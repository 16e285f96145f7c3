//! Header fields in HAR, and the secrets among them.

use serde_json::{Value, json};

/// Fields with credentials
/// (<https://www.rfc-editor.org/rfc/rfc9110#section-11>, RFC 6265).
const SECRET: [&str; 4] = [
    "cookie",
    "set-cookie",
    "authorization",
    "proxy-authorization",
];

/// Header fields, cookies, and the number of secrets left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fields {
    pub(super) list: Vec<Value>,
    pub(super) cookies: Vec<Value>,
    pub(super) dropped: usize,
}

/// Reads `Network.Headers`, in which several fields of one name are lines of one value.
pub(super) fn fields(headers: &Value, keep_secrets: bool) -> Fields {
    let mut all = Fields::default();
    let Some(object) = headers.as_object() else {
        return all;
    };
    for (name, value) in object {
        for value in value.as_str().unwrap_or_default().split('\n') {
            let lower = name.to_ascii_lowercase();
            if SECRET.contains(&lower.as_str()) {
                if !keep_secrets {
                    all.dropped += 1;
                    continue;
                }
                match lower.as_str() {
                    "cookie" => all.cookies.extend(value.split(';').map(cookie)),
                    "set-cookie" => all.cookies.push(cookie(value)),
                    _ => {}
                }
            }
            all.list.push(json!({"name": name, "value": value}));
        }
    }
    all
}

/// Returns the value of a field.
pub(super) fn get<'a>(headers: &'a Value, name: &str) -> Option<&'a str> {
    let mut fields = headers.as_object()?.iter();
    fields
        .find(|(n, _)| n.eq_ignore_ascii_case(name))?
        .1
        .as_str()
}

/// Returns the name and value of a cookie without its attributes.
fn cookie(text: &str) -> Value {
    let pair = text.split(';').next().unwrap_or_default();
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    json!({"name": name.trim(), "value": value.trim()})
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{fields, get};

    #[test]
    fn secrets_are_dropped_and_counted() {
        let headers = json!({"Cookie": "a=1; b=2", "Set-Cookie": "s=1; Secure\nt=2",
            "AUTHORIZATION": "Basic x", "Proxy-Authorization": "y", "Vary": "a\nb"});
        let without = fields(&headers, false);
        assert_eq!(without.dropped, 5);
        assert!(without.cookies.is_empty());
        let vary = |v: &str| json!({"name": "Vary", "value": v});
        assert_eq!(without.list, [vary("a"), vary("b")]);
        let with = fields(&headers, true);
        assert_eq!((with.list.len(), with.dropped), (7, 0));
        let names: Vec<_> = with.cookies.iter().map(|c| c["name"].as_str()).collect();
        assert_eq!(names, [Some("a"), Some("b"), Some("s"), Some("t")]);
    }

    #[test]
    fn names_have_no_case() {
        assert_eq!(
            get(&json!({"Content-Length": "7"}), "content-length"),
            Some("7")
        );
        assert_eq!(get(&json!(null), "age"), None);
    }
}
