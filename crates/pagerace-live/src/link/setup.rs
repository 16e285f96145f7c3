//! Configuration of the two namespaces with the `ip` command of iproute2: addresses,
//! routes and settings.
//!
//! The client is 10.0.0.1. One local route assigns all of 10.1.0.0/16 to the servers, so
//! that any of these addresses can be bound. There is no default route, so other
//! destinations of the browser are unreachable.

use std::fs;
use std::io::{self, ErrorKind, Write as _};
use std::net::Ipv4Addr;
use std::process::{Command, Stdio};

use super::namespace::Namespace;
use super::sys;
use crate::LiveError;

/// Name of the device in each namespace.
const DEVICE: &str = "pagerace";
/// Maximum size of an IP packet, in bytes.
pub(super) const MTU: usize = 1_500;
/// Maximum number of packets queued in the device until the emulator reads them. It is
/// large so that bursts are only cut by the queue of the link.
const DEVICE_QUEUE: u32 = 20_000;

/// Address of the client.
pub(super) const CLIENT: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
/// Address of the name server.
pub(super) const NAME_SERVER: Ipv4Addr = Ipv4Addr::new(10, 1, 255, 253);
/// Number of server addresses: 10.1.0.1 to 10.1.255.250.
const SERVERS: usize = 256 * SERVERS_OF_BLOCK;
const SERVERS_OF_BLOCK: usize = 250;

/// Returns the address of the `k`-th server.
pub(super) fn server_address(k: usize) -> Result<Ipv4Addr, LiveError> {
    if k >= SERVERS {
        return Err(LiveError::Addresses {
            asked: k,
            available: SERVERS,
        });
    }
    let (block, host) = (k / SERVERS_OF_BLOCK, k % SERVERS_OF_BLOCK + 1);
    Ok(Ipv4Addr::new(10, 1, block as u8, host as u8))
}

/// Returns true if an address belongs to the servers.
pub(super) const fn is_server(address: Ipv4Addr) -> bool {
    let octets = address.octets();
    octets[0] == 10 && octets[1] == 1
}

/// Creates the device of a namespace.
pub(super) fn open_tun(namespace: &Namespace) -> Result<std::os::fd::OwnedFd, LiveError> {
    let opened = namespace.run(|| sys::open_tun(DEVICE));
    opened.map_err(|source| LiveError::Privileges {
        what: "make a TUN device from /dev/net/tun",
        source,
    })
}

/// Configures the namespace of the client.
pub(super) fn client(namespace: &Namespace) -> Result<(), LiveError> {
    let routes = format!(
        "addr add {CLIENT}/32 dev {DEVICE}\n{}\n",
        client_route("add", "")
    );
    configure(namespace, &routes)
}

/// Configures the namespace of the servers.
pub(super) fn server(namespace: &Namespace) -> Result<(), LiveError> {
    let first = server_address(0)?;
    let routes = format!(
        "addr add {first}/32 dev {DEVICE}\nroute add local 10.1.0.0/16 dev lo\n{}\n",
        server_route("add", "")
    );
    configure(namespace, &routes)
}

/// Pins the congestion controller at both ends and clears the cached metrics of earlier
/// connections.
///
/// The controller is set by route, because the setting of a namespace accepts only
/// controllers that the machine's administrator allows for all users.
pub(super) fn set_congestion(
    client: &Namespace,
    server: &Namespace,
    name: &str,
) -> Result<(), LiveError> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let unknown = || LiveError::Congestion {
        name: name.to_owned(),
        available: available_controllers(),
    };
    if name.is_empty() || !name.chars().all(is_word) {
        return Err(unknown());
    }
    let pin = format!(" congctl {name}");
    for (namespace, route) in [
        (client, client_route("replace", &pin)),
        (server, server_route("replace", &pin)),
    ] {
        match ip(namespace, &format!("{route}\n")) {
            Err(LiveError::Configure { .. }) if !is_available(name) => return Err(unknown()),
            result => result?,
        }
        // Flushing is not permitted in a user namespace. Nothing is cached if the kernel
        // has accepted `tcp_no_metrics_save`.
        let _ = ip(namespace, "tcp_metrics flush\n");
    }
    Ok(())
}

fn client_route(verb: &str, suffix: &str) -> String {
    format!("route {verb} 10.1.0.0/16 dev {DEVICE} src {CLIENT}{suffix}")
}

fn server_route(verb: &str, suffix: &str) -> String {
    format!("route {verb} {CLIENT}/32 dev {DEVICE}{suffix}")
}

fn configure(namespace: &Namespace, routes: &str) -> Result<(), LiveError> {
    namespace.run(set_up_kernel);
    let devices = format!(
        "link set dev lo up\nlink set dev {DEVICE} mtu {MTU} txqueuelen {DEVICE_QUEUE}\nlink set dev {DEVICE} up\n"
    );
    ip(namespace, &(devices + routes))
}

/// Writes settings to `/proc/sys/net`, which refers to the namespace of the calling
/// thread.
fn set_up_kernel() {
    // A missing setting needs no change: the kernel may lack IPv6, for example. The
    // cached metrics are also flushed in `set_congestion`.
    let settings = [
        (format!("ipv6/conf/{DEVICE}/disable_ipv6"), "1"),
        ("ipv4/tcp_no_metrics_save".to_owned(), "1"),
    ];
    for (path, value) in settings {
        let _ = fs::write(format!("/proc/sys/net/{path}"), value);
    }
}

/// Returns the controllers that the kernel has loaded, as listed by the kernel.
fn available_controllers() -> String {
    let list = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    list.map_or_else(|_| "unknown".to_owned(), |list| list.trim().to_owned())
}

fn is_available(name: &str) -> bool {
    available_controllers()
        .split_whitespace()
        .any(|known| known == name)
}

/// Runs lines of the `ip` command inside a namespace.
fn ip(namespace: &Namespace, lines: &str) -> Result<(), LiveError> {
    let text = lines.to_owned();
    let output = namespace.run(move || run_ip(&text));
    let output = output.map_err(|source| match source.kind() {
        ErrorKind::NotFound => LiveError::Tool {
            tool: "ip",
            package: "iproute2",
        },
        _ => LiveError::Configure {
            said: source.to_string(),
        },
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(LiveError::Configure {
        said: said.split_whitespace().collect::<Vec<_>>().join(" "),
    })
}

fn run_ip(lines: &str) -> io::Result<std::process::Output> {
    let mut child = Command::new("ip")
        .args(["-batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().expect("it was asked for");
    // If `ip` does not read its input, its exit status and output report the reason.
    let _ = input.write_all(lines.as_bytes());
    drop(input);
    child.wait_with_output()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_have_addresses_of_their_own() {
        let mut addresses: Vec<Ipv4Addr> =
            (0..SERVERS).map(|k| server_address(k).unwrap()).collect();
        assert!(addresses.iter().all(|a| is_server(*a)));
        assert_eq!(addresses[0], Ipv4Addr::new(10, 1, 0, 1));
        addresses.sort_unstable();
        addresses.dedup();
        assert_eq!(addresses.len(), SERVERS);
        const { assert!(SERVERS >= 1_000) };
        assert!(matches!(
            server_address(SERVERS),
            Err(LiveError::Addresses { asked, .. }) if asked == SERVERS
        ));
        assert!(!is_server(CLIENT));
        assert!(is_server(NAME_SERVER) && !addresses.contains(&NAME_SERVER));
    }
}
