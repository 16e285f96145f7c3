//! Transport parameters of a server (RFC 9000, section 18).

use pagerace_http::varint;
use serde::{Deserialize, Serialize};

/// The transport parameters that matter to pages. Sizes are in bytes, times in ms.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Idle timeout in ms; zero for none.
    pub max_idle_timeout: u64,
    /// Largest UDP payload that the server takes.
    pub max_udp_payload_size: u64,
    /// Bytes that clients may send at first.
    pub initial_max_data: u64,
    /// Bytes that clients may send at first on a stream of their own.
    pub initial_max_stream_data: u64,
    /// Requests that clients may send at first.
    pub initial_max_streams: u64,
    /// Longest delay of acknowledgements in ms.
    pub max_ack_delay: u64,
    /// Connection ids that the server keeps.
    pub active_connection_id_limit: u64,
    /// True if the client must not change its address.
    pub disable_active_migration: bool,
    /// True if the server names another address for the connection. The scan does not go there.
    pub preferred_address: bool,
    /// Largest DATAGRAM frame (RFC 9221); zero for none.
    pub max_datagram_frame_size: u64,
}

impl Parameters {
    /// Reads encoded parameters; `None` if they are malformed. Unknown ones do not count.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        // Defaults: RFC 9000, section 18.2.
        let mut parameters = Self {
            max_udp_payload_size: 65527,
            max_ack_delay: 25,
            active_connection_id_limit: 2,
            ..Self::default()
        };
        let mut rest = bytes;
        while !rest.is_empty() {
            let (id, size) = varint::decode(rest)?;
            rest = &rest[size..];
            let (length, size) = varint::decode(rest)?;
            let end = size.checked_add(usize::try_from(length).ok()?)?;
            parameters.set(id, rest.get(size..end)?)?;
            rest = &rest[end..];
        }
        Some(parameters)
    }

    fn set(&mut self, id: u64, value: &[u8]) -> Option<()> {
        let place = match id {
            0x01 => &mut self.max_idle_timeout,
            0x03 => &mut self.max_udp_payload_size,
            0x04 => &mut self.initial_max_data,
            // The name is from the server's view: streams that the client opens.
            0x06 => &mut self.initial_max_stream_data,
            0x08 => &mut self.initial_max_streams,
            0x0b => &mut self.max_ack_delay,
            0x0c => {
                self.disable_active_migration = true;
                return Some(());
            }
            0x0d => {
                self.preferred_address = true;
                return Some(());
            }
            0x0e => &mut self.active_connection_id_limit,
            0x20 => &mut self.max_datagram_frame_size,
            _ => return Some(()),
        };
        *place = varint::decode(value)?.0;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Parameters;

    #[test]
    fn parameters_are_read() {
        let bytes = [
            0x01, 2, 0x75, 0x30, 0x04, 4, 0x80, 0x10, 0, 0, 0x08, 2, 0x40, 0x64, 0x0c, 0, 0x1b, 1,
            9,
        ];
        let parameters = Parameters::parse(&bytes).unwrap();
        assert_eq!(parameters.max_idle_timeout, 0x3530);
        assert_eq!(parameters.initial_max_data, 0x10_0000);
        assert_eq!(parameters.initial_max_streams, 100);
        assert!(parameters.disable_active_migration && !parameters.preferred_address);
        assert_eq!(parameters.max_udp_payload_size, 65527);
        for end in [1, 3, 5, 9] {
            assert_eq!(Parameters::parse(&bytes[..end]), None, "{end}");
        }
    }

    proptest! {
        #[test]
        fn no_parameters_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = Parameters::parse(&bytes);
        }
    }
}
