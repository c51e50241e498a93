//! Other programs: run, asked, or probed for.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Error, Result, bail};

use crate::workspace;

/// Cargo, in the root of the checkout.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(workspace::root());
    command
}

/// Runs a program before the user's eyes; an error when it does not succeed.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| absent(command))?;
    if !status.success() {
        bail!("{} failed ({status}): see above", shown(command));
    }
    Ok(())
}

/// What a program prints. When it does not succeed, the root of the error is the last line of its
/// complaints.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    output_from(command, Stdio::null())
}

/// The same of a program that has something to read.
pub(crate) fn output_from(command: &mut Command, input: Stdio) -> Result<String> {
    let output = command.stdin(input).output().with_context(|| absent(command))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        let last = complaint.trim().lines().last().unwrap_or("it says nothing");
        let last = last.strip_prefix("error: ").unwrap_or(last).to_owned();
        return Err(Error::msg(last))
            .with_context(|| format!("{} failed ({})", shown(command), output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether the program is there and works.
pub(crate) fn works<S: AsRef<OsStr>>(program: S, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
    format!("`{}`", words.join(" "))
}

fn absent(command: &Command) -> String {
    format!("{} could not be started: is it installed?", shown(command))
}
