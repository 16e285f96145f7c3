//! The pages of a calibration: recordings, or what an earlier calibration kept of them.

use std::fs::File;
use std::io::{BufReader, Write as _};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use pagerace_page::Page;
use serde::{Deserialize, Serialize};

use super::super::live::session::{Served, served, stripped};
use crate::cli::live::CalibrateArgs;
use crate::commands::files::write;
use crate::commands::warn::warn;

/// What predictions need of a recording.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Model {
    /// Digest of the served URLs and bodies.
    pub(super) content: String,
    pub(super) page: Arc<Page>,
    /// The page as another recorder would have recorded it.
    pub(super) elsewhere: Arc<Page>,
}

/// The pages, and what a live session serves of them; nothing without recordings.
pub(super) struct Pages {
    pub(super) models: Vec<Model>,
    pub(super) served: Vec<Served>,
}

/// Reads the recordings, or the file of `--models` if there are none.
pub(super) fn read(args: &CalibrateArgs) -> Result<Pages> {
    let models = args.models.as_deref().filter(|_| args.pages.is_empty());
    if let Some(path) = models {
        return Ok(Pages {
            models: kept(path).with_context(|| path.display().to_string())?,
            served: Vec::new(),
        });
    }
    let served = served(&args.pages, &mut |text| warn(text))?;
    let mut models = Vec::new();
    for (path, one) in args.pages.iter().zip(&served) {
        models.push(Model {
            content: one.content.clone(),
            page: Arc::clone(&one.page),
            elsewhere: stripped(path, one.page.name.clone())?,
        });
    }
    Ok(Pages { models, served })
}

fn kept(path: &Path) -> Result<Vec<Model>> {
    let file = BufReader::new(File::open(path)?);
    Ok(serde_json::from_reader(BufReader::new(GzDecoder::new(file)))?)
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
