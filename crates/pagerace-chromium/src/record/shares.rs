//! Shares of images, texts and boxes in the picture as Speed Index counts it,
//! measured on the loaded page by hiding them.
//!
//! Areas do not tell: white counts for nothing, an image under a translucent box
//! for much, and two parts of the same colours for less than both. So the page is
//! photographed as it is, without its images, without images and texts, and
//! without each of its large images in turn. How far the histograms of two
//! pictures agree is visual progress as speedline has it; see `picture`.
//!
//! Left out: frames and what shadow trees show, which count as boxes.

mod ink;
mod picture;

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pagerace_core::Duration;
use serde_json::{Value, json};

use self::ink::{Ink, Place};
use self::picture::Picture;
use crate::{ChromiumError, Session};

/// So many images are looked at one by one; the others together.
const IMAGES_MAX: usize = 16;
/// The least share of the viewport of an image that is looked at by itself.
const AREA_LEAST: f64 = 0.002;
/// Longest side of a picture, as of the screenshots of a trace.
const SIDE_MAX: f64 = 500.0;
/// The same of their JPEG quality.
const QUALITY: u32 = 80;
/// After this long the images that are left are looked at together.
const PATIENCE: Duration = Duration::from_secs(10);

/// Shares of the final picture; together they are 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shares {
    /// Of text, without any image.
    text: f64,
    /// Of all else that is no image.
    boxes: f64,
    /// Of images.
    images: Vec<(String, f64)>,
    /// Of the images that are not among them.
    others: f64,
    /// Where the text is, and where the boxes are.
    ink: Ink,
}

impl Shares {
    /// Adds them to a recording's `layout`, and to each of its elements that is no
    /// image.
    pub(super) fn write(&self, layout: &mut Value) {
        let Some(elements) = layout["elements"].as_array_mut() else {
            return;
        };
        let (numbers, places): (Vec<usize>, Vec<Place>) = elements
            .iter()
            .enumerate()
            .filter(|(_, element)| image(element).is_none())
            .map(|(number, element)| (number, (element["kind"] == "text", sides(element))))
            .unzip();
        let (owned, canvas) = self.ink.owned(&places);
        for ((number, place), owned) in numbers.into_iter().zip(places).zip(owned) {
            let share = rounded(owned * if place.0 { self.text } else { self.boxes });
            if share > 0.0 {
                elements[number]["share"] = json!(share);
            }
        }
        let images = self.images.iter();
        let images = images.map(|(url, share)| json!({"url": url, "share": rounded(*share)}));
        layout["shares"] = json!({"canvas": rounded(canvas * self.boxes),
            "images": images.collect::<Vec<_>>(), "otherImages": rounded(self.others)});
    }
}

/// The visible area of each image's address among the elements of a layout.
pub(super) fn areas(elements: &[Value], viewport: (f64, f64)) -> BTreeMap<String, f64> {
    let mut areas = BTreeMap::new();
    for element in elements {
        if let Some(url) = image(element) {
            let [left, top, right, bottom] = sides(element);
            let width = right.min(viewport.0) - left.max(0.0);
            let height = bottom.min(viewport.1) - top.max(0.0);
            if width > 0.0 && height > 0.0 {
                *areas.entry(url.to_owned()).or_default() += width * height;
            }
        }
    }
    areas
}

/// The address, if the element is an image of the net.
fn image(element: &Value) -> Option<&str> {
    let is_image = matches!(
        element["kind"].as_str(),
        Some("image" | "background" | "video")
    );
    element["url"].as_str().filter(|_| is_image)
}

/// Left, top, right and bottom of an element.
fn sides(element: &Value) -> [f64; 4] {
    let at = |k: usize| element["rect"][k].as_f64().unwrap_or(0.0);
    [at(0), at(1), at(0) + at(2), at(1) + at(3)]
}

/// To a hundred-thousandth.
fn rounded(share: f64) -> f64 {
    (share * 1e5).round() / 1e5
}

/// Measures the shares of the page that `session` shows; `areas` is the visible
/// area of each image's address, in pixels of a viewport of this size. None if the
/// page cannot be photographed or does not let itself be changed.
///
/// The page is of no use afterwards: it is frozen, and its scripts are off.
///
/// # Errors
/// Those of the browser's calls.
pub(super) fn measure(
    session: &mut Session,
    areas: &BTreeMap<String, f64>,
    viewport: (f64, f64),
) -> Result<Option<Shares>, ChromiumError> {
    match photographed(session, areas, viewport) {
        // A page that forbids it is recorded without.
        Err(ChromiumError::Refused { .. }) => Ok(None),
        result => result,
    }
}

fn photographed(
    session: &mut Session,
    areas: &BTreeMap<String, f64>,
    viewport: (f64, f64),
) -> Result<Option<Shares>, ChromiumError> {
    let begin = session.now();
    session.call(
        "Emulation.setScriptExecutionDisabled",
        json!({"value": true}),
    )?;
    session.evaluate(include_str!("shares/hide.js"))?;
    let Some(complete) = picture(session, viewport)? else {
        return Ok(None);
    };
    let progress = |session: &mut Session, hidden: &Value, text: bool| {
        session.evaluate(&format!("pageraceHide({hidden}, {text})"))?;
        let picture = picture(session, viewport)?;
        Ok::<_, ChromiumError>(picture.map(|p| (p.progress_to(&complete), p)))
    };
    let bare = progress(session, &Value::Null, true)?;
    let imageless = progress(session, &Value::Null, false)?;
    let (Some((boxes, bare)), Some((base, imageless))) = (bare, imageless) else {
        return Ok(None);
    };
    let mut single = Vec::new();
    let mut left: Vec<&str> = Vec::new();
    for (url, area) in by_size(areas) {
        let large = area >= viewport.0 * viewport.1 * AREA_LEAST;
        let patient = session.now().since(begin) < PATIENCE;
        if !large || !patient || single.len() == IMAGES_MAX {
            left.push(url);
        } else if let Some((without, _)) = progress(session, &json!([url]), false)? {
            single.push((url.to_owned(), 1.0 - without));
        }
    }
    let others = if left.is_empty() {
        0.0
    } else {
        progress(session, &json!(left), false)?.map_or(0.0, |p| 1.0 - p.0)
    };
    let ink = Ink::new(&bare, &imageless, viewport);
    Ok(Some(shares(boxes, base, single, others, ink)))
}

/// The images with the largest area first.
fn by_size(areas: &BTreeMap<String, f64>) -> Vec<(&str, f64)> {
    let mut all: Vec<_> = areas.iter().map(|(url, area)| (&url[..], *area)).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    all
}

/// `base`: what is there without images; `boxes`: without text, too. What images
/// add together is known from `base`, so their own shares only divide it.
fn shares(
    boxes: f64,
    base: f64,
    mut images: Vec<(String, f64)>,
    mut others: f64,
    ink: Ink,
) -> Shares {
    let sum = images.iter().map(|(_, share)| share).sum::<f64>() + others;
    // Where no image makes a difference by itself, none is known to.
    let base = if sum > 0.0 { base } else { 1.0 };
    for share in images.iter_mut().map(|i| &mut i.1).chain([&mut others]) {
        *share *= if sum > 0.0 { (1.0 - base) / sum } else { 0.0 };
    }
    let text = (base - boxes).clamp(0.0, base);
    Shares {
        text,
        boxes: base - text,
        images,
        others,
        ink,
    }
}

/// The viewport as it is now, as a trace would show it.
fn picture(
    session: &mut Session,
    (width, height): (f64, f64),
) -> Result<Option<Picture>, ChromiumError> {
    let scale = (SIDE_MAX / width.max(height)).min(1.0);
    let clip = json!({"x": 0, "y": 0, "width": width, "height": height, "scale": scale});
    let answer = session.call(
        "Page.captureScreenshot",
        json!({"format": "jpeg", "quality": QUALITY, "clip": clip}),
    )?;
    let bytes = answer["data"]
        .as_str()
        .and_then(|t| STANDARD.decode(t).ok());
    Ok(bytes.and_then(|bytes| Picture::from_jpeg(&bytes)))
}

#[cfg(test)]
mod tests;
