use super::*;

fn lists(name: &str, texts: &[&str]) -> Result<AdLists> {
    let folder = std::env::temp_dir().join(format!("pagerace-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let mut files = Vec::new();
    for (i, text) in texts.iter().enumerate() {
        let file = folder.join(format!("list{i}.txt"));
        fs::write(&file, text).unwrap();
        files.push(file);
    }
    let read = AdLists::read(&files);
    fs::remove_dir_all(&folder).unwrap();
    read
}

fn request(url: &str) -> AdRequest<'_> {
    let host = url.split('/').nth(2).unwrap();
    AdRequest {
        url,
        host,
        page_url: "https://www.site.example/",
        page_host: "www.site.example",
        destination: Destination::Script,
        method: "GET",
        third_party: true,
    }
}

#[test]
fn rules_name_their_list_and_line() {
    let lists = lists(
        "rules",
        &[
            "! Title: first\n||ads.example^\n/banner/*$image\nsite.example##.advert\n",
            "||tracker.example^$script\n@@||ads.example/needed.js\n",
        ],
    )
    .unwrap();
    let find = |url| lists.find(&request(url));
    let found = find("https://x.ads.example/a.js").unwrap();
    assert_eq!(found.kind, Some(AdKind::AdOrTracker));
    assert_eq!(
        (found.source.as_str(), found.rule.as_str()),
        ("list0.txt line 2", "||ads.example^")
    );
    assert_eq!(
        find("https://tracker.example/t.js").unwrap().source,
        "list1.txt line 1"
    );
    // An exception in one list overrides a rule in the other.
    let excepted = find("https://ads.example/needed.js").unwrap();
    assert_eq!(
        (excepted.kind, excepted.rule.as_str()),
        (None, "@@||ads.example/needed.js")
    );
    // A rule for images does not match scripts.
    assert_eq!(find("https://cdn.example/banner/x.js"), None);
    assert_eq!(find("https://www.site.example/app.js"), None);
}

#[test]
fn parties_and_pages_are_those_of_the_page() {
    let lists = lists(
        "parties",
        &["||cdn.example^$third-party,domain=site.example\n"],
    )
    .unwrap();
    let third = request("https://cdn.example/a.js");
    assert!(lists.find(&third).is_some());
    let first = AdRequest {
        third_party: false,
        ..third
    };
    assert_eq!(lists.find(&first), None);
    let elsewhere = AdRequest {
        page_host: "www.other.example",
        ..third
    };
    assert_eq!(lists.find(&elsewhere), None);
}

#[test]
fn hosts_files_are_read() {
    for text in [
        "# a comment\n127.0.0.1 localhost\n0.0.0.0 ads.example # one\n0.0.0.0 t.example\n",
        "ads.example\nt.example\n",
        "\u{feff}0.0.0.0 ads.example\r\n",
        "fe80::1%lo0 localhost\n::1 ip6-localhost ip6-loopback\n0.0.0.0 0.0.0.0\n0.0.0.0 ads.example\n",
        "0.0.0.0 t.example ads.example # two\n",
        "*.t.example\n*.ads.example\n",
        "address=/t.example/ads.example/0.0.0.0\n",
        "server=/t.example/192.0.2.1\nserver=/ads.example/\n",
        "||t.example^\n0.0.0.0 ads.example\n",
    ] {
        let lists = lists("hosts", &[text]).unwrap();
        assert!(
            lists.find(&request("https://ads.example/a.js")).is_some(),
            "{text}"
        );
        assert_eq!(
            lists.find(&request("https://www.site.example/ads.example")),
            None
        );
    }
}

#[test]
fn hosts_name_their_line() {
    let text = "# one\n127.0.0.1 localhost\n0.0.0.0 t.example ads.example\n";
    let lists = lists("lines", &[text]).unwrap();
    let found = lists.find(&request("https://x.ads.example/a.js")).unwrap();
    assert_eq!(
        (found.source.as_str(), found.rule.as_str()),
        ("list0.txt line 3", "||ads.example^")
    );
}

#[test]
fn what_is_no_list_is_refused_by_name() {
    for (text, expected) in [
        ("", "is empty"),
        ("<!DOCTYPE html>\n<title>EasyList</title>", "web page"),
        ("site.example##.advert\n", "no rule for requests"),
        ("127.0.0.1 localhost\n", "no rule for requests"),
        (
            "ads.example t.example\n",
            "line 1: `ads.example t.example` is not a rule (with a space)",
        ),
        (
            "||a.example^$unheard-of\n||b.example^$of\n||c.example^\n",
            "line 1: `||a.example^$",
        ),
    ] {
        let error = format!("{:#}", lists("wrong", &[text]).err().unwrap());
        assert!(
            error.contains("list0.txt: ") && error.contains(expected),
            "{error}"
        );
    }
    let missing = AdLists::read(&[PathBuf::from("/nowhere/list.txt")]);
    let error = format!("{:#}", missing.err().unwrap());
    assert!(
        error.contains("/nowhere/list.txt: cannot be read"),
        "{error}"
    );
}
