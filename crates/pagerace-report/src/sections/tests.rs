use super::{Figure, Section, SectionReport, Series, SeriesKind, Table, columns, render_sections};

fn report(name: &str) -> SectionReport {
    let figure = Figure {
        label: name.to_owned(),
        categories: vec![name.to_owned()],
        series: vec![Series::new(name, SeriesKind::Bars, [(0.0, 2.5)])],
        ..Figure::default()
    };
    let row = vec![name.to_owned(), "7".to_owned()];
    let table = Table::new(columns("page | requests"), 1, [row]);
    SectionReport {
        title: name.to_owned(),
        facts: vec![name.to_owned()],
        sections: vec![Section {
            lines: vec![name.to_owned(), "  indented".to_owned()],
            ..Section::new(name).say(name).table(table).figure(figure)
        }],
        ..SectionReport::default()
    }
}

#[test]
fn sections_have_text_table_and_figure() {
    let page = render_sections(&report("corpus"));
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    assert!(
        page.contains("<h2>corpus</h2>\n<p>corpus</p>\n<pre>corpus\n  indented</pre>\n<div class=")
    );
    assert!(page.contains("<tr><td class=\"words\">corpus</td><td>7</td></tr>"));
    assert!(page.contains("\"points\":[{\"x\":0.0,\"y\":2.5}]"));
}

#[test]
fn names_are_escaped() {
    let page = render_sections(&report("</script><b>&'\""));
    assert!(!page.contains("</script><b>"));
    assert!(page.contains("&lt;/script&gt;&lt;b&gt;&amp;&#39;&quot;"));
}
