use std::fs;
use std::io;
use std::path::PathBuf;

use super::{check_writable, write_atomically};

/// Creates an empty directory for one test.
fn directory(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("pagerace-file-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn entries(path: &PathBuf) -> usize {
    fs::read_dir(path).unwrap().count()
}

#[test]
fn replaces_the_old_file_whole() {
    let dir = directory("replace");
    let file = dir.join("out.json");
    fs::write(&file, "old").unwrap();
    write_atomically(&file, |out| out.write_all(b"new")).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "new");
    assert_eq!(entries(&dir), 1);
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_failure_halfway_leaves_the_old_file_alone() {
    let dir = directory("halfway");
    let file = dir.join("out.json");
    fs::write(&file, "old").unwrap();
    let error = write_atomically(&file, |out| {
        out.write_all(&vec![b'x'; 100_000])?;
        Err(io::Error::other("disk on fire"))
    })
    .unwrap_err();
    assert!(error.to_string().contains("out.json") && error.to_string().contains("disk on fire"));
    assert_eq!(fs::read_to_string(&file).unwrap(), "old");
    assert_eq!(entries(&dir), 1);
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn unwritable_paths_are_found_before() {
    let dir = directory("check");
    check_writable(&dir.join("fine.csv")).unwrap();
    assert_eq!(entries(&dir), 0);
    assert!(
        check_writable(&dir)
            .unwrap_err()
            .to_string()
            .contains("directory")
    );
    assert!(check_writable(&dir.join("no/such/place.csv")).is_err());
    fs::remove_dir_all(dir).unwrap();
}

#[cfg(unix)]
#[test]
fn links_and_devices_stay_what_they_are() {
    use std::os::unix::fs::{FileTypeExt, symlink};

    let dir = directory("special");
    let (file, link) = (dir.join("out.json"), dir.join("link.json"));
    fs::write(&file, "old").unwrap();
    symlink("out.json", &link).unwrap();
    write_atomically(&link, |out| out.write_all(b"new")).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "new");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(entries(&dir), 2);

    // A link, so that a failure of this test takes no device from the machine.
    let device = dir.join("null");
    symlink("/dev/null", &device).unwrap();
    check_writable(&device).unwrap();
    write_atomically(&device, |out| out.write_all(b"new")).unwrap();
    assert!(fs::metadata(&device).unwrap().file_type().is_char_device());
    fs::remove_dir_all(dir).unwrap();
}

#[cfg(unix)]
#[test]
fn the_target_of_a_dangling_link_is_created() {
    use std::os::unix::fs::symlink;

    let dir = directory("dangling");
    let link = dir.join("link.json");
    symlink("out.json", &link).unwrap();
    check_writable(&link).unwrap();
    write_atomically(&link, |out| out.write_all(b"new")).unwrap();
    assert_eq!(fs::read_to_string(dir.join("out.json")).unwrap(), "new");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let lost = dir.join("lost.json");
    symlink("nowhere/out.json", &lost).unwrap();
    check_writable(&lost).unwrap_err();
    let circle = dir.join("circle.json");
    symlink("circle.json", &circle).unwrap();
    check_writable(&circle).unwrap_err();
    fs::remove_dir_all(dir).unwrap();
}
