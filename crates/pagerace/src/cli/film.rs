//! `--film`: files that show what people see of loads.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use pagerace_lab::Plan;
use pagerace_report::film::Film;

use super::files::write;

/// Most loads that a film shows.
const FILMED_MAX: usize = 24;

/// The files of a film.
#[derive(Args, Clone, Debug)]
pub(crate) struct FilmArgs {
    /// Write what people see of the median loads of one page: frames at equal times (.png), or an
    /// animation (.gif).
    #[arg(long, value_name = "FILE")]
    pub(crate) film: Vec<PathBuf>,
}

impl FilmArgs {
    /// Checks, before long work, that the films can be drawn. They show each variant of the plan so
    /// many times.
    pub(crate) fn check(&self, plan: &Plan, times: usize) -> Result<()> {
        let Some(path) = self.film.first() else {
            return Ok(());
        };
        for path in &self.film {
            let ending = path.extension().unwrap_or_default().to_string_lossy();
            if !["png", "gif"]
                .iter()
                .any(|known| ending.eq_ignore_ascii_case(known))
            {
                bail!("{}: --film writes .png or .gif files", path.display());
            }
        }
        let path = path.display();
        if plan.pages.len() != 1 {
            let pages = plan.pages.len();
            bail!("{path}: a film shows one page, but {pages} were given; film them one by one");
        }
        let loads = times * plan.variants();
        if loads > FILMED_MAX {
            bail!(
                "{path}: a film shows at most {FILMED_MAX} loads with their predictions, but this one \
                 would show {loads}; name fewer networks or contenders"
            );
        }
        Ok(())
    }

    /// Writes the film to all files.
    pub(crate) fn write(&self, film: &Film) -> Result<()> {
        for path in &self.film {
            write(path, |out| {
                if is_animated(path) {
                    film.write_gif(out)
                } else {
                    film.write_strip(out)
                }
            })?;
        }
        Ok(())
    }
}

/// Returns true for an animation.
fn is_animated(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("gif"))
}
