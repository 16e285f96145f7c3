//! Sizes that changes of pages need, measured on the recordings.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use pagerace_har::{ImportOptions, load_recording};
use pagerace_page::{Changes, Page};

/// Writes the sizes that `changes` need to the pages of these recordings. Files that hold no bodies
/// leave their pages as they are.
///
/// # Errors
/// The recording of a dictionary cannot be read.
pub(crate) fn measure(
    files: &[PathBuf],
    page: Option<&String>,
    changes: &[Changes],
    pages: &mut [Arc<Page>],
) -> Result<()> {
    let mut all = changes.iter().flat_map(Changes::all);
    if !all.any(|change| change.measure().is_some()) {
        return Ok(());
    }
    let options = ImportOptions {
        page: page.cloned(),
    };
    // Files that are no recordings have no page.
    let mut left = pages.iter_mut().peekable();
    for file in files {
        let Some(page) = left.peek() else { break };
        let Ok(recording) = load_recording(file, &options) else {
            continue;
        };
        if recording.page.url != page.url {
            continue;
        }
        if let Some(page) = left.next() {
            for one in changes {
                recording.measure(Arc::make_mut(page), one)?;
            }
        }
    }
    Ok(())
}
