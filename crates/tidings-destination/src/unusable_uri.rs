//! URIs of entries that no copy can have: of another scheme than that of the web, or none at all. They are owed, so
//! that each run reports them at no cost for as long as the Source lists them.

use tidings_document::{Change, Entry};

use crate::SyncError;
use crate::engine::Engine;
use crate::mapping::UriError;
use crate::wanted::Wanted;

impl Engine<'_> {
    /// Remembers a URI that cannot be used, so that each run reports it for as long as the Source lists it.
    pub(crate) fn refuse_uri(
        &mut self,
        set: i64,
        entry: &Entry<'_>,
        error: &UriError,
    ) -> Result<(), SyncError> {
        let loc = entry.loc.trim();
        // A URI of another scheme is not that of a resource which the copy has.
        self.source.doubtful_uris += u64::from(!matches!(error, UriError::Scheme { .. }));
        if entry.metadata.change == Some(Change::Deleted) {
            self.desk.state.begin()?;
            return self.desk.state.settle_in(loc, set);
        }
        self.owe_uri(loc, set, error)
    }

    /// Owes a URI that cannot be used.
    fn owe_uri(&mut self, loc: &str, set: i64, error: &UriError) -> Result<(), SyncError> {
        match Wanted::of_text(loc.to_owned(), set, "{}") {
            Some(wanted) => self.desk.owe(&wanted, &error.to_string(), &mut self.report),
            None => Ok(()),
        }
    }

    /// A URI that cannot be used is owed until the Source does not list it any more.
    pub(crate) fn retry_uri(&mut self, wanted: &Wanted, error: &UriError) -> Result<(), SyncError> {
        self.owe_uri(&wanted.uri, wanted.set, error)
    }
}
