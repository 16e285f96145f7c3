//! Compact and complete serialisation of traces in results.
//!
//! Steps are few and stay readable, as pairs of nanoseconds and bits per second. Mahimahi
//! traces have up to a million lines, so they are stored as pairs of (ms since the
//! previous pair, count) in LEB128, deflated (RFC 1951), in Base64 (RFC 4648, section 4).

use std::io::{Read, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Opportunities, Shape, Steps, Trace};

/// The maximum decompressed size of an embedded trace in bytes.
const UNPACKED_BYTES_MAX: u64 = 64 << 20;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Embedded {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mahimahi: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<(u64, u64)>>,
}

impl Serialize for Trace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (mahimahi, steps) = match &self.shape {
            Shape::Opportunities(o) => (Some(pack(&o.runs)), None),
            Shape::Steps(s) => (None, Some(s.steps.clone())),
        };
        Embedded {
            name: self.name.clone(),
            mahimahi,
            steps,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Trace {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Embedded {
            name,
            mahimahi,
            steps,
        } = Embedded::deserialize(deserializer)?;
        let shape = match (mahimahi, steps) {
            (Some(packed), None) => unpack(&packed)
                .and_then(Opportunities::new)
                .map(|o| Shape::Opportunities(o.into())),
            (None, Some(steps)) => Steps::new(steps).map(Shape::Steps),
            _ => Err("it needs either `mahimahi` or `steps`".to_owned()),
        };
        let shape = shape.map_err(|why| de::Error::custom(format!("trace {name}: {why}")))?;
        Ok(Self { name, shape })
    }
}

fn pack(runs: &[(u32, u32)]) -> String {
    let mut bytes = Vec::with_capacity(runs.len() * 2);
    let mut before = 0;
    for &(ms, count) in runs {
        push_leb128(&mut bytes, ms - before);
        push_leb128(&mut bytes, count);
        before = ms;
    }
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder
        .write_all(&bytes)
        .expect("writing to memory does not fail");
    STANDARD.encode(encoder.finish().expect("writing to memory does not fail"))
}

fn unpack(packed: &str) -> Result<Vec<(u32, u32)>, String> {
    let deflated = STANDARD
        .decode(packed)
        .map_err(|e| format!("not Base64: {e}"))?;
    let mut bytes = Vec::new();
    let read = DeflateDecoder::new(&deflated[..])
        .take(UNPACKED_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| format!("not deflated: {e}"))?;
    if read as u64 > UNPACKED_BYTES_MAX {
        return Err("longer than any trace".to_owned());
    }
    let mut rest = &bytes[..];
    let mut runs: Vec<(u32, u32)> = Vec::new();
    let mut ms: u32 = 0;
    while !rest.is_empty() {
        let (Some(gap), Some(count)) = (take_leb128(&mut rest), take_leb128(&mut rest)) else {
            return Err("its data are cut off".to_owned());
        };
        ms = ms.checked_add(gap).ok_or("its times are too large")?;
        runs.push((ms, count));
    }
    Ok(runs)
}

fn push_leb128(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn take_leb128(bytes: &mut &[u8]) -> Option<u32> {
    let mut value: u64 = 0;
    for shift in [0, 7, 14, 21, 28] {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return u32::try_from(value).ok();
        }
    }
    None
}
