//! The `pagerace` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    pagerace::main()
}
