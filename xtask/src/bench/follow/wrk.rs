//! wrk, which asks a server for one thing as often as it answers.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::command::{output, works};

/// How it asks.
pub(crate) struct Load<'a> {
    pub(crate) headers: &'a [String],
    /// All of which wait for answers.
    pub(crate) connections: u32,
    pub(crate) seconds: u64,
}

/// Requests a second.
pub(crate) fn rate(url: &str, load: &Load<'_>) -> Result<f64> {
    let is_there = works("sh", &["-c", "command -v wrk"]);
    ensure!(is_there, "there is no wrk: run `cargo xtask setup --bench`");
    let mut wrk = Command::new("wrk");
    // One thread: the server is on the same cores, and has more to do.
    wrk.args(["--threads", "1", "--connections", &load.connections.to_string()]);
    wrk.args(["--duration", &format!("{}s", load.seconds)]);
    for header in load.headers {
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
