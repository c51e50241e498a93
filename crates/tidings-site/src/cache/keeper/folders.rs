//! The rules of folders: `_folder.toml`.

use std::collections::BTreeMap;
use std::time::Instant;

use super::{Keeper, Look, Wanted, join};
use crate::access::Access;
use crate::finding::{Fault, Finding};
use crate::folder_rules::{FOLDER_RULES, FolderRules, MAX_FOLDER_RULES_BYTES};
use crate::load;
use crate::page_meta::Stamp;
use crate::spelling::is_within;

/// A folder that Jekyll has its drafts in.
const DRAFTS: &str = "_drafts";

/// Whether a folder is called so, or nearly so.
fn is_drafts(name: &str) -> bool {
    name.starts_with('_') && is_within(&name.to_lowercase(), DRAFTS, 1)
}

/// The rules of one folder as they were read last.
#[derive(Debug)]
pub(super) struct ReadFolderRules {
    rules: FolderRules,
    text: Vec<u8>,
    stamp: Option<Stamp>,
    /// Since when the file is gone.
    gone: Option<Instant>,
}

/// The path of a folder of `pages/` from the content root.
pub(super) fn path_of(folder: &str) -> String {
    if folder.is_empty() { "pages".to_owned() } else { format!("pages/{folder}") }
}

fn place_of(folder: &str) -> String {
    format!("pages/{}", join(folder, FOLDER_RULES))
}

/// Whether the files of a folder stay as public as the folder is.
pub(super) fn has_public_files(all: &BTreeMap<Box<str>, ReadFolderRules>, folder: &str) -> bool {
    all.get(folder).is_some_and(|read| read.rules.has_public_files)
}

/// A folder and those that it is in, from the outermost.
pub(super) fn folders_above(folder: &str) -> impl Iterator<Item = &str> {
    let ends = folder.match_indices('/').map(|(end, _)| &folder[..end]);
    let own = (!folder.is_empty()).then_some(folder);
    std::iter::once("").chain(ends).chain(own)
}

impl Keeper {
    /// Who may see what is in a folder, by the folder and those that it is in.
    pub(super) fn folder_access(&self, folder: &str) -> Access {
        if folder.split('/').any(is_drafts) || self.is_folder_arriving(folder) {
            return Access::Deny;
        }
        if folders_above(folder).any(|folder| self.sections.is_closed(folder)) {
            return Access::Deny;
        }
        let rules = folders_above(folder).filter_map(|folder| self.folder_rules.get(folder));
        let each = rules.map(|read| {
            let tags = read.rules.guard.tags.iter().map(String::as_str);
            read.rules.guard.own.and(&load::access(&self.rules.rules, tags))
        });
        each.fold(Access::Public, |all, one| all.and(&one))
    }

    /// Reads the rules of a folder if they are other than before: then all in it is to be read again.
    pub(super) fn look_folder_rules(
        &mut self,
        folder: &str,
        stamp: Option<Stamp>,
        look: &Look<'_>,
        wanted: &mut Vec<Wanted>,
    ) {
        let known = self.folder_rules.get(folder);
        let place = place_of(folder);
        let last_tags = known.map(|read| read.rules.guard.tags.clone()).unwrap_or_default();
        match (stamp, known) {
            (None, None) => {
                // The rules that the program ended with count for a while.
                let Some(guard) = self.guards.get(&place).cloned() else { return };
                let rules = FolderRules { guard, ..FolderRules::closed() };
                let gone = Some(Instant::now());
                let read = ReadFolderRules { rules, text: Vec::new(), stamp: None, gone };
                self.folder_rules.insert(folder.into(), read);
                self.guards.leave(&place);
            }
            (None, Some(_)) => return self.leave_folder_rules(folder),
            (Some(stamp), Some(read)) if read.stamp == Some(stamp) && read.gone.is_none() => return,
            (Some(stamp), known) => {
                let last = known.filter(|read| read.gone.is_none() || !read.text.is_empty());
                let (rules, text) = match read(&place, last, look) {
                    Ok((rules, text)) => {
                        self.find(&place, odd_keys(&place, &rules));
                        self.guards.set(&place, Some(rules.guard.clone()));
                        (rules, text)
                    }
                    Err(reason) => {
                        let kept = last.map(|read| (read.rules.clone(), read.text.clone()));
                        let message = format!(
                            "{reason}; the folder is as restricted as it was, or for nobody"
                        );
                        let fault = Fault::Misspelt;
                        self.find(&place, vec![Finding { place: place.clone(), fault, message }]);
                        self.guards.hold(&place);
                        kept.unwrap_or_else(|| {
                            let guard = self.guards.get(&place).cloned();
                            let closed = FolderRules::closed();
                            let guard = guard.unwrap_or_else(|| closed.guard.clone());
                            (FolderRules { guard, ..closed }, Vec::new())
                        })
                    }
                };
                if let Some(moment) = rules.next_change {
                    self.timed.insert(place.into(), moment);
                }
                let tags = rules.guard.tags.clone();
                self.arrive_folder_rules(folder, &tags, &last_tags);
                let read = ReadFolderRules { rules, text, stamp: Some(stamp), gone: None };
                let before = self.folder_rules.insert(folder.into(), read);
                let is_same = before.is_some_and(|before| {
                    self.folder_rules.get(folder).is_some_and(|now| now.rules == before.rules)
                });
                if is_same {
                    return;
                }
            }
        }
        self.want_below(folder, wanted);
    }

    /// Closes a folder whose rules are in a file of another name, so that nobody knows what they say.
    pub(super) fn close_folder(
        &mut self,
        folder: &str,
        name: &str,
        stamp: Stamp,
        wanted: &mut Vec<Wanted>,
    ) {
        let place = place_of(folder);
        let message = format!(
            "the file was probably meant to be {FOLDER_RULES}; rename or remove it: the folder is for nobody \
             meanwhile"
        );
        let misnamed = format!("pages/{}", join(folder, name));
        self.find(&place, vec![Finding { place: misnamed, fault: Fault::Misspelt, message }]);
        self.guards.hold(&place);
        self.timed.remove(&*place);
        let (stamp, rules) = (Some(stamp), FolderRules::closed());
        let read = ReadFolderRules { rules, text: Vec::new(), stamp, gone: None };
        let before = self.folder_rules.insert(folder.into(), read);
        if before.is_none_or(|before| before.rules != FolderRules::closed()) {
            self.want_below(folder, wanted);
        }
    }

    /// The rules of a folder are to be read again, whatever their file is like.
    pub(super) fn forget_folder_rules_stamp(&mut self, folder: &str) {
        if let Some(read) = self.folder_rules.get_mut(folder) {
            read.stamp = None;
        }
    }

    /// A folder is gone, and its rules with it.
    pub(super) fn look_gone_folder(&mut self, folder: &str) {
        self.leave_folder_rules(folder);
    }

    /// The rules of a folder are gone: they count for a while.
    fn leave_folder_rules(&mut self, folder: &str) {
        let place = place_of(folder);
        if let Some(read) = self.folder_rules.get_mut(folder) {
            read.gone.get_or_insert_with(Instant::now);
            read.stamp = None;
        }
        self.guards.leave(&place);
    }

    /// Forgets rules whose files have been gone for long enough from folders that are there. A folder that is
    /// gone may come back, file by file, and that with the rules need not be the first.
    pub(super) fn expire_folder_rules(&mut self, look: &Look<'_>, wanted: &mut Vec<Wanted>) {
        let settle = self.settle;
        for (folder, read) in self.folder_rules.iter_mut().filter(|(_, read)| read.gone.is_some()) {
            if !look.root.has_folder(&path_of(folder)).unwrap_or_default() {
                read.gone = Some(Instant::now());
            }
        }
        let due = |read: &ReadFolderRules| read.gone.is_some_and(|gone| gone.elapsed() >= settle);
        let gone: Vec<Box<str>> = self
            .folder_rules
            .iter()
            .filter(|(_, read)| due(read))
            .map(|(folder, _)| folder.clone())
            .collect();
        for folder in gone {
            self.folder_rules.remove(&folder);
            self.findings.remove(&*place_of(&folder));
            self.guards.set(&place_of(&folder), None);
            self.want_below(&folder, wanted);
        }
    }

    /// All files of a folder and those below it are to be read again.
    pub(super) fn want_below(&self, folder: &str, wanted: &mut Vec<Wanted>) {
        let below = self.below(folder);
        for path in below.iter().map(|path| &**path).chain([folder]) {
            let files = self.folders.get(path).into_iter().flatten();
            wanted.extend(files.map(|(name, (_, id))| Wanted::File(join(path, name), *id)));
        }
    }
}

/// Reads the file. One that has only the beginning of what it had is not taken for whole.
fn read(
    place: &str,
    last: Option<&ReadFolderRules>,
    look: &Look<'_>,
) -> Result<(FolderRules, Vec<u8>), String> {
    let (text, _) = look
        .root
        .read(place, MAX_FOLDER_RULES_BYTES)
        .map_err(|error| format!("it could not be read: {error}"))?;
    if last.is_some_and(|last| text.len() < last.text.len() && last.text.starts_with(&text)) {
        return Err("it has only the beginning of what it had".to_owned());
    }
    let now = jiff::Timestamp::now().as_second();
    Ok((FolderRules::parse(&text, now)?, text))
}

fn odd_keys(place: &str, rules: &FolderRules) -> Vec<Finding> {
    let found = rules.odd_keys.iter().map(|odd| {
        let (fault, effect) = if odd.is_withheld {
            (Fault::Misspelt, "the folder is for nobody until that is mended")
        } else {
            (Fault::UnknownKey, "it says nothing")
        };
        let message = format!("`{}` is not understood; {effect}", odd.key);
        Finding { place: place.to_owned(), fault, message }
    });
    found.collect()
}
