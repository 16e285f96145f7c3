use bytes::Bytes;
use parquet::errors::Result;

use super::{Row, metrics};
use crate::columns::{TableWriter, guarded, read_metadata};
use crate::fixture::rows;

fn written(groups: &[&[Row]]) -> Bytes {
    let mut bytes = Vec::new();
    let mut writer = TableWriter::new::<Row>(&mut bytes).unwrap();
    for group in groups {
        writer.write(group).unwrap();
    }
    writer.close(&[("plan", "[[race]]".to_owned())]).unwrap();
    bytes.into()
}

fn read_rows(file: Bytes) -> Result<Vec<Row>> {
    let all: Vec<_> = metrics().collect();
    let mut rows = Vec::new();
    super::read_rows(file, &all, &["seed", "failure"], |row| rows.push(row))?;
    Ok(rows)
}

#[test]
fn rows_come_back_as_they_were() {
    let (a, b) = (rows("a", 0..30), rows("b", 5..7));
    let file = written(&[&a, &b]);
    assert_eq!(read_metadata(file.clone(), "plan").unwrap(), "[[race]]");
    assert_eq!(read_rows(file).unwrap(), [a, b].concat());
}

#[test]
fn the_same_rows_are_the_same_bytes() {
    let rows = rows("a", 0..30);
    assert_eq!(written(&[&rows]), written(&[&rows]));
}

#[test]
fn damaged_files_are_errors() {
    let file = written(&[&rows("a", 0..30)]);
    for cut in 0..file.len() {
        assert!(read_metadata(file.slice(..cut), "plan").is_err(), "{cut}");
    }
    assert!(read_metadata(file.clone(), "pieces").is_err());
    for at in 0..file.len() {
        let mut damaged = file.to_vec();
        damaged[at] ^= 0x55;
        // An error or other rows, but no panic.
        let _ = guarded(|| read_rows(Bytes::from(damaged)));
    }
}
