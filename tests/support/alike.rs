//! Sites that are like one another, but for where they are: what is found at one is known of all.

use tidings_store::{Followed, NewCollection, NewSite};

/// The site that another address has instead of that one, due from now on.
pub(crate) fn alike(model: &Followed, address: &str, instead: &str) -> NewSite {
    let moved = |text: &str| text.replace(address, instead);
    let also = |text: &Option<String>| text.as_deref().map(moved);
    let site = &model.site;
    let collections = model.collections.iter().map(|one| NewCollection {
        key: moved(&one.key),
        identity: moved(&one.identity),
        title: also(&one.title),
        author: also(&one.author),
        language: one.language.clone(),
        about: also(&one.about),
        progress: moved(&one.progress),
        is_muted: one.is_muted,
    });
    NewSite {
        key: moved(&site.key),
        url: moved(&site.url),
        asked: moved(&site.url),
        host: moved(&site.host),
        via: site.via,
        title: also(&site.title),
        settings: site.settings.clone(),
        details: moved(&site.details),
        interval: site.interval,
        due: None,
        collections: collections.collect(),
    }
}
