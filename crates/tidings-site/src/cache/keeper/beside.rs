//! Files beside restricted pages: a picture that a restricted page names, that is called as one is, or that
//! has none but restricted pages beside it, is as restricted as they are, unless a public page beside it
//! names it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::folders::{folders_above, has_public_files};
use super::named_files::{NamedFiles, named_in};
use super::{Keeper, Look, Wanted, join};
use crate::access::Access;
use crate::finding::{Fault, Finding};
use crate::load::is_page_name;
use crate::object_id::ObjectId;
use crate::path::normalized;

/// A page of a folder that has restricted pages.
#[derive(Debug)]
struct PageBeside {
    access: Access,
    named: NamedFiles,
    /// Since when its file is gone.
    gone: Option<Instant>,
}

/// The pages of one folder, and what follows for its files.
#[derive(Debug, Default)]
struct MixedFolder {
    pages: BTreeMap<Box<str>, PageBeside>,
    /// Files with what was applied to them when they were read.
    files: BTreeMap<Box<str>, Access>,
    /// Files of folders below that have no pages, by their paths from `pages/`.
    below: BTreeMap<Box<str>, Access>,
}

/// All folders that have a restricted page.
#[derive(Debug, Default)]
pub(super) struct Beside {
    folders: BTreeMap<Box<str>, MixedFolder>,
    /// Folders in which a page changed since their files were looked at.
    changed: BTreeSet<Box<str>>,
}

/// The name of a file without its extension.
fn stem_of(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

impl MixedFolder {
    /// Who may see a file of this name in this folder.
    fn access(&self, folder: &str, name: &str) -> Access {
        let path = join(folder, name);
        let (path, name) = (normalized(&path), normalized(name));
        let (open, closed): (Vec<_>, Vec<_>) =
            self.pages.values().partition(|page| page.access.is_public());
        // Nothing but a link to this very file opens it: one of the same name elsewhere is another.
        if open.iter().any(|page| page.named.links.contains(&*path)) {
            return Access::Public;
        }
        let naming = |page: &&PageBeside| page.named.names.contains(&*name);
        // `plan.pdf` and `plan.de.pdf` beside `plan.md`, and copies such as `plan.md.1`.
        let is_own = |page: &str| {
            let page = normalized(page);
            let rest = name.strip_prefix(stem_of(&page));
            name.starts_with(&*page)
                || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let own = self.pages.iter().filter(|(page, _)| is_own(page));
        let own = own.map(|(_, page)| page).filter(|page| !page.access.is_public());
        let named = closed.iter().copied().filter(naming).chain(own);
        let mut named = named.map(|page| &page.access);
        match named.next() {
            // Whoever may see one of the pages that name it.
            Some(first) => named.fold(first.clone(), |all, one| all.or(one)),
            // It is not known which of the pages it belongs to.
            None if open.is_empty() => {
                closed.iter().fold(Access::Public, |all, page| all.and(&page.access))
            }
            None => Access::Public,
        }
    }
}

impl MixedFolder {
    /// Who may see a file of a folder below that has no pages. Pages that are for everybody here may have some of
    /// those, and nobody knows which.
    fn access_below(&self, path: &str) -> Access {
        if self.pages.values().any(|page| page.access.is_public()) {
            return Access::Public;
        }
        let path = normalized(path);
        let naming = self.pages.values().filter(|page| page.named.links.contains(&*path));
        let mut naming = naming.map(|page| &page.access);
        match naming.next() {
            Some(first) => naming.fold(first.clone(), |all, one| all.or(one)),
            None => self.pages.values().fold(Access::Public, |all, page| all.and(&page.access)),
        }
    }

    /// Paths, in their normalized form, of files elsewhere that only restricted pages of this folder link to.
    fn linked_elsewhere(&self, folder: &str) -> BTreeMap<&str, &str> {
        let folder = normalized(folder);
        let (open, closed): (Vec<_>, Vec<_>) =
            self.pages.iter().partition(|(_, page)| page.access.is_public());
        let links = closed
            .into_iter()
            .flat_map(|(name, page)| page.named.links.iter().map(move |link| (&**link, &**name)));
        let is_open = |link: &str| open.iter().any(|(_, page)| page.named.links.contains(link));
        let is_here = |link: &str| link.rsplit_once('/').map_or("", |(above, _)| above) == &*folder;
        links.filter(|(link, _)| !is_here(link) && !is_open(link)).collect()
    }
}

impl Beside {
    /// Who may see a file that was read in a folder without pages, by those of the folder above that has some.
    pub(super) fn apply_below(&mut self, above: &str, path: &str) -> Access {
        let Some(mixed) = self.folders.get_mut(above) else { return Access::Public };
        let access = mixed.access_below(path);
        mixed.below.insert(path.into(), access.clone());
        access
    }

    /// Who may see a file that was read, by the pages beside it.
    pub(super) fn apply(&mut self, folder: &str, name: &str) -> Access {
        let Some(mixed) = self.folders.get_mut(folder) else { return Access::Public };
        let access = mixed.access(folder, name);
        mixed.files.insert(name.into(), access.clone());
        access
    }

    /// A page was read.
    pub(super) fn put(&mut self, folder: &str, name: &str, access: Access, look: &Look<'_>) {
        // The folder may have had no pages until now.
        for above in folders_above(folder).filter(|above| self.folders.contains_key(*above)) {
            self.changed.insert(above.into());
        }
        let is_mixed = self.folders.contains_key(folder);
        if access.is_public() && !is_mixed {
            return;
        }
        let page = PageBeside { access, named: named_in(folder, name, look), gone: None };
        self.folders.entry(folder.into()).or_default().pages.insert(name.into(), page);
        self.changed.insert(folder.into());
    }

    /// A page could not be understood: nobody may see it.
    pub(super) fn put_unreadable(&mut self, folder: &str, name: &str, look: &Look<'_>) {
        self.put(folder, name, Access::Deny, look);
    }

    /// A page is gone: what it says counts for a while.
    pub(super) fn leave(&mut self, folder: &str, name: &str) {
        let folder = self.folders.get_mut(folder);
        if let Some(page) = folder.and_then(|folder| folder.pages.get_mut(name)) {
            page.gone.get_or_insert_with(Instant::now);
        }
    }

    /// Forgets pages that have been gone for so long from folders that are there: those of a folder that comes
    /// back need not be the first of its files.
    pub(super) fn expire(&mut self, settle: Duration, has_folder: impl Fn(&str) -> bool) {
        for (path, folder) in &mut self.folders {
            if folder.pages.values().all(|page| page.gone.is_none()) {
                continue;
            }
            if !has_folder(path) {
                let gone = folder.pages.values_mut().filter_map(|page| page.gone.as_mut());
                gone.for_each(|gone| *gone = Instant::now());
                continue;
            }
            let before = folder.pages.len();
            folder.pages.retain(|_, page| page.gone.is_none_or(|gone| gone.elapsed() < settle));
            if folder.pages.len() != before {
                self.changed.insert(path.clone());
            }
        }
    }

    pub(super) fn forget(&mut self) {
        self.folders.clear();
    }
}

impl Keeper {
    /// The folder whose pages say who may see the files of one: it, or the next one above that has pages. The pages
    /// of the topmost folder say nothing of others, in which the rest of the site is.
    pub(super) fn folder_of_pages<'f>(&self, folder: &'f str) -> Option<&'f str> {
        let has_pages = |folder: &&str| {
            let files = self.folders.get(*folder);
            files.is_some_and(|files| files.keys().any(|name| is_page_name(name)))
        };
        let above: Vec<&str> = folders_above(folder).collect();
        let found = above.into_iter().rev().find(has_pages);
        found.filter(|found| *found == folder || !found.is_empty())
    }

    /// What is to be read again because pages beside it changed.
    pub(super) fn files_beside_changed(&mut self, look: &Look<'_>) -> Vec<Wanted> {
        let mut wanted = Vec::new();
        for path in std::mem::take(&mut self.beside.changed) {
            // Taken, so that the files can be looked at meanwhile.
            let Some(mut mixed) = self.beside.folders.remove(&path) else { continue };
            let findings = self.files_beside(&path, &mut mixed, look, &mut wanted);
            if mixed.pages.values().any(|page| !page.access.is_public()) {
                self.beside.folders.insert(path.clone(), mixed);
            }
            let key = format!("pages/{}", join(&path, "*"));
            if findings.is_empty() {
                self.findings.remove(&*key);
            } else {
                self.findings.insert(key.into(), findings);
            }
        }
        wanted
    }

    /// What is to be read again of one folder and those below, and what is wrong there.
    fn files_beside(
        &self,
        path: &str,
        mixed: &mut MixedFolder,
        look: &Look<'_>,
        wanted: &mut Vec<Wanted>,
    ) -> Vec<Finding> {
        let Some(files) = self.folders.get(path) else { return Vec::new() };
        // The public pages that were read before the folder had a restricted one.
        for name in files.keys().filter(|name| is_page_name(name)) {
            if !mixed.pages.contains_key(name) {
                let named = named_in(path, name, look);
                let page = PageBeside { access: Access::Public, named, gone: None };
                mixed.pages.insert(name.clone(), page);
            }
        }
        let is_mixed = mixed.pages.values().any(|page| !page.access.is_public())
            && !has_public_files(&self.folder_rules, path);
        mixed.files.retain(|name, _| files.contains_key(name));
        let mut restricted = Vec::new();
        for (name, (_, id)) in files.iter().filter(|(name, _)| !is_page_name(name)) {
            let access = if is_mixed { mixed.access(path, name) } else { Access::Public };
            if access != *mixed.files.get(name).unwrap_or(&Access::Public) {
                wanted.push(Wanted::File(join(path, name), *id));
            }
            if !access.is_public() {
                restricted.push(name.to_string());
            }
        }
        for (file, id) in self.files_below(path) {
            let (folder, _) = file.rsplit_once('/').unwrap_or(("", &file));
            let is_ours = is_mixed
                && self.folder_of_pages(folder) == Some(path)
                && !has_public_files(&self.folder_rules, folder);
            let access = if is_ours { mixed.access_below(&file) } else { Access::Public };
            if access != *mixed.below.get(&*file).unwrap_or(&Access::Public) {
                wanted.push(Wanted::File(file.clone(), id));
            }
            if !access.is_public() {
                restricted.push(file.strip_prefix(path).unwrap_or(&file)[1..].to_owned());
            }
        }
        if !is_mixed {
            return Vec::new();
        }
        let place = if path.is_empty() { "pages/".to_owned() } else { format!("pages/{path}/") };
        let inherited = inherited(&place, mixed, &restricted);
        inherited.into_iter().chain(self.shown_elsewhere(&place, path, mixed)).collect()
    }

    /// The files of all folders below one, but pages. Of the topmost folder, none: see [`Self::folder_of_pages`].
    fn files_below(&self, path: &str) -> Vec<(String, Option<ObjectId>)> {
        let folders = if path.is_empty() { Vec::new() } else { self.below(path) };
        let files = folders.iter().filter_map(|folder| Some((folder, self.folders.get(folder)?)));
        let files = files.flat_map(|(folder, files)| {
            let files = files.iter().filter(|(name, _)| !is_page_name(name));
            files.map(move |(name, (_, id))| (join(folder, name), *id))
        });
        files.collect()
    }

    /// A file elsewhere that a restricted page links to, and that is for everybody.
    fn shown_elsewhere(&self, place: &str, path: &str, mixed: &MixedFolder) -> Option<Finding> {
        let links = mixed.linked_elsewhere(path);
        let is_public = |folder: &str, file: &str, name: &str| {
            let own = self.beside.folders.get(folder);
            self.folder_access(folder).is_public()
                && mixed.below.get(file).is_none_or(Access::is_public)
                && own.is_none_or(|own| own.access(folder, name).is_public())
        };
        let parent = |link: &&str| link.rsplit_once('/').map_or("", |(above, _)| above).to_owned();
        let linked: BTreeSet<String> = links.keys().map(parent).collect();
        let folders = self.folders.iter();
        let mut shown = folders
            .filter(|(folder, _)| linked.contains(&*normalized(folder)))
            .filter(|(folder, _)| !has_public_files(&self.folder_rules, folder))
            .flat_map(|(folder, files)| files.keys().map(move |name| (folder, name)))
            .filter(|(_, name)| !is_page_name(name))
            .filter_map(|(folder, name)| {
                let file = join(folder, name);
                let page = *links.get(&*normalized(&file))?;
                is_public(folder, &file, name).then_some((file, page))
            });
        let (file, page) = shown.next()?;
        let more = match shown.count() {
            0 => String::new(),
            1 => ", and so is one more".to_owned(),
            more => format!(", and so are {more} more"),
        };
        let message = format!(
            "pages/{file} is for everybody{more}, though {page}, which is not, links to it; put it beside the page, \
             restrict its folder in _folder.toml, or say files = \"public\" there"
        );
        Some(Finding { place: place.to_owned(), fault: Fault::PublicFile, message })
    }
}

fn inherited(place: &str, mixed: &MixedFolder, files: &[String]) -> Option<Finding> {
    let file = files.first()?;
    let page =
        mixed.pages.iter().find(|(_, page)| !page.access.is_public()).map(|(name, _)| name)?;
    let more = match files.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(Finding {
        place: place.to_owned(),
        fault: Fault::Inherited,
        message: format!(
            "{file}{more} beside {page} are as restricted as the pages there; link to them in a public page, or \
             say files = \"public\" in _folder.toml, if they are for everybody"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_for_those_who_may_see_the_pages_that_name_it() {
        let page = |roles: &str, names: &[&str]| PageBeside {
            access: if roles.is_empty() {
                Access::Public
            } else {
                Access::any_of(roles.split(' ').map(str::to_owned))
            },
            named: NamedFiles {
                names: names.iter().map(|name| (*name).to_owned()).collect(),
                links: names.iter().map(|name| (*name).to_owned()).collect(),
            },
            gone: None,
        };
        let pages = [
            ("open.md".into(), page("", &["both.png"])),
            ("one.md".into(), page("a b", &["both.png", "one.png", "shared.png"])),
            ("two.md".into(), page("b c", &["shared.png"])),
        ];
        let mut folder = MixedFolder { pages: pages.into(), ..MixedFolder::default() };
        let of = |roles: &str| Access::any_of(roles.split(' ').map(str::to_owned));
        assert_eq!(folder.access("", "both.png"), Access::Public);
        assert_eq!(folder.access("", "One.png"), of("a b"));
        assert_eq!(folder.access("", "shared.png"), of("a b c"));
        assert_eq!(folder.access("", "two.pdf"), of("b c"));
        assert_eq!(folder.access("", "open.pdf"), Access::Public);
        assert_eq!(folder.access("", "other.png"), Access::Public);
        folder.pages.remove("open.md");
        assert_eq!(folder.access("", "other.png"), of("b"));
    }
}
