use bytes::Bytes;

use super::{RowWriter, read_metadata, read_rows};
use crate::fixture::rows;

fn written(groups: &[&[crate::Row]]) -> Bytes {
    let mut bytes = Vec::new();
    let mut writer = RowWriter::new(&mut bytes, &[("plan", "[[race]]".to_owned())]).unwrap();
    for group in groups {
        writer.write(group).unwrap();
    }
    writer.close().unwrap();
    bytes.into()
}

#[test]
fn rows_come_back_as_they_were() {
    let (a, b) = (rows("a.har", 0..30), rows("b.har", 5..7));
    let file = written(&[&a, &b]);
    assert_eq!(read_metadata(file.clone(), "plan").unwrap(), "[[race]]");
    assert_eq!(read_rows(file).unwrap(), [a, b].concat());
}

#[test]
fn the_same_rows_are_the_same_bytes() {
    let rows = rows("a.har", 0..30);
    assert_eq!(written(&[&rows]), written(&[&rows]));
}

#[test]
fn damaged_files_are_errors() {
    let file = written(&[&rows("a.har", 0..30)]);
    for cut in 0..file.len() {
        assert!(read_metadata(file.slice(..cut), "plan").is_err(), "{cut}");
    }
    assert!(read_metadata(file.clone(), "pieces").is_err());
    for at in 0..file.len() {
        let mut damaged = file.to_vec();
        damaged[at] ^= 0x55;
        // An error or other rows, but no panic.
        let _ = read_rows(Bytes::from(damaged));
    }
}
