//! What an audit leaves behind: damage in the state, and a report in a file.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use tidings_base::{Access, Replacement};

use super::{AuditReport, Kind};
use crate::SyncError;
use crate::state::State;

impl AuditReport {
    /// Remembers which files are missing or corrupt, so that the next run brings them again. An audit
    /// that cannot write has found what it has found all the same.
    pub(super) fn remember_damage(&mut self, state: &mut State) {
        if self.missing + self.corrupt == 0 {
            return;
        }
        match self.try_remember_damage(state) {
            Ok(damaged) => self.damaged = damaged,
            Err(error) => {
                let _ = state.roll_back();
                self.notes.push(format!(
                    "what is missing or corrupt could not be remembered for the next run: {error}"
                ));
            }
        }
    }

    pub(super) fn try_remember_damage(&self, state: &mut State) -> Result<u64, SyncError> {
        state.begin()?;
        let mut damaged = 0;
        let mut failed = None;
        let told = self.for_each_difference(|difference| {
            if matches!(difference.kind, Kind::Missing | Kind::Corrupt) {
                match state.record_damage(&difference.uri, &difference.reason) {
                    Ok(known) => damaged += u64::from(known),
                    Err(error) => failed = Some(error),
                }
            }
            Ok(())
        });
        if let Some(error) = failed {
            return Err(error);
        }
        told.map_err(SyncError::io("could not read", Path::new("the differences")))?;
        state.commit()?;
        Ok(damaged)
    }

    /// Writes the report with every difference as JSON, all of it or nothing.
    pub fn write(&self, path: &Path) -> Result<(), SyncError> {
        self.try_write(path).map_err(SyncError::io("could not write", path))
    }

    fn try_write(&self, path: &Path) -> io::Result<()> {
        let mut out = BufWriter::new(Replacement::new(path, Access::Umask(0o644))?);
        // Everything but the differences, with room for them where the object ends.
        let head = Self { differences: Vec::new(), ..self.clone() };
        let serde_json::Value::Object(mut fields) = serde_json::to_value(&head)? else {
            return Err(io::Error::other("the report is no object"));
        };
        fields.remove("differences");
        let text = serde_json::to_string_pretty(&fields)?;
        out.write_all(text.strip_suffix("\n}").unwrap_or(&text).as_bytes())?;
        out.write_all(b",\n  \"differences\": [")?;
        let mut is_first = true;
        self.for_each_difference(|difference| {
            let separator: &[u8] =
                if std::mem::take(&mut is_first) { b"\n    " } else { b",\n    " };
            out.write_all(separator)?;
            Ok(serde_json::to_writer(&mut out, difference)?)
        })?;
        out.write_all(if is_first { b"]\n}\n" } else { b"\n  ]\n}\n" })?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.commit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_every_difference() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        for count in [0, 1, 12_000] {
            let mut report = AuditReport::default();
            for number in 0..count {
                report.add(Kind::Missing, &format!("https://a.example/{number}"), "a \"reason\"");
            }
            report.write(&path).unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            let json: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(json["missing"], count);
            assert_eq!(json["differences"].as_array().unwrap().len(), count);
        }
        // Nothing else is left.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
