//! Resources of which the copy has another representation (`alternate`) than the one that the Source speaks of.

use tidings_document::{Entry, Link};
use tidings_web::Url;

use super::{Auditor, Kind};
use crate::SyncError;
use crate::bytes::Expected;
use crate::links;
use crate::mapping::Uri;
use crate::same::{Same, same};
use crate::state::Row;

impl Auditor<'_> {
    /// The representation that the copy should have, if it is another than the one of the entry.
    pub(super) fn preferred(&self, entry: &Entry<'_>, base: &Url) -> Option<Link<'static>> {
        let own_type = entry.metadata.media_type.as_deref();
        let link = links::preferred(&entry.links, own_type, self.prefer.as_deref()?)?;
        links::resolved(link, base)
    }

    /// Holds what the Source says of a representation against the record, and that against the file. A copy
    /// out of packages `is_own`: it has what the entry speaks of.
    pub(super) fn representation(
        &mut self,
        link: &Link<'static>,
        uri: &Uri<'_>,
        row: &Row,
        is_own: bool,
    ) -> Result<(), SyncError> {
        let expected = Expected::of(link.length, link.hash.as_ref());
        let verdict = match is_own {
            true => Same::Yes,
            false => verdict(link, &expected, row),
        };
        match verdict {
            Same::No => {
                self.report.add(Kind::Changed, uri.as_str(), "the Source has another version");
                return Ok(());
            }
            Same::Unknown => self.ask_server(uri, &link.href, row)?,
            Same::Yes | Same::AskFile => {}
        }
        let asked = (verdict == Same::AskFile).then_some(expected);
        self.look_at_file(uri, row.clone(), asked);
        Ok(())
    }
}

/// What a link tells. The digests of the record are those of the entry, and only SHA-256 is of the file.
fn verdict(link: &Link<'_>, expected: &Expected, row: &Row) -> Same {
    let mut entry = Entry::new(link.href.as_ref());
    entry.metadata.length = link.length;
    entry.metadata.hash.clone_from(&link.hash);
    match same(&entry, &Row { hash: None, ..row.clone() }) {
        Same::Yes if !expected.is_certain() => Same::Unknown,
        verdict => verdict,
    }
}
