//! The pages of a calibration: recordings, and the models that earlier calibrations kept.

use std::fs::File;
use std::io::{BufReader, Write as _};
use std::path::Path;
use std::slice;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use pagerace_calibration::changes::Listed;
use pagerace_page::{Changes, Page, Pictures};
use serde::{Deserialize, Serialize};

use super::super::live::session::{Served, served, stripped};
use super::{CalibrateArgs, changes};
use crate::cli::files::write;
use crate::cli::measured;
use crate::cli::warn::warn;

/// The parts of a recording that predictions need.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Model {
    /// Digest of the served URLs and bodies.
    pub(super) content: String,
    pub(super) page: Arc<Page>,
    /// The page as another recorder would have recorded it.
    pub(super) elsewhere: Arc<Page>,
    /// The pictures of the page, for films.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) pictures: Option<Box<Pictures>>,
}

/// The pages, and the recordings that a live session serves.
pub(super) struct Pages {
    pub(super) models: Vec<Model>,
    pub(super) served: Vec<Served>,
    /// Changes of the pages, if the calibration is one of changes.
    pub(super) listed: Vec<Listed>,
}

/// Reads the recordings, and from the file of `--models` all other pages.
pub(super) fn read(args: &CalibrateArgs) -> Result<Pages> {
    let mut served = served(&args.pages, &mut |text| warn(text))?;
    let listed = args
        .changes
        .as_deref()
        .map_or(Ok(Vec::new()), changes::read)?;
    for (path, one) in args.pages.iter().zip(&mut served) {
        let own = listed.iter().filter(|listed| listed.page == one.page.name);
        let own: Vec<Changes> = own.map(|listed| listed.changes.clone()).collect();
        let (path, page) = (slice::from_ref(path), slice::from_mut(&mut one.page));
        measured::measure(path, None, &own, page)?;
    }
    let mut models = Vec::new();
    let file = args.models.as_deref();
    // The first calibration with recordings makes the file.
    if let Some(path) = file.filter(|path| served.is_empty() || path.exists()) {
        models = kept(path).with_context(|| path.display().to_string())?;
        models.retain(|model| served.iter().all(|one| one.page.name != model.page.name));
    }
    for (path, one) in args.pages.iter().zip(&served) {
        models.push(Model {
            content: one.content.clone(),
            page: Arc::clone(&one.page),
            elsewhere: stripped(path, one.page.name.clone())?,
            pictures: one
                .page
                .layout()
                .filter(|_| args.films)
                .and_then(|layout| layout.pictures.clone()),
        });
    }
    for model in models.iter_mut().filter(|model| model.pictures.is_some()) {
        let page = &model.page;
        if page
            .layout()
            .is_some_and(|layout| layout.pictures.is_none())
            && let Some(layout) = Arc::make_mut(&mut model.page).layout_mut()
        {
            layout.pictures.clone_from(&model.pictures);
        }
    }
    models.sort_by(|a, b| a.page.name.cmp(&b.page.name));
    Ok(Pages {
        models,
        served,
        listed,
    })
}

impl Pages {
    /// Returns true if a live session can load the page.
    pub(super) fn are_served(&self, name: &str) -> bool {
        self.served.iter().any(|one| one.page.name == name)
    }
}

fn kept(path: &Path) -> Result<Vec<Model>> {
    let file = BufReader::new(File::open(path)?);
    Ok(serde_json::from_reader(BufReader::new(GzDecoder::new(
        file,
    )))?)
}

/// Keeps the models of recordings in a file.
pub(super) fn keep(path: &Path, models: &[Model]) -> Result<()> {
    write(path, |out| {
        let mut zip = GzEncoder::new(out, Compression::best());
        serde_json::to_writer(&mut zip, models)?;
        zip.write_all(b"\n")?;
        zip.finish()?;
        Ok(())
    })
}
