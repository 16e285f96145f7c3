//! Photographs of the viewport for people: small WebP files.

use serde_json::json;

use crate::{ChromiumError, Session};

/// The qualities and scales that are tried, the best first.
const FORMATS: [(u32, f64); 9] = [
    (80, 1.0),
    (50, 1.0),
    (30, 1.0),
    (15, 1.0),
    (30, 0.7),
    (15, 0.7),
    (25, 0.5),
    (20, 0.25),
    (5, 0.25),
];

/// The share of the room that the picture of the whole page may take. The four others lack parts of
/// it. Those of five pages took 0.8 to 1.4 times as much as the whole.
const WHOLE: f64 = 0.42;

/// The settings of all photographs of a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Camera {
    viewport: (f64, f64),
    quality: u32,
    /// Pixels of the picture per CSS pixel.
    scale: f64,
}

impl Camera {
    /// Chooses the settings with which all pictures of the page take about `room` bytes as base64.
    /// Also returns the picture of the page as it is. Returns `None` if even the smallest one is too
    /// large.
    pub(super) fn focused(
        session: &mut Session,
        viewport: (f64, f64),
        room: usize,
    ) -> Result<Option<(Self, String)>, ChromiumError> {
        for (quality, scale) in FORMATS {
            let camera = Self {
                viewport,
                quality,
                scale,
            };
            let Some(photo) = camera.take(session)? else {
                return Ok(None);
            };
            if photo.len() as f64 <= room as f64 * WHOLE {
                return Ok(Some((camera, photo)));
            }
        }
        Ok(None)
    }

    /// Takes a picture: WebP in base64.
    pub(super) fn take(&self, session: &mut Session) -> Result<Option<String>, ChromiumError> {
        // The picture has the device's pixels, whose number `clip.scale` multiplies.
        let density = session.evaluate("devicePixelRatio")?;
        let density = density.as_f64().filter(|d| *d > 0.0).unwrap_or(1.0);
        let (width, height) = self.viewport;
        let answer = session.call(
            "Page.captureScreenshot",
            json!({
                "format": "webp", "quality": self.quality, "captureBeyondViewport": false,
                "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": self.scale / density},
            }),
        )?;
        Ok(answer["data"].as_str().map(str::to_owned))
    }
}
