//! The navigation, by what pages say about their place in it.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use crate::cache::PageMetaCache;
use crate::object_id::ObjectId;
use crate::page_meta::PageMeta;
use crate::theme::NavItem;

/// How many items there are at the most, all in all.
const MOST: usize = 200;
/// The navigation of a site for somebody, and a number that is another for another navigation.
#[must_use]
pub fn navigation(
    cache: &PageMetaCache,
    is_visible: impl Fn(&PageMeta) -> bool,
) -> (Vec<NavItem>, u64) {
    let (all, _) = cache.navigating();
    let mut all: Vec<_> = all.into_iter().filter(|meta| is_visible(meta)).collect();
    all.sort_by_cached_key(|meta| key(meta));
    all.truncate(MOST);
    let items = tree(&all);
    let mut hasher = DefaultHasher::new();
    digest(&items, &mut hasher);
    (items, hasher.finish())
}

fn digest(items: &[NavItem], hasher: &mut DefaultHasher) {
    items.len().hash(hasher);
    for item in items {
        (&item.title, &item.url).hash(hasher);
        digest(&item.children, hasher);
    }
}

fn item(meta: &PageMeta) -> NavItem {
    let named = meta.nav.as_ref().and_then(|nav| nav.title.as_deref());
    NavItem {
        title: named.unwrap_or(&meta.title).to_owned(),
        url: meta.url_path(),
        children: Vec::new(),
    }
}

/// Pages below those that they name as their parents. One whose parent is not there is at the top, and so
/// is one that is below itself, in however many steps.
fn tree(all: &[Arc<PageMeta>]) -> Vec<NavItem> {
    let by_id: BTreeMap<ObjectId, usize> =
        all.iter().enumerate().map(|(place, meta)| (meta.id, place)).collect();
    let by_alias: BTreeMap<&str, usize> = all
        .iter()
        .enumerate()
        .filter_map(|(place, meta)| Some((meta.alias.as_ref()?.as_str(), place)))
        .collect();
    let parent = |place: usize| {
        let named = all[place].nav.as_ref()?.parent.as_deref()?;
        let by_id = ObjectId::parse(named).and_then(|id| by_id.get(&id));
        by_id.or_else(|| by_alias.get(named.trim_matches('/').to_lowercase().as_str())).copied()
    };
    let is_circular = |place: usize| {
        let mut at = place;
        for _ in 0..all.len() {
            match parent(at) {
                Some(next) if next == place => return true,
                Some(next) => at = next,
                None => return false,
            }
        }
        true
    };
    let parents: Vec<Option<usize>> =
        (0..all.len()).map(|place| parent(place).filter(|_| !is_circular(place))).collect();
    below(None, all, &parents)
}

fn below(parent: Option<usize>, all: &[Arc<PageMeta>], parents: &[Option<usize>]) -> Vec<NavItem> {
    let here = (0..all.len()).filter(|place| parents[*place] == parent);
    here.map(|place| NavItem { children: below(Some(place), all, parents), ..item(&all[place]) })
        .collect()
}

/// Those with an order before those without, and then by title.
fn key(meta: &PageMeta) -> (bool, i32, String, ObjectId) {
    let nav = meta.nav.as_deref();
    let order = nav.and_then(|nav| nav.order);
    let title = nav.and_then(|nav| nav.title.as_deref()).unwrap_or(&meta.title);
    (order.is_none(), order.unwrap_or_default(), title.to_lowercase(), meta.id)
}
