//! Functions of bytes that must never panic, for the fuzz targets.

use pagerace_http::{Field, h1, h2, h3, hpack, object, priority, qpack, ranges, varint};

pub mod http;
