use proptest::prelude::*;

use super::*;
use pagerace_page::ImageCoding;

fn coding(bytes: &[u8]) -> ImageCoding {
    read(bytes).coding
}

fn jpeg_with(frame: u8) -> Vec<u8> {
    let mut bytes = vec![0xff, 0xd8];
    // An application segment whose payload looks like frame headers.
    bytes.extend([0xff, 0xe0, 0x00, 0x06, 0xff, 0xc2, 0xff, 0xc0]);
    bytes.extend([
        0xff, 0xff, 0xff, frame, 0x00, 0x0b, 8, 0, 16, 0, 16, 1, 1, 0x11, 0,
    ]);
    bytes.extend([0xff, 0xda]);
    bytes
}

fn png_with(interlace: u8) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR".to_vec();
    bytes.extend([0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, interlace]);
    bytes
}

fn gif_with(flags: u8) -> Vec<u8> {
    // A table of two colours, a comment, then the first frame.
    let mut bytes = b"GIF89a\x01\x00\x01\x00\x80\x00\x00".to_vec();
    bytes.extend([0; 6]);
    bytes.extend([0x21, 0xfe, 2, b'h', b'i', 0]);
    bytes.extend([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, flags]);
    bytes
}

#[test]
fn frame_headers_tell_the_order() {
    assert_eq!(coding(&jpeg_with(0xc0)), ImageCoding::TopDown);
    assert_eq!(coding(&jpeg_with(0xc2)), ImageCoding::Progressive);
    assert_eq!(coding(&png_with(0)), ImageCoding::TopDown);
    assert_eq!(coding(&png_with(1)), ImageCoding::Interlaced);
    assert_eq!(coding(&gif_with(0)), ImageCoding::TopDown);
    assert_eq!(coding(&gif_with(0x40)), ImageCoding::Interlaced);
}

#[test]
fn what_is_no_such_image_is_unknown() {
    for bytes in [
        &b""[..],
        b"\xff\xd8",
        b"<svg/>",
        b"RIFF....WEBPVP8 ",
        b"GIF89a",
    ] {
        assert_eq!(coding(bytes), ImageCoding::Unknown);
    }
    assert_eq!(coding(&png_with(7)), ImageCoding::Unknown);
}

#[test]
fn cut_images_are_unknown_or_right() {
    for whole in [jpeg_with(0xc2), png_with(1), gif_with(0x40)] {
        let right = coding(&whole);
        for end in 0..whole.len() {
            let cut = coding(&whole[..end]);
            assert!(cut == right || cut == ImageCoding::Unknown);
        }
    }
}

proptest! {
    #[test]
    fn no_bytes_are_too_odd(kind in 0_usize..3, at in 0_usize..64, tail: Vec<u8>) {
        let mut bytes = [jpeg_with(0xc2), png_with(1), gif_with(0x40)][kind].clone();
        bytes.truncate(at);
        bytes.extend(tail);
        let _ = read(&bytes);
    }
}

#[test]
fn recordings_with_bodies_tell_and_others_read_as_before() {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    let image = |body: &[u8]| {
        serde_json::json!({
            "startedDateTime": "2026-01-01T00:00:00.000Z", "time": 10,
            "request": {"method": "GET", "url": "https://site.example/a", "headers": []},
            "response": {"status": 200, "headers": [], "content": {
                "size": body.len(), "mimeType": "image/jpeg", "encoding": "base64",
                "text": STANDARD.encode(body),
            }},
        })
    };
    let document = serde_json::json!({
        "startedDateTime": "2026-01-01T00:00:00.000Z", "time": 10, "_resourceType": "document",
        "request": {"method": "GET", "url": "https://site.example/", "headers": []},
        "response": {"status": 200, "headers": [], "content": {"mimeType": "text/html"}},
    });
    let mut long = jpeg_with(0xc2);
    long.resize(3 << 20, 7);
    let har = serde_json::json!({"log": {"entries": [
        document, image(&jpeg_with(0xc2)), image(&long), image(b"no image"),
    ]}});
    let read = crate::from_bytes(
        "a.har",
        har.to_string().as_bytes(),
        &crate::ImportOptions::default(),
    );
    let page = read.unwrap();
    let codings: Vec<ImageCoding> = page.resources.iter().map(|r| r.image.coding).collect();
    let (known, unknown) = (ImageCoding::Progressive, ImageCoding::Unknown);
    assert_eq!(codings, [unknown, known, known, unknown]);
    // An unknown coding is not serialised, and a missing field reads as unknown.
    let text = serde_json::to_string(&page).unwrap();
    assert_eq!(text.matches("\"image\":{").count(), 2);
    assert_eq!(
        serde_json::from_str::<pagerace_page::Page>(&text).unwrap(),
        page
    );
}

/// A progressive JPEG of three components. Each scan has its components, first
/// coefficient, earlier bits (the high nibble of the approximation byte) and length in
/// bytes.
fn scans(scans: &[(&[u8], u8, u8, usize)]) -> Vec<u8> {
    let mut bytes = vec![0xff, 0xd8, 0xff, 0xc2, 0, 17, 8, 0, 16, 0, 16, 3];
    bytes.extend([1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]);
    for (components, first, earlier, length) in scans {
        // Tables may come between scans.
        bytes.extend([0xff, 0xc4, 0, 4, 0, 0]);
        bytes.extend([0xff, 0xda, 0, 6 + 2 * components.len() as u8]);
        bytes.push(components.len() as u8);
        bytes.extend(components.iter().flat_map(|c| [*c, 0]));
        bytes.extend([*first, *first, earlier << 4]);
        // Stuffed bytes and restart markers do not end a scan.
        bytes.extend([0xff, 0x00, 0xff, 0xd3]);
        bytes.extend(std::iter::repeat_n(7, *length));
    }
    bytes.extend([0xff, 0xd9]);
    bytes
}

#[test]
fn a_progressive_image_is_there_when_all_components_have_been_seen() {
    let together: &[(&[u8], u8, u8, usize)] = &[(&[1, 2, 3], 0, 0, 50), (&[1], 1, 0, 500)];
    let image = read(&scans(together));
    assert_eq!(image.head, 21);
    // Tables and scan header, and then stuffed and restart bytes, and data.
    let rows = image.rows.unwrap();
    assert_eq!([rows[0], rows[5], rows[10]], [41, 41 + 27, 41 + 54]);
    let apart: &[(&[u8], u8, u8, usize)] = &[
        (&[1], 0, 0, 10),
        (&[1], 1, 0, 99),
        (&[2], 0, 0, 10),
        (&[3], 0, 0, 10),
        (&[1], 0, 1, 9),
    ];
    let whole = scans(apart);
    let rows = read(&whole).rows.unwrap();
    let end = rows[10] as usize;
    assert_eq!(end, 21 + 4 * (6 + 10 + 4) + 10 + 99 + 10 + 10);
    assert_eq!(
        rows[0], 216,
        "the last scan of a component that is the first of its own"
    );
    assert_eq!(whole[end..end + 2], [0xff, 0xc4]);
    assert_eq!(read(&whole[..end]).rows, None, "its end is not seen");
    assert_eq!(read(&jpeg_with(0xc0)).rows, None);
}
