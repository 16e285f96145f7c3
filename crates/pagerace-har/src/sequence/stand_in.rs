//! Content of a given size and type that replaces a recorded body.
//!
//! The content is filler, with a valid beginning and end if a few bytes suffice for them:
//! comments in HTML, CSS, JavaScript and XML, a string in JSON, a small picture or box
//! followed by padding. It does not run, show or load anything. Formats that need more
//! (JPEG, fonts and others) only have their first bytes, and no decoder accepts them. A
//! file too small for beginning and end is filler alone.
//!
//! The filler compresses well, so stand-ins must be served without content coding: their
//! sizes are already those of encoded bodies.

use std::io::{self, Write};

/// Filler between beginning and end. It has no line breaks, quotes or hyphens, which
/// JSON, playlists or XML would interpret.
const FILLER: &[u8] = b"This text stands in for a recorded body of the same size. ";

/// A grey pixel; decoders ignore data after the end.
const GIF: &[u8] =
    b"GIF89a\x01\0\x01\0\x80\0\0\x80\x80\x80\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

/// A grey pixel, likewise.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU\
\0\0\0\nIDATx\x9cch\0\0\0\x82\0\x81w\xcdr\xb6\0\0\0\0IEND\xaeB`\x82";

/// Writes `size` bytes to `out` that replace a body of type `extension`.
///
/// # Errors
/// Returns the errors of `out`.
pub fn write(extension: &str, size: u64, out: &mut dyn Write) -> io::Result<()> {
    let (head, tail) = frame(extension, size);
    let Some(between) = size.checked_sub((head.len() + tail.len()) as u64) else {
        return filler(size, out);
    };
    out.write_all(&head)?;
    filler(between, out)?;
    out.write_all(tail)
}

fn filler(mut bytes: u64, out: &mut dyn Write) -> io::Result<()> {
    const REPEATS: usize = 256;
    let block = FILLER.repeat(REPEATS);
    while bytes > 0 {
        let part = bytes.min(block.len() as u64);
        out.write_all(&block[..part as usize])?;
        bytes -= part;
    }
    Ok(())
}

/// Returns the beginning and the end of a file of `size` bytes.
fn frame(extension: &str, size: u64) -> (Vec<u8>, &'static [u8]) {
    let (head, tail): (&[u8], &[u8]) = match extension {
        "html" => (b"<!doctype html><title>Stand-in</title><!--", b"-->"),
        "xhtml" => (
            b"<html xmlns=\"http://www.w3.org/1999/xhtml\"><!--",
            b"--></html>",
        ),
        "css" | "js" => (b"/*", b"*/"),
        "json" => return (b"\"".to_vec(), b"\""),
        "xml" => (b"<stand-in><!--", b"--></stand-in>"),
        "svg" => (
            b"<svg xmlns=\"http://www.w3.org/2000/svg\"><!--",
            b"--></svg>",
        ),
        "vtt" => (b"WEBVTT\n\nNOTE\n", b""),
        "m3u8" => (b"#EXTM3U\n#", b""),
        "gif" => (GIF, b""),
        "png" => (PNG, b""),
        "jpg" => (b"\xff\xd8\xff\xe0\0\x10JFIF\0", b"\xff\xd9"),
        "webp" => return (riff(*b"WEBP", size), b""),
        "wav" => return (riff(*b"WAVE", size), b""),
        "mp4" | "m4a" | "mov" => return (movie(size), b""),
        "webm" => (b"\x1a\x45\xdf\xa3", b""),
        "ogg" => (b"OggS", b""),
        "mp3" => (b"ID3\x04\0\0\0\0\0\0", b""),
        "woff" => (b"wOFF", b""),
        "woff2" => (b"wOF2", b""),
        "otf" => (b"OTTO", b""),
        "ttf" => (b"\0\x01\0\0", b""),
        "wasm" => (b"\0asm\x01\0\0\0", b""),
        "pdf" => (b"%PDF-1.4\n", b""),
        _ => (b"", b""),
    };
    (head.to_vec(), tail)
}

/// Returns a RIFF header: the size of all that follows it, and the form type.
fn riff(form: [u8; 4], size: u64) -> Vec<u8> {
    let rest = u32::try_from(size.saturating_sub(8)).unwrap_or(u32::MAX);
    [*b"RIFF", rest.to_le_bytes(), form].concat()
}

/// Returns a file type box and a box of free space that extends to the end of the file
/// (ISO/IEC 14496-12).
fn movie(size: u64) -> Vec<u8> {
    const TYPE: &[u8] = b"\0\0\0\x14ftypisom\0\0\x02\0isom";
    // Size 1 means that the 64-bit size follows the box type.
    let rest = size.saturating_sub(TYPE.len() as u64);
    let mut head = TYPE.to_vec();
    head.extend_from_slice(b"\0\0\0\x01free");
    head.extend_from_slice(&rest.to_be_bytes());
    head
}

#[cfg(test)]
mod tests;
