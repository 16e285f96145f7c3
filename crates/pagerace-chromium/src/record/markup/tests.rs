use super::{Item, locate};

fn element(name: &str, attributes: &[(&str, &str)]) -> Item {
    Item::element(name, |wanted| {
        let found = attributes.iter().find(|(name, _)| *name == wanted);
        found.map(|(_, value)| (*value).to_owned())
    })
}

fn text(text: &str) -> Item {
    Item::text(text).expect("not blank")
}

/// Returns the text of the document before each position.
fn before<'a>(html: &'a str, page: &[Item]) -> Vec<Option<&'a str>> {
    let places = locate(html, page).into_iter();
    places
        .map(|at| at.map(|at| &html[..usize::try_from(at).expect("small")]))
        .collect()
}

#[test]
fn elements_end_with_their_start_tag_and_texts_with_themselves() {
    let html = "<!DOCTYPE html>\r\n<p id=a>Grüße &amp;\r\n Küsse</p><img src=b.png>";
    let page = [
        // These elements are implied by the parser and have no position.
        element("HTML", &[]),
        element("BODY", &[]),
        element("P", &[("id", "a")]),
        text("Grüße &\n Küsse"),
        element("IMG", &[("src", "b.png")]),
    ];
    let found = before(html, &page);
    assert_eq!(found[..2], [None, None]);
    assert_eq!(found[2], Some("<!DOCTYPE html>\r\n<p id=a>"));
    assert_eq!(
        found[3],
        Some("<!DOCTYPE html>\r\n<p id=a>Grüße &amp;\r\n Küsse")
    );
    assert_eq!(found[4], Some(html));
}

#[test]
fn what_scripts_inserted_stands_nowhere() {
    let html = "<div class=x>one</div><div class=x>two</div><div class=x>three</div>";
    let page = [
        element("div", &[("class", "banner")]),
        text("new"),
        element("div", &[("class", "x")]),
        text("one"),
        element("div", &[("class", "x")]),
        text("inserted"),
        // A script has changed the class of this element.
        element("div", &[("class", "x done")]),
        text("three"),
    ];
    let found = before(html, &page);
    assert_eq!(found[0], None);
    assert_eq!(found[1], None);
    assert_eq!(found[3].map(|t| t.ends_with("one")), Some(true));
    assert_eq!(found[5], None);
    assert_eq!(found[7].map(|t| t.ends_with("three")), Some(true));
    assert_eq!(
        found[6].map(|t| t.ends_with("</div><div class=x>")),
        Some(true)
    );
}

#[test]
fn hidden_markup_is_no_part_of_the_page() {
    let html = "<noscript><img src=pixel></noscript><script>\"<img>\"</script><img src=a>";
    let page = [
        element("noscript", &[]),
        element("script", &[]),
        element("img", &[("src", "a")]),
    ];
    let found = before(html, &page);
    assert_eq!(found[0], Some("<noscript>"));
    assert_eq!(found[2], Some(html));
}

#[test]
fn a_page_of_its_own_has_no_places() {
    assert_eq!(locate("", &[element("p", &[])]), [None]);
    assert!(locate("<p>x</p>", &[]).is_empty());
}

/// A manual's chapter whose scripts add a table of contents and change the `body`, so that
/// neither the beginning nor the end is the same.
#[test]
fn long_documents_are_aligned_in_parts() {
    const COUNT: usize = 4_000;
    let title = |i: usize| format!("Section {i}");
    let words = |i: usize| format!("Words of section {i}");
    let section = |i| format!("<h2>{}</h2><p>{}</p>", title(i), words(i));
    let html: String = (0..COUNT).map(section).collect();
    let html = format!("<body>{html}<p>The end</p>");
    let mut page = vec![element("body", &[("class", "js")])];
    for i in 0..COUNT {
        page.extend([element("a", &[("class", "toc")]), text(&title(i))]);
    }
    let first = page.len();
    for i in 0..COUNT {
        page.extend([element("h2", &[]), text(&title(i))]);
        page.extend([element("p", &[]), text(&words(i))]);
        page.extend((i % 7 == 0).then(|| element("button", &[])));
    }
    page.push(text("Made by a script"));
    assert!(page.len() * COUNT * 4 > super::CELLS_MAX);
    let found = before(&html, &page);
    assert!(found[1..first].iter().all(Option::is_none));
    for (item, found) in page.iter().zip(&found).skip(first) {
        match item.name.as_deref() {
            None if item.text == "Made by a script" => assert_eq!(*found, None),
            None => assert!(found.is_some_and(|html| html.ends_with(&item.text))),
            Some("button") => assert_eq!(*found, None),
            Some(_) => assert!(found.is_some()),
        }
    }
}
