//! The Sitemap.

use tidings_document::{Entry, Moment};

use super::leaves::Leaves;
use super::staged::Staged;
use crate::{PublishError, Resource};

/// The pages of all sets. Its own documents say what is in it: those of one set may be published alone.
pub(super) struct Pages {
    list: Leaves,
    /// The page that was last spoken of. More than one set may speak of it.
    last: Option<Page>,
}

struct Page {
    uri: String,
    lastmod: Option<Moment>,
    /// True if it is there, in whichever set.
    there: bool,
    changed: bool,
}

impl Pages {
    pub(super) fn new(list: Leaves) -> Self {
        Self { list, last: None }
    }

    /// A page is as it was, and only in one set.
    pub(super) fn keep(
        &mut self,
        uri: &str,
        lastmod: impl FnOnce() -> Result<Option<Moment>, PublishError>,
    ) -> Result<(), PublishError> {
        self.settle()?;
        self.list.keep(uri, || Ok(entry(uri, lastmod()?).into_owned()))
    }

    /// Says what became of a resource that was, or is, perhaps a page.
    pub(super) fn say(
        &mut self,
        was: Option<&Resource>,
        now: Option<&Resource>,
        changed: bool,
    ) -> Result<(), PublishError> {
        let (was, now) = (was.filter(|was| was.is_page()), now.filter(|now| now.is_page()));
        let Some(either) = now.or(was) else { return Ok(()) };
        if self.last.as_ref().is_none_or(|last| last.uri != either.uri) {
            self.settle()?;
            let (uri, lastmod) = (either.uri.clone(), either.lastmod);
            self.last = Some(Page { uri, lastmod, there: false, changed: false });
        }
        let Some(last) = &mut self.last else { return Ok(()) };
        if let Some(now) = now {
            last.there = true;
            last.lastmod = now.lastmod;
            last.changed |= changed || was.is_none_or(|was| was.lastmod != now.lastmod);
        }
        Ok(())
    }

    /// All has been said of the last page.
    fn settle(&mut self) -> Result<(), PublishError> {
        let Some(Page { uri, lastmod, there, changed }) = self.last.take() else { return Ok(()) };
        match (there, changed) {
            (true, true) => self.list.put(&entry(&uri, lastmod)),
            (true, false) => self.list.keep(&uri, || Ok(entry(&uri, lastmod))),
            (false, _) => self.list.drop(&uri),
        }
    }

    pub(super) fn stage(mut self, staged: &mut Staged, at: Moment) -> Result<(), PublishError> {
        self.settle()?;
        self.list.stage(staged, at)
    }
}

fn entry(uri: &str, lastmod: Option<Moment>) -> Entry<'_> {
    let mut page = Entry::new(uri);
    page.lastmod = lastmod;
    page
}
