//! What is known of each recording of the corpus.

use pagerace_page::Page;

/// Compares the pages of file `name` with its row of the manifest.
pub fn compare(name: &str, row: &str, pages: &[Page]) -> Result<(), String> {
    let fields: Vec<&str> = row.split(',').collect();
    let number = |from_end: usize| fields[fields.len() - from_end].parse::<u64>().unwrap_or(0);
    let (requests, wire) = (number(9), number(7));
    let resources: usize = pages.iter().map(|p| p.resources.len()).sum();
    let body: u64 = pages.iter().map(Page::body_bytes).sum();
    eprintln!("(\"{name}\", {}, {requests}, {resources}, {wire}, {body}, {:.3})", pages.len(), body as f64 / wire as f64);
    for p in pages.iter().take(1) { for n in &p.notes { eprintln!("     {}", n.text); } 
      let mut m = std::collections::BTreeMap::new();
      for r in &p.resources { *m.entry(format!("{:?}", r.discovery.evidence)).or_insert(0) += 1; }
      let mut k = std::collections::BTreeMap::new();
      for r in &p.resources { let s = format!("{:?}", r.discovery.trigger); *k.entry(s.split(' ').next().unwrap().to_owned()).or_insert(0) += 1; }
      let rb = p.resources.iter().filter(|r| r.render_blocking).count();
      let vp = p.resources.iter().filter(|r| r.in_viewport).count();
      eprintln!("     {m:?} {k:?} rb {rb} vp {vp} origins {} doc {}", p.origins.len(), p.resource(p.document).url);
    }
    Ok(())
}
