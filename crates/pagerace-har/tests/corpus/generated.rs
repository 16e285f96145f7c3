//! The recordings in the form of other recorders are generated: after a change of the
//! generator, run `cargo run -p pagerace-tools --bin make_corpus`.

use std::io;
use std::path::Path;

use serde_json::Value;

use crate::{files, variants};

fn read(path: &Path) -> io::Result<Value> {
    let bytes = std::fs::read(path)?;
    if path.extension().is_some_and(|extension| extension == "gz") {
        Ok(serde_json::from_reader(flate2::read::GzDecoder::new(
            &bytes[..],
        ))?)
    } else {
        Ok(serde_json::from_slice(&bytes)?)
    }
}

#[test]
fn they_are_what_the_generator_writes() {
    let files = files::corpus();
    let folder = files[0].parent().unwrap();
    let examples = folder.join("../../examples/pages");
    let example = |name: &str| read(&examples.join(format!("{name}.har")));
    let recorded = |name: &str| read(&folder.join(format!("{name}.page.gz")));
    let generated = variants::all(&example, &recorded).unwrap();
    let recorders = files
        .iter()
        .filter(|path| path.to_string_lossy().contains(".har"));
    assert_eq!(generated.len(), recorders.count());
    for (file, har) in generated {
        assert!(
            read(&folder.join(file)).unwrap() == har,
            "{file} is out of date"
        );
    }
}
