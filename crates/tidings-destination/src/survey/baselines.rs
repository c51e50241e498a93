//! Surveys the documents that give the state of a set: its Resource List, its Resource Dump.

use tidings_document::Capability;
use tidings_web::SourceSet;
use url::Url;

use super::archives::archived;
use super::packages::packages;
use super::{BaselineDocument, DocumentFailure};
use crate::SyncError;
use crate::coverage::{Baseline, BaselineKind};
use crate::documents::{Document, Documents};
use crate::parts::Parts;
use crate::state::{History, Role};
use crate::survey::Survey;
use crate::survey::changes::validators_of;

/// Surveys the baselines of a set.
pub(crate) struct BaselineSurvey<'a> {
    pub(crate) documents: &'a mut Documents,
    pub(crate) known: &'a [History],
    /// The bytes that one request is worth.
    pub(crate) request_cost: u64,
    /// The resources of the set that the copy has already.
    pub(crate) present: u64,
    pub(crate) survey: &'a mut Survey,
}

impl BaselineSurvey<'_> {
    /// Surveys what a set offers, but for packages where nobody wants them.
    pub(crate) fn add(
        &mut self,
        offered: &SourceSet,
        takes_packages: bool,
        is_excluded: impl Fn(&Url) -> bool,
    ) -> Result<(), SyncError> {
        let urls = |capability: Capability| -> Vec<Url> {
            let of_kind = offered.offers.iter().filter(|offer| offer.capability == capability);
            of_kind.map(|offer| offer.url.clone()).filter(|url| !is_excluded(url)).collect()
        };
        let dumps = match takes_packages {
            true => urls(Capability::ResourceDump),
            false => Vec::new(),
        };
        let lists = urls(Capability::ResourceList);
        if lists.is_empty() && dumps.is_empty() {
            return self.add_archived(offered, takes_packages, is_excluded);
        }
        let is_sitemap = offered.offers.iter().all(|offer| offer.is_sitemap);
        let sizes = self.add_list(lists, is_sitemap, !dumps.is_empty())?;
        for dump in dumps {
            self.add_dump(&dump, sizes);
        }
        Ok(())
    }

    /// Adds the Resource List, or the Sitemaps, and gives the number of its resources and the sum of
    /// their lengths, as far as the first document tells.
    fn add_list(
        &mut self,
        urls: Vec<Url>,
        is_sitemap: bool,
        measures: bool,
    ) -> Result<Option<(u64, u64)>, SyncError> {
        let Some(url) = urls.first() else { return Ok(None) };
        let kind = BaselineKind::ResourceList;
        let document = match self.documents.get(url, validators_of(self.known, url)) {
            Ok(Some(document)) => document,
            Ok(None) => {
                let known = self.known.iter().find(|history| history.url == url.as_str());
                let Some(cursor) = known.cloned() else { return Ok(None) };
                let (at, cost, first) = (cursor.from, self.request_cost, None);
                self.survey.coverage.baselines.push(Baseline { kind, at, cost });
                let list = BaselineDocument::List { urls, first, is_sitemap, cursor };
                self.survey.baselines.push(list);
                return Ok(None);
            }
            Err(error) => {
                self.survey.failures.push(DocumentFailure::new(url, error));
                return Ok(None);
            }
        };
        match self.measure(document, measures) {
            Ok((document, at, entries, length)) => {
                let missing = entries.saturating_sub(self.present);
                let share = |length: u64| match entries {
                    0 => 0,
                    _ => (u128::from(length) * u128::from(missing) / u128::from(entries)) as u64,
                };
                let cost =
                    share(length).saturating_add(missing.saturating_mul(self.request_cost)).max(1);
                self.survey.coverage.baselines.push(Baseline { kind, at, cost });
                let cursor = list_cursor(url, &document, at);
                let first = Some(document);
                let list = BaselineDocument::List { urls, first, is_sitemap, cursor };
                self.survey.baselines.push(list);
                Ok(Some((entries, length)))
            }
            Err(error) => {
                self.survey.failures.push(DocumentFailure::new(url, error));
                Ok(None)
            }
        }
    }

    /// The time of a Resource List, and estimates of its entries and of the sum of their lengths: those
    /// of an index are those of its first part, multiplied.
    fn measure(
        &mut self,
        mut document: Document,
        measures: bool,
    ) -> Result<(Document, Option<tidings_document::Moment>, u64, u64), SyncError> {
        let summary = document.summary()?;
        let mut at = summary.head.metadata.at;
        if !summary.is_index() {
            return Ok((document, at, summary.entries, summary.length));
        }
        let mut first = None;
        document.each(|entry, base| {
            // An index promises no more than its oldest part keeps.
            at = if entry.metadata.at.is_some() { at.min(entry.metadata.at) } else { at };
            if first.is_none() {
                first = base.join(entry.loc.trim()).ok();
            }
            Ok(())
        })?;
        let mut size = (0, 0);
        if let Some(first) = first.filter(|_| measures) {
            let mut parts = Parts::new([first], Some(Capability::ResourceList));
            // What is wrong with it is found out when it is read for good.
            if let Ok(Some((_, _, part))) = parts.next(self.documents, |_| false) {
                size =
                    (part.entries * summary.entries, part.length.saturating_mul(summary.entries));
            }
        }
        Ok((document, at, size.0, size.1))
    }

    fn add_dump(&mut self, dump: &Url, sizes: Option<(u64, u64)>) {
        let found = match packages(self.documents, dump, Capability::ResourceDump) {
            Ok(found) => found,
            Err(error) => {
                self.survey.failures.push(DocumentFailure::new(dump, error));
                return;
            }
        };
        let bytes: Option<u64> = found.listed.iter().map(|listed| listed.expected.length).sum();
        // A package that does not give its length is not larger than all that is in it.
        let bytes = bytes.or(sizes.map(|(_, length)| length)).unwrap_or_default();
        let requests = found.listed.len() as u64 + 1;
        let cost = bytes.saturating_add(requests.saturating_mul(self.request_cost));
        let kind = BaselineKind::ResourceDump;
        self.survey.coverage.baselines.push(Baseline { kind, at: found.at, cost });
        let (packages, at, url) = (found.listed, found.at, dump.clone());
        // Without validators it is new at each poll: an index does not say when its parts change.
        let validators = found.top.map(|top| top.validators).unwrap_or_default();
        let (role, from) = (Role::List, at);
        let cursor = History { url: url.to_string(), role, validators, from, ..History::default() };
        self.survey.baselines.push(BaselineDocument::Dump { url, packages, at, cursor });
    }

    /// Adds the newest Resource List, and the newest Resource Dump, that archives have.
    pub(super) fn add_archived(
        &mut self,
        offered: &SourceSet,
        takes_packages: bool,
        is_excluded: impl Fn(&Url) -> bool,
    ) -> Result<(), SyncError> {
        let is_offered = |url: &Url| offered.offers.iter().any(|offer| offer.url == *url);
        let surveyed: Vec<String> =
            self.survey.baselines.iter().map(|one| one.cursor().url.clone()).collect();
        let is_known =
            |url: &Url| is_offered(url) || surveyed.iter().any(|one| *one == url.as_str());
        let mut newest = |kinds| -> Result<Option<Url>, SyncError> {
            let listed = archived(self.documents, offered, kinds, self.survey)?;
            let usable =
                listed.into_iter().filter(|one| !is_excluded(&one.url) && !is_known(&one.url));
            Ok(usable.max_by_key(|one| one.at).map(|one| one.url))
        };
        let list = newest((Capability::ResourceListArchive, Capability::ResourceList))?;
        let dump = match takes_packages {
            true => newest((Capability::ResourceDumpArchive, Capability::ResourceDump))?,
            false => None,
        };
        let sizes = self.add_list(list.into_iter().collect(), false, dump.is_some())?;
        if let Some(dump) = dump {
            self.add_dump(&dump, sizes);
        }
        Ok(())
    }
}

/// How the documents of a Resource List are known again by the next run.
pub(crate) fn list_cursor(
    url: &Url,
    document: &Document,
    at: Option<tidings_document::Moment>,
) -> History {
    History {
        url: url.to_string(),
        role: Role::List,
        validators: document.validators.clone(),
        from: at,
        ..History::default()
    }
}
