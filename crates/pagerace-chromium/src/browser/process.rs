//! The browser's process group and its scratch files.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use pagerace_core::Duration;
use rustix::process::{Pid, Signal, geteuid, kill_process_group};

use super::{Options, Spawn, arguments};
use crate::clock::Clock;
use crate::error::ChromiumError;

/// A shell command that executes the browser with standard input and output as
/// descriptors 3 and 4.
const MOVE_PIPES: &str = r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null"#;

/// The number of browsers that this process has started, which makes their file names unique.
static STARTED: AtomicU64 = AtomicU64::new(0);

/// The maximum length in bytes of the path for temporary files. Chromium creates a socket with a
/// path about 45 bytes longer, and socket addresses are limited to 104 to 108 bytes.
const TEMPORARY_MAX: usize = 56;

/// A process group that is killed when this is dropped; its profile is removed.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    profile: PathBuf,
    netlog: Option<PathBuf>,
}

impl Process {
    pub(super) fn start(
        executable: &Path,
        options: &Options,
        spawn: Spawn<'_>,
    ) -> Result<Self, ChromiumError> {
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = |what: &str, end: &str| {
            let file = format!("{what}-{}-{number}{end}", std::process::id());
            options.directory.join(file)
        };
        // Chromium requires absolute paths.
        let file_error = |path: &Path, source| ChromiumError::File {
            path: path.into(),
            source,
        };
        let profile = name("profile", "");
        fs::create_dir_all(&profile).map_err(|e| file_error(&profile, e))?;
        let profile = profile
            .canonicalize()
            .map_err(|e| file_error(&profile, e))?;
        let folder = profile.parent().expect("a folder within a folder");
        let netlog = name("netlog", ".json");
        let netlog = netlog.file_name().map(|file| folder.join(file));
        let netlog = netlog.filter(|_| options.netlog);
        let stderr_path = profile.join("stderr.txt");
        let stderr = File::create(&stderr_path).map_err(|e| file_error(&stderr_path, e))?;

        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", MOVE_PIPES, "sh"])
            .arg(executable)
            .args(arguments::arguments(
                options,
                &profile,
                netlog.as_deref(),
                geteuid().is_root(),
            ))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .process_group(0);
        // Chromium's temporary folders are removed with the profile, however the browser ends.
        if profile.as_os_str().len() <= TEMPORARY_MAX {
            command.env("TMPDIR", &profile);
        }
        let child = spawn(command).map_err(|source| {
            // The process did not start, so the empty profile is removed.
            let _ = fs::remove_dir_all(&profile);
            ChromiumError::Start {
                executable: executable.into(),
                source,
            }
        })?;
        Ok(Self {
            child,
            profile,
            netlog,
        })
    }

    pub(super) fn take_pipes(&mut self) -> io::Result<(ChildStdin, ChildStdout)> {
        match (self.child.stdin.take(), self.child.stdout.take()) {
            (Some(to), Some(from)) => Ok((to, from)),
            _ => Err(io::Error::other("it was started without its pipes")),
        }
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn profile(&self) -> &Path {
        &self.profile
    }

    pub(super) fn stderr_path(&self) -> PathBuf {
        self.profile.join("stderr.txt")
    }

    pub(super) fn netlog(&self) -> Option<&Path> {
        self.netlog.as_deref()
    }

    /// Waits until the process has ended by itself, then drops it.
    pub(super) fn wait(mut self, timeout: Duration) {
        let clock = Clock::start();
        while clock.now().since_start() < timeout {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The browser's processes are in one process group, which this process leads. An
        // error means that no process is left.
        if let Some(group) = Pid::from_raw(self.child.id() as i32) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.profile);
    }
}
