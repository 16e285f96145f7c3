//! Tests with the fields of recordings and with the interop vectors, against `qpack` as an
//! independent implementation, and against the examples of RFC 9204, appendix B.

#[path = "../../../../tests/corpus/files.rs"]
mod files;
mod tabled;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::PathBuf;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::Field;
use crate::fields::{filler_fields, text_size};
use crate::literal::integer;

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

/// Reorders the blocks as if each section overtook the inserts just before it.
fn overtake(blocks: &mut [(u64, &[u8])]) {
    let mut at = 0;
    while at + 1 < blocks.len() {
        if blocks[at].0 == 0 && blocks[at + 1].0 != 0 {
            blocks.swap(at, at + 1);
            at += 1;
        }
        at += 1;
    }
}

/// Decodes the blocks, handing in the encoder stream in pieces of `chunk` bytes. Returns
/// the sections by stream, and the number of times that a section was found blocked.
fn decode_blocks(
    blocks: &[(u64, &[u8])],
    capacity: u64,
    chunk: usize,
) -> (BTreeMap<u64, Vec<Field>>, usize) {
    let mut decoder = Decoder::new(capacity);
    // The vectors assume that the capacity is set from the start.
    let mut set = Vec::new();
    integer::encode(5, 0b0010_0000, capacity, &mut set);
    decoder.handle_encoder_stream(&set).unwrap();
    let mut decoded = BTreeMap::new();
    let mut blocked: Vec<(u64, &[u8])> = Vec::new();
    let mut waited = 0;
    for &(stream, bytes) in blocks {
        if stream != 0 {
            blocked.push((stream, bytes));
        } else {
            bytes
                .chunks(chunk)
                .for_each(|c| decoder.handle_encoder_stream(c).unwrap());
        }
        blocked.retain(
            |(stream, bytes)| match decoder.decode(*stream, bytes, u64::MAX).unwrap() {
                Section::Decoded(fields) => {
                    decoded.insert(*stream, fields);
                    false
                }
                Section::Blocked(required) => {
                    assert!(required > decoder.insert_count());
                    true
                }
            },
        );
        waited += blocked.len();
    }
    assert!(blocked.is_empty(), "sections stayed blocked");
    (decoded, waited)
}

#[test]
fn every_interop_vector_decodes() {
    let Some(files) = interop_files() else { return };
    let (mut count, mut with_blocking) = (0, 0);
    for (path, file) in files
        .iter()
        .filter(|(path, _)| path.contains("/encoded/qpack"))
    {
        // NAME.out.CAPACITY.BLOCKED.ACK
        let Some((name, parameters)) = path.rsplit('/').next().unwrap().split_once(".out.") else {
            continue;
        };
        let parameters: Vec<u64> = parameters.split('.').map(|p| p.parse().unwrap()).collect();
        let (capacity, may_block) = (parameters[0], parameters[1] > 0);
        let expected = parse_qif(qif_of(&files, name));
        let mut blocks = blocks(file);
        let in_order = decode_blocks(&blocks, capacity, usize::MAX);
        assert_eq!(in_order.1, 0, "{path}: the files are in order");
        overtake(&mut blocks);
        let overtaken = decode_blocks(&blocks, capacity, 7);
        assert!(
            may_block || overtaken.1 == 0,
            "{path}: blocks though it may not"
        );
        for (decoded, _) in [&in_order, &overtaken] {
            assert_eq!(decoded.len(), expected.len(), "{path}");
            for ((stream, fields), wanted) in decoded.iter().zip(&expected) {
                assert_eq!(fields, wanted, "{path}, stream {stream}");
            }
        }
        with_blocking += usize::from(overtaken.1 > 0);
        count += 1;
    }
    assert_eq!(count, 192);
    assert!(
        with_blocking > 40,
        "only {with_blocking} files had sections that wait"
    );
}

#[test]
fn what_we_encode_decodes_here_and_in_the_library() {
    for fields in recorded_sections(&files::corpus()).iter().flatten() {
        decodes_here_and_in_the_library(fields, "corpus");
    }
    let Some(files) = interop_files() else { return };
    for (path, text) in files.iter().filter(|(path, _)| path.contains("/qifs/")) {
        for fields in parse_qif(text) {
            decodes_here_and_in_the_library(&fields, path);
        }
    }
}

fn decodes_here_and_in_the_library(fields: &[Field], at: &str) {
    let mut encoded = Vec::new();
    encode(fields, &mut encoded);
    let ours = Decoder::new(0).decode(0, &encoded, u64::MAX);
    assert_eq!(ours, Ok(Section::Decoded(fields.to_vec())), "{at}");
    let theirs = qpack::decode_stateless(&mut &encoded[..], u64::MAX).unwrap();
    assert_eq!(from_library(theirs.fields), fields, "{at}");
    // This module also decodes the library's sections.
    let lines = fields
        .iter()
        .map(|f| qpack::HeaderField::from((&f.name, &f.value)));
    let mut encoded = Vec::new();
    qpack::encode_stateless(&mut encoded, lines).unwrap();
    assert_eq!(
        Decoder::new(0).decode(0, &encoded, u64::MAX),
        Ok(Section::Decoded(fields.to_vec())),
        "{at}"
    );
}

/// A decoder with a table, the recorded requests of a page as an encoder with a table sends
/// them: in order, and with sections that overtake the inserts that they need.
#[test]
fn recorded_sections_decode_with_a_table() {
    let [requests, responses] = recorded_sections(&files::corpus());
    for capacity in [128, 1_024, 4_096] {
        let mut waited = 0;
        for sections in [&requests, &responses] {
            let encoded = tabled::encode(sections, capacity);
            assert!(encoded.references > sections.len(), "the table is of use");
            let mut blocks: Vec<(u64, &[u8])> = encoded
                .blocks
                .iter()
                .map(|(stream, bytes)| (*stream, &bytes[..]))
                .collect();
            let in_order = decode_blocks(&blocks, capacity, usize::MAX);
            assert_eq!(in_order.1, 0);
            overtake(&mut blocks);
            let overtaken = decode_blocks(&blocks, capacity, 7);
            waited += overtaken.1;
            for decoded in [in_order.0, overtaken.0] {
                assert!(decoded.values().eq(sections), "capacity {capacity}");
            }
        }
        assert!(waited > 40, "only {waited} sections waited");
    }
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
        encode(fields, &mut encoded);
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

#[test]
fn filler_shrinks_as_recorded_fields_do() {
    let filler: Vec<Vec<Field>> = (200..2000).step_by(37).map(filler_fields).collect();
    let filler = share(&filler);
    let near = |name: &str, sections: &[Vec<Field>]| {
        let recorded = share(sections);
        eprintln!("{name} {recorded:.3}, filler {filler:.3}");
        assert!(
            (filler - recorded).abs() < 0.1,
            "{name} {recorded:.3}, filler {filler:.3}"
        );
    };
    // Requests of a browser. The servers of the corpus send too few fields to compare.
    let mut recorded = files::corpus();
    recorded.retain(|path| path.to_string_lossy().ends_with(".page.gz"));
    near("requests", &recorded_sections(&recorded)[0]);
    let small = |path: &PathBuf| fs::metadata(path).unwrap().len() < 200_000;
    let shared: Vec<_> = files::shared().into_iter().filter(small).collect();
    if !shared.is_empty() {
        let [requests, responses] = recorded_sections(&shared);
        near("requests to sites", &requests);
        near("responses of sites", &responses);
    }
}

/// RFC 9204, appendix B: the encoder stream, the sections and the
/// acknowledgements of one conversation.
#[test]
fn the_examples_of_the_rfc() {
    let hex = |text: &str| -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
        let byte = |d: &[u8]| u8::from_str_radix(std::str::from_utf8(d).unwrap(), 16).unwrap();
        digits.chunks(2).map(byte).collect()
    };
    let decoded = |lines: &[(&'static str, &'static str)]| {
        Ok(Section::Decoded(
            lines
                .iter()
                .map(|(n, v)| Field::from_static(n, v))
                .collect(),
        ))
    };
    let mut decoder = Decoder::new(220);
    // B.1: literal field line with name reference.
    let section = hex("0000 510b 2f69 6e64 6578 2e68 746d 6c");
    assert_eq!(
        decoder.decode(0, &section, 999),
        decoded(&[(":path", "/index.html")])
    );
    assert!(decoder.take_instructions().is_empty());
    // B.2: the section arrives before its inserts.
    let section = hex("0381 10 11");
    assert_eq!(decoder.decode(4, &section, 999), Ok(Section::Blocked(2)));
    decoder
        .handle_encoder_stream(&hex(
            "3fbd01 c00f 7777 772e 6578 616d 706c 652e 636f 6d c10c 2f73 616d 706c 652f 7061 7468",
        ))
        .unwrap();
    let lines = [(":authority", "www.example.com"), (":path", "/sample/path")];
    assert_eq!(decoder.decode(4, &section, 999), decoded(&lines));
    // Insert count increment of 2, and acknowledgement of the section on stream 4.
    assert_eq!(decoder.take_instructions(), hex("02 84"));
    // B.3: speculative insert.
    decoder
        .handle_encoder_stream(&hex(
            "4a63 7573 746f 6d2d 6b65 790c 6375 7374 6f6d 2d76 616c 7565",
        ))
        .unwrap();
    assert_eq!(decoder.take_instructions(), hex("01"));
    // B.4: duplicate, and a stream cancellation.
    decoder.handle_encoder_stream(&hex("02")).unwrap();
    decoder.cancel(8);
    assert_eq!(decoder.take_instructions(), hex("01 48"));
    // B.5: an insert with eviction.
    decoder
        .handle_encoder_stream(&hex("810d 6375 7374 6f6d 2d76 616c 7565 32"))
        .unwrap();
    assert_eq!(decoder.insert_count(), 5);
}

#[test]
fn impossible_references_are_errors() {
    let mut decoder = Decoder::new(220);
    // A dynamic index in a section with a required insert count of zero.
    assert_eq!(
        decoder.decode(0, &[0, 0, 0x80], 999),
        Err(Error::DynamicIndex)
    );
    assert_eq!(
        decoder.decode(0, &[0, 0, 0x10], 999),
        Err(Error::DynamicIndex)
    );
    assert_eq!(
        decoder.decode(0, &[0, 0, 0xff, 0x24], 999),
        Err(Error::StaticIndex(99))
    );
    assert_eq!(
        decoder.decode(0, &[0xff, 0x00, 0x00], 999),
        Err(Error::Prefix)
    );
    assert_eq!(decoder.decode(0, &[0, 0x80, 0xc0], 999), Err(Error::Prefix));
    assert_eq!(
        decoder.decode(0, &[0, 0, 0x50, 5, b'a'], 999),
        Err(Error::Truncated)
    );
    assert_eq!(
        decoder.decode(0, &[0, 0, 0xd1], 41),
        Err(Error::SectionTooLarge(41))
    );
    // A capacity above the settings, an entry above the capacity, and an entry that does
    // not exist.
    assert_eq!(
        decoder.handle_encoder_stream(&[0x3f, 0xbe, 0x01]),
        Err(Error::Capacity)
    );
    let mut decoder = Decoder::new(220);
    assert_eq!(
        decoder.handle_encoder_stream(&[0xc0, 0x00]),
        Err(Error::Capacity)
    );
    let mut decoder = Decoder::new(220);
    assert_eq!(
        decoder.handle_encoder_stream(&[0x00]),
        Err(Error::DynamicIndex)
    );
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
        encode(&fields, &mut encoded);
        let decoded = Decoder::new(0).decode(0, &encoded, u64::MAX);
        prop_assert_eq!(decoded, Ok(Section::Decoded(fields)));
    }

    #[test]
    fn rubbish_never_panics(input in vec(any::<u8>(), 0..300)) {
        crate::fuzz::qpack_decoder(&input);
    }
}
