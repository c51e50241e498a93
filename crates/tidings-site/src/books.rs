//! All objects, by what they are asked for by.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use tidings_base::{Joined, MergeJoin};
use tidings_document::Change;

use crate::finding::{Fault, Finding};
use crate::listing::Listing;
use crate::object_id::ObjectId;
use crate::page_meta::{Kind, PageMeta};

/// More changes than that at once, and the listings are made anew.
const MANY: usize = 2_000;

/// All objects. Of two with one alias, that with the smaller id is served under it, and the other not at
/// all.
#[derive(Debug, Clone, Default)]
pub(crate) struct Books {
    metas: HashMap<ObjectId, Arc<PageMeta>>,
    aliases: HashMap<Box<str>, ObjectId>,
    /// All who want an alias that more than one wants.
    contested: BTreeMap<Box<str>, BTreeSet<ObjectId>>,
    /// Public Markdown that search engines may list.
    pub(crate) sitemap: Arc<Listing>,
    /// All that is public.
    pub(crate) source: Arc<Listing>,
    /// Those that say where they are in the navigation.
    pub(crate) navigating: BTreeSet<ObjectId>,
    /// Goes up with each change.
    pub(crate) generation: u64,
}

/// A change of what is public, at its URL.
#[derive(Debug, Clone)]
pub(crate) struct Noted {
    pub(crate) path: String,
    pub(crate) change: Change,
    /// What is there now, or was there last.
    pub(crate) meta: Arc<PageMeta>,
}

impl Books {
    /// What has this id, if it is served.
    pub(crate) fn get(&self, id: ObjectId) -> Option<&Arc<PageMeta>> {
        let meta = self.metas.get(&id)?;
        match &meta.alias {
            Some(alias) => (self.aliases.get(alias.as_str()) == Some(&id)).then_some(meta),
            None => Some(meta),
        }
    }

    /// What has this id, served or not.
    pub(crate) fn any(&self, id: ObjectId) -> Option<&Arc<PageMeta>> {
        self.metas.get(&id)
    }

    /// What has this alias.
    pub(crate) fn find(&self, alias: &str) -> Option<&Arc<PageMeta>> {
        self.aliases.get(alias).and_then(|id| self.metas.get(id))
    }

    /// All objects, served or not.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<PageMeta>> {
        self.metas.values()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.metas.len()
    }

    /// Puts all changes in, and says what they change for the public.
    pub(crate) fn put_all(
        &mut self,
        changes: Vec<(ObjectId, Option<Arc<PageMeta>>)>,
    ) -> Vec<Noted> {
        self.generation += 1;
        if changes.len() <= MANY {
            let mut noted = Vec::new();
            for (id, meta) in changes {
                self.put(id, meta, &mut noted);
            }
            return noted;
        }
        for (id, meta) in changes {
            self.set(id, meta);
        }
        let before = std::mem::take(&mut self.source);
        let served = || self.metas.keys().filter_map(|id| self.get(*id)).cloned();
        let source = Arc::new(Listing::new(served().filter(|meta| meta.is_public())));
        let sitemap = Arc::new(Listing::new(served().filter(|meta| meta.is_in_sitemap())));
        (self.source, self.sitemap) = (source, sitemap);
        differences(&before, &self.source)
    }

    fn put(&mut self, id: ObjectId, meta: Option<Arc<PageMeta>>, noted: &mut Vec<Noted>) {
        // Whoever wants the alias that this has or had may get it or lose it.
        let mut affected = BTreeSet::from([id]);
        for one in [self.metas.get(&id), meta.as_ref()].into_iter().flatten() {
            let Some(alias) = one.alias.as_ref().map(|alias| alias.as_str()) else { continue };
            affected.extend(self.aliases.get(alias));
            affected.extend(self.contested.get(alias).into_iter().flatten());
        }
        let before: Vec<_> = affected.iter().filter_map(|id| self.get(*id).cloned()).collect();
        self.set(id, meta);
        let after: Vec<_> = affected.iter().filter_map(|id| self.get(*id).cloned()).collect();
        let mut paths: BTreeMap<String, [Option<&Arc<PageMeta>>; 2]> = BTreeMap::new();
        for (side, metas) in [&before, &after].into_iter().enumerate() {
            for meta in metas {
                paths.entry(meta.url_path()).or_default()[side] = Some(meta);
            }
        }
        for (path, [before, after]) in paths {
            relist(&mut self.sitemap, &path, before, after, |meta| meta.is_in_sitemap());
            let change = relist(&mut self.source, &path, before, after, |meta| meta.is_public());
            // What is not public any more is told as it was.
            let meta = after.filter(|meta| meta.is_public()).or(before);
            if let (Some(change), Some(meta)) = (change, meta) {
                noted.push(Noted { path, change, meta: Arc::clone(meta) });
            }
        }
    }

    /// Only the objects and who has which alias.
    fn set(&mut self, id: ObjectId, meta: Option<Arc<PageMeta>>) {
        let old = match &meta {
            Some(meta) => self.metas.insert(id, Arc::clone(meta)),
            None => self.metas.remove(&id),
        };
        if let Some(alias) = old.as_ref().and_then(|old| old.alias.as_ref()) {
            self.release(alias.as_str(), id);
        }
        self.navigating.remove(&id);
        let Some(meta) = meta else { return };
        if meta.nav.is_some() && meta.kind == Kind::Markdown {
            self.navigating.insert(id);
        }
        let Some(alias) = meta.alias.as_ref().map(|alias| alias.as_str()) else { return };
        match self.aliases.get(alias).copied() {
            None => drop(self.aliases.insert(alias.into(), id)),
            Some(winner) => {
                let all = self.contested.entry(alias.into()).or_default();
                all.extend([winner, id]);
                let first = all.first().copied().unwrap_or(id);
                self.aliases.insert(alias.into(), first);
            }
        }
    }

    fn release(&mut self, alias: &str, id: ObjectId) {
        let Some(all) = self.contested.get_mut(alias) else {
            if self.aliases.get(alias) == Some(&id) {
                self.aliases.remove(alias);
            }
            return;
        };
        all.remove(&id);
        if let Some(first) = all.first().copied() {
            self.aliases.insert(alias.into(), first);
        }
        if all.len() < 2 {
            self.contested.remove(alias);
        }
    }

    /// What is wrong between objects.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (alias, all) in &self.contested {
            let place = |id: &ObjectId| {
                self.metas.get(id).map_or_else(|| id.to_string(), |meta| meta.place.path(*id))
            };
            let winner = all.first().map(place).unwrap_or_default();
            findings.extend(all.iter().skip(1).map(|id| Finding {
                place: place(id),
                fault: Fault::DuplicateAlias,
                message: format!(
                    "{winner} has the alias {alias:?}, too, and is served; give this another"
                ),
            }));
        }
        findings
    }
}

/// Puts one path of a listing right. Says what that means to whoever follows the listing.
fn relist(
    listing: &mut Arc<Listing>,
    path: &str,
    before: Option<&Arc<PageMeta>>,
    after: Option<&Arc<PageMeta>>,
    is_in: impl Fn(&PageMeta) -> bool,
) -> Option<Change> {
    let before = before.filter(|meta| is_in(meta));
    let after = after.filter(|meta| is_in(meta));
    match (before, after) {
        (None, None) => None,
        (Some(_), None) => {
            Arc::make_mut(listing).remove(path);
            Some(Change::Deleted)
        }
        (None, Some(meta)) => {
            Arc::make_mut(listing).put(meta);
            Some(Change::Created)
        }
        (Some(before), Some(meta)) => {
            if before != meta {
                Arc::make_mut(listing).put(meta);
            }
            is_other(before, meta).then_some(Change::Updated)
        }
    }
}

/// Whether what is at a URL is another than before.
pub(crate) fn is_other(before: &PageMeta, after: &PageMeta) -> bool {
    (before.id, before.content) != (after.id, after.content)
}

/// How one listing differs from another.
fn differences(before: &Listing, after: &Listing) -> Vec<Noted> {
    let mut noted = Vec::new();
    let old = before.metas().map(|meta| (meta.url_path(), meta));
    let new = after.metas().map(|meta| (meta.url_path(), meta));
    for joined in MergeJoin::new(old, new, |(old, _), (new, _)| old.cmp(new)) {
        let (change, (path, meta)) = match joined {
            Joined::Both((_, before), (_, meta)) if !is_other(before, meta) => continue,
            Joined::Both(_, come) => (Change::Updated, come),
            Joined::Left(gone) => (Change::Deleted, gone),
            Joined::Right(come) => (Change::Created, come),
        };
        noted.push(Noted { path, change, meta: Arc::clone(meta) });
    }
    noted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Access;
    use crate::listing::tests::meta;

    fn with_id(meta: &PageMeta, id: u64) -> Arc<PageMeta> {
        Arc::new(PageMeta { id: ObjectId(id), ..meta.clone() })
    }

    fn kinds(noted: &[Noted]) -> Vec<(&str, Change)> {
        noted.iter().map(|noted| (noted.path.as_str(), noted.change)).collect()
    }

    #[test]
    fn of_two_with_one_alias_the_first_by_id_is_served() {
        let mut books = Books::default();
        let (one, two) = (with_id(&meta("a", 1), 1), with_id(&meta("a", 2), 2));
        let noted = books.put_all(vec![(two.id, Some(Arc::clone(&two)))]);
        assert_eq!(kinds(&noted), [("/a", Change::Created)]);
        let noted = books.put_all(vec![(one.id, Some(Arc::clone(&one)))]);
        assert_eq!(kinds(&noted), [("/a", Change::Updated)]);
        assert_eq!(books.find("a"), Some(&one));
        assert_eq!(books.get(two.id), None);
        assert_eq!(books.findings().len(), 1);
        let noted = books.put_all(vec![(one.id, None)]);
        assert_eq!(kinds(&noted), [("/a", Change::Updated)]);
        assert_eq!(books.find("a"), Some(&two));
        assert!(books.findings().is_empty());
        let noted = books.put_all(vec![(two.id, None)]);
        assert_eq!(kinds(&noted), [("/a", Change::Deleted)]);
        assert!(books.source.is_empty() && books.sitemap.is_empty());
    }

    #[test]
    fn what_is_not_public_any_more_is_deleted() {
        let mut books = Books::default();
        let open = meta("a", 1);
        books.put_all(vec![(open.id, Some(Arc::clone(&open)))]);
        let closed = Arc::new(PageMeta { access: Access::Deny, ..(*open).clone() });
        let noted = books.put_all(vec![(open.id, Some(closed))]);
        assert_eq!(kinds(&noted), [("/a", Change::Deleted)]);
        assert!(books.find("a").is_some());
        assert!(books.sitemap.is_empty());
    }

    #[test]
    fn many_changes_come_to_the_same_as_one_by_one() {
        let metas: Vec<_> = (0..5_000).map(|number| meta(&format!("p{number}"), number)).collect();
        let changes = |metas: &[Arc<PageMeta>]| -> Vec<_> {
            metas.iter().map(|meta| (meta.id, Some(Arc::clone(meta)))).collect()
        };
        let (mut bulk, mut single) = (Books::default(), Books::default());
        let noted = bulk.put_all(changes(&metas));
        assert_eq!(noted.len(), 5_000);
        for change in changes(&metas) {
            single.put_all(vec![change]);
        }
        assert_eq!(bulk.source.digest(), single.source.digest());
        let gone: Vec<_> = metas[..3_000].iter().map(|meta| (meta.id, None)).collect();
        let noted = bulk.put_all(gone);
        assert!(noted.iter().all(|noted| noted.change == Change::Deleted) && noted.len() == 3_000);
        assert_eq!(bulk.sitemap.len(), 2_000);
    }
}
