//! The documents that do not depend on the resources, and the files that are ours.

use std::fs;
use std::path::PathBuf;

use tidings_document::{Capability, Entry, Form, Head, Link};

use super::place::Staged;
use crate::PublishError;
use crate::layout::{self, Layout};

/// At the end of a Sitemap that this program wrote: it may be written again.
pub(super) const MARK: &str =
    "<!-- Written by tidings publish; it is written anew at the next run. -->\n";

/// The first line of a robots.txt that this program wrote.
const ROBOTS_MARK: &str = "# Written by tidings publish; delete this line to keep your own.\n";

/// True if the file is not there, or was written by this program.
pub(super) fn is_ours(layout: &Layout, name: &str) -> bool {
    match fs::read(layout.path(name)) {
        Ok(bytes) => {
            let tail = &bytes[bytes.len().saturating_sub(4 << 10)..];
            bytes.starts_with(ROBOTS_MARK.as_bytes())
                || String::from_utf8_lossy(tail).contains(MARK.trim_end())
        }
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

/// Files below the folder that are documents of the publication, not resources.
pub(super) fn own_files(layout: &Layout) -> Vec<PathBuf> {
    let mut own = vec![PathBuf::from("resourcesync")];
    for name in [layout::SITEMAP, layout::ROBOTS] {
        if is_ours(layout, name) {
            own.push(name.into());
        }
    }
    let files = fs::read_dir(layout.path("")).into_iter().flatten().flatten();
    let names = files.filter_map(|file| file.file_name().into_string().ok());
    own.extend(names.filter(|name| layout::is_part(name, "sitemap")).map(PathBuf::from));
    own
}

/// Stages what is the same at each publication: from the metadata up to the Source Description, which
/// is put into its place last.
pub(super) fn stage(layout: &Layout, staged: &mut Staged) -> Result<(), PublishError> {
    let collection = layout.base();
    let describedby = || Link::new("describedby", layout.url(layout::ABOUT));
    let describes = || Link::new("describes", collection.to_owned());
    if !layout.path(layout::ABOUT).exists() {
        staged.bytes(layout::ABOUT, about(collection).as_bytes())?;
    }
    let head = Head::capability_list(layout.url(layout::DESCRIPTION))
        .with_link(describes())
        .with_link(describedby());
    let mut capabilities = vec![
        (layout::RESOURCE_LIST, Capability::ResourceList),
        (layout::CHANGE_LIST, Capability::ChangeList),
    ];
    if layout.path(layout::RESOURCE_DUMP).exists() {
        capabilities.push((layout::RESOURCE_DUMP, Capability::ResourceDump));
    }
    let listed: Vec<Entry<'_>> = capabilities
        .into_iter()
        .map(|(name, capability)| {
            let mut entry = Entry::new(layout.url(name));
            entry.metadata.capability = Some(capability);
            entry
        })
        .collect();
    staged.document(layout::CAPABILITY_LIST, &head, &listed)?;
    let mut set = Entry::new(layout.url(layout::CAPABILITY_LIST));
    set.metadata.capability = Some(Capability::CapabilityList);
    set.links = vec![describes(), describedby()];
    let head = Head::description(Form::List).with_link(describedby());
    staged.document(layout::DESCRIPTION, &head, &[set])?;
    if !layout.path(layout::ROBOTS).exists() {
        let robots = format!(
            "{ROBOTS_MARK}User-agent: *\nAllow: /\n\nSitemap: {}\n",
            layout.url(layout::SITEMAP)
        );
        staged.bytes(layout::ROBOTS, robots.as_bytes())?;
    }
    Ok(())
}

/// A few words about the collection, in Dublin Core, for its author to fill in.
fn about(collection: &str) -> String {
    let escaped = collection.replace('&', "&amp;");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n  \
         <dc:title>{escaped}</dc:title>\n  <dc:identifier>{escaped}</dc:identifier>\n</metadata>\n"
    )
}
