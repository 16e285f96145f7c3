use super::*;

/// A file that is removed at the end of its test.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str, content: &[u8]) -> Self {
        let name = format!("pagerace-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, content).unwrap();
        Self(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn two_blocks() -> Vec<u8> {
    (0..2 * BLOCK).map(|i| (i / 7 % 251) as u8).collect()
}

#[test]
fn a_file_that_shrinks_or_changes_ends_its_body_at_the_next_block() {
    let file = Temporary::new("shrinks", &two_blocks());
    let body = Files::default().body(&file.0).unwrap().0;
    assert_eq!(body.part(2, 4).slice(1, 100), two_blocks()[3..6]);
    std::fs::write(&file.0, "01").unwrap();
    assert_eq!(body.slice(5, 100), two_blocks()[5..105], "it is in memory");
    assert_eq!(body.slice(BLOCK as u64 + 3, 100), "", "it ends before");
    assert_eq!(body.slice(0, 100), "", "it is another file");
}

#[test]
fn parts_of_all_sizes_are_the_content_of_the_file() {
    let (content, file) = (two_blocks(), Temporary::new("parts", &two_blocks()));
    let body = Files::default().body(&file.0).unwrap().0;
    for step in [1_200, BLOCK / SHARE, 50_000, 3 * BLOCK] {
        let mut read = Vec::new();
        while read.len() < content.len() {
            let part = body.slice(read.len() as u64, step);
            assert!(!part.is_empty());
            read.extend_from_slice(&part);
        }
        assert!(read == content, "in steps of {step}");
    }
}

#[test]
fn a_replaced_file_ends_as_it_began() {
    let file = Temporary::new("replaced", &two_blocks());
    let other = Temporary::new("replacement", b"another");
    let body = Files::default().body(&file.0).unwrap().0;
    std::fs::rename(&other.0, &file.0).unwrap();
    let last = 2 * BLOCK as u64 - 3;
    assert_eq!(body.slice(last, 100), two_blocks()[2 * BLOCK - 3..]);
}

#[test]
fn open_files_are_bounded_and_closed() {
    let file = Temporary::new("bounded", &two_blocks());
    let files = Files::default();
    let body = || files.body(&file.0).unwrap().0;
    let mut bodies: Vec<Body> = (0..OPEN_MAX + 10).map(|_| body()).collect();
    let open = || files.pool().open.len();
    assert_eq!(open(), OPEN_MAX);
    // The first lost its place, and opens the file again.
    assert_eq!(bodies[0].slice(9, 100), two_blocks()[9..109]);
    assert_eq!((open(), files.pool().by_use.len()), (OPEN_MAX, OPEN_MAX));
    bodies.truncate(1);
    assert_eq!(open(), 1);
    drop(bodies);
    assert_eq!((open(), files.pool().by_use.len()), (0, 0));
}
