//! The parts of an invented site.

/// A server, and how far away it is.
pub(crate) struct Host {
    pub(crate) name: &'static str,
    pub(crate) address: &'static str,
    pub(crate) protocol: &'static str,
    pub(crate) rtt_ms: f64,
    /// Hosts with the same number share a connection.
    pub(crate) connection: u32,
}

/// The kind of an item and the way it is loaded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Style,
    BlockingScript,
    DeferredScript,
    AsyncScript,
    InsertedScript,
    Font,
    /// An image in the first viewport.
    Hero,
    Image,
    Lazy,
    Background,
    Data,
    Beacon,
    Frame,
    Icon,
}

/// The cause of an item's request.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Cause {
    /// The document's head.
    Head,
    /// The document's body, at this share of it.
    Body(f64),
    /// A style sheet, by its index.
    Style(usize),
    /// A script, by its index, and milliseconds after it has run.
    Script(usize, f64),
}

/// One file of the site.
pub(crate) struct Item {
    pub(crate) host: usize,
    pub(crate) path: String,
    pub(crate) kind: Kind,
    /// Encoded bytes.
    pub(crate) bytes: u64,
    pub(crate) think_ms: f64,
    pub(crate) cause: Cause,
}

/// A page and what it loads.
pub(crate) struct Site {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) hosts: Vec<Host>,
    /// Decoded bytes of the document.
    pub(crate) document_bytes: usize,
    pub(crate) document_think_ms: f64,
    pub(crate) items: Vec<Item>,
}

impl Site {
    pub(crate) fn url(&self, item: &Item) -> String {
        format!("https://{}{}", self.hosts[item.host].name, item.path)
    }

    pub(crate) fn document_url(&self) -> String {
        format!("https://{}/", self.hosts[0].name)
    }

    /// Adds an item and gives its index.
    pub(crate) fn add(
        &mut self,
        host: usize,
        path: &str,
        kind: Kind,
        kilobytes: f64,
        think_ms: f64,
        cause: Cause,
    ) -> usize {
        let bytes = (kilobytes * 1000.0) as u64;
        self.items.push(Item {
            host,
            path: path.to_owned(),
            kind,
            bytes,
            think_ms,
            cause,
        });
        self.items.len() - 1
    }

    /// The document: what the head names, then filler text with what the body
    /// names at its share of the whole.
    pub(crate) fn html(&self) -> String {
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n",
            self.title
        );
        for item in self.items.iter().filter(|i| i.cause == Cause::Head) {
            html += &self.element(item);
        }
        html += "</head>\n<body>\n";
        let mut body: Vec<(f64, &Item)> = self
            .items
            .iter()
            .filter_map(|i| {
                if let Cause::Body(share) = i.cause {
                    Some((share, i))
                } else {
                    None
                }
            })
            .collect();
        body.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (share, item) in body {
            fill(&mut html, (share * self.document_bytes as f64) as usize);
            html += &self.element(item);
        }
        fill(&mut html, self.document_bytes.saturating_sub(16));
        html + "</body>\n</html>\n"
    }

    fn element(&self, item: &Item) -> String {
        let url = self.url(item);
        match item.kind {
            Kind::Style => format!("<link rel=\"stylesheet\" href=\"{url}\">\n"),
            Kind::BlockingScript => format!("<script src=\"{url}\"></script>\n"),
            Kind::DeferredScript => format!("<script defer src=\"{url}\"></script>\n"),
            Kind::AsyncScript => format!("<script async src=\"{url}\"></script>\n"),
            Kind::Font => {
                format!("<link rel=\"preload\" as=\"font\" crossorigin href=\"{url}\">\n")
            }
            Kind::Lazy => format!("<img loading=\"lazy\" src=\"{url}\" alt=\"\">\n"),
            Kind::Frame => format!("<iframe src=\"{url}\"></iframe>\n"),
            Kind::Icon => format!("<link rel=\"icon\" href=\"{url}\">\n"),
            _ => format!("<img src=\"{url}\" alt=\"\">\n"),
        }
    }
}

/// Filler paragraphs up to `length` bytes.
fn fill(html: &mut String, length: usize) {
    const PARAGRAPH: &str = "<p>The quick brown fox jumps over the lazy dog, and the dog takes \
        its time to think about what it has seen before it goes back to sleep.</p>\n";
    while html.len() + PARAGRAPH.len() <= length {
        html.push_str(PARAGRAPH);
    }
}
