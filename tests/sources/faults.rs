//! Runs that meet a fault or are killed.

use std::process::{Command, Stdio};
use std::time::Duration;

use tidings_destination::Report;

use super::history::{History, shown};
use super::model::{Told, Way};
use crate::support::keep_apart;
use crate::support::server::{Reply, Way as Sending};
use crate::support::stage::sync_here;

/// How long a server waits after each byte when it is to be slow.
const BYTE_DELAY: Duration = Duration::from_micros(300);

impl History {
    /// A run that meets one fault.
    pub(super) fn meet_a_fault(&mut self) -> Result<(), String> {
        let paths = self.server.paths();
        let path = paths[self.random.below(paths.len() as u64) as usize].clone();
        let Some(right) = self.server.reply(&path) else { return Ok(()) };
        let half = right.body.len() / 2;
        let is_verified = path.starts_with("/r/")
            && self.publishers.iter().all(|one| {
                one.habits.digests_at(self.world.tick).is_checkable()
                    && one.habits.digests.is_checkable()
            });
        let fault = match self.random.below(6) {
            0 => Reply::new(404, "no"),
            1 => right.clone().by(Sending::Cut(half)),
            2 if is_verified => Reply::ok("other bytes"),
            2 => Reply::new(410, "gone"),
            3 => Reply::new(503, "later"),
            4 => right.clone().by(Sending::Drip(BYTE_DELAY)),
            _ => right.clone().by(Sending::Closed),
        };
        self.server.put(&path, fault);
        let way = self.way;
        let report = sync_here(&self.options(way));
        self.server.put(&path, right);
        self.tally.syncs += 1;
        self.tally.faulty += 1;
        let is_well = report.as_ref().is_ok_and(Report::is_well);
        self.log.push(format!("tick {}, fault at {path}: {}", self.world.tick, shown(&report)));
        if !is_well {
            self.doubt();
            let judged = self.judge_bytes();
            return judged.map_err(|wrong| format!("{wrong}, after a fault at {path}"));
        }
        let told: Vec<Told> = (self.known.iter().zip(&self.publishers))
            .map(|(known, one)| known.told(&one.covers, way, self.world.now()))
            .collect();
        match self.difference(&told) {
            Some(wrong) => Err(format!("silently wrong after a fault at {path}: {wrong}")),
            None => {
                self.remember();
                Ok(())
            }
        }
    }

    /// A run of the program that is killed at some moment.
    pub(super) fn kill_one(&mut self) {
        // Another build must not take the program away from a long run.
        let program = std::env::var_os("TIDINGS_PROGRAM");
        let program = program.unwrap_or_else(|| env!("CARGO_BIN_EXE_tidings").into());
        let mut command = Command::new(program);
        command.arg("sync").arg(self.server.url("/")).arg(self.folder.path().join("copy"));
        command.args(["--all", "--force-delete", "--no-robots", "--quiet"]);
        command.args(self.deletes.then_some("--delete"));
        command.arg("--via").arg(match self.way {
            Way::Auto => "auto",
            Way::List => "list",
            Way::Dump => "dump",
        });
        keep_apart(&mut command).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(self.random.within(1, 60)));
        let _ = child.kill();
        let _ = child.wait();
        self.tally.syncs += 1;
        self.tally.killed += 1;
        self.doubt();
        self.log.push(format!("tick {}: a run was killed", self.world.tick));
    }
}
