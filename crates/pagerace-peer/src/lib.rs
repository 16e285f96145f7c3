//! HTTP/3 peers without IO: a client, and a server that sends through a strategy.
