//! The files that say who may see what has tags: the last good text stays in force.

use std::collections::BTreeSet;
use std::io;

use rustix::fs::{AtFlags, CWD, statat};

use super::Keeper;
use crate::books::Books;
use crate::finding::{Fault, Finding};
use crate::journal::Journal;
use crate::page_meta::Stamp;
use crate::root::ContentRoot;
use crate::tag_rules::{RefusedRules, TagRules, parse_roles};

/// The longest file of tags or roles.
const MAX_RULES_BYTES: usize = 4 << 20;
/// How many tags a finding names.
const NAMED_TAGS: usize = 5;
pub(super) const TAGS: &str = "state/sys/tags.yaml";
pub(super) const ROLES: &str = "state/sys/roles.yaml";

/// The rules that are in force, and the file that they come from.
#[derive(Debug, Default)]
pub(super) struct RulesFile {
    /// The rules in force, all of which count; none if none were ever known.
    pub(super) rules: Vec<TagRules>,
    /// The last text that could be used.
    text: Option<Vec<u8>>,
    /// The file as it was read last, if it was read at all.
    seen: Option<Option<Stamp>>,
    /// The file of roles as it was read last.
    seen_roles: Option<Option<Stamp>>,
    /// True while somebody writes it.
    pub(super) is_open: bool,
    /// True if it came by a rename. It is whole if it is another file than the one that was read last.
    pub(super) is_moved: bool,
    /// True if the text is not in the journal yet.
    is_unsaved: bool,
}

impl RulesFile {
    /// The rules that were in force when the program ended.
    pub(super) fn from_journal(journal: &Journal) -> Self {
        let text = journal.rules(TAGS).unwrap_or_else(|error| {
            tracing::error!(%error, "the last rules could not be read");
            None
        });
        let rules = text.as_ref().and_then(|text| TagRules::parse(text).ok());
        Self { rules: rules.into_iter().collect(), text, ..Self::default() }
    }

    /// Whether the file is another than the one that was read last.
    pub(super) fn is_stale(&self, root: &ContentRoot) -> bool {
        !self.is_open && (self.is_unsaved || self.seen != Some(root.stamp(TAGS)))
    }
}

fn unread(reason: String) -> RefusedRules {
    RefusedRules { reason, stricter: None }
}

/// What a file of rules has in it; none if there is no such file. A link that leads nowhere is there.
fn read(root: &ContentRoot, place: &str) -> Result<Option<Vec<u8>>, String> {
    // More than is allowed, so that it is refused, and not taken for less than it is.
    match root.read(place, MAX_RULES_BYTES + 1) {
        Ok((bytes, _)) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let is_link = statat(CWD, root.path().join(place), AtFlags::SYMLINK_NOFOLLOW).is_ok();
            if is_link { Err("it is a link that leads nowhere".to_owned()) } else { Ok(None) }
        }
        Err(error) => Err(format!("it could not be read: {error}")),
    }
}

impl Keeper {
    /// Reads what tags say. True if that is other than before.
    ///
    /// What cannot be used changes nothing: the last good rules stay, and those are in the journal before
    /// they are used, so that they stay over a restart, too.
    pub(super) fn read_rules(&mut self, root: &ContentRoot) -> bool {
        let roles = Some(root.stamp(ROLES));
        if self.rules.seen_roles != roles {
            self.rules.seen_roles = roles;
            self.read_roles(root);
        }
        if !self.rules.is_stale(root) {
            return false;
        }
        let stamp = root.stamp(TAGS);
        let inode = |stamp: Option<Stamp>| stamp.map(|stamp| stamp.inode);
        let is_other = inode(self.rules.seen.flatten()) != inode(stamp);
        self.rules.seen = Some(stamp);
        let last = self.rules.text.as_deref();
        let usable = match read(root, TAGS) {
            Ok(Some(bytes)) => {
                // Whoever writes to it after the rename makes another one of it.
                let is_moved = self.rules.is_moved && is_other && root.stamp(TAGS) == stamp;
                let rules = TagRules::parse_replacing(&bytes, last, is_moved);
                rules.map(|rules| (rules, Some(bytes)))
            }
            Ok(None) if last.is_none() => Ok((TagRules::default(), None)),
            Ok(None) => {
                Err(unread("it is missing; write {} into it if there are no tags".to_owned()))
            }
            Err(reason) => Err(unread(reason)),
        };
        let before = self.rules.rules.clone();
        match usable {
            Ok((rules, text)) => {
                self.findings.remove(TAGS);
                self.use_rules(rules, text);
            }
            Err(refused) => {
                self.refuse_rules(TAGS, &refused.reason);
                // What it restricts counts, what it opens does not.
                if let Some(stricter) = refused.stricter {
                    self.rules.rules = vec![stricter];
                }
            }
        }
        before != self.rules.rules
    }

    fn use_rules(&mut self, rules: TagRules, text: Option<Vec<u8>>) {
        self.rules.is_unsaved = false;
        let Some(text) = text else {
            self.rules.rules = vec![rules];
            return;
        };
        if self.rules.text.as_ref() != Some(&text)
            && let Some(journal) = &self.journal
            && let Err(error) = journal.keep_rules(TAGS, &text)
        {
            tracing::error!(%error, "new rules could not be kept; the last ones count as well");
            self.rules.is_unsaved = true;
            self.rules.rules.truncate(1);
            self.rules.rules.push(rules);
            return;
        }
        self.rules.text = Some(text);
        self.rules.rules = vec![rules];
    }

    fn refuse_rules(&mut self, place: &str, reason: &str) {
        let is_known = !self.rules.rules.is_empty();
        let effect = if is_known {
            "the last rules that could be used stay in force"
        } else {
            "nothing that has tags is public until then"
        };
        let message = format!("{reason}; {effect}");
        tracing::error!(place, message, "rules could not be used");
        let finding = Finding { place: place.into(), fault: Fault::Rules, message };
        self.findings.insert(place.into(), vec![finding]);
    }

    /// One finding for all tags that objects have where no tags are known: they restrict nothing.
    pub(super) fn tags_without_rules(&self, books: &Books) -> Option<Finding> {
        if !self.rules.rules.last()?.tags.is_empty() {
            return None;
        }
        let tags = books.all().flat_map(|meta| meta.tags.iter());
        let tags: BTreeSet<&str> = tags.map(|tag| &**tag).collect();
        let named: Vec<String> =
            tags.iter().take(NAMED_TAGS).map(|tag| format!("{tag:?}")).collect();
        let more = match tags.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let message = format!(
            "it has no tags, or is not there, and so the tags of objects restrict nothing: {}{more}",
            named.join(", ")
        );
        let finding = Finding { place: TAGS.into(), fault: Fault::UnknownTag, message };
        Some(finding).filter(|_| !tags.is_empty())
    }

    /// Keeps the last list of roles that could be read.
    fn read_roles(&mut self, root: &ContentRoot) {
        let Some(journal) = self.journal.clone() else { return };
        let last = journal.rules(ROLES).unwrap_or_default();
        let reason = match read(root, ROLES) {
            Ok(None) if last.is_none() => None,
            Ok(None) => Some("it is missing".to_owned()),
            Ok(Some(bytes)) => match parse_roles(&bytes) {
                Ok(roles) if !roles.is_empty() || last.is_none() => {
                    if last.as_ref() != Some(&bytes)
                        && let Err(error) = journal.keep_rules(ROLES, &bytes)
                    {
                        tracing::warn!(%error, "the roles could not be kept");
                    }
                    None
                }
                Ok(_) => Some("it has no roles any more".to_owned()),
                Err(error) => Some(error.to_string()),
            },
            Err(reason) => Some(reason),
        };
        match reason {
            None => drop(self.findings.remove(ROLES)),
            Some(reason) => {
                let message = format!("{reason}; the roles that it had last stay");
                let finding = Finding { place: ROLES.into(), fault: Fault::Rules, message };
                self.findings.insert(ROLES.into(), vec![finding]);
            }
        }
    }
}
