//! Properties of the graph that a load cannot show. The loads in `tests/` cover the rest.

use super::*;

#[test]
fn a_parent_that_does_not_come_first_is_no_parent() {
    let text = r#"{"name":"t","url":"","origins":[],"document":9,"recorded":{"on_content_load":null,"on_load":null,"creator":""},"notes":[],
      "resources":[{"id":0,"url":"","origin":0,"method":"GET","status":200,"destination":"script","script_mode":"blocking",
      "mime_type":"","request_header_bytes":0,"request_body_bytes":0,"response_header_bytes":0,"body_bytes":10,
      "decoded_bytes":null,"think_time":0,"priority":"High","render_blocking":false,
      "discovery":{"trigger":{"kind":"markup","parent":0,"offset":3},"evidence":"recorded"},"in_viewport":false,"cpu_time":null,
      "blocks_load":true,"category":"javascript","third_party":false,"recorded":null}]}"#;
    let page: Page = serde_json::from_str(text).expect("a page");
    let graph = Graph::new(&page, Profile::CHROME);
    assert_eq!(graph.document, None, "a document outside the page is none");
    assert!(graph.nodes[0].scanned.is_empty() && graph.nodes[0].stops.is_empty());
    assert!(!graph.in_main_frame(ResourceId(0)));
}
