//! The bytes of an image after which each tenth of its rows is there.
//!
//! Rows differ in size: a clear sky takes few bytes, and a crowd takes many. The module walks
//! through the Huffman codes of the first scan of a JPEG (ITU-T T.81, annexes F and G) and the
//! deflate stream of a PNG (<https://www.w3.org/TR/png-3/#10Compression>), without computing a
//! picture.

use flate2::{Decompress, FlushDecompress};

use super::Segments;

/// The bytes after none, one, and so on up to all of ten equal parts of the rows.
pub(super) type Tenths = [u64; 11];

/// The length of the longest Huffman code in bits.
const CODE_MAX: u32 = 16;
/// The maximum number of components of a scan.
const COMPONENTS_MAX: usize = 4;
/// The number of coefficients of a block.
const COEFFICIENTS: u32 = 64;
/// The bytes of a PNG that are inflated at once.
const PIECE: usize = 1024;
/// The bytes of a PNG before its chunks, and before those of the picture.
const SIGNATURE: u64 = 8;
const HEAD: u64 = SIGNATURE + 25;
/// The maximum size of an inflated PNG.
const INFLATED_MAX: u64 = 1 << 28;

/// The tenths of an image, while its rows are read from the top down.
struct Reader {
    rows: u64,
    ends: Tenths,
    /// The number of tenths whose ends are known.
    known: usize,
}

impl Reader {
    const fn new(rows: u64, begin: u64) -> Self {
        Self {
            rows,
            ends: [begin; 11],
            known: 0,
        }
    }

    /// Notes that `rows` rows are complete at `position`.
    fn reach(&mut self, rows: u64, position: u64) {
        let end = |tenth: usize| (tenth as u64 * self.rows).div_ceil(10);
        while self.known < 10 && end(self.known + 1) <= rows {
            self.known += 1;
            self.ends[self.known] = position;
        }
    }

    /// Returns the tenths, if all rows are complete.
    fn finish(self) -> Option<Tenths> {
        (self.rows > 0 && self.known == 10).then_some(self.ends)
    }
}

/// Returns the tenths of a JPEG whose first scan holds all its components.
pub(super) fn jpeg(bytes: &[u8]) -> Option<Tenths> {
    let mut segments = Segments { bytes, at: 2 };
    let (mut frame, mut tables, mut restart) = (None, Vec::new(), 0);
    let scan = loop {
        match segments.next()? {
            (0xc0..=0xc2, Some(segment)) => frame = Some(segment),
            (0xc4, Some(segment)) => tables.push(segment),
            (0xdd, Some(segment)) => restart = u16::from_be_bytes(*segment.first_chunk()?),
            (0xda, Some(segment)) => break segment,
            (0xd9 | 0xda, _) => return None,
            _ => {}
        }
    };
    let frame = frame?;
    let word = |at: usize| Some(u16::from_be_bytes(*frame.get(at..)?.first_chunk()?));
    let (height, width) = (u32::from(word(1)?), u32::from(word(3)?));
    let components = frame.get(6..)?.as_chunks::<3>().0;
    let count = usize::from(*scan.first()?);
    if count != components.len() || count > COMPONENTS_MAX {
        return None;
    }
    // The blocks of a single component are not interleaved.
    let sampling = |c: &[u8; 3]| match count {
        1 => (1, 1),
        _ => (u32::from(c[1] >> 4), u32::from(c[1] & 15)),
    };
    let across = components.iter().map(|c| sampling(c).0).max()?;
    let down = components.iter().map(|c| sampling(c).1).max()?;
    if !(1..=4).contains(&across) || !(1..=4).contains(&down) {
        return None;
    }
    let (units, rows) = (width.div_ceil(8 * across), height.div_ceil(8 * down));

    let (chosen, rest) = scan.get(1..)?.split_at_checked(2 * count)?;
    // The first scan of a progressive image has only the means of the blocks.
    let only_means = *rest.get(1)? == 0;
    let mut blocks = Vec::new();
    for [id, chosen] in chosen.as_chunks::<2>().0 {
        let (h, v) = sampling(components.iter().find(|c| c[0] == *id)?);
        let means = Codes::named(&tables, chosen >> 4)?;
        let others = if only_means {
            None
        } else {
            Some(Codes::named(&tables, 0x10 | (chosen & 15))?)
        };
        blocks.push((h * v, means, others));
    }
    if blocks.iter().all(|(number, ..)| *number == 0) {
        return None;
    }

    let mut reader = Reader::new(u64::from(rows), segments.at as u64);
    let mut bits = Bits::new(segments.bytes, segments.at);
    let mut done = 0;
    for row in 1..=rows {
        for _ in 0..units {
            if restart > 0 && done == restart {
                bits.restart()?;
                done = 0;
            }
            done = done.saturating_add(1);
            for (number, means, others) in &blocks {
                for _ in 0..*number {
                    skip_block(&mut bits, means, others.as_ref())?;
                }
            }
        }
        reader.reach(u64::from(row), bits.position());
    }
    reader.finish()
}

/// Skips the coefficients of a block.
fn skip_block(bits: &mut Bits<'_>, means: &Codes, others: Option<&Codes>) -> Option<()> {
    let length = bits.symbol(means)?;
    bits.skip(u32::from(length).min(CODE_MAX))?;
    let Some(others) = others else {
        return Some(());
    };
    let mut coefficient = 1;
    while coefficient < COEFFICIENTS {
        let symbol = bits.symbol(others)?;
        let (zeros, length) = (u32::from(symbol >> 4), u32::from(symbol & 15));
        if length == 0 && zeros < 15 {
            break;
        }
        bits.skip(length)?;
        coefficient += zeros + 1;
    }
    Some(())
}

/// The codes of a Huffman table: the length and the symbol of the code that begins with these 16
/// bits. The length is 0 if there is none.
struct Codes(Vec<(u8, u8)>);

impl Codes {
    /// Returns the codes of the last valid table of this class and number, which are the upper and
    /// the lower half of `name`.
    fn named(segments: &[&[u8]], name: u8) -> Option<Self> {
        let mut last = None;
        for segment in segments {
            let mut rest = *segment;
            while let [own, table @ ..] = rest
                && let Some((lengths, table)) = table.split_first_chunk::<16>()
                && let count = lengths.iter().map(|n| usize::from(*n)).sum()
                && let Some((symbols, table)) = table.split_at_checked(count)
            {
                if *own == name {
                    last = Some((lengths, symbols));
                }
                rest = table;
            }
        }
        let (lengths, symbols) = last?;
        let same = |length: u32| 1_usize << (CODE_MAX - length);
        let all = (1..)
            .zip(lengths)
            .map(|(length, n)| usize::from(*n) * same(length));
        if all.sum::<usize>() > 1 << CODE_MAX {
            return None;
        }
        let mut codes = Vec::with_capacity(1 << CODE_MAX);
        let mut symbols = symbols.iter();
        for (length, number) in (1..).zip(lengths) {
            for symbol in symbols.by_ref().take(usize::from(*number)) {
                codes.extend(std::iter::repeat_n((length as u8, *symbol), same(length)));
            }
        }
        codes.resize(1 << CODE_MAX, (0, 0));
        Some(Self(codes))
    }
}

/// Reader of entropy-coded bits.
struct Bits<'a> {
    bytes: &'a [u8],
    /// The position of the next byte.
    at: usize,
    /// The next bits, the first one at the top.
    next: u64,
    /// The number of bits in `next`. Zeros behind the data are not among them.
    count: u32,
}

impl<'a> Bits<'a> {
    const fn new(bytes: &'a [u8], at: usize) -> Self {
        Self {
            bytes,
            at,
            next: 0,
            count: 0,
        }
    }

    /// Reads bytes until there are enough bits for a code, or a marker or the end of the data
    /// comes.
    fn fill(&mut self) {
        while self.count <= 32 {
            let length = match self.bytes.get(self.at..) {
                Some([0xff, 0x00, ..]) => 2,
                Some([0xff, ..] | []) | None => break,
                Some(_) => 1,
            };
            self.next |= u64::from(self.bytes[self.at]) << (56 - self.count);
            self.at += length;
            self.count += 8;
        }
    }

    /// Returns the position behind the last bit that was taken. Stuffed bytes may put it off by a
    /// few bytes.
    fn position(&self) -> u64 {
        self.at as u64 - u64::from(self.count / 8)
    }

    fn symbol(&mut self, codes: &Codes) -> Option<u8> {
        self.fill();
        let (length, symbol) = codes.0[(self.next >> 48) as usize];
        let is_code = length > 0;
        self.skip(u32::from(length)).filter(|()| is_code)?;
        Some(symbol)
    }

    /// Skips at most 16 bits; `None` if there are fewer.
    fn skip(&mut self, count: u32) -> Option<()> {
        if self.count < count {
            self.fill();
        }
        self.count = self.count.checked_sub(count)?;
        self.next <<= count;
        Some(())
    }

    /// Continues after the next restart marker.
    fn restart(&mut self) -> Option<()> {
        (self.next, self.count) = (0, 0);
        let rest = self.bytes.get(self.at..)?;
        // Any number of 0xff bytes may precede a marker.
        let fill = rest.iter().take_while(|byte| **byte == 0xff).count();
        let is_restart = fill > 0 && matches!(rest.get(fill)?, 0xd0..=0xd7);
        self.at += fill + 1;
        is_restart.then_some(())
    }
}

/// Returns the tenths of a PNG that is not interlaced. `chunks` are its bytes after the signature.
pub(super) fn png(chunks: &[u8]) -> Option<Tenths> {
    let word = |at: usize| Some(u32::from_be_bytes(*chunks.get(at..)?.first_chunk()?));
    let (width, height) = (u64::from(word(8)?), u64::from(word(12)?));
    let samples = match chunks.get(17)? {
        0 | 3 => 1,
        2 => 3,
        4 => 2,
        6 => 4,
        _ => return None,
    };
    let bits = width * samples * u64::from(*chunks.get(16)?);
    // A byte tells the filter of each row.
    let row = 1 + bits.div_ceil(8);
    if row.checked_mul(height)? > INFLATED_MAX {
        return None;
    }

    let mut inflater = Decompress::new(true);
    let mut reader = Reader::new(height, HEAD);
    let mut at = 0;
    while reader.known < 10 {
        let (length, name) = (word(at)? as usize, chunks.get(at + 4..at + 8)?);
        at += 8;
        let end = at.saturating_add(length).min(chunks.len());
        if name == b"IDAT" {
            let mut place = SIGNATURE + at as u64;
            for piece in chunks[at..end].chunks(PIECE) {
                skip_piece(&mut inflater, piece)?;
                place += piece.len() as u64;
                reader.reach(inflater.total_out() / row, place);
            }
        }
        // A checksum follows.
        at = end + 4;
    }
    reader.finish()
}

/// Inflates a piece and drops the result; `None` if it is not valid.
fn skip_piece(inflater: &mut Decompress, mut piece: &[u8]) -> Option<()> {
    let mut output = [0; 8 * PIECE];
    while inflater.total_out() <= INFLATED_MAX {
        let (read, written) = (inflater.total_in(), inflater.total_out());
        let inflated = inflater.decompress(piece, &mut output, FlushDecompress::None);
        inflated.ok()?;
        piece = &piece[(inflater.total_in() - read) as usize..];
        if (inflater.total_in(), inflater.total_out()) == (read, written) {
            break;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests;
