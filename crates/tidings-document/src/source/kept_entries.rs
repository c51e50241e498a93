//! The entries of one document, as far as they are kept.

use super::cover::Cover;
use crate::{Capability, Entry, Form, Hash, Head, Metadata, WalkLimits};

/// One entry that points to a document or a package.
pub(super) struct ChildDocument {
    pub(super) loc: String,
    pub(super) metadata: Metadata<'static>,
    pub(super) describes: Option<String>,
    pub(super) contents: Option<String>,
}

/// The entries of one document, as far as they are kept.
#[derive(Default)]
pub(super) struct KeptEntries {
    /// Only in documents that list documents or packages.
    pub(super) children: Vec<ChildDocument>,
    /// Only in documents that list resources.
    pub(super) cover: Cover,
}

impl KeptEntries {
    pub(super) fn take(&mut self, head: &Head<'_>, entry: &Entry<'_>) {
        let Some(capability) = head.capability() else { return };
        let resources = head.form == Form::List
            && (capability == Capability::ResourceList
                || capability.is_manifest()
                || capability.lists_changes());
        if resources {
            return self.cover.add(entry);
        }
        if self.children.len() < WalkLimits::DEFAULT.max_children {
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
            self.children.push(ChildDocument {
                loc: entry.loc.clone().into_owned(),
                metadata,
                describes,
                contents,
            });
        }
    }
}
