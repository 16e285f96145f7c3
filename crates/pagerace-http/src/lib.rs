//! HTTP/3 without IO.
