//! The order in which the bytes of an image deliver its picture.
//!
//! The module parses JPEG (ITU-T T.81, annex B), PNG (<https://www.w3.org/TR/png-3/#11IHDR>) and
//! the headers of GIF (`GIF89a`, section 20). All other formats are unknown. The bytes may be
//! truncated or damaged anywhere.

mod rows;

use pagerace_page::{ImageBytes, ImageCoding};

/// Parses the bytes of an image, as far as they are present and valid.
pub fn read(bytes: &[u8]) -> ImageBytes {
    if bytes.starts_with(&[0xff, 0xd8]) {
        jpeg(bytes)
    } else if let Some(rest) = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n") {
        png(rest)
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        gif(&bytes[6..])
    } else {
        None
    }
    .unwrap_or_default()
}

/// Parses a JPEG up to its first frame header, and its first scans.
fn jpeg(bytes: &[u8]) -> Option<ImageBytes> {
    let mut segments = Segments { bytes, at: 2 };
    let (coding, frame) = loop {
        let (marker, segment) = segments.next()?;
        match marker {
            // Progressive frames: Huffman or arithmetic coding, differential or not.
            0xc2 | 0xc6 | 0xca | 0xce => break (ImageCoding::Progressive, segment),
            // C4, C8 and CC are not frame headers.
            0xc0 | 0xc1 | 0xc3 | 0xc5 | 0xc7 | 0xc9 | 0xcb | 0xcd | 0xcf => {
                break (ImageCoding::TopDown, segment);
            }
            // A scan or the end of the image before any frame header.
            0xd9 | 0xda | 0x00 => return None,
            _ => {}
        }
    };
    let head = segments.at.min(bytes.len()) as u64;
    let rows = rows::jpeg(bytes).or_else(|| {
        let frame = frame.filter(|_| coding == ImageCoding::Progressive)?;
        let (from, to) = first_scans(&mut segments, frame)?;
        Some(std::array::from_fn(|tenth| {
            from + (to - from) * tenth as u64 / 10
        }))
    });
    Some(ImageBytes { coding, head, rows })
}

/// Returns the begin and the end of the scan by which each component has appeared once. Chromium
/// shows nothing before that (`JPEGImageDecoder`, `all_components_seen`).
fn first_scans(segments: &mut Segments<'_>, frame: &[u8]) -> Option<(u64, u64)> {
    let count = usize::from(*frame.get(5)?);
    let mut missing: Vec<u8> = frame.get(6..)?.chunks_exact(3).map(|c| c[0]).collect();
    missing.truncate(count);
    let mut begin = segments.at;
    while !missing.is_empty() {
        let (marker, scan) = segments.next()?;
        if marker == 0xd9 {
            return None;
        }
        let Some(scan) = scan.filter(|_| marker == 0xda) else {
            continue;
        };
        let parameters = 1 + 2 * usize::from(*scan.first()?);
        // A scan from coefficient 0 on carries the mean of each block.
        if *scan.get(parameters)? == 0 {
            let seen = scan.get(1..parameters)?.chunks_exact(2);
            let seen: Vec<u8> = seen.map(|component| component[0]).collect();
            missing.retain(|component| !seen.contains(component));
        }
        begin = segments.at;
        segments.skip_scan()?;
    }
    Some((begin as u64, segments.at as u64))
}

/// Reader of the marker segments of a JPEG.
struct Segments<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Segments<'a> {
    /// Returns the next marker, and the payload of its segment if it is complete. Markers
    /// without a segment are skipped.
    fn next(&mut self) -> Option<(u8, Option<&'a [u8]>)> {
        loop {
            if *self.bytes.get(self.at)? != 0xff {
                return None;
            }
            // Any number of 0xff bytes may precede a marker.
            let rest = &self.bytes[self.at..];
            let fill = rest.iter().take_while(|b| **b == 0xff).count();
            let marker = *rest.get(fill)?;
            self.at += fill + 1;
            if matches!(marker, 0x01 | 0xd0..=0xd8) {
                continue;
            }
            if matches!(marker, 0xd9 | 0x00) {
                return Some((marker, None));
            }
            let length = self.bytes.get(self.at..self.at + 2);
            let length = length.map_or(2, |l| usize::from(u16::from_be_bytes([l[0], l[1]])));
            let begin = self.at + 2;
            self.at += length.max(2);
            return Some((marker, self.bytes.get(begin..self.at)));
        }
    }

    /// Advances to the marker after the entropy-coded data.
    fn skip_scan(&mut self) -> Option<()> {
        let rest = self.bytes.get(self.at..)?;
        let is_end = |pair: &[u8]| pair[0] == 0xff && !matches!(pair[1], 0x00 | 0xd0..=0xd7 | 0xff);
        self.at += rest.windows(2).position(is_end)?;
        Some(())
    }
}

/// Reads the interlace method, which is the last byte of `IHDR`.
fn png(rest: &[u8]) -> Option<ImageBytes> {
    if rest.get(4..8)? != b"IHDR" {
        return None;
    }
    let coding = match rest.get(20)? {
        0 => ImageCoding::TopDown,
        1 => ImageCoding::Interlaced,
        _ => return None,
    };
    // Signature, `IHDR` chunk and its checksum.
    Some(ImageBytes {
        coding,
        head: 8 + 25,
        rows: (coding == ImageCoding::TopDown)
            .then(|| rows::png(rest))
            .flatten(),
    })
}

/// Reads the first image descriptor: in an animation, the first frame decides.
fn gif(rest: &[u8]) -> Option<ImageBytes> {
    let table = |flags: u8| {
        let entries = 2_usize << (flags & 7);
        if flags & 0x80 == 0 { 0 } else { 3 * entries }
    };
    let flags = *rest.get(4)?;
    let mut at = 7 + table(flags);
    loop {
        match rest.get(at)? {
            0x2c => {
                let interlaced = rest.get(at + 9)? & 0x40 != 0;
                let coding = if interlaced {
                    ImageCoding::Interlaced
                } else {
                    ImageCoding::TopDown
                };
                // The screen's size follows the signature.
                return Some(ImageBytes {
                    coding,
                    head: 10,
                    rows: None,
                });
            }
            // An extension: a label, then blocks up to an empty one.
            0x21 => {
                at += 2;
                loop {
                    let length = usize::from(*rest.get(at)?);
                    at += 1 + length;
                    if length == 0 {
                        break;
                    }
                }
            }
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests;
