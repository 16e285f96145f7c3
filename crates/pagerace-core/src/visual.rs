//! Visual progress from one picture of the screen to another, as in speedline
//! (<https://github.com/paulirish/speedline/blob/main/core/src/frame.js>): each of red, green and
//! blue has a histogram. Pixels with all three values of at least 249 are white and do not count.
//! Progress is the intersection of the histograms with those of the last picture, over the latter.

/// The minimum value of all three colours of a white pixel.
const WHITE: u8 = 249;

/// Returns true if a pixel (red, green, blue) is white and does not count.
pub fn is_white(pixel: [u8; 3]) -> bool {
    pixel.iter().all(|value| *value >= WHITE)
}

/// Counts of the values of red, green and blue in a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histograms([[u32; 256]; 3]);

impl Histograms {
    /// Counts the pixels of a picture: red, green, blue.
    pub fn of(pixels: &[[u8; 3]]) -> Self {
        let mut counts = [[0; 256]; 3];
        for pixel in pixels.iter().filter(|p| !is_white(**p)) {
            for (count, value) in counts.iter_mut().zip(pixel) {
                count[usize::from(*value)] += 1;
            }
        }
        Self(counts)
    }

    /// Returns the share of `last`, a picture of the same size, that is visible in this picture,
    /// from 0 to 1; 1 if `last` is all white.
    pub fn progress_to(&self, last: &Self) -> f64 {
        let (mut common, mut all) = (0_u64, 0_u64);
        for (now, end) in self.0.iter().zip(&last.0) {
            for (now, end) in now.iter().zip(end) {
                common += u64::from(*now.min(end));
                all += u64::from(*end);
            }
        }
        if all == 0 {
            1.0
        } else {
            common as f64 / all as f64
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Histograms;

    #[test]
    fn white_does_not_count_and_places_do_not_matter() {
        let (white, red, grey) = ([255; 3], [200, 0, 0], [90; 3]);
        let last = Histograms::of(&[red, grey, white, white]);
        let percent = |pixels: &[[u8; 3]], last| {
            let share = Histograms::of(pixels).progress_to(last);
            (share * 100.0).round() as u32
        };
        assert_eq!(percent(&[white; 4], &last), 0);
        assert_eq!(percent(&[white, white, white, red], &last), 50);
        assert_eq!(percent(&[grey, red, white, white], &last), 100);
        assert_eq!(percent(&[white], &Histograms::of(&[white])), 100);
    }
}
