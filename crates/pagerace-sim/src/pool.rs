//! Which connection a request takes.

use std::collections::BTreeMap;

use pagerace_page::{OriginId, Page};

use crate::scenario::Connections;

/// Maps origins to connections, and tells which need a name look-up.
#[derive(Debug)]
pub(crate) struct Pool {
    groups: Vec<u32>,
    open: BTreeMap<u32, usize>,
}

impl Pool {
    pub(crate) fn new(page: &Page, connections: Connections) -> Self {
        let group = |o: &pagerace_page::Origin| match connections {
            Connections::PerOrigin => o.connection_group,
            Connections::Single => 0,
        };
        Self {
            groups: page.origins.iter().map(group).collect(),
            open: BTreeMap::new(),
        }
    }

    /// The number of the connection that `origin` uses, whenever it is opened.
    pub(crate) fn group(&self, origin: OriginId) -> u32 {
        self.groups[origin.index()]
    }

    /// The connection to `origin`, if one was opened.
    pub(crate) fn get(&self, origin: OriginId) -> Option<usize> {
        self.open.get(&self.groups[origin.index()]).copied()
    }

    /// The connection is no more: the next request opens another.
    pub(crate) fn close(&mut self, connection: usize) {
        self.open.retain(|_, open| *open != connection);
    }

    /// From now on `origin` and those that share with it use `connection`.
    pub(crate) fn open(&mut self, origin: OriginId, connection: usize) {
        self.open.insert(self.groups[origin.index()], connection);
    }
}
