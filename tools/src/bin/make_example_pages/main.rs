//! Writes the example recordings of `examples/pages`: four invented sites
//! with the shape and the sizes of real ones, recorded by an invented browser.
//!
//! `cargo run -p pagerace-tools --bin make_example_pages` from the root of
//! the project. Deterministic: it writes the same bytes on every run.

mod record;
mod site;
mod sites;

use std::fs;
use std::path::Path;

use pagerace_har::{ImportOptions, from_bytes};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/pages"));
    fs::create_dir_all(folder)?;
    for site in [
        sites::news(),
        sites::shop(),
        sites::blog(),
        sites::gallery(),
    ] {
        let har = record::har(&site);
        let text = serde_json::to_string_pretty(&har)? + "\n";
        let file = format!("{}.har", site.name);
        // An example that cannot be imported must not be written.
        from_bytes(&file, text.as_bytes(), &ImportOptions::default())?;
        fs::write(folder.join(file), text)?;
    }
    Ok(())
}
