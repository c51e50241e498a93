//! What is to be fetched.

use tidings_document::{Capability, Entry, Metadata, Moment};

use super::role::Role;
use crate::Set;
use crate::layout::{self, is_part};

/// One file that is to be fetched, and what is said of it where it is listed.
#[derive(Debug, Clone)]
pub(super) struct Want {
    /// Its name below the base.
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) said: Said,
}

/// What is said of a file where it is listed.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    pub(super) at: Option<Moment>,
    pub(super) from: Option<Moment>,
    pub(super) until: Option<Moment>,
    pub(super) length: Option<u64>,
    pub(super) hash: Option<String>,
}

impl Said {
    /// What an entry says, both of the bytes and of the times.
    pub(super) fn by(entry: &Entry<'_>) -> Self {
        let Metadata { length, hash, .. } = &entry.metadata;
        let hash = hash.as_ref().map(|hash| hash.as_str().to_owned());
        Self { length: *length, hash, ..Self::times(entry) }
    }

    /// What an entry says of the times alone.
    pub(super) fn times(entry: &Entry<'_>) -> Self {
        let Metadata { at, from, until, .. } = entry.metadata;
        Self { at, from, until, ..Self::default() }
    }

    /// True if a document of these times can be meant. Where an interval is said to be open, a
    /// document that is closed is one of a later publication.
    pub(super) fn fits(&self, of: &Metadata<'_>) -> bool {
        let fits = |said: Option<Moment>, is: Option<Moment>| said.is_none() || said == is;
        let interval = self.from.is_none() || self.until == of.until;
        fits(self.at, of.at) && fits(self.from, of.from) && interval
    }
}

impl Want {
    pub(super) fn new(name: impl Into<String>, role: Role) -> Self {
        Self { name: name.into(), role, said: Said::default() }
    }

    /// True if a file of that role may have that name: then the publisher finds it there again, and
    /// no other file of the site is in danger.
    pub(super) fn is_in_place(&self) -> bool {
        let in_set = |document: &str| {
            self.name.rsplit_once('/').is_some_and(|(_, last)| last == document) && self.is_of_set()
        };
        match self.role {
            Role::Description => self.name == layout::DESCRIPTION,
            Role::CapabilityList => in_set(layout::CAPABILITY_LIST),
            Role::About => in_set(layout::ABOUT),
            Role::Top(Capability::ResourceList) => in_set(layout::RESOURCE_LIST),
            Role::Top(Capability::ChangeList) => in_set(layout::CHANGE_LIST),
            Role::Top(Capability::ResourceDump) => in_set(layout::RESOURCE_DUMP),
            Role::Top(Capability::ChangeDump) => in_set(layout::CHANGE_DUMP),
            Role::Top(_) => false,
            Role::Sitemap => self.name == layout::SITEMAP,
            Role::SitemapPart => is_part(&self.name, "sitemap"),
            Role::Robots => self.name == layout::ROBOTS,
            Role::DescriptionPart
            | Role::Part(_)
            | Role::Package
            | Role::Manifest(_)
            | Role::Patch => is_own(&self.name),
        }
    }

    /// True for a name right in the folder of the only set, or of a set.
    fn is_of_set(&self) -> bool {
        match self.name.split('/').collect::<Vec<_>>()[..] {
            ["resourcesync", _] => true,
            ["resourcesync", set, _] => Set::is_name(set),
            _ => false,
        }
    }
}

/// True for a name in the folder of our documents, of plain characters: nothing that is hidden, or
/// that means something else in a URL than in a path.
fn is_own(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    name.strip_prefix("resourcesync/").is_some_and(|rest| {
        rest.split('/')
            .all(|part| !part.is_empty() && !part.starts_with('.') && part.bytes().all(plain))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_where_the_publisher_puts_them() {
        let list = Role::Top(Capability::ResourceList);
        for (name, role) in [
            ("resourcesync/resourcelist.xml", list),
            ("resourcesync/art/resourcelist.xml", list),
            ("resourcesync/art/a-1.zip", Role::Package),
            ("sitemap-20261115100000000-00001.xml", Role::SitemapPart),
        ] {
            assert!(Want::new(name, role).is_in_place(), "{name}");
        }
        for (name, role) in [
            ("resourcesync/a.xml", list),
            ("resourcesync/a/b/resourcelist.xml", list),
            ("resourcesync/%2e%2e/resourcelist.xml", list),
            ("index.html", Role::Package),
            ("resourcesync/.lock", Role::Package),
            ("resourcesync/../index.html", Role::Package),
            ("resourcesync/%2e%2e/index.html", Role::Package),
            ("resourcesync/a?b", Role::Package),
            ("resourcesync/a\\b", Role::Package),
            ("resourcesync/", Role::Package),
            ("sitemap-mine.xml", Role::SitemapPart),
        ] {
            assert!(!Want::new(name, role).is_in_place(), "{name}");
        }
    }
}
