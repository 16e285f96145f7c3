use std::io::Read as _;

use super::*;

fn text() -> Vec<u8> {
    let lines = (0..2_000).map(|i| format!("line {} of many, {}\n", i, i * i % 97));
    lines.collect::<String>().into_bytes()
}

#[test]
fn what_is_encoded_decodes() {
    for body in [text(), Vec::new(), b"x".to_vec()] {
        for coding in [Coding::Gzip, Coding::Deflate, Coding::Brotli] {
            let encoded = coding.encode(&body);
            let mut decoded = Vec::new();
            match coding {
                Coding::Gzip => {
                    let mut reader = flate2::read::GzDecoder::new(&encoded[..]);
                    reader.read_to_end(&mut decoded).unwrap();
                }
                Coding::Deflate => {
                    let mut reader = flate2::read::ZlibDecoder::new(&encoded[..]);
                    reader.read_to_end(&mut decoded).unwrap();
                }
                Coding::Brotli => {
                    brotli::BrotliDecompress(&mut &encoded[..], &mut decoded).unwrap();
                }
            }
            assert_eq!(decoded, body, "{coding:?}");
            assert!(
                body.len() < 100 || encoded.len() * 3 < body.len(),
                "{coding:?}"
            );
        }
    }
}

#[test]
fn many_are_encoded_in_order() {
    let bodies: Vec<(Coding, Bytes)> = (0..40_u8)
        .map(|i| (Coding::Gzip, vec![i; usize::from(i) * 100].into()))
        .collect();
    let encoded = encode_all(&bodies);
    for ((coding, body), encoded) in bodies.iter().zip(&encoded) {
        assert_eq!(coding.encode(body), encoded[..]);
    }
    assert!(encode_all(&[]).is_empty());
}

#[test]
fn what_clients_take() {
    let takes = |field: &str| Coding::Brotli.is_accepted(field.as_bytes());
    for field in ["gzip, br", "BR;q=0.5", "*", "gzip;q=0, *;q=0.1"] {
        assert!(takes(field), "{field}");
    }
    for field in [
        "",
        "gzip",
        "br;q=0",
        "br;q=0, *",
        "*;q=0",
        "identity",
        "brr",
    ] {
        assert!(!takes(field), "{field}");
    }
}

#[test]
fn what_stands_for_a_coding() {
    assert_eq!(Coding::standing_for("GZIP "), Some(Coding::Gzip));
    assert_eq!(Coding::standing_for("zstd"), Some(Coding::Brotli));
    assert_eq!(Coding::standing_for("identity"), None);
    assert_eq!(Coding::standing_for("gzip, br"), None);
}
