//! In which order the bytes of an image bring its picture.
//!
//! Looks at the heads of JPEG (ITU-T T.81, annex B), PNG
//! (<https://www.w3.org/TR/png-3/#11IHDR>) and GIF (`GIF89a`, section 20) only;
//! all other formats are unknown. Bytes may be cut off or damaged anywhere.

use crate::ImageCoding;

/// The order of an image's bytes; of a damaged or cut one as far as can be seen.
pub fn coding(bytes: &[u8]) -> ImageCoding {
    if let Some(rest) = bytes.strip_prefix(&[0xff, 0xd8]) {
        jpeg(rest)
    } else if let Some(rest) = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n") {
        png(rest)
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        gif(&bytes[6..])
    } else {
        None
    }
    .unwrap_or_default()
}

/// The first frame header decides.
fn jpeg(mut rest: &[u8]) -> Option<ImageCoding> {
    loop {
        let (0xff, after) = rest.split_first().map(|(b, r)| (*b, r))? else {
            return None;
        };
        // Any number of 0xff may stand before a marker.
        let fill = after.iter().take_while(|b| **b == 0xff).count();
        let (&marker, after) = after[fill..].split_first()?;
        match marker {
            // Progressive: Huffman or arithmetic coded, differential or not.
            0xc2 | 0xc6 | 0xca | 0xce => return Some(ImageCoding::Progressive),
            // C4, C8 and CC are no frame headers.
            0xc0 | 0xc1 | 0xc3 | 0xc5 | 0xc7 | 0xc9 | 0xcb | 0xcd | 0xcf => {
                return Some(ImageCoding::TopDown);
            }
            // Markers that stand alone.
            0x01 | 0xd0..=0xd8 => rest = after,
            // The picture, or the end, before any header.
            0xd9 | 0xda | 0x00 => return None,
            _ => {
                let length = usize::from(u16::from_be_bytes([*after.first()?, *after.get(1)?]));
                rest = after.get(length.max(2)..)?;
            }
        }
    }
}

/// `IHDR` comes first; its last byte is the interlace method.
fn png(rest: &[u8]) -> Option<ImageCoding> {
    if rest.get(4..8)? != b"IHDR" {
        return None;
    }
    match rest.get(20)? {
        0 => Some(ImageCoding::TopDown),
        1 => Some(ImageCoding::Interlaced),
        _ => None,
    }
}

/// The first image descriptor decides: of an animation, the first frame.
fn gif(rest: &[u8]) -> Option<ImageCoding> {
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
                return Some(if interlaced {
                    ImageCoding::Interlaced
                } else {
                    ImageCoding::TopDown
                });
            }
            // An extension: its label, then blocks up to an empty one.
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
