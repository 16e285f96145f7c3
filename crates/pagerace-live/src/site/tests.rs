use pagerace_core::Priority;

use super::*;

fn request(method: &str, path: &str) -> Request {
    Request {
        method: method.to_owned().into(),
        authority: "localhost".into(),
        path: path.to_owned().into(),
        fields: Vec::new(),
        body_bytes: 0,
        priority: Priority::default(),
    }
}

fn ask(site: &mut impl Site, method: &str, path: &str) -> (u16, Bytes) {
    let reply = site.reply(&request(method, path));
    let status = std::str::from_utf8(&reply.fields[0].value)
        .unwrap()
        .parse()
        .unwrap();
    (status, reply.body.slice(0, usize::MAX))
}

#[test]
fn memory() {
    let mut site = MemorySite::default().with("/a b", "text/plain", "x");
    assert_eq!(ask(&mut site, "GET", "/a%20b?q=1"), (200, "x".into()));
    assert_eq!(ask(&mut site, "GET", "/c").0, 404);
    assert_eq!(ask(&mut site, "POST", "/a%20b").0, 405);
}

#[test]
fn a_folder_gives_its_files_and_nothing_else() {
    let outer = std::env::temp_dir().join(format!("pagerace-live-{}", std::process::id()));
    let root = outer.join("root");
    fs::create_dir_all(root.join("sub")).unwrap();
    fs::write(outer.join("secret.txt"), "secret").unwrap();
    fs::write(root.join("index.html"), "home").unwrap();
    fs::write(root.join("sub/index.html"), "sub").unwrap();
    fs::write(root.join("a.css"), "a{}").unwrap();
    let mut site = FolderSite::new(&root).unwrap();
    assert_eq!(ask(&mut site, "GET", "/"), (200, "home".into()));
    assert_eq!(ask(&mut site, "GET", "/sub/"), (200, "sub".into()));
    assert_eq!(ask(&mut site, "GET", "/a.css?v=2"), (200, "a{}".into()));
    for path in [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/sub/..%2f..%2fsecret.txt",
        "//etc/passwd",
        "/%2fetc/passwd",
        "/sub",
        "/none",
        "*",
        "/%",
        "/%zz",
        "/a.%+63ss",
    ] {
        assert_eq!(ask(&mut site, "GET", path).0, 404, "{path}");
    }
    let unknown = site.unknown();
    assert_eq!(unknown.len(), 11);
    assert!(
        unknown.contains(&"GET https://localhost/none".to_owned()),
        "{unknown:?}"
    );
    assert!(FolderSite::new(&outer.join("none")).is_err());
    fs::remove_dir_all(outer).unwrap();
}
