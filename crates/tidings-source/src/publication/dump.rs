//! Dumps: resources, and changes of resources, in packages.

mod changes;
mod resources;
mod stale;

use std::io;
use std::path::{Path, PathBuf};

use tidings_bytes::ByteStore;
use tidings_document::{Change, Entry, Hash, Link};

use super::desk::{Desk, SpoolFile};
use super::set_to_publish::sets_to_publish;
use super::staged::Staged;
use crate::inventory::file_of;
use crate::layout::{CHANGE_DUMP, Layout, RESOURCE_DUMP};
use crate::package::Package;
use crate::previous::Previous;
use crate::{Options, PackageError, Progress, PublishError};
use stale::is_asked;
pub(super) use stale::{begin_grace_period, is_stale, is_withdrawn, withdraw};

/// The folder of the files that dumps are made of; none where only records are known.
pub(super) fn root(options: &Options) -> Option<&Path> {
    options.inventory.folder().or(options.files.as_deref())
}

/// True if a dump is brought in step with the lists by each publication of its set.
pub(super) fn is_renewed(options: &Options, document: &str) -> bool {
    root(options).is_some()
        && match document {
            RESOURCE_DUMP => options.dump,
            CHANGE_DUMP => options.change_dump,
            _ => false,
        }
}

/// True if a dump goes with the history that is forgotten: nobody asks for another one.
pub(super) fn is_forgotten(options: &Options, document: &str) -> bool {
    options.full && !is_asked(options, document)
}

/// Removes the dumps that nothing points to any more, after a history was begun anew.
pub(super) fn forget(options: &Options, layout: &Layout, store: &mut dyn ByteStore) {
    for set in sets_to_publish(options, layout) {
        for document in [RESOURCE_DUMP, CHANGE_DUMP] {
            if is_forgotten(options, document) {
                let _ = store.delete(&set.layout.own(document));
            }
        }
    }
}

/// Brings the dumps of a set in step with its lists, and says what was written. The lists are in
/// their places already: a dump that fails leaves the last one, and the next run makes it up.
pub(super) fn renew(
    desk: &Desk,
    root: &Path,
    options: &Options,
    store: &mut dyn ByteStore,
    progress: &mut dyn Progress,
) -> Result<Vec<String>, PublishError> {
    let mut written = Vec::new();
    let source = DumpSource { desk, root, options, is_plan: false };
    source.for_each_dump(progress, |staged| {
        written.extend(staged.commit(store)?);
        Ok(())
    })?;
    Ok(written)
}

/// The names of all that [`renew`] would write once the lists are in their places, as `desk` has them
/// already. No file is read.
pub(super) fn planned_names(
    desk: &Desk,
    root: &Path,
    options: &Options,
) -> Result<Vec<String>, PublishError> {
    let mut names = Vec::new();
    let source = DumpSource { desk, root, options, is_plan: true };
    source.for_each_dump(&mut NothingWritten, |staged| {
        names.extend(staged.names());
        Ok(())
    })?;
    Ok(names)
}

/// Of packages that are only named, there is nothing to be told.
struct NothingWritten;

impl Progress for NothingWritten {
    fn expected(&mut self, _: u64, _: u64) {}
    fn looked_at(&mut self, _: u64, _: u64) {}
    fn changed(&mut self, _: Change, _: &str) {}
    fn writing(&mut self, _: &str) {}
}

/// What the dumps of a set are made of.
#[derive(Clone, Copy)]
struct DumpSource<'d> {
    desk: &'d Desk,
    /// The folder of the files.
    root: &'d Path,
    options: &'d Options,
    /// True if the packages are only to be named.
    is_plan: bool,
}

impl DumpSource<'_> {
    /// Stages one dump after the other, of those that are asked for.
    fn for_each_dump(
        self,
        progress: &mut dyn Progress,
        mut each: impl FnMut(Staged) -> Result<(), PublishError>,
    ) -> Result<(), PublishError> {
        for wanted in [Kind::Changes, Kind::Resources] {
            let is_asked = match wanted {
                Kind::Changes => self.options.change_dump,
                Kind::Resources => self.options.dump,
            };
            if !is_asked {
                continue;
            }
            let Some(published) = Previous::open(&self.desk.layout)? else { continue };
            let mut staged = Staged::new(self.desk.clone());
            match wanted {
                Kind::Changes => changes::stage(self, &published, &mut staged, progress)?,
                Kind::Resources => resources::stage(self, published, &mut staged, progress)?,
            }
            each(staged)?;
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Resources,
    Changes,
}

/// The file of a resource; none for what is not below the base.
pub(super) fn file(layout: &Layout, root: &Path, uri: &str) -> Option<PathBuf> {
    layout.name(uri).and_then(file_of).map(|path| root.join(path))
}

/// True if a file can be read. What cannot stays listed, but is in no package.
fn is_readable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::READ_OK).is_ok()
}

/// Where a package is written before it has its name.
fn place(desk: &Desk, document: &str) -> io::Result<SpoolFile> {
    desk.file(&desk.layout.own(document)).map_err(io::Error::other)
}

fn failed(layout: &Layout, document: &str) -> impl FnOnce(PackageError) -> PublishError {
    let path = layout.own_path(document);
    move |source| PublishError::Package { path, source }
}

/// Stages one package and a copy of its manifest under that stem; the answer is its entry in the
/// dump, without times.
fn put(
    staged: &mut Staged,
    stem: &str,
    package: Package<SpoolFile>,
) -> Result<Entry<'static>, PublishError> {
    let layout = staged.desk.layout.clone();
    let (zip, manifest) = (layout.own(&format!("{stem}.zip")), layout.own(&format!("{stem}.xml")));
    staged.put(&zip, package.out.into_spooled())?;
    staged.bytes(&manifest, &package.manifest)?;
    let mut entry = Entry::new(layout.url(&zip));
    entry.metadata.media_type = Some("application/zip".into());
    entry.metadata.length = Some(package.bytes);
    entry.metadata.hash = Some(Hash::new(&[package.digest]));
    let mut contents = Link::new("contents", layout.url(&manifest));
    contents.media_type = Some("application/xml".into());
    entry.links.push(contents);
    Ok(entry)
}
