//! One HEAD request over HTTP/1.1 or HTTP/2, without IO.

use bytes::Bytes;
use pagerace_http::{Field, Role, h1, h2};
use serde::{Deserialize, Serialize};

use crate::error::{Failure, Kind, one_line};

/// Most bytes of a field's value that are kept.
const VALUE_MAX: usize = 2048;
/// Largest head of a response in bytes.
pub(crate) const HEAD_MAX: u32 = 32 * 1024;

/// The head of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Names, in lower case, and values, cut to 2 KiB.
    pub(crate) fields: Vec<(String, String)>,
}

impl Response {
    /// Reads the fields of a well-formed head.
    pub(crate) fn of(fields: &[Field]) -> Self {
        let text = |bytes: &[u8]| one_line(&String::from_utf8_lossy(bytes), VALUE_MAX);
        let all = fields.iter().map(|f| (text(&f.name), text(&f.value)));
        let (pseudo, fields): (Vec<_>, Vec<_>) = all.partition(|(name, _)| name.starts_with(':'));
        let status = pseudo.iter().find(|(name, _)| name == ":status");
        Self {
            status: status
                .and_then(|(_, value)| value.parse().ok())
                .unwrap_or(0),
            fields,
        }
    }

    /// Returns the values of a field, joined by commas (RFC 9110, section 5.3).
    pub(crate) fn field(&self, name: &str) -> Option<String> {
        let named = self.fields.iter().filter(|(n, _)| n == name);
        let values: Vec<&str> = named.map(|(_, value)| value.as_str()).collect();
        (!values.is_empty()).then(|| one_line(&values.join(", "), VALUE_MAX))
    }
}

/// Returns the fields of the request.
pub(crate) fn request(authority: &str, user_agent: &str) -> Vec<Field> {
    let field = |name: &'static str, value: &str| Field::new(name, value.to_owned());
    vec![
        field(":method", "HEAD"),
        field(":scheme", "https"),
        field(":authority", authority),
        field(":path", "/"),
        field("user-agent", user_agent),
        field("accept", "*/*"),
    ]
}

/// A client that sends one request over TCP.
pub(crate) enum Http {
    One(h1::Client),
    Two(Box<h2::Connection>),
}

impl Http {
    /// Creates a client and sends the request.
    ///
    /// # Errors
    /// The request has characters that HTTP does not allow.
    pub(crate) fn new(two: bool, fields: &[Field]) -> Result<Self, Failure> {
        let bad = |error: &dyn std::fmt::Display| Failure::new(Kind::Http, error);
        if two {
            let config = h2::Config {
                header_table_size: 4096,
                stream_window: 65_535,
                connection_window: 65_535,
                max_header_list_size: HEAD_MAX,
                ..h2::Config::chromium()
            };
            let mut client = h2::Connection::new(Role::Client, config);
            let sent = client.send_request(fields, None, None, None);
            sent.map_err(|error| bad(&error))?;
            Ok(Self::Two(Box::new(client)))
        } else {
            let mut client = h1::Client::new(h1::Config {
                head_bytes_max: HEAD_MAX as usize,
                ..h1::Config::default()
            });
            let sent = client.send_request(fields, None);
            sent.map_err(|error| bad(&error))?;
            Ok(Self::One(client))
        }
    }

    /// Returns the next bytes to send.
    pub(crate) fn poll_write(&mut self) -> Option<Bytes> {
        match self {
            Self::One(client) => client.poll_write(),
            Self::Two(client) => client.poll_write(),
        }
    }

    /// Handles received bytes. Returns the response when its head is complete.
    ///
    /// # Errors
    /// The server broke the rules of HTTP, or refused the request.
    pub(crate) fn handle_data(&mut self, data: Bytes) -> Result<Option<Response>, Failure> {
        match self {
            Self::One(client) => {
                let result = client.handle_data(data);
                while let Some(event) = client.poll_event() {
                    if let h1::Event::Headers { fields, .. } = event {
                        return Ok(Some(Response::of(&fields)));
                    }
                }
                result.map_err(|error| Failure::new(Kind::Http, error))?;
                if client.is_closed() {
                    return Err(Failure::new(Kind::Http, "no response"));
                }
            }
            Self::Two(client) => {
                let result = client.handle_data(data);
                while let Some(event) = client.poll_event() {
                    match event {
                        h2::Event::Headers { fields, .. } => {
                            return Ok(Some(Response::of(&fields)));
                        }
                        h2::Event::Reset { code, .. } => {
                            let text = format_args!("the request was reset: {code}");
                            return Err(Failure::new(Kind::Http, text));
                        }
                        h2::Event::StreamError { reason, .. } => {
                            return Err(Failure::new(Kind::Http, reason));
                        }
                        h2::Event::GoAway { .. } => {
                            return Err(Failure::new(Kind::Http, "the server goes away"));
                        }
                        _ => {}
                    }
                }
                result.map_err(|error| Failure::new(Kind::Http, error))?;
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::{Http, request};

    fn one(answer: &[u8]) -> String {
        let fields = request("a.example", "test");
        let mut http = Http::new(false, &fields).unwrap();
        let sent = http.poll_write().unwrap();
        assert!(sent.starts_with(b"HEAD / HTTP/1.1\r\n"), "{sent:?}");
        for byte in answer {
            match http.handle_data(Bytes::copy_from_slice(&[*byte])) {
                Ok(None) => {}
                Ok(Some(response)) => {
                    return format!("{} {:?}", response.status, response.field("alt-svc"));
                }
                Err(failure) => return failure.to_string(),
            }
        }
        "nothing".to_owned()
    }

    #[test]
    fn the_head_of_the_response_is_read() {
        let answer = b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 301 Moved\r\nlocation: https://b.example/\r\n\
            Alt-Svc: h3=\":443\"\r\nalt-svc: h2=\":444\"\r\n\r\n";
        assert_eq!(one(answer), r#"301 Some("h3=\":443\", h2=\":444\"")"#);
    }

    #[test]
    fn heads_without_end_are_refused() {
        let answer = [&b"HTTP/1.1 200 OK\r\n"[..], &b"a: b\r\n".repeat(20_000)].concat();
        assert!(one(&answer).starts_with("http: "), "{}", one(&answer));
        assert!(one(b"SSH-2.0-OpenSSH\r\n\r\n").starts_with("http: "));
        assert_eq!(one(b"HTTP/1.1 200"), "nothing");
    }
}
