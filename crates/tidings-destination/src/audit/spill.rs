//! Differences that are too many for memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex};

use super::{AuditReport, Difference};

/// A temporary file of differences, one in each line. There is none until something is put into it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spill(Option<Arc<Mutex<BufWriter<File>>>>);

impl Spill {
    pub(super) fn push(&mut self, difference: &Difference) -> io::Result<()> {
        let file = match &self.0 {
            Some(file) => Arc::clone(file),
            None => {
                let file = Arc::new(Mutex::new(BufWriter::new(tempfile::tempfile()?)));
                self.0 = Some(Arc::clone(&file));
                file
            }
        };
        let mut file = file.lock().map_err(|_| io::Error::other("a thread has failed"))?;
        serde_json::to_writer(&mut *file, difference)?;
        file.write_all(b"\n")
    }

    fn for_each(&self, show: &mut dyn FnMut(&Difference) -> io::Result<()>) -> io::Result<()> {
        let Some(file) = &self.0 else { return Ok(()) };
        let mut file = file.lock().map_err(|_| io::Error::other("a thread has failed"))?;
        file.flush()?;
        let mut reader = file.get_ref().try_clone()?;
        reader.seek(SeekFrom::Start(0))?;
        for line in BufReader::new(&mut reader).lines() {
            show(&serde_json::from_str(&line?)?)?;
        }
        // The two share one position.
        reader.seek(SeekFrom::End(0))?;
        Ok(())
    }
}

impl AuditReport {
    /// Shows every difference, also those that are too many for memory.
    pub fn for_each_difference(
        &self,
        mut show: impl FnMut(&Difference) -> io::Result<()>,
    ) -> io::Result<()> {
        self.differences.iter().try_for_each(&mut show)?;
        self.more.for_each(&mut show)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::*;

    #[test]
    fn every_difference_is_told_however_many_there_are() {
        let mut report = AuditReport::default();
        for round in 1..=2 {
            for number in 0..15_000 {
                report.add(Kind::Corrupt, &format!("https://a.example/{round}/{number}"), "why");
            }
            let mut told = std::collections::BTreeSet::new();
            report
                .for_each_difference(|difference| {
                    assert!(told.insert(difference.uri.clone()));
                    Ok(())
                })
                .unwrap();
            assert_eq!(told.len() as u64, report.corrupt);
        }
        assert_eq!((report.differences.len(), report.corrupt), (10_000, 30_000));
    }
}
