//! Where and with what a run was made.

use std::fs;
use std::process::Command;
use std::thread::available_parallelism;

use serde::{Deserialize, Serialize};

use super::programs::{Programs, RESYNC_VERSION, axum, pinned};
use super::sync::servers;
use crate::command::output;
use crate::{postgres, workspace};

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) cores: usize,
    /// Over 1, 5 and 15 minutes, before the run.
    pub(crate) load: String,
    pub(crate) date: String,
    /// Of this program: a commit.
    pub(crate) tidings: String,
    /// Of the tools and peers, by name.
    pub(crate) versions: Vec<(String, String)>,
}

impl Machine {
    /// This one, as it is now.
    pub(crate) fn now() -> Self {
        let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        Self {
            cpu: model.map_or("unknown", |(_, model)| model).trim().to_owned(),
            cores: available_parallelism().map_or(0, Into::into),
            load: load.split(' ').take(3).collect::<Vec<_>>().join(" "),
            date: first_line(Command::new("date").args(["-u", "+%Y-%m-%dT%H:%M:%SZ"])),
            tidings: commit(),
            versions: Vec::new(),
        }
    }

    /// Asks everything that takes part for its version.
    pub(crate) fn ask_versions(&mut self, programs: &Programs) {
        let mut add = |name: &str, version| self.versions.push((name.to_owned(), version));
        add("rustc", rustc());
        for (name, version) in pinned().into_iter().filter(|(name, _)| name != "sha2") {
            add(&name, version);
        }
        if let Ok(python) = &programs.python {
            add("resync", RESYNC_VERSION.to_owned());
            add("Python", number(&first_line(Command::new(python).arg("--version"))));
        }
        add("libxml2", libxml2());
        add("valgrind", number(&first_line(Command::new("valgrind").arg("--version"))));
    }

    /// Asks what takes part in `bench publish`.
    pub(crate) fn ask_versions_for_publishing(&mut self, programs: &Programs) {
        let mut add = |name: &str, version| self.versions.push((name.to_owned(), version));
        add("rustc", rustc());
        for (name, version) in pinned().into_iter().filter(|(name, _)| name == "sha2") {
            add(&name, version);
        }
        if let Ok(python) = &programs.python {
            add("resync", RESYNC_VERSION.to_owned());
            add("Python", number(&first_line(Command::new(python).arg("--version"))));
        }
        add("OpenSSL", number(&first_line(Command::new("openssl").arg("version"))));
        let zip = output(Command::new("zip").arg("-v")).unwrap_or_default();
        add("zip", number(zip.split_once("Zip ").map_or("", |(_, version)| version)));
        let find = first_line(Command::new("find").arg("--version"));
        add("findutils", number(find.rsplit(')').next().unwrap_or_default()));
    }

    /// Asks what takes part in `bench sync`.
    pub(crate) fn ask_versions_for_copying(&mut self, programs: &Programs) {
        let mut add = |name: &str, version| self.versions.push((name.to_owned(), version));
        add("rustc", rustc());
        if let Ok(python) = &programs.python {
            add("resync", RESYNC_VERSION.to_owned());
            add("Python", number(&first_line(Command::new(python).arg("--version"))));
        }
        let asked = [
            ("curl", "curl", "--version"),
            ("wget2", "wget2", "--version"),
            ("aria2", "aria2c", "--version"),
            ("rclone", "rclone", "version"),
            ("rsync", "rsync", "--version"),
            ("coreutils", "cp", "--version"),
        ];
        for (name, program, probe) in asked {
            add(name, number(&first_line(Command::new(program).arg(probe))));
        }
        add("nginx", nginx());
    }

    /// Asks what takes part in `bench follow`.
    pub(crate) fn ask_versions_for_following(&mut self) {
        let mut add = |name: &str, version| self.versions.push((name.to_owned(), version));
        add("rustc", rustc());
        add("axum", axum());
        add("wrk", wrk());
        add("nginx", nginx());
    }

    /// Asks what takes part in `bench pages`.
    pub(crate) fn ask_versions_for_pages(&mut self) {
        let mut add = |name: &str, version| self.versions.push((name.to_owned(), version));
        add("rustc", rustc());
        add("axum", axum());
        add("wrk", wrk());
        add("PostgreSQL", number(&postgres::version().unwrap_or_default()));
    }
}

/// The compiler's version.
pub(crate) fn rustc() -> String {
    number(&first_line(Command::new("rustc").arg("--version")))
}

/// The first word that is a number.
fn number(said: &str) -> String {
    let mut words = said.split([' ', '-', '/']).map(|word| word.strip_prefix('v').unwrap_or(word));
    words.find(|word| word.starts_with(char::is_numeric)).unwrap_or("unknown").to_owned()
}

fn commit() -> String {
    let mut git = Command::new("git");
    git.current_dir(workspace::root()).args(["describe", "--always", "--dirty"]);
    output(&mut git).map_or_else(|_| "no commit".to_owned(), |said| said.trim().to_owned())
}

fn first_line(command: &mut Command) -> String {
    let said = output(command).unwrap_or_default();
    said.lines().next().unwrap_or("unknown").trim().to_owned()
}

/// It says it, and then complains that it was asked for nothing.
fn wrk() -> String {
    let said = Command::new("wrk").arg("-v").output();
    let said = said.map_or_else(|_| Vec::new(), |output| output.stdout);
    number(String::from_utf8_lossy(&said).trim())
}

/// It says it among its complaints.
fn nginx() -> String {
    let said = Command::new(servers::nginx_program()).arg("-v").output();
    let said = said.map_or_else(|_| Vec::new(), |output| output.stderr);
    number(String::from_utf8_lossy(&said).trim())
}

/// Xmllint says it among its complaints, and as one number: 20914 is 2.9.14.
fn libxml2() -> String {
    let said = Command::new("xmllint").arg("--version").output();
    let said = said.map_or_else(|_| Vec::new(), |output| output.stderr);
    let said = number(&String::from_utf8_lossy(&said).replace('\n', " "));
    said.parse().map_or(said, |version: u32| {
        format!("{}.{}.{}", version / 10_000, version / 100 % 100, version % 100)
    })
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn the_number_is_found_among_words() {
        for said in [
            "rustc 1.95.0 (abc 2026-01-01)",
            "valgrind-1.95.0",
            "Python 1.95.0",
            "rclone v1.95.0-DEV",
            "nginx version: nginx/1.95.0",
        ] {
            assert_eq!(number(said), "1.95.0");
        }
    }
}
