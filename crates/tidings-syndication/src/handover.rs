//! Decides which changes were told already by the means that a site was followed by before.
//!
//! Two means name one change by different keys, so keys prove nothing here. What is known of each page
//! does: the newest change that was recorded of it, the last snapshot of the Sitemaps, and what was handed over
//! when the site began to be followed by its last means.

use std::collections::{BTreeMap, HashMap};

use tidings_document::Moment;
use tidings_store::{Kind, Millis, NewChange, Site, Store, StoreError};

use crate::PollError;
use crate::collector::millis;
use crate::page_identity::page_identity;
use crate::snapshot::{Merge, Page};

/// How many pages are handed over.
const MAX_PAGES: usize = 2_000;
/// How many of the newest recorded changes are compared.
const MAX_RECORDED: u32 = 10_000;
/// Changes that are older than the last poll by this much are never told: they belong to the past.
const OVERLAP: Millis = 24 * 60 * 60 * 1000;

/// What was known of a site up to its last poll.
#[derive(Debug, Default)]
pub(crate) struct Handover {
    /// When the last poll went well.
    until: Millis,
    pages: HashMap<String, KnownPage>,
    /// The pages that are there from now on.
    handed_over: BTreeMap<String, Option<Moment>>,
}

/// What was known of one page.
#[derive(Debug)]
struct KnownPage {
    exists: bool,
    changed: Option<Moment>,
    /// When it was recorded that it is there.
    recorded: Option<Millis>,
}

impl Handover {
    /// What was recorded of a site.
    pub(crate) async fn from_recorded(store: &Store, site: &Site) -> Result<Self, StoreError> {
        let until = site.succeeded_at.unwrap_or(site.created_at);
        let mut pages = HashMap::new();
        for change in store.site_changes(site.id, 0, MAX_RECORDED).await? {
            let change = change.change;
            let changed = change.time_text.as_deref().and_then(|text| Moment::parse(text).ok());
            let exists = change.kind != Kind::Deleted;
            let recorded = exists.then_some(change.time);
            // The newest comes first.
            let known = KnownPage { exists, changed, recorded };
            pages.entry(page_identity(&change.uri)).or_insert(known);
        }
        Ok(Self { until, pages, handed_over: BTreeMap::new() })
    }

    /// From when on changes are read: those that are older were told. The clock of the site may be behind ours.
    pub(crate) fn since(&self) -> Millis {
        self.until - OVERLAP
    }

    /// Adds what the last snapshot says of the pages of these changes: it has all pages of its site, so
    /// that those that were recorded and that it lacks are known not to be there.
    pub(crate) async fn add_snapshot(
        &mut self,
        store: &Store,
        site_id: i64,
        changes: impl Iterator<Item = &NewChange>,
    ) -> Result<(), PollError> {
        let mut wanted: HashMap<String, Option<Page>> =
            changes.map(|change| (page_identity(&change.uri), None)).collect();
        let runs = store.runs(site_id).await?;
        if runs.is_empty() {
            return Ok(());
        }
        let mut pages = Merge::new(store, site_id, &runs).await?;
        while let Some(page) = pages.next().await? {
            if self.handed_over.len() < MAX_PAGES {
                let changed = Moment::parse(&page.stamp).ok();
                self.hand_over(page_identity(&page.uri), changed);
            }
            if let Some(found) = wanted.get_mut(&page_identity(&page.uri)) {
                *found = Some(page);
            }
        }
        for (identity, page) in wanted {
            let known = self.pages.get(&identity);
            if page.is_none() && known.is_none() {
                continue;
            }
            let noticed = known.and_then(|known| known.recorded);
            let recorded = known.and_then(|known| known.changed);
            let listed = page.as_ref().and_then(|page| Moment::parse(&page.stamp).ok());
            let changed = match (listed, recorded) {
                (Some(listed), Some(recorded)) if listed.is_before(recorded) => Some(recorded),
                (listed, recorded) => listed.or(recorded),
            };
            let known = KnownPage { exists: page.is_some(), changed, recorded: noticed };
            self.pages.insert(identity, known);
        }
        Ok(())
    }

    /// Adds pages that were there.
    pub(crate) fn add_pages<'a>(&mut self, uris: impl Iterator<Item = &'a String>) {
        for uri in uris {
            let known = KnownPage { exists: true, changed: None, recorded: None };
            self.pages.entry(page_identity(uri)).or_insert(known);
        }
    }

    /// Adds the pages that were handed over the last time.
    pub(crate) fn add_known(&mut self, pages: &BTreeMap<String, Option<String>>) {
        for (identity, changed) in pages {
            let changed = changed.as_deref().and_then(|text| Moment::parse(text).ok());
            let known = KnownPage { exists: true, changed, recorded: None };
            self.pages.entry(identity.clone()).or_insert(known);
        }
    }

    /// Notes that a page is there, and what was told of it.
    pub(crate) fn hand_over(&mut self, identity: String, changed: Option<Moment>) {
        let known = self.handed_over.entry(identity).or_default();
        if known.is_none_or(|known| changed.is_some_and(|changed| known.is_before(changed))) {
            *known = changed.or(*known);
        }
    }

    /// The pages that are there, and when they changed last, for the next time that means change.
    pub(crate) fn into_known(mut self) -> BTreeMap<String, Option<String>> {
        for (identity, page) in std::mem::take(&mut self.pages) {
            if page.exists && self.handed_over.len() < MAX_PAGES {
                self.hand_over(identity, page.changed);
            }
        }
        let text = |moment: Moment| moment.to_string();
        let known = self.handed_over.into_iter().take(MAX_PAGES);
        known.map(|(identity, changed)| (identity, changed.map(text))).collect()
    }

    /// Whether a change was told already, or belongs to the past that nobody asked for.
    pub(crate) fn has_told(&self, change: &NewChange) -> bool {
        let moment = change.time_text.as_deref().and_then(|text| Moment::parse(text).ok());
        let time = moment.map_or(change.time, millis);
        if time < self.since() {
            return true;
        }
        let is_past = time <= self.until;
        let known = self.pages.get(&page_identity(&change.uri));
        let is_older = |known: Moment| moment.is_some_and(|moment| known.is_before(moment));
        match (change.kind, known) {
            // What happened to a page before it was deleted was told before that was.
            (Kind::Created | Kind::Updated, Some(KnownPage { exists: false, changed, .. })) => {
                changed.map_or(is_past, |changed| !is_older(changed))
            }
            (Kind::Created, Some(_)) => true,
            (Kind::Created, None) => false,
            (Kind::Updated, Some(known)) => is_past && !known.changed.is_some_and(is_older),
            (Kind::Updated, None) => false,
            // A page that changed later was there again.
            (Kind::Deleted, Some(KnownPage { exists: true, changed, recorded })) => {
                let changed_later =
                    |changed| moment.is_some_and(|moment| moment.is_before(changed));
                changed.map_or(recorded.is_some_and(|recorded| time <= recorded), changed_later)
            }
            (Kind::Deleted, Some(_)) => is_past,
            (Kind::Deleted, None) => is_past,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(uri: &str, kind: Kind, time: &str) -> NewChange {
        let time_text = Some(time.to_owned());
        let time = millis(Moment::parse(time).unwrap());
        NewChange {
            key: [0; 16],
            uri: uri.to_owned(),
            kind,
            time,
            time_text,
            title: None,
            note: None,
        }
    }

    #[test]
    fn a_change_is_told_if_what_is_known_of_its_page_says_so() {
        let moment = |text: &str| Moment::parse(text).unwrap();
        let until = millis(moment("2026-05-10T12:00:00Z"));
        let known = |exists, changed: Option<&str>| KnownPage {
            exists,
            changed: changed.map(|text| Moment::parse(text).unwrap()),
            recorded: None,
        };
        let pages = [
            ("a.example/day", known(true, Some("2026-05-10"))),
            ("a.example/late", known(true, Some("2026-05-10T08:00:00Z"))),
            ("a.example/none", known(true, None)),
            ("a.example/gone", known(false, Some("2026-05-10T09:00:00Z"))),
        ];
        let pages = pages.map(|(page, known)| (page.to_owned(), known)).into();
        let handover = Handover { until, pages, handed_over: BTreeMap::new() };
        for (page, kind, time, expected) in [
            ("day", Kind::Updated, "2026-05-10T11:00:00Z", true),
            ("day", Kind::Updated, "2026-05-10", true),
            ("day", Kind::Updated, "2026-05-10T12:30:00Z", false),
            ("late", Kind::Updated, "2026-05-10T08:00:00Z", true),
            ("late", Kind::Updated, "2026-05-10T11:59:00Z", false),
            ("none", Kind::Updated, "2026-05-10T11:59:00Z", true),
            ("day", Kind::Created, "2026-05-10T13:00:00Z", true),
            ("new", Kind::Created, "2026-05-10T11:00:00Z", false),
            ("new", Kind::Created, "2026-05-09T11:00:00Z", true),
            ("new", Kind::Updated, "2026-05-10T12:30:00Z", false),
            ("gone", Kind::Deleted, "2026-05-10T09:00:00Z", true),
            ("gone", Kind::Created, "2026-05-10T12:01:00Z", false),
            ("gone", Kind::Created, "2026-05-10T08:00:00Z", true),
            ("gone", Kind::Updated, "2026-05-10T08:30:00Z", true),
            ("day", Kind::Deleted, "2026-05-10T11:00:00Z", false),
            ("late", Kind::Deleted, "2026-05-10T07:00:00Z", true),
            ("late", Kind::Deleted, "2026-05-10T09:00:00Z", false),
            ("never", Kind::Deleted, "2026-05-10T11:00:00Z", true),
        ] {
            let change = change(&format!("http://a.example/{page}/"), kind, time);
            assert_eq!(handover.has_told(&change), expected, "{page} {kind:?} {time}");
        }
    }
}
