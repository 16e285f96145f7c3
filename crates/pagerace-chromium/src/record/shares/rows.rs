//! The parts that the rows of an image add to the picture, from the top.

use std::collections::BTreeMap;

use serde_json::Value;

use super::picture::Picture;

/// The parts of an image's share, 0 to 1, that one tenth up to nine tenths of its rows add.
pub(super) type Parts = [f64; 9];

/// The least share of visual progress, 0 to 1, of an image whose rows are measured.
const PROGRESS_LEAST: f64 = 0.005;

/// A place where an image is shown, in pixels of the viewport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    /// Left, top, right and bottom.
    edges: [f64; 4],
    /// The positions at which the rows of the image begin and end, perhaps outside the edges.
    ends: [f64; 2],
}

impl Place {
    /// Reads the places of each image URL that `hide.js` tells, in document order. Images of which
    /// a place is not known are left out.
    pub(super) fn read(told: &Value) -> BTreeMap<String, Vec<Self>> {
        let mut all: BTreeMap<String, Option<Vec<Self>>> = BTreeMap::new();
        for pair in told.as_array().into_iter().flatten() {
            let Some(url) = pair[0].as_str() else {
                continue;
            };
            let places = all
                .entry(url.to_owned())
                .or_insert_with(|| Some(Vec::new()));
            match Self::one(&pair[1]) {
                Some(place) => places.iter_mut().for_each(|places| places.push(place)),
                None => *places = None,
            }
        }
        all.into_iter()
            .filter_map(|(url, places)| Some((url, places?)))
            .collect()
    }

    fn one(told: &Value) -> Option<Self> {
        let number = |key: &str, k: usize| told[key][k].as_f64();
        let edge = |k| number("edges", k);
        let [begin, end] = [number("ends", 0)?, number("ends", 1)?];
        (begin < end).then_some(Self {
            edges: [edge(0)?, edge(1)?, edge(2)?, edge(3)?],
            ends: [begin, end],
        })
    }

    /// Returns the row of the image, from 0 at its top to 1, that is shown here, if any.
    fn row(&self, x: f64, y: f64) -> Option<f64> {
        let [left, top, right, bottom] = self.edges;
        let inside = (left..right).contains(&x) && (top..bottom).contains(&y);
        let [begin, end] = self.ends;
        let row = (y - begin) / (end - begin);
        (inside && (0.0..1.0).contains(&row)).then_some(row)
    }
}

/// Returns the parts that the rows of an image add which is shown at `places`, from the pictures
/// with it, which is `complete`, and without it. `scale` is the number of their pixels per CSS
/// pixel.
pub(super) fn parts(
    complete: &Picture,
    without: &Picture,
    places: &[Place],
    scale: f64,
) -> Option<Parts> {
    let base = without.progress_to(complete);
    if places.is_empty() || base > 1.0 - PROGRESS_LEAST || complete.width != without.width {
        return None;
    }
    let row = |x: usize, y: usize| {
        let [x, y] = [x, y].map(|at| (at as f64 + 0.5) / scale);
        // Later elements are in front.
        places.iter().rev().find_map(|place| place.row(x, y))
    };
    let pixels = (0..complete.height).flat_map(|y| (0..complete.width).map(move |x| (x, y)));
    let rows: Vec<Option<f64>> = pixels.map(|(x, y)| row(x, y)).collect();
    let part = |tenths: usize| {
        let shown = tenths as f64 / 10.0;
        let partial = without.replaced(complete, |i| rows[i].is_some_and(|row| row < shown));
        partial.progress_to(complete) - base
    };
    // The compression changes some pixels around the image as well.
    let whole = part(10);
    let mut most = 0.0;
    (whole > 0.0).then(|| {
        std::array::from_fn(|k| {
            most = (part(k + 1) / whole).clamp(most, 1.0);
            most
        })
    })
}
