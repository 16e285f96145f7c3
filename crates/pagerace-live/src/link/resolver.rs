//! Where programs in the client's namespace look up names.
//!
//! Resolvers read files of `/etc`. The thread of the client's namespace gets mounts
//! of its own, and its own files in place of these: `resolv.conf(5)` names one name
//! server, `nsswitch.conf(5)` nothing but DNS, `hosts(5)` nobody. The machine's
//! files stay as they are, and other programs see them.

use std::fs;
use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use super::namespace::Namespace;
use super::sys;
use crate::LiveError;

/// Lets all that is started in `namespace` from now on ask `server`.
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
        ("resolv.conf", format!("nameserver {server}\n")),
        ("nsswitch.conf", "hosts: files dns\n".to_owned()),
        ("hosts", String::new()),
    ];
    for (name, text) in files {
        let target = Path::new("/etc").join(name);
        // Without a list of name servers nothing can be put in its place; what else
        // is not there redirects nothing.
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
