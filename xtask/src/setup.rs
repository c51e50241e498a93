//! `cargo xtask setup`: the tools that are no crates, from the system's package manager.

use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::command::{output, run as run_command, shown, works};
use crate::postgres;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Also what the benchmarks need
    #[arg(long)]
    bench: bool,
}

/// A program that is needed, how to see that it is there, and the Debian package that has it.
struct Tool {
    name: &'static str,
    probe: &'static [&'static str],
    package: &'static str,
}

const FOR_TESTS: &[Tool] = &[
    Tool { name: "xmllint", probe: &["xmllint", "--version"], package: "libxml2-utils" },
    Tool { name: "python3", probe: &["python3", "--version"], package: "python3" },
    Tool { name: "unzip", probe: &["unzip", "-v"], package: "unzip" },
    Tool { name: "openssl", probe: &["openssl", "version"], package: "openssl" },
    Tool {
        name: "mkfs.xfs",
        probe: &["sh", "-c", "command -v mkfs.xfs || test -x /usr/sbin/mkfs.xfs"],
        package: "xfsprogs",
    },
    Tool { name: "git", probe: &["git", "--version"], package: "git" },
    Tool { name: "rsync", probe: &["rsync", "--version"], package: "rsync" },
    Tool { name: "vim", probe: &["vim", "--version"], package: "vim" },
    Tool { name: "strace", probe: &["strace", "--version"], package: "strace" },
    Tool {
        name: "nginx",
        // It may lie outside the PATH of an ordinary user.
        probe: &["sh", "-c", "command -v nginx || test -x /usr/sbin/nginx"],
        package: "nginx-light",
    },
    Tool { name: "PostgreSQL", probe: postgres::PROBE, package: "postgresql" },
    Tool { name: "chromium", probe: &["chromium", "--version"], package: "chromium" },
    Tool {
        name: "chromedriver",
        probe: &["chromedriver", "--version"],
        package: "chromium-driver",
    },
];

const FOR_BENCHMARKS: &[Tool] = &[
    Tool { name: "valgrind", probe: &["valgrind", "--version"], package: "valgrind" },
    // The program, not the shell's keyword.
    Tool { name: "time", probe: &["time", "--version"], package: "time" },
    Tool { name: "zip", probe: &["zip", "-v"], package: "zip" },
    Tool { name: "find", probe: &["find", "--version"], package: "findutils" },
    Tool {
        name: "python3's venv",
        probe: &["python3", "-c", "import venv, ensurepip"],
        package: "python3-venv",
    },
];

/// What the judges of pages run on.
const FOR_PAGES: &[Tool] = &[
    Tool { name: "npm", probe: &["npm", "--version"], package: "npm" },
    Tool { name: "java", probe: &["java", "-version"], package: "default-jre-headless" },
];

/// Readers of what we serve, and a judge of how it is written.
const FOR_JUDGES: &[Tool] = &[
    Tool { name: "jing", probe: &["sh", "-c", "command -v jing"], package: "jing" },
    Tool { name: "newsboat", probe: &["newsboat", "--version"], package: "newsboat" },
    Tool { name: "sfeed", probe: &["sh", "-c", "command -v sfeed"], package: "sfeed" },
];

/// Programs that are only compared with: where there is none, that is said.
const PEERS: &[Tool] = &[
    Tool { name: "curl", probe: &["curl", "--version"], package: "curl" },
    Tool { name: "wget2", probe: &["wget2", "--version"], package: "wget2" },
    Tool { name: "aria2c", probe: &["aria2c", "--version"], package: "aria2" },
    Tool { name: "rclone", probe: &["rclone", "version"], package: "rclone" },
    Tool { name: "rsync", probe: &["rsync", "--version"], package: "rsync" },
    // It has no option that only looks, and ends as if that were an error.
    Tool { name: "wrk", probe: &["sh", "-c", "command -v wrk"], package: "wrk" },
];

impl Tool {
    fn is_there(&self) -> bool {
        self.probe.split_first().is_some_and(|(program, arguments)| works(program, arguments))
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if arguments.bench { with_peers() } else { for_tests() }
}

/// Sees to it that the tests find their tools.
pub(crate) fn for_tests() -> Result<()> {
    provide(FOR_TESTS.iter())
}

/// Sees to it that tests and benchmarks find their tools.
pub(crate) fn for_benchmarks() -> Result<()> {
    provide(FOR_TESTS.iter().chain(FOR_BENCHMARKS))
}

/// Sees to it that other people's programs can judge ours.
pub(crate) fn for_judges() -> Result<()> {
    provide(FOR_TESTS.iter().chain(FOR_BENCHMARKS).chain(FOR_JUDGES).chain(FOR_PAGES))
}

/// Sees to it that other people's programs can judge our pages.
pub(crate) fn for_pages() -> Result<()> {
    provide(FOR_TESTS.iter().chain(FOR_PAGES))
}

/// The same, and programs to compare ours with, as far as they can be had.
pub(crate) fn with_peers() -> Result<()> {
    for_benchmarks()?;
    for tool in PEERS.iter().filter(|tool| !tool.is_there()) {
        if let Err(error) = provide(std::iter::once(tool)) {
            println!("setup: going on without {}: {error:#}", tool.name);
        }
    }
    Ok(())
}

fn provide(tools: impl Iterator<Item = &'static Tool>) -> Result<()> {
    let missing: Vec<&Tool> = tools.filter(|tool| !tool.is_there()).collect();
    if missing.is_empty() {
        println!("setup: nothing is missing");
        return Ok(());
    }
    let names: Vec<_> = missing.iter().map(|tool| tool.name).collect();
    let packages: Vec<_> = missing.iter().map(|tool| tool.package).collect();
    let (names, packages_shown) = (names.join(", "), packages.join(" "));
    if !works("apt-get", &["--version"]) {
        bail!(
            "missing: {names}. This system has no apt-get: install them with its own package \
             manager (Debian's packages are {packages_shown}), then run this again"
        );
    }
    println!("setup: missing {names}; installing {packages_shown}");
    run_command(privileged("apt-get")?.arg("update").arg("--quiet=2"))
        .context("the package lists could not be updated: is there a network?")?;
    let mut install = privileged("apt-get")?;
    install.args(["install", "--yes", "--quiet=2", "--no-install-recommends"]).args(&packages);
    run_command(&mut install)
        .with_context(|| format!("not installed: try {} by hand", shown(&install)))?;
    if let Some(tool) = missing.iter().find(|tool| !tool.is_there()) {
        bail!(
            "{} does not work although {} is installed: is another one before it in PATH?",
            tool.name,
            tool.package
        );
    }
    println!("setup: installed {packages_shown}");
    Ok(())
}

/// A command with the rights to install, that asks nothing.
fn privileged(program: &str) -> Result<Command> {
    const QUESTIONS: &str = "DEBIAN_FRONTEND=noninteractive";
    let mut command = if output(Command::new("id").arg("-u"))?.trim() == "0" {
        Command::new("env")
    } else if works("sudo", &["--version"]) {
        let mut sudo = Command::new("sudo");
        sudo.arg("env");
        sudo
    } else {
        bail!("installing needs root, and there is no sudo: run `cargo xtask setup` as root");
    };
    command.args([QUESTIONS, program]);
    Ok(command)
}
