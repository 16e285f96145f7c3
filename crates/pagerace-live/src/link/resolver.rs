//! Redirection of DNS queries in the client's namespace.
//!
//! Resolvers read files in `/etc`. The thread of the client's namespace gets its own
//! mount namespace, in which other files replace these: `resolv.conf(5)` names one
//! server, `nsswitch.conf(5)` selects files and DNS, and `hosts(5)` is empty. The
//! machine's own files stay unchanged and visible to other programs.

use std::fs;
use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use super::namespace::Namespace;
use super::sys;
use crate::LiveError;

/// Redirects the queries of programs started in `namespace` from now on to `server`.
pub(super) fn redirect(
    namespace: &Namespace,
    server: Ipv4Addr,
    directory: &Path,
) -> Result<(), LiveError> {
    namespace
        .run(sys::unshare_mounts)
        .map_err(|source| LiveError::Privileges {
            what: "make a mount namespace",
            source,
        })?;
    let files = [
        // Chromium asks the system about names that its own resolver does not find. A lost
        // query is repeated after a second, as Windows does, not after glibc's five.
        (
            "resolv.conf",
            format!("nameserver {server}\noptions timeout:1\n"),
        ),
        ("nsswitch.conf", "hosts: files dns\n".to_owned()),
        ("hosts", String::new()),
    ];
    for (name, text) in files {
        let target = Path::new("/etc").join(name);
        // Only an existing file can be replaced. Without `resolv.conf` there is no
        // redirection, so its absence is an error; the other files redirect nothing if
        // absent.
        if !target.exists() && name != "resolv.conf" {
            continue;
        }
        let source = directory.join(name);
        fs::write(&source, text).map_err(|source_error| LiveError::Resolver {
            file: source.clone(),
            source: source_error,
        })?;
        let replaced = namespace.run({
            let (source, target) = (source, target.clone());
            move || replace(source, target)
        });
        replaced.map_err(|source| LiveError::Resolver {
            file: target,
            source,
        })?;
    }
    Ok(())
}

fn replace(source: PathBuf, target: PathBuf) -> io::Result<()> {
    Ok(rustix::mount::mount_bind(source, target)?)
}
