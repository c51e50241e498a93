//! The documents that do not depend on the resources, and the files that are ours.

mod about;

use std::fs;
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use tidings_document::{Capability, Entry, Form, Head, Link};

use super::staged::Staged;
use super::{dump, indexed};
use crate::layout::{self, Layout};
use crate::{Options, PublishError, Set};

/// At the end of a Sitemap that this program wrote: it may be written again.
pub(super) const MARK: &str =
    "<!-- Written by tidings publish; it is written anew at the next run. -->\n";

/// The first line of a robots.txt that this program wrote.
const ROBOTS_MARK: &str = "# Written by tidings publish; delete this line to keep your own.\n";

/// True if the file is not there, or was written by this program.
pub(crate) fn is_ours(layout: &Layout, name: &str) -> bool {
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        layout.files().open(name)?.ok_or(ErrorKind::NotFound)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    whose(read()) != Whose::Theirs
}

/// True if that document is ours to write: neither where it would be written nor among the files that
/// are published is one of somebody else.
pub(super) fn may_write(options: &Options, layout: &Layout, name: &str) -> bool {
    let theirs = |root: &Path| whose(fs::read(root.join(name))) == Whose::Theirs;
    is_ours(layout, name) && !options.inventory.folder().is_some_and(theirs)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Nobodys,
    Ours,
    Theirs,
}

/// Whose a document is, as it was read.
fn whose(read: io::Result<Vec<u8>>) -> Whose {
    match read {
        Ok(bytes) => {
            let tail = &bytes[bytes.len().saturating_sub(4 << 10)..];
            let marked = bytes.starts_with(ROBOTS_MARK.as_bytes())
                || String::from_utf8_lossy(tail).contains(MARK.trim_end());
            if marked { Whose::Ours } else { Whose::Theirs }
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Whose::Nobodys,
        Err(_) => Whose::Theirs,
    }
}

/// Files below the folder that are documents of a publication, not resources.
pub(super) fn own_files(root: &Path, out: &Path) -> Vec<PathBuf> {
    let mut own = own_files_in(root);
    // Written into a folder of the site, they are not part of it, either.
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if let Ok(below) = real(out).strip_prefix(real(root)) {
        own.extend(own_files_in(out).iter().map(|name| below.join(name)));
    }
    own
}

/// The documents of a publication in that folder, by their paths in it: files, and folders of nothing
/// else. None if nothing was published there.
#[must_use]
pub fn documents_in(root: &Path) -> Vec<PathBuf> {
    match root.join(layout::DESCRIPTION).is_file() {
        true => own_files_in(root),
        false => Vec::new(),
    }
}

fn own_files_in(root: &Path) -> Vec<PathBuf> {
    let mut own = vec![PathBuf::from("resourcesync"), PathBuf::from(layout::DESCRIPTION)];
    let names = [layout::SITEMAP, layout::ROBOTS].into_iter();
    own.extend(
        names.filter(|name| whose(fs::read(root.join(name))) == Whose::Ours).map(PathBuf::from),
    );
    let files = fs::read_dir(root).into_iter().flatten().flatten();
    let names = files.filter_map(|file| file.file_name().into_string().ok());
    own.extend(names.filter(|name| layout::is_part(name, "sitemap")).map(PathBuf::from));
    own
}

/// The documents that a set may have, with what they are. The changes last: whoever reads them in that
/// order finds in the Change List all that is in the others, even if it was published meanwhile.
const CAPABILITIES: [(&str, Capability); 4] = [
    (layout::RESOURCE_LIST, Capability::ResourceList),
    (layout::RESOURCE_DUMP, Capability::ResourceDump),
    (layout::CHANGE_DUMP, Capability::ChangeDump),
    (layout::CHANGE_LIST, Capability::ChangeList),
];

/// Stages what is the same at most publications: from the metadata up to the Source Description, which
/// is put into its place last, without the dumps that were withdrawn. The answer is the sets that were in it, and are no longer, by their
/// Capability Lists.
pub(super) fn stage(
    options: &Options,
    layout: &Layout,
    withdrawn: &[String],
    staged: &mut Staged,
) -> Result<Vec<String>, PublishError> {
    let most = options.max_entries;
    // One that cannot be read is written anew.
    let before = indexed::entries(layout, layout::DESCRIPTION).unwrap_or_default();
    // A set that was never published is not there yet.
    let there = |set: &&Set| {
        let own = layout.of_set(set.name.as_deref());
        options.only.is_none() || options.only == set.name || own.has_own(layout::CAPABILITY_LIST)
    };
    let sets: Vec<&Set> = options.sets.iter().filter(there).collect();
    let mut listed = Vec::new();
    for (place, set) in sets.iter().enumerate() {
        let own = layout.of_set(set.name.as_deref());
        let up = indexed::document_of(layout::DESCRIPTION, place, sets.len(), most);
        about::stage(&own, &set.collection(layout.base()), &set.about, staged)?;
        listed.push(stage_set(options, set, &own, &up, withdrawn, staged)?);
    }
    // Of a single set and its Source the same is to be said.
    if options.sets.iter().any(|set| set.name.is_some()) {
        about::stage(layout, layout.base(), &options.about, staged)?;
    }
    let head = Head::description(Form::List).with_link(describedby(layout));
    indexed::stage(staged, layout::DESCRIPTION, &head, &listed, most)?;
    let robots = !layout.has(layout::ROBOTS) && options.only.is_none();
    if robots && may_write(options, layout, layout::ROBOTS) {
        let robots = format!(
            "{ROBOTS_MARK}User-agent: *\nAllow: /\n\nSitemap: {}\n",
            layout.url(layout::SITEMAP)
        );
        staged.bytes(layout::ROBOTS, robots.as_bytes())?;
    }
    let gone = |entry: &Entry<'_>| {
        entry.loc.starts_with(layout.base()) && !listed.iter().any(|now| now.loc == entry.loc)
    };
    Ok(before.into_iter().filter(gone).map(|entry| entry.loc.into_owned()).collect())
}

fn describedby(layout: &Layout) -> Link<'static> {
    let mut link = Link::new("describedby", layout.own_url(layout::ABOUT));
    link.media_type = Some("application/xml".into());
    link
}

/// Stages the Capability List of a set; the answer is its entry in the Source Description.
fn stage_set(
    options: &Options,
    set: &Set,
    own: &Layout,
    up: &str,
    withdrawn: &[String],
    staged: &mut Staged,
) -> Result<Entry<'static>, PublishError> {
    let describes = || Link::new("describes", set.collection(own.base()));
    let head =
        Head::capability_list(own.url(up)).with_link(describes()).with_link(describedby(own));
    // The first two always are; but a run that touches nothing does not write them.
    let there = |name: &str| -> Result<bool, PublishError> {
        let always = [layout::RESOURCE_LIST, layout::CHANGE_LIST].contains(&name);
        // A dump that is renewed is in its place before this is.
        let renewed =
            dump::is_renewed(options, name) && (options.only.is_none() || options.only == set.name);
        Ok(always
            || renewed
            || own.has_own(name)
                && !dump::is_forgotten(options, name)
                && !withdrawn.contains(&own.own(name))
                && !dump::is_stale(own, name)?)
    };
    let mut capabilities = Vec::new();
    for (name, capability) in CAPABILITIES {
        if there(name)? {
            let mut entry = Entry::new(own.own_url(name));
            entry.metadata.capability = Some(capability);
            capabilities.push(entry);
        }
    }
    staged.document(&own.own(layout::CAPABILITY_LIST), &head, &capabilities)?;
    let mut entry = Entry::new(own.own_url(layout::CAPABILITY_LIST));
    entry.metadata.capability = Some(Capability::CapabilityList);
    entry.links = vec![describes(), describedby(own)];
    Ok(entry)
}
