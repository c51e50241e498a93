//! What a document leads to.

use std::fs::File;

use tidings_document::{
    Capability, Entry, EntryTarget, Form, Head, Link, Moment, PATCH, ReadError, Reader,
};

use super::role::Role;
use super::site::Site;
use super::want::{Said, Want};
use super::{FileMismatch, RestoreError};
use crate::PublishError;
use crate::layout::Layout;

/// What was found in a document.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// What it leads to.
    pub(super) wants: Vec<Want>,
    /// The latest time in it.
    pub(super) latest: Option<Moment>,
}

/// Reads a gathered document to its end, and verifies that it is what it is listed as.
pub(super) fn follow(want: &Want, site: &Site, staged: &Layout) -> Result<Found, RestoreError> {
    let path = staged.path(&want.name);
    let mismatch = |reason| RestoreError::Mismatch { url: site.shown(&want.name), reason };
    let unreadable = |error: ReadError| match error {
        ReadError::Io(source) => PublishError::io("could not read", &path)(source).into(),
        error => mismatch(FileMismatch::Unreadable { reason: error.to_string() }),
    };
    let file = File::open(&path).map_err(PublishError::io("could not read", &path))?;
    let mut reader = Reader::new(file);
    let head = reader.head().map_err(unreadable)?.clone();
    check(want, &head).map_err(mismatch)?;
    let lister = Lister { want, head: &head, site, staged };
    let mut found = Found::default();
    let times = &head.metadata;
    found.latest = [times.at, times.from, times.until].into_iter().flatten().max();
    lister.described(&head.links, &mut found.wants)?;
    while let Some(entry) = reader.next_entry().map_err(unreadable)? {
        if head.capability() == Some(Capability::ChangeList) && head.form == Form::List {
            found.latest = found.latest.max(entry.change_time());
        }
        lister.entry(&entry, &mut found.wants)?;
    }
    Ok(found)
}

/// Why a document of that head is not the one that is wanted.
fn check(want: &Want, head: &Head<'_>) -> Result<(), FileMismatch> {
    if head.capability() != want.role.capability() {
        return Err(FileMismatch::Kind { kind: head.title() });
    }
    if head.form == Form::Index && !want.role.may_be_index() {
        return Err(FileMismatch::Index);
    }
    if !want.said.fits(&head.metadata) {
        return Err(FileMismatch::Times);
    }
    Ok(())
}

/// True for the documents that our Capability Lists list.
fn is_list_or_dump(capability: Capability) -> bool {
    use Capability::{ChangeDump, ChangeList, ResourceDump, ResourceList};
    matches!(capability, ResourceList | ChangeList | ResourceDump | ChangeDump)
}

/// A document that lists others.
struct Lister<'l> {
    want: &'l Want,
    head: &'l Head<'static>,
    site: &'l Site,
    staged: &'l Layout,
}

impl Lister<'_> {
    /// What an entry leads to.
    fn entry(&self, entry: &Entry<'_>, wants: &mut Vec<Want>) -> Result<(), RestoreError> {
        let target = EntryTarget::from_entry(self.head, entry);
        let role = match (self.want.role, target) {
            (Role::Description, EntryTarget::Part(_)) => Role::DescriptionPart,
            (Role::Description | Role::DescriptionPart, _) => {
                self.described(&entry.links, wants)?;
                Role::CapabilityList
            }
            (Role::CapabilityList, EntryTarget::Document(Some(capability)))
                if is_list_or_dump(capability) =>
            {
                Role::Top(capability)
            }
            (Role::Top(capability), EntryTarget::Part(_)) => Role::Part(capability),
            (Role::Top(capability) | Role::Part(capability), _) => {
                return self.leaf(capability, entry, wants);
            }
            (Role::Sitemap, EntryTarget::Part(_)) => Role::SitemapPart,
            // Nothing of ours.
            _ => return Ok(()),
        };
        let is_part = matches!(target, EntryTarget::Part(_));
        let said = if is_part { Said::times(entry) } else { Said::default() };
        self.add(&entry.loc, role, said, wants)
    }

    /// What an entry of a list or dump leads to, besides resources.
    fn leaf(
        &self,
        capability: Capability,
        entry: &Entry<'_>,
        wants: &mut Vec<Want>,
    ) -> Result<(), RestoreError> {
        let manifest = match capability {
            Capability::ResourceDump => Capability::ResourceDumpManifest,
            Capability::ChangeDump => Capability::ChangeDumpManifest,
            Capability::ChangeList => {
                let below = format!("{}resourcesync/", self.staged.base());
                let ours = |link: &&Link<'_>| link.is(PATCH) && link.href.starts_with(&below);
                for link in entry.links.iter().filter(ours) {
                    let hash = link.hash.as_ref().map(|hash| hash.as_str().to_owned());
                    let said = Said { length: link.length, hash, ..Said::default() };
                    self.add(&link.href, Role::Patch, said, wants)?;
                }
                return Ok(());
            }
            _ => return Ok(()),
        };
        self.add(&entry.loc, Role::Package, Said::by(entry), wants)?;
        match entry.link("contents") {
            Some(link) => self.add(&link.href, Role::Manifest(manifest), Said::times(entry), wants),
            None => Ok(()),
        }
    }

    /// What is said about a collection; only our own form is part of the publication.
    fn described(&self, links: &[Link<'_>], wants: &mut Vec<Want>) -> Result<(), RestoreError> {
        for link in links.iter().filter(|link| link.is("describedby")) {
            let name = self.staged.name(&link.href);
            let want = name.map(|name| Want::new(name, Role::About));
            wants.extend(want.filter(Want::is_in_place));
        }
        Ok(())
    }

    fn add(
        &self,
        url: &str,
        role: Role,
        said: Said,
        wants: &mut Vec<Want>,
    ) -> Result<(), RestoreError> {
        let base = self.staged.base();
        let lister = || self.site.shown(&self.want.name);
        if !url.starts_with(base) {
            let last = url.find("/resourcesync/").map_or(url.len(), |place| place + 1);
            let published = url[..last].to_owned();
            let base = base.to_owned();
            return Err(RestoreError::OtherBase { url: lister(), published, base });
        }
        let want = self.staged.name(url).map(|name| Want { said, ..Want::new(name, role) });
        let want = want.filter(Want::is_in_place);
        let foreign = || RestoreError::Foreign { url: lister(), listed: url.to_owned() };
        wants.push(want.ok_or_else(foreign)?);
        Ok(())
    }
}
