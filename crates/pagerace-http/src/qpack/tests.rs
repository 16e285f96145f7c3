//! Tests with the fields of recordings and with the interop vectors, against `qpack` as an
//! independent implementation.

#[path = "../../../../tests/corpus/files.rs"]
mod files;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::PathBuf;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::Field;
use crate::fields::{filler_fields, text_size};

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");

/// The files of the interop archive by path; `None` if the archive is missing.
fn interop_files() -> Option<BTreeMap<String, Vec<u8>>> {
    let Ok(archive) = fs::read(format!("{SHARED}/reference/qpack-interop.tgz")) else {
        eprintln!("skipped: ../shared/data is not there (QPACK interop vectors)");
        return None;
    };
    let mut tar = Vec::new();
    flate2::read::GzDecoder::new(&archive[..])
        .read_to_end(&mut tar)
        .unwrap();
    let mut files = BTreeMap::new();
    let mut rest = &tar[..];
    // A tar archive holds, for each file, a header of 512 bytes (name at 0, octal size at
    // 124) and the file, padded to a multiple of 512.
    while rest.len() >= 512 && rest[0] != 0 {
        let text = |range: std::ops::Range<usize>| {
            let bytes = rest[range].split(|&b| b == 0).next().unwrap();
            String::from_utf8(bytes.to_vec()).unwrap()
        };
        let size = usize::from_str_radix(text(124..136).trim(), 8).unwrap();
        files.insert(text(0..100), rest[512..512 + size].to_vec());
        rest = &rest[512 + size.next_multiple_of(512)..];
    }
    Some(files)
}

/// Parses the field sections of a QIF file: `name TAB value` lines, empty lines between
/// sections, and comments that begin with `#`.
fn parse_qif(text: &[u8]) -> Vec<Vec<Field>> {
    let mut sections = vec![Vec::new()];
    for line in text.split(|&b| b == b'\n').filter(|l| !l.starts_with(b"#")) {
        let Some(tab) = line.iter().position(|&b| b == b'\t') else {
            sections.push(Vec::new());
            continue;
        };
        let field = Field::new(line[..tab].to_vec(), line[tab + 1..].to_vec());
        sections.last_mut().unwrap().push(field);
    }
    sections.retain(|section| !section.is_empty());
    sections
}

fn qif_of<'a>(files: &'a BTreeMap<String, Vec<u8>>, name: &str) -> &'a [u8] {
    let (_, text) = files
        .iter()
        .find(|(path, _)| path.ends_with(&format!("/{name}.qif")))
        .unwrap();
    text
}

/// Splits a file into (stream, bytes) blocks: 8 bytes of id and 4 of length, big-endian.
fn blocks(mut file: &[u8]) -> Vec<(u64, &[u8])> {
    let mut blocks = Vec::new();
    while !file.is_empty() {
        let stream = u64::from_be_bytes(file[..8].try_into().unwrap());
        let len = u32::from_be_bytes(file[8..12].try_into().unwrap()) as usize;
        blocks.push((stream, &file[12..12 + len]));
        file = &file[12 + len..];
    }
    blocks
}

/// Reads files that are no part of the repository, and passes without them.
#[test]
fn extra_every_interop_vector_without_a_table_decodes() {
    let Some(files) = interop_files() else { return };
    let mut count = 0;
    for (path, file) in &files {
        // NAME.out.CAPACITY.BLOCKED.ACK
        let Some((name, _)) = path.rsplit('/').next().unwrap().split_once(".out.0.") else {
            continue;
        };
        let expected = parse_qif(qif_of(&files, name));
        let blocks = blocks(file);
        let sections = blocks.iter().filter(|(stream, _)| *stream != 0);
        assert_eq!(sections.clone().count(), expected.len(), "{path}");
        for ((stream, section), wanted) in sections.zip(expected) {
            let fields = decode(section, u64::MAX, &mut Memory::default());
            assert_eq!(fields, Ok(wanted), "{path}, stream {stream}");
        }
        for (_, instructions) in blocks.iter().filter(|(stream, _)| *stream == 0) {
            assert_eq!(check_encoder_instructions(instructions), Ok(()), "{path}");
        }
        count += 1;
    }
    assert_eq!(count, 48);
}

#[test]
fn what_we_encode_decodes_here_and_in_the_library() {
    for fields in recorded_sections(&files::corpus()).iter().flatten() {
        decodes_here_and_in_the_library(fields, "corpus");
    }
}

/// Reads files that are no part of the repository, and passes without them.
#[test]
fn extra_interop_sections_decode_here_and_in_the_library() {
    let Some(files) = interop_files() else { return };
    for (path, text) in files.iter().filter(|(path, _)| path.contains("/qifs/")) {
        for fields in parse_qif(text) {
            decodes_here_and_in_the_library(&fields, path);
        }
    }
}

fn decodes_here_and_in_the_library(fields: &[Field], at: &str) {
    let mut encoded = Vec::new();
    encode(fields, &mut Memory::default(), &mut encoded);
    assert_eq!(
        decode(&encoded, u64::MAX, &mut Memory::default()),
        Ok(fields.to_vec()),
        "{at}"
    );
    let theirs = qpack::decode_stateless(&mut &encoded[..], u64::MAX).unwrap();
    assert_eq!(from_library(theirs.fields), fields, "{at}");
    // This module also decodes the library's sections.
    let lines = fields
        .iter()
        .map(|f| qpack::HeaderField::from((&f.name, &f.value)));
    let mut encoded = Vec::new();
    qpack::encode_stateless(&mut encoded, lines).unwrap();
    assert_eq!(
        decode(&encoded, u64::MAX, &mut Memory::default()),
        Ok(fields.to_vec()),
        "{at}"
    );
}

fn from_library(fields: Vec<qpack::HeaderField>) -> Vec<Field> {
    let field = |f: qpack::HeaderField| Field::new(f.name.into_owned(), f.value.into_owned());
    fields.into_iter().map(field).collect()
}

/// The ratio of encoded size to text size without a dynamic table.
fn share(sections: &[Vec<Field>]) -> f64 {
    let (mut text, mut encoded) = (0, Vec::new());
    for fields in sections {
        text += text_size(fields);
        encode(fields, &mut Memory::default(), &mut encoded);
    }
    encoded.len() as f64 / text as f64
}

/// The field lines of every request and every response in recordings.
fn recorded_sections(paths: &[PathBuf]) -> [Vec<Vec<Field>>; 2] {
    let mut sections = [Vec::new(), Vec::new()];
    for path in paths
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e == "gz"))
    {
        let file = flate2::read::GzDecoder::new(fs::File::open(path).unwrap());
        let Ok(har) = serde_json::from_reader::<_, serde_json::Value>(file) else {
            continue;
        };
        for entry in har["log"]["entries"].as_array().unwrap() {
            for (side, key) in ["request", "response"].into_iter().enumerate() {
                let lines = entry[key]["headers"]
                    .as_array()
                    .map_or(&[][..], |lines| lines);
                let text = |v: &serde_json::Value| v.as_str().unwrap_or_default().to_owned();
                let field =
                    |h: &serde_json::Value| (text(&h["name"]).to_lowercase(), text(&h["value"]));
                let fields: Vec<Field> = lines
                    .iter()
                    .map(field)
                    .map(|(n, v)| Field::new(n, v))
                    .collect();
                // Failed requests have no fields.
                if !fields.is_empty() {
                    sections[side].push(fields);
                }
            }
        }
    }
    sections
}

/// Checks that filler fields shrink as recorded ones do.
fn assert_filler_is_near(name: &str, sections: &[Vec<Field>]) {
    let filler: Vec<Vec<Field>> = (200..2000).step_by(37).map(filler_fields).collect();
    let (filler, recorded) = (share(&filler), share(sections));
    assert!(
        (filler - recorded).abs() < 0.1,
        "{name} {recorded:.3}, filler {filler:.3}"
    );
}

#[test]
fn filler_shrinks_as_recorded_fields_do() {
    // Requests of a browser. The servers of the corpus send too few fields to compare.
    let mut recorded = files::corpus();
    recorded.retain(|path| path.to_string_lossy().ends_with(".page.gz"));
    assert_filler_is_near("requests", &recorded_sections(&recorded)[0]);
}

/// Reads files that are no part of the repository, and passes without them.
#[test]
fn extra_filler_shrinks_as_fields_of_sites_do() {
    let small = |path: &PathBuf| fs::metadata(path).unwrap().len() < 200_000;
    let shared: Vec<_> = files::shared().into_iter().filter(small).collect();
    if !shared.is_empty() {
        let [requests, responses] = recorded_sections(&shared);
        assert_filler_is_near("requests to sites", &requests);
        assert_filler_is_near("responses of sites", &responses);
    }
}

/// RFC 9204, appendix B.1: literal field line with name reference.
#[test]
fn the_example_of_the_rfc_without_a_table() {
    assert_eq!(
        decode(b"\0\0\x51\x0b/index.html", 999, &mut Memory::default()),
        Ok(vec![Field::from_static(":path", "/index.html")])
    );
}

#[test]
fn impossible_references_are_errors() {
    let error = |section: &[u8]| decode(section, 41, &mut Memory::default()).unwrap_err();
    // Dynamic indices of all four kinds.
    for first in [0x80, 0x10, 0x40, 0x00] {
        assert_eq!(error(&[0, 0, first, 0]), Error::DynamicIndex);
    }
    assert_eq!(error(&[0, 0, 0xff, 0x24]), Error::StaticIndex(99));
    assert_eq!(error(&[0xff, 0x00, 0x00]), Error::Prefix);
    assert_eq!(error(&[0x02, 0x00, 0x80]), Error::Prefix);
    assert_eq!(error(&[0, 0x80, 0xc0]), Error::Prefix);
    assert_eq!(error(&[0, 0, 0x50, 5, b'a']), Error::Truncated);
    assert_eq!(error(&[0, 0, 0xd1]), Error::SectionTooLarge(41));
}

#[test]
fn the_encoder_stream_may_only_set_a_capacity_of_zero() {
    assert_eq!(check_encoder_instructions(&[0x20, 0x20]), Ok(()));
    // A capacity of 1, two inserts and a duplicate.
    for instruction in [0x21, 0xc0, 0x41, 0x00] {
        let refused = check_encoder_instructions(&[instruction]);
        assert_eq!(refused, Err(Error::Capacity));
    }
}

#[test]
fn an_encoder_that_inserts_nothing_gets_no_acknowledgements() {
    let mut cancelled = vec![0x44, 0x7f];
    assert_eq!(check_decoder_instructions(&mut cancelled), Ok(()));
    assert_eq!(cancelled, [0x7f]);
    assert_eq!(
        check_decoder_instructions(&mut vec![0x84]),
        Err(Error::Acknowledgement)
    );
    assert_eq!(
        check_decoder_instructions(&mut vec![0x01]),
        Err(Error::Acknowledgement)
    );
}

proptest! {
    #[test]
    fn any_lines_round_trip(lines in vec((vec(any::<u8>(), 0..40), vec(any::<u8>(), 0..80)), 0..12)) {
        let fields: Vec<Field> = lines.into_iter().map(|(n, v)| Field::new(n, v)).collect();
        let mut encoded = Vec::new();
        encode(&fields, &mut Memory::default(), &mut encoded);
        prop_assert_eq!(decode(&encoded, u64::MAX, &mut Memory::default()), Ok(fields));
    }

    /// Lines that are remembered change neither the code nor what is read from it.
    #[test]
    fn a_connection_codes_its_sections_like_any(
        sections in vec(vec((0_u8..3, 0_usize..3), 0..70), 1..6),
    ) {
        let (mut sent, mut received) = (Memory::default(), Memory::default());
        for lines in sections {
            let line = |(name, size): (u8, usize)| {
                Field::new(format!("x-{name}"), "value".repeat(size * 40))
            };
            let fields: Vec<_> = lines.into_iter().map(line).collect();
            let (mut encoded, mut alone) = (Vec::new(), Vec::new());
            encode(&fields, &mut sent, &mut encoded);
            encode(&fields, &mut Memory::default(), &mut alone);
            prop_assert_eq!(&encoded, &alone);
            prop_assert_eq!(decode(&encoded, u64::MAX, &mut received), Ok(fields));
        }
    }

    #[test]
    fn rubbish_never_panics(input in vec(any::<u8>(), 0..300)) {
        crate::fuzz::qpack_decoder(&input);
    }
}
