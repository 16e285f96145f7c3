//! The shares of images, texts and boxes in the picture as the Speed Index counts it,
//! measured on the loaded page by hiding them.
//!
//! Areas alone are not sufficient: white pixels do not count, an image under a
//! translucent box may contribute much, and two parts with the same colours contribute
//! less than their sum. Therefore the page is captured complete, without its images,
//! without images and texts, without all of its elements, and without each of its large images
//! in turn. The agreement of the histograms of two pictures is visual progress as in speedline; see
//! `picture`.
//!
//! A loading image appears row by row, and the upper rows may add more than the lower ones, which
//! other elements cover or which are below the viewport. The part that each tenth of the rows adds
//! follows from the pictures with and without the image: down to some row from the one, the rest
//! from the other.
//!
//! Left out: frames and the contents of shadow trees, which count as boxes.

mod ink;
mod photo;
mod picture;
mod rows;

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pagerace_core::Duration;
use pagerace_har::extension::{self, Element, ElementKind, ImageShare, Pictures, Share};
use serde_json::{Value, json};

use self::ink::{Ink, Place};
use self::photo::Camera;
use self::picture::Picture;
use self::rows::{Parts, Place as Rows};
use super::collect::TICK;
use crate::trace::SCREENSHOT_SIZE;
use crate::{ChromiumError, Session};

/// The maximum number of images that are measured individually; the others are measured
/// together.
const IMAGES_MAX: usize = 16;
/// The minimum share of the viewport of an image that is measured individually.
const AREA_LEAST: f64 = 0.002;
/// The JPEG quality, as in the screenshots of a trace.
const QUALITY: u32 = 80;
/// The time after which the remaining images are measured together.
const PATIENCE: Duration = Duration::from_secs(10);

/// The shares of the final picture; their sum is 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shares {
    /// The share of text, without images.
    text: f64,
    /// The share of the canvas.
    canvas: f64,
    /// The share of all other elements that are not images.
    boxes: f64,
    /// The shares of individually measured images, with the parts that their rows add, if known.
    images: Vec<(String, f64, Option<Parts>)>,
    /// The share of all other images.
    others: f64,
    /// The pixels of the text and of the boxes.
    ink: Ink,
    /// The images for which nothing reserves a height before their bytes tell it.
    unreserved: BTreeSet<String>,
    /// Pictures for people.
    pictures: Option<Pictures>,
}

impl Shares {
    /// Returns the pictures of the page.
    pub(super) fn pictures(&self) -> Option<&Pictures> {
        self.pictures.as_ref()
    }

    /// Writes the shares of the elements that are not images, and returns the others.
    pub(super) fn write(
        &self,
        elements: &mut [Element],
        canvas_scripted: bool,
    ) -> extension::Shares {
        let (numbers, places): (Vec<usize>, Vec<Place>) = elements
            .iter()
            .enumerate()
            .filter(|(_, element)| image(element).is_none())
            .map(|(number, element)| (number, (element.kind == ElementKind::Text, sides(element))))
            .unzip();
        let (owned, unowned) = self.ink.owned(&places);
        // Pixels that no element owns, such as those of a gradient, count as canvas.
        let canvas = self.canvas + unowned * self.boxes;
        for ((number, place), owned) in numbers.into_iter().zip(places).zip(owned) {
            elements[number].share = rounded(owned * if place.0 { self.text } else { self.boxes });
        }
        for element in elements.iter_mut().filter(|e| e.kind == ElementKind::Image) {
            let url = element.url.as_ref();
            element.unreserved = url.is_some_and(|url| self.unreserved.contains(url));
        }
        let images = self.images.iter();
        let images = images.map(|(url, share, rows)| ImageShare {
            url: url.clone(),
            share: rounded(*share),
            rows: rows.map(|rows| rows.map(rounded)),
        });
        extension::Shares {
            canvas: rounded(canvas),
            canvas_scripted,
            images: images.collect(),
            other_images: rounded(self.others),
        }
    }
}

/// Returns the visible area of each image URL among the elements of a layout.
pub(super) fn areas(elements: &[Element], viewport: (f64, f64)) -> BTreeMap<String, f64> {
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

/// Returns the URL of the element, if it is an image from the network.
fn image(element: &Element) -> Option<&str> {
    use ElementKind::{Background, Image, Video};
    let is_image = matches!(element.kind, Image | Background | Video);
    element.url.as_deref().filter(|_| is_image)
}

/// Returns left, top, right and bottom of an element.
fn sides(element: &Element) -> [f64; 4] {
    let [x, y, width, height] = element.rect;
    [x, y, x + width, y + height]
}

/// Rounds to a hundred-thousandth.
fn rounded(share: f64) -> Share {
    Share((share * 1e5).round() / 1e5)
}

/// Measures the shares of the page in `session`. `areas` is the visible area of each
/// image URL, in pixels of a viewport of this size, and `sizes` the natural size of each. The
/// pictures take about `room` bytes. Returns `None` if the page cannot be captured or changed.
///
/// The page is not usable afterwards: it is frozen, and its scripts are disabled.
///
/// # Errors
/// Returns the errors of the browser's calls.
pub(super) fn measure(
    session: &mut Session,
    areas: &BTreeMap<String, f64>,
    sizes: &BTreeMap<String, (f64, f64)>,
    viewport: (f64, f64),
    room: usize,
) -> Result<Option<Shares>, ChromiumError> {
    match photographed(session, areas, sizes, viewport, room) {
        // A page that does not permit the measurement is recorded without shares.
        Err(ChromiumError::Refused { .. }) => Ok(None),
        result => result,
    }
}

fn photographed(
    session: &mut Session,
    areas: &BTreeMap<String, f64>,
    sizes: &BTreeMap<String, (f64, f64)>,
    viewport: (f64, f64),
    room: usize,
) -> Result<Option<Shares>, ChromiumError> {
    let begin = session.now();
    session.call(
        "Emulation.setScriptExecutionDisabled",
        json!({"value": true}),
    )?;
    session.evaluate(include_str!("shares/hide.js"))?;
    let places = session.evaluate(&format!("pageraceRows({})", json!(sizes)))?;
    let places = Rows::read(&places);
    let unreserved = session.evaluate("pageraceUnreserved()")?;
    let unreserved = unreserved.as_array().into_iter().flatten();
    let unreserved = unreserved.filter_map(|url| url.as_str().map(str::to_owned));
    let unreserved: BTreeSet<String> = unreserved.collect();
    let Some(complete) = picture(session)? else {
        return Ok(None);
    };
    let camera = Camera::focused(session, viewport, room)?;
    let photo = |session: &mut Session| match &camera {
        Some((camera, _)) => camera.take(session),
        None => Ok(None),
    };
    let hide = |session: &mut Session, hidden: &Value, text: bool, boxes: bool| {
        session.evaluate(&format!("pageraceHide({hidden}, {text}, {boxes})"))
    };
    let progress = |session: &mut Session, hidden: &Value, text: bool, boxes: bool| {
        hide(session, hidden, text, boxes)?;
        let picture = picture(session)?;
        Ok::<_, ChromiumError>(picture.map(|p| (p.progress_to(&complete), p)))
    };
    let canvas = progress(session, &Value::Null, true, true)?;
    let canvas_photo = photo(session)?;
    let bare = progress(session, &Value::Null, true, false)?;
    let bare_photo = photo(session)?;
    let imageless = progress(session, &Value::Null, false, false)?;
    let imageless_photo = photo(session)?;
    hide(session, &json!([]), true, false)?;
    let textless_photo = photo(session)?;
    let pictures = camera.map(|(_, whole)| Pictures {
        whole,
        textless: textless_photo,
        imageless: imageless_photo,
        bare: bare_photo,
        canvas: canvas_photo,
    });
    let (Some(canvas), Some(bare), Some(imageless)) = (canvas, bare, imageless) else {
        return Ok(None);
    };
    let mut single = Vec::new();
    let mut left: Vec<&str> = Vec::new();
    for (url, area) in by_size(areas) {
        let large = area >= viewport.0 * viewport.1 * AREA_LEAST;
        let patient = session.now().since(begin) < PATIENCE;
        if !large || !patient || single.len() == IMAGES_MAX {
            left.push(url);
        } else if let Some((progress, without)) = progress(session, &json!([url]), false, false)? {
            let places = places.get(url).map_or(&[][..], Vec::as_slice);
            let scale = complete.width as f64 / viewport.0;
            let rows = rows::parts(&complete, &without, places, scale);
            single.push((url.to_owned(), 1.0 - progress, rows));
        }
    }
    let others = if left.is_empty() {
        0.0
    } else {
        progress(session, &json!(left), false, false)?.map_or(0.0, |p| 1.0 - p.0)
    };
    let ink = Ink::new(&canvas.1, &bare.1, &imageless.1, viewport);
    let steps = [canvas.0, bare.0, imageless.0];
    Ok(Some(Shares {
        unreserved,
        pictures,
        ..shares(steps, single, others, ink)
    }))
}

/// Returns the images, the largest area first.
fn by_size(areas: &BTreeMap<String, f64>) -> Vec<(&str, f64)> {
    let mut all: Vec<_> = areas.iter().map(|(url, area)| (&url[..], *area)).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    all
}

/// Computes the shares. The steps are the progress of the canvas alone, with boxes, and with text
/// as well. The last one determines the common share of all images, which their individual
/// measurements only divide.
fn shares(
    [canvas, boxes, base]: [f64; 3],
    mut images: Vec<(String, f64, Option<Parts>)>,
    mut others: f64,
    ink: Ink,
) -> Shares {
    let sum = images.iter().map(|(_, share, _)| share).sum::<f64>() + others;
    // If no image changes the picture by itself, all shares of images are zero.
    let base = if sum > 0.0 { base } else { 1.0 };
    for share in images.iter_mut().map(|i| &mut i.1).chain([&mut others]) {
        *share *= if sum > 0.0 { (1.0 - base) / sum } else { 0.0 };
    }
    let boxes = boxes.min(base);
    let canvas = canvas.min(boxes);
    Shares {
        text: base - boxes,
        canvas,
        boxes: boxes - canvas,
        images,
        others,
        ink,
        unreserved: BTreeSet::new(),
        pictures: None,
    }
}

/// Captures the current viewport, as the screenshots of a trace do: Chromium draws the frame in
/// full size and then reduces it.
fn picture(session: &mut Session) -> Result<Option<Picture>, ChromiumError> {
    // Draws a frame with the latest styles.
    let smallest = json!({"format": "jpeg", "quality": 0});
    session.call("Page.captureScreenshot", smallest)?;
    while session.next_event(Duration::ZERO)?.is_some() {}
    session.call(
        "Page.startScreencast",
        json!({"format": "jpeg", "quality": QUALITY,
            "maxWidth": SCREENSHOT_SIZE, "maxHeight": SCREENSHOT_SIZE}),
    )?;
    let begin = session.now();
    let mut frame = None;
    while frame.is_none() && session.now().since(begin) < PATIENCE {
        let event = session.next_event(TICK)?;
        let event = event.filter(|event| event.method == "Page.screencastFrame");
        frame = event.map(|mut event| event.params["data"].take());
    }
    session.call("Page.stopScreencast", json!({}))?;
    let bytes = frame.as_ref().and_then(Value::as_str);
    let bytes = bytes.and_then(|text| STANDARD.decode(text).ok());
    Ok(bytes.and_then(|bytes| Picture::from_jpeg(&bytes)))
}

#[cfg(test)]
mod tests;
