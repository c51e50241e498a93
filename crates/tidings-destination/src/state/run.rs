//! The history of a copy: its syncs and audits.

use rusqlite::params;

use super::State;
use crate::SyncError;

/// How many runs are kept.
const MAX_RUNS: i64 = 1_000;

/// A sync or an audit that ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RunRow {
    /// `sync` or `audit`.
    pub(crate) kind: String,
    /// When it ended, by our clock.
    pub(crate) ended: String,
    /// How: none for rows that were written before that was kept.
    pub(crate) outcome: Option<String>,
    /// Why it failed.
    pub(crate) error: Option<String>,
    /// Its counts, as JSON.
    pub(crate) report: String,
}

impl State {
    /// Keeps a run, and forgets the oldest beyond [`MAX_RUNS`].
    pub(crate) fn keep_run(&mut self, run: &RunRow) -> Result<(), SyncError> {
        self.begin()?;
        self.connection
            .prepare_cached(
                "INSERT INTO run (kind, ended, outcome, error, report) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![run.kind, run.ended, run.outcome, run.error, run.report])?;
        self.connection
            .prepare_cached("DELETE FROM run WHERE id <= (SELECT max(id) FROM run) - ?1")?
            .execute([MAX_RUNS])?;
        self.commit()
    }

    /// The runs that are kept, the newest last.
    pub(crate) fn runs(&self) -> Result<Vec<RunRow>, SyncError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT kind, ended, outcome, error, report FROM run ORDER BY id")?;
        let rows = statement.query_map([], |row| {
            Ok(RunRow {
                kind: row.get(0)?,
                ended: row.get(1)?,
                outcome: row.get(2)?,
                error: row.get(3)?,
                report: row.get(4)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The share of the resources that should be in the copy and are in step, of `resources` that the
    /// Source has and the copy, too; none if there are none.
    pub(crate) fn accuracy(&self, resources: u64) -> Result<Option<f64>, SyncError> {
        let owed = self.owed_count()?;
        // Which of these the copy has in an older version is asked only if there are any.
        let outdated = match owed {
            0 => 0,
            _ => self.count_outdated()?,
        };
        let wanted = resources + owed.saturating_sub(outdated);
        let in_step = resources.saturating_sub(outdated);
        Ok((wanted > 0).then(|| in_step as f64 / wanted as f64))
    }

    fn count_outdated(&self) -> Result<u64, SyncError> {
        let sql = "SELECT count(DISTINCT uri) FROM owed JOIN resource USING (uri) WHERE gone = 0";
        let count: i64 = self.connection.query_row(sql, [], |row| row.get(0))?;
        Ok(count.cast_unsigned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_thousand_runs_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = State::open(folder.path()).unwrap();
        state.connection.execute_batch("PRAGMA synchronous = OFF").unwrap();
        for number in 0..1_010 {
            let ended = number.to_string();
            state.keep_run(&RunRow { kind: "sync".into(), ended, ..RunRow::default() }).unwrap();
        }
        let runs = state.runs().unwrap();
        assert_eq!(runs.len(), 1_000);
        assert_eq!((runs[0].ended.as_str(), runs[999].ended.as_str()), ("10", "1009"));
    }
}
