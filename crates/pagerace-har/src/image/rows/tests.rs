use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::super::read;
use super::Tenths;

/// Bits of entropy-coded data.
#[derive(Default)]
struct Bits(Vec<bool>);

impl Bits {
    /// A block without coefficients, `0 0`, or one with 63 coefficients of eight bits, ones among
    /// them.
    fn block(&mut self, full: bool, alone: bool) {
        if !full {
            self.0
                .extend(if alone { &[false][..] } else { &[false; 2] });
            return;
        }
        let coefficients = if alone { 1 } else { 64 };
        for _ in 0..coefficients {
            self.0.extend([true, false]);
            self.0.extend([true; 8]);
        }
    }

    fn bytes(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for eight in self.0.chunks(8) {
            let bit = |k: usize| u8::from(eight.get(k).copied().unwrap_or(true)) << (7 - k);
            bytes.push((0..8).map(bit).sum());
            if bytes.last() == Some(&0xff) {
                bytes.push(0);
            }
        }
        bytes
    }
}

/// A grey JPEG of 16 columns and ten rows of blocks, of which the first `empty` take few bits.
/// `restart` is the number of blocks between two restart markers.
fn jpeg(frame: u8, empty: usize, restart: Option<u8>) -> Vec<u8> {
    let mut bytes = vec![0xff, 0xd8];
    for class in [0x00, 0x10] {
        // The codes `0` for nothing and `10` for eight bits.
        bytes.extend([0xff, 0xc4, 0, 21, class, 1, 1]);
        bytes.extend([0; 14]);
        bytes.extend([0, 8]);
    }
    bytes.extend([0xff, frame, 0, 11, 8, 0, 80, 0, 16, 1, 1, 0x11, 0]);
    if let Some(restart) = restart {
        bytes.extend([0xff, 0xdd, 0, 4, 0, restart]);
    }
    let progressive = frame == 0xc2;
    let last = if progressive { 0 } else { 63 };
    bytes.extend([0xff, 0xda, 0, 8, 1, 1, 0, 0, last, 0]);
    let blocks: Vec<bool> = (0..20).map(|block| block >= 2 * empty).collect();
    let interval = restart.map_or(blocks.len(), usize::from);
    for (number, part) in blocks.chunks(interval).enumerate() {
        if number > 0 {
            bytes.extend([0xff, 0xd0 + (number as u8 - 1) % 8]);
        }
        let mut bits = Bits::default();
        for full in part {
            bits.block(*full, progressive);
        }
        bytes.extend(bits.bytes());
    }
    bytes.extend([0xff, 0xd9]);
    bytes
}

fn tenths(bytes: &[u8]) -> Option<Tenths> {
    read(bytes).rows
}

/// Returns the bytes of each tenth.
fn sizes(ends: Tenths) -> Vec<u64> {
    ends.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn rows_of_a_jpeg_take_the_bytes_of_their_blocks() {
    for (frame, full) in [(0xc0, 160.0), (0xc2, 2.5)] {
        let bytes = jpeg(frame, 5, None);
        let ends = tenths(&bytes).expect("complete");
        assert_eq!(ends[10] as usize, bytes.len() - 2, "the data end there");
        let upper = ends[5] - ends[0];
        assert!(upper <= 8, "{ends:?}: read ahead, but empty");
        // The two full blocks of each lower row, with the bytes after 0xff.
        let lower = (ends[10] - ends[6]) as f64 / 4.0;
        assert!((full..=full * 2.0).contains(&lower), "{ends:?}");
    }
}

#[test]
fn components_share_the_units_of_a_row() {
    // Luma has four blocks in each unit of 16 by 16 pixels, and each of two colours has one.
    let units = |columns: u8| {
        let mut bytes = vec![0xff, 0xd8];
        for class in [0x00, 0x10] {
            bytes.extend([0xff, 0xc4, 0, 21, class, 1, 1]);
            bytes.extend([0; 14]);
            bytes.extend([0, 8]);
        }
        bytes.extend([0xff, 0xc0, 0, 17, 8, 0, 160, 0, columns, 3]);
        bytes.extend([1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0]);
        bytes.extend([0xff, 0xda, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0]);
        let mut bits = Bits::default();
        // Ten rows of units.
        for _ in 0..10 * usize::from(columns).div_ceil(16) * 6 {
            bits.block(true, false);
        }
        bytes.extend(bits.bytes());
        let end = bytes.len() as u64;
        bytes.extend([0xff, 0xd9]);
        (tenths(&bytes), end)
    };
    for columns in [16, 17, 32] {
        let (found, end) = units(columns);
        let found = found.expect("complete");
        assert_eq!(found[10], end, "{columns}");
        let middle = u64::midpoint(found[0], found[10]);
        assert!(found[5].abs_diff(middle) <= 8, "{found:?}");
    }
}

#[test]
fn many_tables_take_little() {
    // Without symbols, with too many, and with none for the scan.
    let mut bytes = vec![0xff, 0xd8];
    for lengths in [[0; 16], [200; 16]] {
        for _ in 0..2_000 {
            let symbols = lengths.iter().map(|n| usize::from(*n)).sum::<usize>();
            bytes.extend([0xff, 0xc4]);
            bytes.extend((19 + symbols as u16).to_be_bytes());
            bytes.push(0);
            bytes.extend(lengths);
            bytes.extend(std::iter::repeat_n(0, symbols));
        }
    }
    bytes.extend([0xff, 0xc0, 0, 11, 8, 0, 80, 0, 16, 1, 1, 0x11, 0]);
    bytes.extend([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0, 0, 0]);
    assert_eq!(tenths(&bytes), None);
}

#[test]
fn restart_markers_are_not_data() {
    let plain = sizes(tenths(&jpeg(0xc0, 0, None)).expect("complete"));
    let marked = sizes(tenths(&jpeg(0xc0, 0, Some(2))).expect("complete"));
    for (plain, marked) in plain.iter().zip(&marked) {
        // A marker, and bits that fill the byte before it.
        assert!(plain.abs_diff(*marked) <= 8, "{plain} {marked}");
    }
}

#[test]
fn cut_jpegs_have_no_rows_and_damaged_ones_have_rows_in_order() {
    let whole = jpeg(0xc0, 3, Some(4));
    let end = tenths(&whole).expect("complete")[10] as usize;
    for cut in (0..end).step_by(5) {
        assert_eq!(tenths(&whole[..cut]), None, "{cut}");
    }
    for at in (0..whole.len()).step_by(3) {
        for value in [0, 0xff] {
            let mut damaged = whole.clone();
            damaged[at] = value;
            let found = tenths(&damaged);
            assert!(found.is_none_or(|ends| ends.is_sorted() && ends[10] as usize <= end + 8));
        }
    }
}

/// A PNG of ten rows of 8,000 grey pixels, of which the last five are noise.
fn png() -> Vec<u8> {
    let mut rows = Vec::new();
    let mut state = 1_u32;
    for row in 0..10 {
        rows.push(0);
        rows.extend((0..8_000).map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if row < 5 { 0 } else { (state >> 24) as u8 }
        }));
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&rows).expect("memory");
    let data = encoder.finish().expect("memory");
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |name: &[u8], data: &[u8]| {
        bytes.extend((data.len() as u32).to_be_bytes());
        bytes.extend(name);
        bytes.extend(data);
        bytes.extend([0; 4]);
    };
    chunk(b"IHDR", &[0, 0, 0x1f, 0x40, 0, 0, 0, 10, 8, 0, 0, 0, 0]);
    for part in data.chunks(10_000) {
        chunk(b"IDAT", part);
    }
    chunk(b"IEND", &[]);
    bytes
}

#[test]
fn rows_of_a_png_take_the_bytes_of_their_deflated_data() {
    let bytes = png();
    let ends = tenths(&bytes).expect("complete");
    assert_eq!(ends[0], 33);
    assert!(ends[4] < 2_000, "{ends:?}");
    let lower = (ends[10] - ends[6]) as f64 / 4.0;
    assert!((7_000.0..9_500.0).contains(&lower), "{ends:?}");
    assert!(tenths(&bytes[..bytes.len() / 2]).is_none());
    // Rows without pixels, and more of them than anyone can show.
    for (width, height) in [(0, 10), (1, u32::MAX), (u32::MAX, u32::MAX)] {
        let mut damaged = bytes.clone();
        damaged[16..20].copy_from_slice(&u32::to_be_bytes(width));
        damaged[20..24].copy_from_slice(&u32::to_be_bytes(height));
        assert!(tenths(&damaged).is_none_or(|_| width == 0));
    }
}
