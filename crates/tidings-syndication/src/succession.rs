//! Decides which collection goes on with which when a site is followed by other means.

use std::collections::{HashMap, HashSet};

use tidings_store::{Collection, Millis, NewCollection, Site};
use tidings_web::Url;

use crate::details::Progress;
use crate::page_identity::page_identity;

/// Which collections go on, under which identity, and which end.
#[derive(Debug, Default)]
pub(crate) struct Succession {
    /// The numbers of the collections that go on, with what identifies them from now on.
    pub(crate) identities: Vec<(i64, String)>,
    /// The numbers of those that end.
    pub(crate) ended: Vec<i64>,
}

impl Succession {
    /// Collections with the same identity go on; then, if one is left on one side, the one of the whole
    /// site on the other. Without any new ones (a Sitemap that is split) the only one becomes that of the
    /// whole site, which is at `home`.
    pub(crate) fn new(old: &[Collection], new: &[NewCollection], home: &str) -> Self {
        let mut succession = Self::default();
        let mut new: Vec<&str> = new.iter().map(|one| one.identity.as_str()).collect();
        if new.is_empty() {
            new.push(home);
        }
        let (same, mut old): (Vec<_>, Vec<_>) =
            old.iter().partition(|one| new.contains(&one.identity.as_str()));
        let taken: HashSet<&str> = same.iter().map(|one| one.identity.as_str()).collect();
        new.retain(|identity| !taken.contains(identity));
        old.retain(|one| !one.is_gone);
        succession.identities.extend(same.iter().map(|one| (one.id, one.identity.clone())));
        let heir = match (&old[..], &new[..]) {
            ([old], [new]) => Some((old.id, *new)),
            ([old], many) => many.iter().find(|one| is_whole(one, home)).map(|new| (old.id, *new)),
            (many, [new]) => {
                many.iter().find(|one| is_whole(&one.identity, home)).map(|old| (old.id, *new))
            }
            _ => None,
        };
        if let Some((id, identity)) = heir {
            succession.identities.push((id, identity.to_owned()));
        }
        let goes_on: HashSet<i64> = succession.identities.iter().map(|(id, _)| *id).collect();
        succession.ended.extend(old.iter().map(|one| one.id).filter(|id| !goes_on.contains(id)));
        succession
    }

    /// The collections of a Source as they are read first: from a time on.
    pub(crate) fn collections(
        &self,
        site: &Site,
        old: &[Collection],
        new: Vec<NewCollection>,
        since: Millis,
    ) -> Vec<Collection> {
        let predecessors: HashMap<&str, &Collection> = self
            .identities
            .iter()
            .filter_map(|(id, identity)| {
                Some((identity.as_str(), old.iter().find(|one| one.id == *id)?))
            })
            .collect();
        let begun = |new: NewCollection| {
            let progress =
                Progress { cursor: Some(since), ..Progress::read(&new.progress) }.write();
            let collection = fresh_collection(site.id, NewCollection { progress, ..new });
            match predecessors.get(collection.identity.as_str()) {
                Some(old) => Collection {
                    id: old.id,
                    key: old.key.clone(),
                    is_muted: old.is_muted,
                    ..collection
                },
                None => collection,
            }
        };
        new.into_iter().map(begun).collect()
    }
}

/// A collection that the store does not know yet.
pub(crate) fn fresh_collection(site_id: i64, new: NewCollection) -> Collection {
    Collection {
        id: 0,
        site_id,
        key: new.key,
        identity: new.identity,
        title: new.title,
        author: new.author,
        language: new.language,
        about: new.about,
        progress: new.progress,
        reason: None,
        is_gone: false,
        ignored: 0,
        changes: 0,
        batches: 0,
        changed_at: None,
        forgotten: 0,
        forgotten_until: None,
        is_muted: new.is_muted,
    }
}

/// Whether a collection is that of the whole site at `home`.
fn is_whole(identity: &str, home: &str) -> bool {
    let root = Url::parse(home).ok().and_then(|home| home.join("/").ok());
    let identity = page_identity(identity);
    identity == page_identity(home)
        || root.is_some_and(|root| identity == page_identity(root.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: &str = "https://a.example/";

    fn old(collections: &[(i64, &str)]) -> Vec<Collection> {
        let new =
            |identity: &str| NewCollection { identity: identity.into(), ..Default::default() };
        collections
            .iter()
            .map(|(id, identity)| Collection { id: *id, ..fresh_collection(1, new(identity)) })
            .collect()
    }

    fn succession(before: &[(i64, &str)], after: &[&str]) -> (Vec<(i64, String)>, Vec<i64>) {
        let new: Vec<NewCollection> = after
            .iter()
            .map(|identity| NewCollection { identity: (*identity).into(), ..Default::default() })
            .collect();
        let found = Succession::new(&old(before), &new, HOME);
        (found.identities, found.ended)
    }

    #[test]
    fn one_goes_on_as_one_and_the_whole_as_the_whole() {
        let (home, garden, pond) = (HOME, "https://a.example/garden/", "https://a.example/pond/");
        let feed = "https://a.example/feed.xml";
        let is = |id: i64, identity: &str| vec![(id, identity.to_owned())];
        assert_eq!(succession(&[(1, feed)], &[home]), (is(1, home), vec![]));
        assert_eq!(succession(&[(1, home)], &[garden]), (is(1, garden), vec![]));
        assert_eq!(succession(&[(1, home)], &[garden, home]), (is(1, home), vec![]));
        assert_eq!(succession(&[(1, feed)], &[garden, home]), (is(1, home), vec![]));
        assert_eq!(succession(&[(1, feed)], &[garden, pond]), (vec![], vec![1]));
        assert_eq!(succession(&[(1, garden), (2, pond)], &[home]), (vec![], vec![1, 2]));
        assert_eq!(succession(&[(1, home), (2, pond)], &[feed]), (is(1, feed), vec![2]));
        assert_eq!(succession(&[(1, feed)], &[]), (is(1, home), vec![]));
    }
}
