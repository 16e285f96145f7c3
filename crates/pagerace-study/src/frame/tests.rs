use std::fs;

use super::Frame;
use crate::columns::TableWriter;
use crate::fixture::{loads, rows};
use crate::row::{Row, metrics};

fn file(name: &str, rows: &[Row]) -> std::path::PathBuf {
    let name = format!("pagerace-frame-{name}-{}.parquet", std::process::id());
    let path = std::env::temp_dir().join(name);
    let mut writer = TableWriter::new::<Row>(fs::File::create(&path).unwrap()).unwrap();
    writer.write(rows).unwrap();
    writer.close(&[]).unwrap();
    path
}

#[test]
fn a_file_gives_the_same_frame_as_its_rows() {
    let all = [rows("b", 0..7), rows("a", 3..9), rows("b", 5..9)].concat();
    let wanted: Vec<_> = metrics().take(3).collect();
    let mut frame = Frame::new(&wanted);
    frame.add(&all);
    let path = file("same", &all);
    let read = Frame::read(&path, &wanted).unwrap();
    fs::remove_file(&path).unwrap();
    assert_eq!(read.cells().len(), 2);
    for (a, b) in read.cells().iter().zip(frame.cells()) {
        assert_eq!(a.key, b.key);
        for index in 0..wanted.len() {
            assert!(a.values(index).eq(b.values(index)));
        }
    }
    assert_eq!(read.cells()[0].values(0).count(), 9);
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let metric = [metrics().next().unwrap()];
    let error = |path: &std::path::Path| Frame::read(path, &metric).unwrap_err().to_string();
    let path = file("empty", &[]);
    assert!(error(&path).ends_with("holds no loads"));
    fs::write(&path, "PAR1").unwrap();
    assert!(error(&path).starts_with(&path.display().to_string()));
    fs::remove_file(&path).unwrap();
    assert!(error(&path).contains("cannot be read"));
    let one = loads("a", "slow", "h2", &[1.0], 0.0);
    let mut other = one.clone();
    let key = std::sync::Arc::make_mut(&mut other[0].key);
    key.cell = "other settings".to_owned();
    let path = file("mixed", &[one, other].concat());
    assert!(
        error(&path).contains("differ in settings"),
        "{}",
        error(&path)
    );
    fs::remove_file(&path).unwrap();
}
