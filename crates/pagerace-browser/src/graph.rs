//! The dependencies of a page, from parents to children.
//!
//! The graph is built once for each load. A resource whose parent does not precede it in
//! the page has no trigger and is never discovered; importers never produce such a page.

use pagerace_core::{Destination, Duration, RequestPriority, ScriptMode};
use pagerace_page::{Page, Resource, ResourceId, Trigger, Wait};

use crate::Profile;

/// The resources of a page as nodes, in page order.
#[derive(Debug)]
pub(crate) struct Graph {
    /// One node for each resource.
    pub(crate) nodes: Vec<Node>,
    /// The index of the document that is shown.
    pub(crate) document: Option<usize>,
    /// The number of threads that run scripts: one for the page, and one for each
    /// isolated frame.
    pub(crate) lanes: usize,
}

/// The use of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    /// A redirect to another resource.
    Redirect,
    /// A document with its own parser.
    Html,
    /// A style sheet.
    Style,
    /// A script. A script that is not in the markup runs like a script-inserted one.
    Script(ScriptMode),
    /// An image.
    Image,
    /// A font.
    Font,
    /// A resource that the model does not interpret.
    #[default]
    Other,
}

/// A position in a document at which its parser stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stop {
    /// The position in encoded bytes of the document.
    pub(crate) offset: u64,
    /// The resource at the position; `None` for an inline script that requests nothing.
    pub(crate) resource: Option<ResourceId>,
    /// True for a parser-blocking script, false for a resource that only the parser finds.
    pub(crate) blocks: bool,
    /// True for an inline script, which waits for earlier style sheets.
    pub(crate) runs_script: bool,
}

/// A resource with its dependents.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub(crate) role: Role,
    /// The document of the resource; a document is its own frame.
    pub(crate) frame: Option<usize>,
    /// The position in the markup of its frame (of its use, if it is preloaded), or the
    /// position of the style sheet or redirect that led to it.
    pub(crate) anchor: Option<u64>,
    /// The thread on which the resource runs.
    pub(crate) lane: usize,
    /// True for images and fonts that a layout requests: those of style sheets, and those of the
    /// markup for which a recorded layout decides. Frames request those of their sheets at once.
    pub(crate) by_layout: bool,
    /// Resources found by the preload scanner, ascending by offset.
    pub(crate) scanned: Vec<(u64, ResourceId)>,
    /// The stops of the parser, ascending by offset; documents only.
    pub(crate) stops: Vec<Stop>,
    /// The deferred scripts in document order; documents only.
    pub(crate) deferred: Vec<ResourceId>,
    /// Redirect targets, known from the response head.
    pub(crate) on_head: Vec<ResourceId>,
    /// Resources requested with a delay after this one has run or been parsed.
    pub(crate) on_processed: Vec<(ResourceId, Duration)>,
    /// Fonts and images of a style sheet, requested by the first layout after it.
    pub(crate) on_layout: Vec<ResourceId>,
    /// Resources requested with a delay after this response is complete.
    pub(crate) on_end: Vec<(ResourceId, Duration)>,
    /// Resources requested in a callback that waits for this one.
    pub(crate) awaited_by: Vec<ResourceId>,
    /// Recorded callbacks that wait for this one, by index.
    pub(crate) calls: Vec<usize>,
}

impl Graph {
    /// Builds the graph of `page` for the browser `profile`.
    pub(crate) fn new(page: &Page, profile: &Profile) -> Self {
        let count = page.resources.len();
        let document = Some(page.document.index()).filter(|&d| d < count);
        let mut redirects = vec![false; count];
        for (index, resource) in page.resources.iter().enumerate() {
            if let Trigger::Redirect { parent } = resource.discovery.trigger
                && parent.index() < index
            {
                redirects[parent.index()] = true;
            }
        }
        let mut graph = Self {
            nodes: Vec::with_capacity(count),
            document,
            lanes: 1,
        };
        for (index, resource) in page.resources.iter().enumerate() {
            // The document stays a document even if the recording contains a redirect from it.
            let role = if Some(index) == document {
                Role::Html
            } else {
                role(resource, redirects[index])
            };
            let in_style = matches!(resource.discovery.trigger, Trigger::Style { .. });
            let mut node = Node {
                role,
                by_layout: matches!(role, Role::Image | Role::Font)
                    && (in_style || is_by_layout(page, resource.id)),
                ..Node::default()
            };
            let parent = resource
                .discovery
                .trigger
                .parent()
                .map(ResourceId::index)
                .filter(|&p| p < index);
            graph.place(index, resource, parent, &mut node, profile);
            graph.nodes.push(node);
            if let Some(parent) = parent {
                graph.attach(ResourceId(index as u32), resource, parent, page);
            }
            if let Some(Wait::Resource { id }) = resource.discovery.wait
                && id.index() < index
            {
                let waiting = ResourceId(index as u32);
                graph.nodes[id.index()].awaited_by.push(waiting);
            }
        }
        let callbacks = page
            .layout()
            .into_iter()
            .flat_map(|layout| &layout.callbacks);
        for (index, callback) in callbacks.enumerate() {
            if let Wait::Resource { id } = callback.after
                && let Some(node) = graph.nodes.get_mut(id.index())
            {
                node.calls.push(index);
            }
        }
        let timed = page
            .layout()
            .into_iter()
            .flat_map(|layout| &layout.inline_scripts);
        let stated = page.content().into_iter();
        let stated = stated.flat_map(|content| &content.inline_scripts);
        let inline = timed.map(|script| script.offset).chain(stated.copied());
        if let Some(document) = document {
            let stops = inline.map(|offset| Stop {
                offset: offset.min(page.resources[document].body_bytes),
                resource: None,
                blocks: false,
                runs_script: true,
            });
            graph.nodes[document].stops.extend(stops);
        }
        for node in &mut graph.nodes {
            // The sort is stable: resources at one offset stay in page order.
            node.scanned.sort_by_key(|&(offset, _)| offset);
            node.stops.sort_by_key(|stop| stop.offset);
        }
        graph.collect_deferred();
        graph
    }

    /// Derives the frame, position and thread of a node from those of its parent.
    fn place(
        &mut self,
        index: usize,
        resource: &Resource,
        parent: Option<usize>,
        node: &mut Node,
        profile: &Profile,
    ) {
        let above = parent.map(|p| &self.nodes[p]);
        node.frame = if node.role == Role::Html {
            Some(index)
        } else {
            parent.and_then(|p| self.nodes[p].frame).or(self.document)
        };
        node.lane = above.map_or(0, |n| n.lane);
        if node.role == Role::Html
            && Some(index) != self.document
            && resource.third_party
            && profile.isolates_sites
        {
            node.lane = self.lanes;
            self.lanes += 1;
        }
        node.anchor = match resource.discovery.trigger {
            Trigger::Redirect { .. } => above.and_then(|n| n.anchor),
            Trigger::Style { .. } if node.role == Role::Style => above.and_then(|n| n.anchor),
            trigger if above.is_some_and(|n| n.role == Role::Html) => {
                let place = trigger.place().map(|(_, offset)| offset);
                // The parser meets the preload before the element.
                place.map(|offset| resource.used_at.map_or(offset, |used| used.max(offset)))
            }
            _ => None,
        };
        if let Role::Script(mode) = node.role
            && (node.anchor.is_none() || node.frame.is_none())
            && mode != ScriptMode::Async
        {
            node.role = Role::Script(ScriptMode::Inserted);
        }
    }

    /// Adds a resource to the dependents of its parent.
    fn attach(&mut self, id: ResourceId, resource: &Resource, parent: usize, page: &Page) {
        let Node {
            role,
            anchor,
            frame,
            by_layout,
            ..
        } = self.nodes[id.index()];
        let above = &mut self.nodes[parent];
        match resource.discovery.trigger {
            Trigger::Navigation => {}
            Trigger::Redirect { .. } => above.on_head.push(id),
            Trigger::Markup { offset, .. } | Trigger::Inline { offset, .. } => {
                let offset = offset.min(page.resources[parent].body_bytes);
                if above.role == Role::Html && (by_layout || !scanner_finds(resource)) {
                    above.stops.push(Stop {
                        offset,
                        resource: Some(id),
                        blocks: false,
                        runs_script: matches!(resource.discovery.trigger, Trigger::Inline { .. }),
                    });
                } else {
                    above.scanned.push((offset, id));
                }
            }
            Trigger::Style { .. } if by_layout => above.on_layout.push(id),
            Trigger::Style { .. } => above.on_processed.push((id, Duration::ZERO)),
            Trigger::Script { delay, .. } => above.on_processed.push((id, delay)),
            Trigger::After { delay, .. } => above.on_end.push((id, delay)),
        }
        // The target of a redirect chain has the position of its first resource.
        if let (Role::Script(ScriptMode::Blocking), Some(offset), Some(frame)) =
            (role, anchor, frame)
        {
            let offset = offset.min(page.resources[frame].body_bytes);
            self.nodes[frame].stops.push(Stop {
                offset,
                resource: Some(id),
                blocks: true,
                runs_script: false,
            });
        }
    }

    fn collect_deferred(&mut self) {
        let mut deferred: Vec<(usize, u64, ResourceId)> = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            if let (Role::Script(ScriptMode::Defer), Some(frame), Some(anchor)) =
                (node.role, node.frame, node.anchor)
            {
                deferred.push((frame, anchor, ResourceId(index as u32)));
            }
        }
        deferred.sort_unstable();
        for (frame, _, id) in deferred {
            self.nodes[frame].deferred.push(id);
        }
    }

    /// Returns true if the resource belongs to the document that is shown.
    pub(crate) fn in_main_frame(&self, id: ResourceId) -> bool {
        self.document.is_some() && self.nodes[id.index()].frame == self.document
    }
}

fn role(resource: &Resource, redirects: bool) -> Role {
    if redirects {
        return Role::Redirect;
    }
    match resource.destination {
        Destination::Document | Destination::Iframe => Role::Html,
        Destination::Style => Role::Style,
        Destination::Script => Role::Script(resource.script_mode),
        Destination::Font => Role::Font,
        Destination::Image => Role::Image,
        Destination::Media | Destination::Fetch | Destination::Other => Role::Other,
    }
}

/// Returns true if a layout requests the resource although the document names it.
fn is_by_layout(page: &Page, id: ResourceId) -> bool {
    let recorded = page.layout().into_iter().map(|layout| &layout.by_layout);
    let content = page.content().into_iter();
    let stated = content.flat_map(|content| [&content.styled, &content.lazy]);
    recorded.chain(stated).any(|ids| ids.contains(&id))
}

/// Returns true if the preload scanner requests the resource ahead of the parser. The
/// scanner sees `link`, `script` and `img` elements; frames, media, imports of inline modules, and
/// requests of inline scripts wait for the parser.
fn scanner_finds(resource: &Resource) -> bool {
    let is_element = match resource.destination {
        Destination::Script => resource.script_mode != ScriptMode::Inserted,
        // Prefetches and manifests are also `link` elements.
        Destination::Style | Destination::Font | Destination::Image | Destination::Other => true,
        Destination::Document | Destination::Iframe | Destination::Media | Destination::Fetch => {
            false
        }
    };
    is_element && !matches!(resource.discovery.trigger, Trigger::Inline { .. })
}

/// Returns true if scripts after this sheet wait for it. Sheets for other media do not
/// block scripts.
pub(crate) fn blocks_scripts(resource: &Resource) -> bool {
    resource.priority != RequestPriority::VeryLow
}

#[cfg(test)]
mod tests;
