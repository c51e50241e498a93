//! What is kept of the entries of one document.

use super::cover::Cover;
use crate::{Capability, Entry, Form, Hash, Head, Metadata};

/// More children than that are not kept: no Source could be followed through so many.
const MOST_CHILDREN: usize = 50_000;

/// One entry that points to a document or a package.
pub(super) struct Child {
    pub(super) loc: String,
    pub(super) metadata: Metadata<'static>,
    pub(super) describes: Option<String>,
    pub(super) contents: Option<String>,
}

#[derive(Default)]
pub(super) struct Gathered {
    /// Only in documents that list documents or packages.
    pub(super) children: Vec<Child>,
    /// Only in documents that list resources.
    pub(super) cover: Cover,
}

impl Gathered {
    pub(super) fn take(&mut self, head: &Head<'_>, entry: &Entry<'_>) {
        let Some(capability) = head.capability() else { return };
        let resources = head.form == Form::List
            && (capability == Capability::ResourceList
                || capability.is_manifest()
                || capability.lists_changes());
        if resources {
            return self.cover.add(entry);
        }
        if self.children.len() < MOST_CHILDREN {
            let href = |rel| entry.link(rel).map(|link| link.href.clone().into_owned());
            let md = &entry.metadata;
            let metadata = Metadata {
                capability: md.capability,
                at: md.at,
                from: md.from,
                until: md.until,
                length: md.length,
                hash: md.hash.clone().map(Hash::into_owned),
                ..Metadata::default()
            };
            let (describes, contents) = (href("describes"), href("contents"));
            self.children.push(Child {
                loc: entry.loc.clone().into_owned(),
                metadata,
                describes,
                contents,
            });
        }
    }
}
