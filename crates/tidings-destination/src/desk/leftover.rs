//! Files that a killed run has written and no run has recorded since: their resources are gone.

use super::Desk;
use crate::SyncError;
use crate::mapping::is_shortened;

impl Desk {
    /// Moves such files below that folder of ours, and says which they were. Only for a run that has
    /// brought all that there is: what it did not record is no resource any more.
    pub(crate) fn sweep_unrecorded(&mut self, into: &str) -> Result<Vec<String>, SyncError> {
        let left = self.unrecorded.take_left();
        if left.is_empty() {
            return Ok(Vec::new());
        }
        let mut swept = Vec::new();
        for path in left {
            // A name that does not say its URI may be that of a resource all the same.
            if !is_shortened(&path) && !self.is_recorded(&path)? {
                self.files.set_aside(&path, into)?;
                swept.push(path);
            }
        }
        self.state.begin()?;
        self.state.announce("")?;
        self.state.commit()?;
        Ok(swept)
    }

    fn is_recorded(&self, path: &str) -> Result<bool, SyncError> {
        if let Some(uri) = self.mapping.uri(path)
            && let Some(row) = self.state.find(&uri)?
            && row.path.is_none_or(|own| own == path)
        {
            return Ok(true);
        }
        Ok(self.state.uri_at(path)?.is_some())
    }
}
