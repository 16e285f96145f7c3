//! Lines for servers, as text and as the real servers read them.

use std::path::{Path, PathBuf};
use std::process::Command;

use pagerace_page::{Changes, Page};

use super::{Fields, SERVERS, Server, fields};

fn page() -> Page {
    let har = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/pages/news.har");
    pagerace_har::load(&har, &pagerace_har::ImportOptions::default()).unwrap()
}

/// Returns fields with everything that configurations have a syntax of their own for.
fn odd() -> Fields {
    Fields {
        document: "/a.b/(c)+".to_owned(),
        links: [
            "</hero%24%7B.jpg?a=1&b=2>; rel=preload; as=image; fetchpriority=high".to_owned(),
            "<https://fonts.example>; rel=preconnect; crossorigin".to_owned(),
        ]
        .into(),
        priorities: [("/img/hero%20(1).jpg".to_owned(), "u=1, i".to_owned())].into(),
    }
}

#[test]
fn hints_are_links_and_priorities_are_fields() {
    let mut page = page();
    let own = page.resource(page.document).origin;
    let images = page.resources.iter_mut();
    let image = images
        .into_iter()
        .find(|one| one.mime_type == "image/jpeg")
        .unwrap();
    // An image of the page's own host.
    image.origin = own;
    let host = &page.origins[own.index()].host;
    image.url = format!("https://{host}/img/lead.jpg");
    let (url, path) = (image.url.clone(), "/img/lead.jpg".to_owned());
    let text = format!("preload {url}; fetchpriority=high {url}");
    let found = fields(&page, &text.parse::<Changes>().unwrap());
    let link = found.links.iter().next().unwrap();
    assert!(link.contains("; rel=preload; as=image"), "{link}");
    assert!(link.starts_with(&format!("<{path}>")), "{link}");
    assert_eq!(found.priorities.get(&path), Some(&"u=1".to_owned()));
    assert_eq!(found.document, "/");
    for server in SERVERS {
        let lines = found.lines(server).replace('\\', "");
        assert!(lines.contains(&path), "{lines}");
    }
    assert!(fields(&page, &Changes::default()).is_empty());
}

/// Returns a program that the system has; says so otherwise.
fn program(names: &[&str]) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&folders).chain(["/usr/sbin".into(), "/sbin".into()]);
    let folders: Vec<PathBuf> = folders.collect();
    let found = names.iter().find_map(|name| {
        let mut files = folders.iter().map(|folder| folder.join(name));
        files.find(|file| file.is_file())
    });
    if found.is_none() {
        eprintln!(
            "skipped: {} is not installed; tests/servers/setup.sh installs it",
            names[0]
        );
    }
    found
}

/// Runs a server's check of a configuration.
fn check(name: &str, text: &str, command: impl FnOnce(&Path) -> Command) {
    let folder = std::env::temp_dir().join(format!("pagerace-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("conf");
    std::fs::write(&file, text).unwrap();
    let output = command(&file).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}\n{text}");
}

#[test]
fn nginx_reads_its_lines() {
    let Some(nginx) = program(&["nginx"]) else {
        return;
    };
    let lines = odd().lines(Server::Nginx);
    let (http, server) = lines.split_once("# in server").unwrap();
    let server = server.split_once('\n').unwrap().1;
    let text = format!(
        "pid /dev/null;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{http}\n\
         server {{\nlisten 127.0.0.1:65080;\n{server}\n}}\n}}\n"
    );
    check("nginx", &text, |file| {
        let mut command = Command::new(nginx);
        command.arg("-t").arg("-c").arg(file);
        command
    });
}

#[test]
fn apache_reads_its_lines() {
    let Some(apache) = program(&["apache2", "httpd"]) else {
        return;
    };
    let modules = [
        "/usr/lib/apache2/modules",
        "/usr/lib64/httpd/modules",
        "/usr/lib/httpd/modules",
    ];
    let Some(modules) = modules.iter().find(|folder| Path::new(folder).is_dir()) else {
        eprintln!("skipped: the modules of Apache are not where Debian and Fedora have them");
        return;
    };
    let load = |name: &str| format!("LoadModule {name}_module {modules}/mod_{name}.so\n");
    let loads: String = ["mpm_event", "authz_core", "headers", "http2"]
        .map(load)
        .concat();
    let text = format!(
        "ServerRoot /tmp\nServerName localhost\nListen 127.0.0.1:65081\nPidFile /dev/null\n\
         ErrorLog /dev/stderr\n{loads}{}",
        odd().lines(Server::Apache)
    );
    check("apache", &text, |file| {
        let mut command = Command::new(apache);
        command.arg("-t").arg("-f").arg(file);
        command
    });
}

#[test]
fn caddy_reads_its_lines() {
    let Some(caddy) = program(&["caddy"]) else {
        return;
    };
    let text = format!(
        "http://localhost:65082 {{\n{}}}\n",
        odd().lines(Server::Caddy)
    );
    check("caddy", &text, |file| {
        let mut command = Command::new(caddy);
        command
            .args(["adapt", "--validate", "--adapter", "caddyfile", "--config"])
            .arg(file)
            .env("HOME", file.parent().unwrap());
        command
    });
}

#[test]
fn h2o_reads_its_lines() {
    let Some(h2o) = program(&["h2o"]) else { return };
    let lines = odd().lines(Server::H2o);
    let lines: Vec<String> = lines
        .lines()
        .map(|line| format!("      {line}\n"))
        .collect();
    let lines = lines.concat();
    let text = format!("hosts:\n  localhost:\n    listen: 65083\n    paths:\n{lines}");
    check("h2o", &text, |file| {
        let mut command = Command::new(h2o);
        command.args(["-m", "test", "-c"]).arg(file);
        command
    });
}
