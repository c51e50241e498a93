//! The Resource List, and the Sitemap beside it.

use tidings_document::{Capability, Capacity, Entry, Form, Head, Moment};

use super::fixed::is_ours;
use super::lists::Lists;
use super::place::{Desk, Staged};
use crate::layout::{self, Layout};
use crate::{PublishError, Resource};

/// What is there, on its way to the Resource List and the Sitemap.
pub(super) struct Snapshot {
    layout: Layout,
    list: Lists,
    pages: Lists,
}

impl Snapshot {
    pub(super) fn begin(desk: &Desk, at: Moment, most: u64) -> Result<Self, PublishError> {
        let up = desk.layout.url(layout::CAPABILITY_LIST);
        let head = Head::snapshot(Capability::ResourceList, Form::List, at, up);
        let capacity = Capacity { entries: most, ..Capacity::default() };
        let list = Lists::begin(desk, layout::RESOURCE_LIST, head, capacity)?;
        let pages = Lists::begin(desk, layout::SITEMAP, Head::sitemap(Form::List), capacity)?;
        Ok(Self { layout: desk.layout.clone(), list, pages })
    }

    pub(super) fn add(&mut self, resource: &Resource) -> Result<(), PublishError> {
        self.list.write(&resource.entry())?;
        if resource.media_type.as_deref() == Some("text/html") {
            let mut page = Entry::new(resource.uri.as_str());
            page.lastmod = resource.lastmod;
            self.pages.write(&page)?;
        }
        Ok(())
    }

    /// Stages the lists: parts first, then the index that points to them.
    /// They speak of `at`, which is when the last change came about.
    pub(super) fn stage(self, staged: &mut Staged, at: Moment) -> Result<(), PublishError> {
        let up = self.layout.url(layout::CAPABILITY_LIST);
        let index = Head::snapshot(Capability::ResourceList, Form::Index, at, up);
        self.list.stage(staged, &index, at)?;
        // A Sitemap that somebody else wrote is theirs.
        if is_ours(&self.layout, layout::SITEMAP) {
            self.pages.stage(staged, &Head::sitemap(Form::Index), at)?;
        }
        Ok(())
    }
}
