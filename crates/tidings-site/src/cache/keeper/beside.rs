//! Files beside restricted pages: a picture that a restricted page names, that is called as one is, or that
//! has none but restricted pages beside it, is as restricted as they are, unless a public page beside it
//! names it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::{Duration, Instant};

use percent_encoding::percent_decode_str;

use super::folders::has_public_files;
use super::{Keeper, Look, Wanted, join};
use crate::access::Access;
use crate::finding::{Fault, Finding};
use crate::front_matter::FrontMatter;
use crate::load::is_page_name;
use crate::markdown::linked_files;
use crate::path::normalized;

/// The longest page that is searched for names of files.
const MAX_SEARCHED_BYTES: usize = 8 << 20;

/// A page of a folder that has restricted pages.
#[derive(Debug)]
struct PageBeside {
    access: Access,
    named: NamedFiles,
    /// Since when its file is gone.
    gone: Option<Instant>,
}

/// The files that a page names.
#[derive(Debug, Default)]
pub(super) struct NamedFiles {
    /// Names without their folders, wherever they could be meant as those of files.
    names: HashSet<String>,
    /// Paths from `pages/` that the page links to or shows.
    pub(super) links: HashSet<String>,
}

/// The pages of one folder, and what follows for its files.
#[derive(Debug, Default)]
struct MixedFolder {
    pages: BTreeMap<Box<str>, PageBeside>,
    /// Files with what was applied to them when they were read.
    files: BTreeMap<Box<str>, Access>,
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

impl Beside {
    /// Who may see a file that was read, by the pages beside it.
    pub(super) fn apply(&mut self, folder: &str, name: &str) -> Access {
        let Some(mixed) = self.folders.get_mut(folder) else { return Access::Public };
        let access = mixed.access(folder, name);
        mixed.files.insert(name.into(), access.clone());
        access
    }

    /// A page was read.
    pub(super) fn put(&mut self, folder: &str, name: &str, access: Access, look: &Look<'_>) {
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
    /// What is to be read again because pages beside it changed.
    pub(super) fn files_beside_changed(&mut self, look: &Look<'_>) -> Vec<Wanted> {
        let mut wanted = Vec::new();
        for path in std::mem::take(&mut self.beside.changed) {
            let Some(files) = self.folders.get(&path) else { continue };
            let Some(mixed) = self.beside.folders.get_mut(&path) else { continue };
            // The public pages that were read before the folder had a restricted one.
            for name in files.keys().filter(|name| is_page_name(name)) {
                if !mixed.pages.contains_key(name) {
                    let named = named_in(&path, name, look);
                    let page = PageBeside { access: Access::Public, named, gone: None };
                    mixed.pages.insert(name.clone(), page);
                }
            }
            let is_mixed = mixed.pages.values().any(|page| !page.access.is_public())
                && !has_public_files(&self.folder_rules, &path);
            mixed.files.retain(|name, _| files.contains_key(name));
            let mut restricted = Vec::new();
            for (name, (_, id)) in files.iter().filter(|(name, _)| !is_page_name(name)) {
                let access = if is_mixed { mixed.access(&path, name) } else { Access::Public };
                if access != *mixed.files.get(name).unwrap_or(&Access::Public) {
                    wanted.push(Wanted::File(join(&path, name), *id));
                }
                if !access.is_public() {
                    restricted.push(&**name);
                }
            }
            let place =
                if path.is_empty() { "pages/".to_owned() } else { format!("pages/{path}/") };
            let finding = inherited(&place, mixed, &restricted);
            if mixed.pages.values().all(|page| page.access.is_public()) {
                self.beside.folders.remove(&path);
            }
            match finding {
                Some(finding) if is_mixed => {
                    self.findings.insert(format!("{place}*").into(), vec![finding]);
                }
                _ => drop(self.findings.remove(&*format!("{place}*"))),
            }
        }
        wanted
    }
}

fn inherited(place: &str, mixed: &MixedFolder, files: &[&str]) -> Option<Finding> {
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

/// The files that a page names.
pub(super) fn named_in(folder: &str, name: &str, look: &Look<'_>) -> NamedFiles {
    let path = format!("pages/{}", join(folder, name));
    let Ok((bytes, _)) = look.root.read(&path, MAX_SEARCHED_BYTES) else {
        return NamedFiles::default();
    };
    let start = FrontMatter::read(&bytes).map_or(0, |(_, start)| start);
    let links = linked_files(&String::from_utf8_lossy(&bytes[start..]), folder);
    let mut names = names_of_links(&String::from_utf8_lossy(&bytes));
    names.extend(links.iter().map(|path| path.rsplit('/').next().unwrap_or(path).to_owned()));
    NamedFiles { names, links }
}

fn names_of_links(text: &str) -> HashSet<String> {
    let mut names = HashSet::new();
    let is_mark = |letter: char| "()[]<>\"'`=|,;{}\n".contains(letter);
    let words = text.split(is_mark).flat_map(|span| span.split_whitespace().chain([span]));
    // Names may have marks in them, in Obsidian's links and in values of front matter.
    let spans = text.split(['[', ']', '|', '\n', '"']);
    let values = text.lines().filter_map(|line| line.split_once(": ")).map(|(_, value)| value);
    for word in words.chain(spans).chain(values) {
        let word = word.split(['?', '#']).next().unwrap_or_default();
        let last = word.rsplit(['/', '\\']).next().unwrap_or_default();
        // A backslash is one of Windows, or lets the next letter stand for itself.
        let unescaped = word.rsplit('/').next().unwrap_or_default().replace('\\', "");
        for word in [last, &unescaped] {
            let word = word.trim_matches(|letter: char| letter.is_whitespace() || letter == '\'');
            if word.contains('.') && word.len() < 512 {
                names
                    .insert(normalized(&percent_decode_str(word).decode_utf8_lossy()).into_owned());
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_found_in_links() {
        let names = names_of_links(
            "# A\n![x](img/One.png \"title\") [y](<two three.pdf>) <img src=\"./four%20five.jpg?v=1\">\n\
             image: six.webp\n[r]: seven.gif\n![[eight (8).png|200]] a\\nine.png ten\\_10.png\ncover: it's 11.png\n",
        );
        for name in [
            "one.png",
            "two three.pdf",
            "four five.jpg",
            "six.webp",
            "seven.gif",
            "eight (8).png",
            "nine.png",
            "ten_10.png",
            "it's 11.png",
        ] {
            assert!(names.contains(name), "{name} {names:?}");
        }
    }

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
        let mut folder = MixedFolder { pages: pages.into(), files: BTreeMap::new() };
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
