//! A Source that has moved to another URL.
//!
//! What was copied is still right: only its URIs are others. They are rewritten in the state, all of
//! them in one transaction, and the files stay where they are. Then everything is compared with what
//! the Source says at its new place, and what has the same digest is not fetched.

use std::sync::Arc;

use tidings_bytes::FolderStore;
use url::Url;

use crate::mapping::{Mapping, Uri};
use crate::state::State;
use crate::{SyncError, SyncOptions};

/// How many rows are looked at together.
const BATCH: usize = 10_000;

/// What the URIs began with, and what they begin with now; both end in a slash.
#[derive(Debug, PartialEq, Eq)]
struct Move {
    from: String,
    to: String,
}

/// Only a copy can follow its Source.
pub(crate) fn check(options: &SyncOptions) -> Result<(), SyncError> {
    match options.moved && !FolderStore::exists(&options.folder) {
        true => Err(SyncError::NoCopy { path: options.folder.clone() }),
        false => Ok(()),
    }
}

/// Makes the copy one of the Source at its new place, if that was asked for and was not done before.
pub(crate) fn rehome(state: &mut State, options: &SyncOptions) -> Result<(), SyncError> {
    if !options.moved {
        return Ok(());
    }
    let folder = &options.folder;
    let recorded = state.setting("source")?.and_then(|source| Url::parse(&source).ok());
    let Some(recorded) = recorded else {
        return match state.has_resources()? {
            true => Err(SyncError::UnknownSource { path: folder.clone() }),
            false => Ok(()),
        };
    };
    let Some(way) = Move::new(&recorded, &options.source)? else { return Ok(()) };
    let before = state.mapping(&Mapping::new(), folder, false)?;
    let rules: Vec<String> = before.rules().map(|rule| way.rule(&rule)).collect();
    let mut after = Mapping::new();
    for rule in &rules {
        let of = || before.rules().collect();
        let refused = |_| SyncError::OtherMapping { path: folder.clone(), of: of() };
        after = after.with_rule(rule).map_err(refused)?;
    }
    state.begin()?;
    let moved = way.apply(state, &before, &Arc::new(after)).and_then(|()| {
        state.set_setting("map", &rules.join("\n"))?;
        state.set_setting("source", options.source.as_str())?;
        state.forget_setting("discovered")
    });
    match moved {
        Ok(()) => state.commit(),
        Err(error) => {
            let _ = state.roll_back();
            Err(error)
        }
    }
}

impl Move {
    /// What the way from one URL to the other says of the URIs below them; none if they stay.
    ///
    /// Where the paths are the same, it is the origin that is another. Else it is the folder: what the
    /// paths have in common at their ends is below it.
    fn new(recorded: &Url, now: &Url) -> Result<Option<Self>, SyncError> {
        let (folders, name) = split(recorded);
        let (folders_now, name_now) = split(now);
        let origin = |url: &Url| url.origin().ascii_serialization();
        let (mut from, mut to) = (origin(recorded), origin(now));
        if folders != folders_now {
            if name != name_now {
                let (of, url) = (recorded.to_string(), now.to_string());
                return Err(SyncError::OtherDocument { of, url });
            }
            let ends = folders.iter().rev().zip(folders_now.iter().rev());
            let common = ends.take_while(|(one, other)| one == other).count();
            for folder in &folders[..folders.len() - common] {
                from.extend(["/", folder]);
            }
            for folder in &folders_now[..folders_now.len() - common] {
                to.extend(["/", folder]);
            }
        }
        from.push('/');
        to.push('/');
        Ok(Some(Self { from, to }).filter(|way| way.from != way.to))
    }

    /// The URI at the new place, if it was below the old one.
    fn uri(&self, uri: &str) -> Option<String> {
        Some(format!("{}{}", self.to, uri.strip_prefix(&self.from)?))
    }

    /// A rule of where files go, at the new place.
    fn rule(&self, rule: &str) -> String {
        let moved = rule
            .rsplit_once('=')
            .and_then(|(prefix, folder)| Some(format!("{}={folder}", self.uri(prefix)?)));
        moved.unwrap_or_else(|| rule.to_owned())
    }

    fn apply(&self, state: &mut State, before: &Mapping, after: &Mapping) -> Result<(), SyncError> {
        let mut last = 0;
        loop {
            let rows = state.places_after(last, BATCH)?;
            let Some(end) = rows.last() else { break };
            last = end.id;
            for row in rows {
                let Some(uri) = self.uri(&row.uri) else { continue };
                // Files stay where they are.
                let is_own = row.path.is_some();
                let path = row.path.unwrap_or_else(|| before.path(&Uri::known(&row.uri)));
                let is_mapped = after.path(&Uri::known(&uri)) == path;
                if is_own || !is_mapped {
                    state.set_path(row.id, Some(path.as_str()).filter(|_| !is_mapped))?;
                }
            }
        }
        state.move_uris(&self.from, &self.to)
    }
}

/// The folders of a URL, and the name in the last of them.
fn split(url: &Url) -> (Vec<&str>, &str) {
    let mut segments: Vec<&str> = url.path().trim_start_matches('/').split('/').collect();
    let name = segments.pop().unwrap_or_default();
    (segments, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(from: &str, to: &str) -> Result<Option<(String, String)>, SyncError> {
        let url = |text: &str| Url::parse(text).unwrap();
        Ok(Move::new(&url(from), &url(to))?.map(|way| (way.from, way.to)))
    }

    #[test]
    fn the_way_from_one_url_to_the_other_says_what_moved() {
        for (from, to, prefixes) in [
            (
                "http://a.example/",
                "https://a.example/",
                ("http://a.example/", "https://a.example/"),
            ),
            (
                "https://a.example/x/sitemap.xml",
                "https://b.example:8/x/sitemap-2.xml",
                ("https://a.example/", "https://b.example:8/"),
            ),
            (
                "https://a.example/",
                "https://b.example/books/",
                ("https://a.example/", "https://b.example/books/"),
            ),
            (
                "https://a.example/one/resourcesync/capabilitylist.xml",
                "https://a.example/two/three/resourcesync/capabilitylist.xml",
                ("https://a.example/one/", "https://a.example/two/three/"),
            ),
        ] {
            let (old, new) = way(from, to).unwrap().unwrap();
            assert_eq!((old.as_str(), new.as_str()), prefixes, "{from} {to}");
        }
        assert_eq!(way("https://a.example/x", "https://a.example/x").unwrap(), None);
        let unlike = way("https://a.example/", "https://b.example/rs/capabilitylist.xml");
        assert!(matches!(unlike, Err(SyncError::OtherDocument { .. })));
    }

    #[test]
    fn rules_of_where_files_go_move_too() {
        let way = Move { from: "https://a.example/".into(), to: "https://b.example/c/".into() };
        assert_eq!(way.rule("https://a.example/=."), "https://b.example/c/=.");
        assert_eq!(way.rule("https://a.example/x/=y"), "https://b.example/c/x/=y");
        assert_eq!(way.rule("https://other.example/=z"), "https://other.example/=z");
    }
}
