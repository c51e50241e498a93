//! wrk, which asks a server for one thing as often as it answers.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::command::{output, works};

/// How many connections it has, all of which wait for answers.
pub(super) const CONNECTIONS: u32 = 32;

/// Requests a second over so many seconds.
pub(super) fn rate(url: &str, headers: &[String], seconds: u64) -> Result<f64> {
    let is_there = works("sh", &["-c", "command -v wrk"]);
    ensure!(is_there, "there is no wrk: run `cargo xtask setup --bench`");
    let mut wrk = Command::new("wrk");
    // One thread: the server is on the same cores, and has more to do.
    wrk.args(["--threads", "1", "--connections", &CONNECTIONS.to_string()]);
    wrk.args(["--duration", &format!("{seconds}s")]);
    for header in headers {
        wrk.args(["--header", header]);
    }
    let said = output(wrk.arg(url))?;
    ensure!(!said.contains("Non-2xx") && !said.contains("Socket errors"), "wrk saw errors: {said}");
    requests_per_second(&said).with_context(|| format!("wrk says {said:?}"))
}

fn requests_per_second(said: &str) -> Option<f64> {
    let line = said.lines().find_map(|line| line.trim().strip_prefix("Requests/sec:"));
    line?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::requests_per_second;

    #[test]
    fn the_rate_is_in_a_line_of_its_own() {
        let said = "  4 requests in 1.00s, 1.00KB read\nRequests/sec:  12345.67\nTransfer/sec: 1KB";
        assert_eq!(requests_per_second(said), Some(12345.67));
    }
}
