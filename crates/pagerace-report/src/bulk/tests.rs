use super::{BulkNetwork, BulkReport, BulkTransfer, render_bulk};
use crate::input::Named;

fn report(name: &str) -> BulkReport {
    BulkReport {
        title: name.to_owned(),
        seed: u64::MAX.to_string(),
        contenders: vec![Named {
            name: name.to_owned(),
            description: name.to_owned(),
        }],
        networks: vec![BulkNetwork {
            name: name.to_owned(),
            verdict: format!("{name}: h2 is fastest."),
            transfers: vec![BulkTransfer {
                arrived: vec![1, 2, 3],
                ..BulkTransfer::default()
            }],
            ..BulkNetwork::default()
        }],
        ..BulkReport::default()
    }
}

#[test]
fn one_file_with_the_answer_and_the_data() {
    let page = render_bulk(&report("cable"));
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    assert!(
        page.contains("<p>h2 is fastest.</p>"),
        "without the network's name again"
    );
    assert!(page.contains("\"arrived\":[1,2,3]"));
    assert!(page.contains("18446744073709551615"), "seeds stay whole");
    for asked in ["src=\"http", "href=\"http", "@import"] {
        assert!(!page.contains(asked), "{asked}");
    }
}

#[test]
fn reasons_of_failures_are_told() {
    let mut failing = report("cable");
    assert!(!render_bulk(&failing).contains("Transfers failed"));
    failing.failures = vec!["not complete after 9 s".to_owned(), "<lost>".to_owned()];
    let page = render_bulk(&failing);
    assert!(
        page.contains(
            "<p class=\"hint\">Transfers failed: not complete after 9 s; &lt;lost&gt;.</p>"
        )
    );
}

#[test]
fn names_are_escaped() {
    let page = render_bulk(&report("</script><b>&'\""));
    assert!(!page.contains("</script><b>"));
    assert!(page.contains("&lt;/script&gt;&lt;b&gt;&amp;&#39;&quot;"));
}
