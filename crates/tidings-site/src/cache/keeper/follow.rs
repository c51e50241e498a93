//! How changes that the kernel tells of are followed.

use std::collections::BTreeSet;

use super::rules::{ROLES, TAGS};
use super::theme::THEME;
use super::{Changes, Keeper, Look, latest, shard_named};
use crate::books::Books;
use crate::folder_rules::{FOLDER_RULES, is_nearly_folder_rules};
use crate::ignored::is_ignored;
use crate::page_meta::PageMeta;
use crate::survey::Half;
use crate::watch::Touched;

/// Whether a change of this path is followed by a look at everything.
fn is_large(path: &str) -> bool {
    matches!(path, "content" | "pages" | "state" | "state/sys" | "themes" | TAGS | ROLES)
}

impl Keeper {
    /// Follows what the kernel says was touched.
    pub(in crate::cache) fn follow(
        &mut self,
        touched: &Touched,
        look: &Look<'_>,
        books: &Books,
    ) -> Changes {
        self.arrivals.begin_look(touched.moved.clone());
        self.ended = touched.paths.difference(&touched.open).cloned().collect();
        // Rules that are being written are not read: what is there says less than what will be.
        if touched.is_all || touched.paths.contains(TAGS) {
            self.rules.is_open = touched.open.contains(TAGS) && !look.root.is_link(TAGS);
            self.rules.is_moved = touched.moved.contains(TAGS);
        }
        let is_rules_open = self.rules.is_open;
        let has_large =
            touched.paths.iter().any(|path| is_large(path) && (path != TAGS || !is_rules_open));
        if touched.is_all || has_large || look.came_back {
            return self.sweep(look);
        }
        if touched.paths.iter().any(|path| path.starts_with(THEME)) {
            self.watch_theme(look.root);
        }
        let mut changes = Changes::new();
        let mut wanted = Vec::new();
        let mut gone = Vec::new();
        for path in &touched.paths {
            // Whoever writes a file anew empties it first, and then writes some of it: what is in it says
            // nothing yet of who may see it. That it was closed is told as well.
            let is_empty = || look.root.stamp(path).is_some_and(|it| it.length == 0);
            if self.is_being_written(path, look.root) || touched.open.contains(path) && is_empty() {
                continue;
            }
            let mut parts = path.splitn(3, '/');
            match (parts.next(), parts.next(), parts.next()) {
                (Some("content"), Some(shard), None) => {
                    if let Some(shard) = shard_named(shard) {
                        self.look_shard(shard, look.root, &mut wanted, &mut changes);
                    }
                }
                (Some("content"), Some(shard), Some(name)) => {
                    let half = Half::parse(name);
                    let half = half.filter(|half| Some(half.id.0 as u8) == shard_named(shard));
                    if let Some(half) = half {
                        self.look_half(half, look.root, &mut wanted, &mut changes);
                    }
                }
                (Some("pages"), Some(_), _) => {
                    let path = path.strip_prefix("pages/").unwrap_or_default();
                    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
                    let depth =
                        |path: &str| path.matches('/').count() + usize::from(!path.is_empty());
                    if path.split('/').any(is_ignored) {
                        continue;
                    }
                    let is_folder = look.root.has_folder(&format!("pages/{path}"));
                    let is_misnamed =
                        || !matches!(is_folder, Ok(true)) && is_nearly_folder_rules(name);
                    if name == FOLDER_RULES || is_misnamed() {
                        let depth = depth(folder);
                        self.look_folder(folder, depth, false, look, &mut wanted, &mut changes);
                        continue;
                    }
                    match is_folder {
                        Ok(true) => {
                            let depth = depth(path);
                            self.look_folder(path, depth, true, look, &mut wanted, &mut changes);
                        }
                        Ok(false) if self.folders.contains_key(path) => gone.push(path),
                        Ok(false) => self.look_file(path, look, &mut wanted, &mut changes),
                        // The next look at all files finds out.
                        Err(error) => tracing::warn!(path, %error, "it could not be looked at"),
                    }
                }
                _ => {}
            }
        }
        // After what came, so that a folder that was only moved is not taken from the watch again.
        if !self.layouts.pages.is_away {
            for path in gone {
                self.drop_folder(path, &mut changes);
            }
        }
        self.load(wanted, look, &mut changes);
        self.remember_layouts(look.root);
        let changes = latest(changes);
        // Most events are one of several about the same file.
        let is_new = |(id, meta): &(_, Option<_>)| books.any(*id) != meta.as_ref();
        changes.into_iter().filter(is_new).collect()
    }

    /// Looks at one object again.
    pub(in crate::cache) fn look_at(
        &mut self,
        meta: &PageMeta,
        look: &Look<'_>,
        books: &Books,
    ) -> Changes {
        let path = meta.place.path(meta.id);
        let paths = BTreeSet::from([format!("{path}.ron"), path]);
        // What is empty may be about to be written.
        let open = paths.clone();
        self.follow(&Touched { paths, open, ..Touched::default() }, look, books)
    }
}
