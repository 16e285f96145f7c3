use super::*;

#[test]
fn a_line_an_object() {
    let text = r#"[
        {"id": 3, "category": "html", "extension": "html", "size_bytes": 10, "start_ms": 0,
         "transfer_ms": null, "file_name": "a.html"},
        {"id": 4, "category": "images", "extension": "png", "size_bytes": 20, "start_ms": 1.5,
         "transfer_ms": 30, "file_name": "b.png", "url": "https://a.test/a,b", "third_party": true}
    ]"#;
    let sequence = TransferSequence::from_json("s.json", text.as_bytes()).unwrap();
    let mut out = Vec::new();
    write(&sequence, &mut out).unwrap();
    let expected = "\
id,category,third_party,url,extension,size_bytes,start_ms,transfer_ms,file_name
3,html,,,html,10,0,,a.html
4,images,true,\"https://a.test/a,b\",png,20,1.5,30,b.png
";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}
