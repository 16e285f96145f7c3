use std::process::{Command, Stdio};

use super::*;

/// Creates a parent for directories that only one test uses.
fn parent(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("directory-test-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn a_directory_goes_with_its_owner() {
    let parent = parent("goes");
    let directory = RunDirectory::create_in(&parent).unwrap();
    let path = directory.path().to_owned();
    fs::create_dir(path.join("profile")).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
    // Another run in the meantime does not remove the directory.
    let other = RunDirectory::create_in(&parent).unwrap();
    assert_ne!(other.path(), path);
    assert!(path.exists());
    drop(directory);
    assert!(!path.exists() && other.path().exists());
    drop(other);
    fs::remove_dir(&parent).unwrap();
}

#[test]
fn what_the_dead_have_left_is_removed() {
    let parent = parent("dead");
    let stale = parent.join("pagerace-4000000-0");
    fs::create_dir(&stale).unwrap();
    fs::set_permissions(&stale, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    fs::write(stale.join(LOCK), "").unwrap();
    let unfinished = parent.join("pagerace-new-4000000-1");
    DirBuilder::new().mode(0o700).create(&unfinished).unwrap();
    let leftover = |marker: PathBuf| {
        let mut command = Command::new("sh");
        // The process waits for input that never arrives.
        command.args(["-c", "read line"]).arg(marker);
        command.stdin(Stdio::piped()).spawn().unwrap()
    };
    let mut theirs = leftover(stale.join("profile"));
    let mut unrelated = leftover(parent.join("pagerace-4000000-01"));
    // Neither may be removed: others may write to the first, and the second is not a name
    // of ours.
    let open = parent.join("pagerace-4000000-7");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    fs::write(open.join(LOCK), "").unwrap();
    let foreign = parent.join("pagerace-notes");
    fs::create_dir(&foreign).unwrap();

    let directory = RunDirectory::create_in(&parent).unwrap();
    assert!(!stale.exists() && !unfinished.exists());
    assert!(open.exists() && foreign.exists());
    let status = theirs.wait().unwrap();
    assert!(!status.success(), "it was killed: {status}");
    assert!(unrelated.try_wait().unwrap().is_none(), "it still runs");
    unrelated.kill().unwrap();
    unrelated.wait().unwrap();
    drop(directory);
    fs::remove_dir_all(&parent).unwrap();
}

#[test]
fn where_nothing_can_be_made_the_place_is_named() {
    let error = RunDirectory::create_in(Path::new("/proc/self")).unwrap_err();
    assert!(error.to_string().contains("/proc/self"), "{error}");
}

#[test]
fn names_are_whole() {
    let line = b"chromium\0--user-data-dir=/tmp/pagerace-12-1/profile\0";
    assert!(names(line, b"/tmp/pagerace-12-1"));
    assert!(!names(line, b"/tmp/pagerace-12-"));
    assert!(!names(line, b"/tmp/pagerace-1"));
    assert!(names(b"x\0/tmp/pagerace-12-1", b"/tmp/pagerace-12-1"));
    assert!(!names(b"x\0/tmp/pagerace-12-10", b"/tmp/pagerace-12-1"));
}
