//! Films: what a page looks like while it loads, as data for a player that needs no video.
//!
//! A [`Film`] has one [`Scene`], the parts of a page and pictures of them, and for each load the
//! times at which the parts appear, or screenshots. The player, [`PLAYER_SCRIPT`] with [`PLAYER_STYLE`], draws the
//! frames on canvases. `docs/player.md` describes the format and how to embed the player in another
//! page.

mod draw;
mod files;

use serde::{Serialize, Serializer};

pub use draw::Raster;

/// Script that defines `pageracePlayer` and `pageraceStrip`. It needs no other script and makes no
/// requests.
pub const PLAYER_SCRIPT: &str = include_str!("../assets/js/player.js");

/// Style sheet of the player. Its colours are custom properties with defaults.
pub const PLAYER_STYLE: &str = include_str!("../assets/player.css");

/// Loads of one page, to be shown side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Film {
    /// The scene that the loads have in common.
    #[serde(flatten)]
    pub scene: Scene,
    /// The loads.
    pub runs: Vec<FilmRun>,
}

/// The parts of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Scene {
    /// Width and height of the viewport in CSS pixels.
    pub viewport: (u32, u32),
    /// Pictures of the complete page; `None` if the recording has none. The parts are then boxes.
    pub pictures: Option<ScenePictures>,
    /// True if the recording has no layout, so that the places of the parts are assumed.
    pub guessed: bool,
    /// The parts in paint order: later ones cover earlier ones.
    pub parts: Vec<ScenePart>,
    /// The largest element, which is outlined from the largest paint on: index into `parts`.
    pub largest: Option<usize>,
}

/// Pictures of the viewport: WebP in base64.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ScenePictures {
    /// All parts.
    pub whole: String,
    /// All but text.
    pub textless: Option<String>,
    /// All but images.
    pub imageless: Option<String>,
    /// Neither text nor images.
    pub bare: Option<String>,
    /// The canvas alone.
    pub canvas: Option<String>,
}

/// Part of a page: its kind, its place and its name. Written as `[kind, x, y, width, height,
/// name]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenePart {
    /// Kind of the part.
    pub kind: PartKind,
    /// Left edge, upper edge, width and height in CSS pixels.
    pub place: [i32; 4],
    /// Name of the file of an image; empty otherwise.
    pub name: String,
}

impl Serialize for ScenePart {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let [x, y, width, height] = self.place;
        (self.kind.letter(), x, y, width, height, &self.name).serialize(to)
    }
}

/// Kind of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Text.
    Text,
    /// A box, a vector graphic or anything else that needs no file.
    Box,
    /// An image that appears row by row.
    Image,
    /// An image that appears coarse at first.
    ProgressiveImage,
}

impl PartKind {
    /// Letter in the data.
    pub const fn letter(self) -> &'static str {
        match self {
            Self::Text => "t",
            Self::Box => "b",
            Self::Image => "i",
            Self::ProgressiveImage => "p",
        }
    }

    /// Returns true for images.
    pub const fn is_image(self) -> bool {
        matches!(self, Self::Image | Self::ProgressiveImage)
    }
}

/// One load of the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FilmRun {
    /// Name of the load, such as the contender's.
    pub name: String,
    /// Names of milestones (`fcp`, `lcp`) and their times in milliseconds.
    pub marks: Vec<(String, f64)>,
    /// Visual progress: times in milliseconds, and the share of the picture in per cent that is
    /// visible from then on.
    pub progress: Vec<(f64, f64)>,
    /// Changes of the picture in order of time.
    pub shows: Vec<Show>,
    /// Screenshots of a load in a browser in order of time, which it has instead of changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shots: Vec<Shot>,
}

/// Screenshot of the viewport. Written as `[milliseconds, JPEG in base64]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Shot {
    /// Time since the start of the navigation in milliseconds, from which it is seen.
    pub ms: f64,
    /// The picture: JPEG in base64.
    pub jpeg: String,
}

impl Serialize for Shot {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        ((self.ms * 10.0).round() / 10.0, &self.jpeg).serialize(to)
    }
}

/// Change of a part. Written as `[milliseconds, part, level]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Show {
    /// Time since the start of the navigation in milliseconds.
    pub ms: f64,
    /// Index into [`Scene::parts`].
    pub part: usize,
    /// The visible share of the part from then on, in per cent. Rows of an image; for text,
    /// [`Show::FALLBACK`] or 100.
    pub level: u8,
}

impl Show {
    /// Level of text in another font than its own, which has not arrived.
    pub const FALLBACK: u8 = 50;
}

impl Serialize for Show {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        ((self.ms * 10.0).round() / 10.0, self.part, self.level).serialize(to)
    }
}
