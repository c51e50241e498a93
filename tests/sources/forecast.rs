//! Dry runs, and whether the run after them did what they said.

use tidings_destination::Report;

use super::habits::Mirrors;
use super::history::{History, shown};
use crate::support::stage::{files_of, sync_here};

impl History {
    /// A dry run, which leaves all as it is.
    pub(super) fn dry_run(&mut self) -> Result<Result<Report, String>, String> {
        let mut options = self.options(self.way);
        options.dry_run = true;
        let files = || {
            let mut files = files_of(&self.folder.path().join("copy"));
            files.retain(|path, _| !path.starts_with(".tidings/"));
            files
        };
        let before = files();
        let report = sync_here(&options);
        match files() == before {
            true => Ok(report),
            false => Err("a dry run changed the copy".to_owned()),
        }
    }

    /// Holds a dry run against the run after it, where nothing came in between.
    pub(super) fn judge_forecast(
        &mut self,
        dry: &Result<Report, String>,
        real: &Result<Report, String>,
    ) -> Result<(), String> {
        let (dry, real) = match (dry, real) {
            (Ok(dry), Ok(real)) => (dry, real),
            // Where nothing can be done, that is so for both.
            (Err(_), Err(_)) => return Ok(()),
            (dry, real) => {
                return Err(format!("dry run: {}; run: {}", shown(dry), shown(real)));
            }
        };
        // What cannot be fetched, and packages that cannot be looked into, nobody knows beforehand.
        if real.failed > 0 || dry.uncounted_packages > 0 {
            return Ok(());
        }
        if dry.gaps != real.gaps {
            return Err(format!("dry run: {:?}; run: {:?}", dry.gaps, real.gaps));
        }
        // Nor which of the versions between two documents a mirror still has.
        if self.publishers.iter().any(|one| one.habits.mirrors == Mirrors::Right) {
            return Ok(());
        }
        self.tally.forecasts += 1;
        let exact = |report: &Report| {
            [
                report.created,
                report.deleted,
                report.kept,
                report.held,
                report.adopted,
                report.failed,
            ]
        };
        // Where costs are about the same, two runs may plan differently: then only the outcome is the same.
        // And what one set lists and lets go afterwards, a run looks at if another set keeps it.
        let is_same_way = dry.ways == real.ways && self.publishers.len() == 1;
        // A package may have a version that a later change replaces by the one that the copy had before.
        let is_back = if real.unpacked > 0 { dry.unchanged } else { 0 };
        let most = dry.updated + dry.to_compare + is_back;
        let changed = dry.updated <= real.updated && real.updated <= most;
        let all = dry.updated + dry.unchanged + dry.to_compare == real.updated + real.unchanged;
        match exact(dry) == exact(real)
            && changed
            && (all || !is_same_way)
            && dry.resources == real.resources
        {
            true => Ok(()),
            false => Err(format!("a dry run counted {}; the run {}", counts(dry), counts(real))),
        }
    }
}

fn counts(report: &Report) -> String {
    format!(
        "created {} updated {} deleted {} kept {} held {} adopted {} failed {} unchanged {} to compare {} \
         resources {} by {:?} notes {:?}",
        report.created,
        report.updated,
        report.deleted,
        report.kept,
        report.held,
        report.adopted,
        report.failed,
        report.unchanged,
        report.to_compare,
        report.resources,
        report.ways,
        report.notes
    )
}
