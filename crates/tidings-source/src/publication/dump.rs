//! The Resource Dump: all resources in packages.

use std::io;
use std::path::Path;

use tempfile::NamedTempFile;
use tidings_document::{Capability, Entry, Form, Hash, Head, Link, Moment};

use super::place::{Desk, Staged};
use crate::PublishError;
use crate::inventory::path_of;
use crate::layout::{self, Layout};
use crate::package::{Package, PackageCapacity, PackageWriter};
use crate::previous::Previous;

/// Stages a dump of what the Resource List names, from the files below `root`: packages first, each
/// with a copy of its manifest, then the document that points to them.
pub(super) fn stage(desk: &Desk, root: &Path, staged: &mut Staged) -> Result<(), PublishError> {
    let layout = &desk.layout;
    let Some(published) = Previous::open(layout)? else { return Ok(()) };
    let at = published.at;
    let up = || layout.url(layout::CAPABILITY_LIST);
    let head = Head::snapshot(Capability::ResourceDumpManifest, Form::List, at, up());
    let open = |_| desk.file(layout::RESOURCE_DUMP).map_err(io::Error::other);
    let mut packages =
        PackageWriter::new(head, PackageCapacity::default(), open).map_err(failed(layout))?;
    let mut entries = Vec::new();
    for resource in published.resources() {
        let resource = resource?;
        // What is not below the base is not in the folder.
        let path = layout.name(&resource.uri).and_then(path_of);
        let Some(path) = path.map(|path| root.join(path)) else { continue };
        let full = packages.add(&resource.entry(), &path).map_err(failed(layout))?;
        if let Some(package) = full {
            entries.push(put(layout, staged, package, at)?);
        }
    }
    let last = packages.finish().map_err(failed(layout))?;
    entries.push(put(layout, staged, last, at)?);
    let head = Head::snapshot(Capability::ResourceDump, Form::List, at, up());
    staged.document(layout::RESOURCE_DUMP, &head, &entries)
}

fn failed(layout: &Layout) -> impl FnOnce(crate::PackageError) -> PublishError {
    let path = layout.path(layout::RESOURCE_DUMP);
    move |source| PublishError::Package { path, source }
}

/// Stages one package and its manifest; the answer is its entry in the Resource Dump.
fn put(
    layout: &Layout,
    staged: &mut Staged,
    package: Package<NamedTempFile>,
    at: Moment,
) -> Result<Entry<'static>, PublishError> {
    let stamp: String = at.to_string().chars().filter(char::is_ascii_digit).collect();
    let stem = format!("resourcesync/resourcedump-{stamp}-{:05}", package.number + 1);
    let (zip, manifest) = (format!("{stem}.zip"), format!("{stem}.xml"));
    staged.put(&zip, package.out)?;
    staged.bytes(&manifest, &package.manifest)?;
    let mut entry = Entry::new(layout.url(&zip));
    entry.metadata.media_type = Some("application/zip".into());
    entry.metadata.length = Some(package.bytes);
    entry.metadata.hash = Some(Hash::new(&[package.digest]));
    entry.metadata.at = Some(at);
    let mut contents = Link::new("contents", layout.url(&manifest));
    contents.media_type = Some("application/xml".into());
    entry.links.push(contents);
    Ok(entry)
}
