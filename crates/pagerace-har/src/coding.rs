//! Content codings (RFC 9110, section 8.4). Recordings contain decoded bodies, so bodies
//! that were compressed are compressed again.

use std::io::Write as _;
use std::num::NonZero;
use std::thread;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use pagerace_core::parallel;

/// Quality of Brotli, 0 to 11, as servers use it for content compressed on the fly
/// (nginx's `ngx_brotli` uses 6, Cloudflare 4 or 5). Higher values take seconds.
const BROTLI_QUALITY: i32 = 5;

/// Level of gzip, 0 to 9: zlib's default.
const GZIP_LEVEL: u32 = 6;

/// A supported content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// `gzip`.
    Gzip,
    /// `deflate`, with zlib's format.
    Deflate,
    /// `br`.
    Brotli,
}

impl Coding {
    /// Returns the coding that replaces the recorded one; `None` for an uncompressed body
    /// or a chain of several codings.
    pub fn standing_for(recorded: &str) -> Option<Self> {
        match recorded.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Some(Self::Gzip),
            "deflate" => Some(Self::Deflate),
            // The available Zstandard encoders compress worse than those of servers.
            // Brotli comes close to the latter.
            "br" | "zstd" => Some(Self::Brotli),
            _ => None,
        }
    }

    /// Returns the name of the coding in `content-encoding`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
        }
    }

    /// Returns true if an `accept-encoding` field accepts the coding (RFC 9110, section
    /// 12.5.3).
    pub fn is_accepted(self, field: &[u8]) -> bool {
        let field = String::from_utf8_lossy(field).to_ascii_lowercase();
        let mut any = false;
        for item in field.split(',') {
            let (name, parameters) = item.split_once(';').unwrap_or((item, ""));
            let weight = parameters.trim().strip_prefix("q=").map(str::trim);
            let wanted = weight.is_none_or(|q| q.parse::<f64>().is_ok_and(|q| q > 0.0));
            match name.trim() {
                name if name == self.name() => return wanted,
                "*" => any = wanted,
                _ => {}
            }
        }
        any
    }

    /// Encodes a body.
    pub fn encode(self, body: &[u8]) -> Vec<u8> {
        let level = Compression::new(GZIP_LEVEL);
        let encoded = match self {
            Self::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), level);
                encoder.write_all(body).and_then(|()| encoder.finish())
            }
            Self::Deflate => {
                let mut encoder = ZlibEncoder::new(Vec::new(), level);
                encoder.write_all(body).and_then(|()| encoder.finish())
            }
            Self::Brotli => {
                let parameters = brotli::enc::BrotliEncoderParams {
                    quality: BROTLI_QUALITY,
                    size_hint: body.len(),
                    ..Default::default()
                };
                let mut encoded = Vec::new();
                let (mut from, to) = (body, &mut encoded);
                brotli::BrotliCompress(&mut from, to, &parameters).map(|_| encoded)
            }
        };
        encoded.expect("memory takes everything")
    }
}

/// Encodes all bodies on all processors. The results have the order of the bodies.
pub fn encode_all(bodies: &[(Coding, Bytes)]) -> Vec<Bytes> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    parallel::all(threads, bodies.len(), |i| {
        let (coding, body) = &bodies[i];
        Bytes::from(coding.encode(body))
    })
}

#[cfg(test)]
mod tests;
