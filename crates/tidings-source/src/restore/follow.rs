//! What a document leads to.

use std::fs::File;

use tidings_document::{Capability, Entry, Form, Head, Link, Moment, PATCH, ReadError, Reader};

use super::RestoreError;
use super::role::Role;
use super::site::Site;
use super::want::{Said, Want};
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
    let mismatch = |reason: String| RestoreError::Mismatch { url: site.shown(&want.name), reason };
    let unreadable = |error: ReadError| match error {
        ReadError::Io(source) => PublishError::io("could not read", &path)(source).into(),
        error => mismatch(format!("it cannot be read: {error}")),
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
fn check(want: &Want, head: &Head<'_>) -> Result<(), String> {
    if head.capability() != want.role.capability() {
        return Err(format!("it is listed as another kind of document than {}", head.title()));
    }
    if head.form == Form::Index && !want.role.may_be_index() {
        return Err("it is an index, and should not be".into());
    }
    if !want.said.fits(&head.metadata) {
        return Err("its times are not those that are said of it where it is listed".into());
    }
    Ok(())
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
        let index = self.head.form == Form::Index;
        let role = match self.want.role {
            Role::Description if index => Role::DescriptionPart,
            Role::Description | Role::DescriptionPart => {
                self.described(&entry.links, wants)?;
                Role::CapabilityList
            }
            Role::CapabilityList => match entry.metadata.capability {
                Some(
                    capability @ (Capability::ResourceList
                    | Capability::ChangeList
                    | Capability::ResourceDump
                    | Capability::ChangeDump),
                ) => Role::Top(capability),
                // Nothing of ours.
                _ => return Ok(()),
            },
            Role::Top(capability) if index => Role::Part(capability),
            Role::Top(capability) | Role::Part(capability) => {
                return self.leaf(capability, entry, wants);
            }
            Role::Sitemap if index => Role::SitemapPart,
            _ => return Ok(()),
        };
        let said = if index { Said::times(entry) } else { Said::default() };
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
