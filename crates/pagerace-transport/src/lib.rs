//! QUIC in virtual time.
