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
fn a_folder_gives_its_files_and_nothing_else() {
    let outer = std::env::temp_dir().join(format!("pagerace-live-{}", std::process::id()));
    let root = outer.join("root");
    fs::create_dir_all(root.join("sub")).unwrap();
    fs::write(outer.join("secret.txt"), "secret").unwrap();
    fs::write(root.join("index.html"), "home").unwrap();
    fs::write(root.join("sub/index.html"), "sub").unwrap();
    fs::write(root.join("a.css"), "a{}").unwrap();
    fs::write(root.join("a b"), "x").unwrap();
    let mut site = FolderSite::new(&root).unwrap();
    assert_eq!(ask(&mut site, "GET", "/"), (200, "home".into()));
    assert_eq!(ask(&mut site, "GET", "/sub/"), (200, "sub".into()));
    assert_eq!(ask(&mut site, "GET", "/a.css?v=2"), (200, "a{}".into()));
    assert_eq!(ask(&mut site, "GET", "/a%20b?q=1"), (200, "x".into()));
    assert_eq!(ask(&mut site, "POST", "/a%20b").0, 405);
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

#[test]
fn further_hosts_have_folders_of_their_own() {
    let outer = std::env::temp_dir().join(format!("pagerace-hosts-{}", std::process::id()));
    let (root, cdn) = (outer.join("root"), outer.join("cdn"));
    fs::create_dir_all(&root).unwrap();
    fs::create_dir_all(cdn.join("css2?family=Lato:wght@400")).unwrap();
    fs::create_dir_all(cdn.join("npm/lib@1")).unwrap();
    fs::write(root.join("a.js"), "own").unwrap();
    fs::write(cdn.join("css2?family=Lato:wght@400/index.css"), "face").unwrap();
    fs::write(cdn.join("npm/lib@1/index.js"), "lib").unwrap();
    let site = FolderSite::new(&root).unwrap();
    let mut site = site.with_host("cdn.example", &cdn).unwrap();
    let mut reply = |host: &str, path: &str| {
        let mut request = request("GET", path);
        request.authority = host.to_owned().into();
        let reply = site.reply(&request);
        let field = |name: &[u8]| {
            let field = reply.fields.iter().find(|f| f.name == name);
            field.map(|f| String::from_utf8(f.value.to_vec()).unwrap())
        };
        let status = field(b":status").unwrap();
        let shared = field(b"access-control-allow-origin");
        (status, field(b"content-type").unwrap(), shared)
    };
    let text = |text: &str| text.to_owned();
    let css = reply("cdn.example:443", "/css2?family=Lato:wght@400");
    assert_eq!(
        css,
        (
            text("200"),
            text("text/css; charset=utf-8"),
            Some(text("*"))
        )
    );
    assert_eq!(
        reply("cdn.example", "/npm/lib@1").1,
        "text/javascript; charset=utf-8"
    );
    assert_eq!(reply("cdn.example", "/a.js").0, "404");
    assert_eq!(reply("cdn.example", "/../root/a.js").0, "404");
    let own = reply("localhost", "/a.js");
    assert_eq!((own.0.as_str(), own.2), ("200", None));
    assert_eq!(reply("localhost", "/npm/lib@1").0, "404");
    fs::remove_dir_all(outer).unwrap();
}

#[test]
fn a_file_that_the_client_has_is_sent_again_only_after_a_change() {
    let root = std::env::temp_dir().join(format!("pagerace-fresh-{}", std::process::id()));
    fs::create_dir_all(&root).unwrap();
    fs::write(root.join("a.css"), "a{}").unwrap();
    let mut site = FolderSite::new(&root).unwrap();
    let whole = site.reply(&request("GET", "/a.css"));
    let tag = pagerace_http::fields::get(&whole.fields, "etag").unwrap();
    let mut again = request("GET", "/a.css");
    again.fields = vec![Field::new("if-none-match", tag.clone())];
    let mut status = || site.reply(&again).fields[0].value.clone();
    assert_eq!(status(), "304");
    fs::write(root.join("a.css"), "a{} b{}").unwrap();
    assert_eq!(status(), "200");
    fs::remove_dir_all(root).unwrap();
}
