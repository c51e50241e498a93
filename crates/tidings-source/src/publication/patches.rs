//! How texts changed (section 14.4).

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use tidings_document::{Algorithm, Digest, Hash, Link, Moment, PATCH};
use tidings_patch::{Format, make};

use super::dump::file;
use super::staged::Staged;
use crate::fixity::Function;
use crate::layout::{Layout, PATCHES, stamp};
use crate::{PublishError, Resource};

/// No patch is made of what is longer, so that not much is remembered, nor of what is too short to
/// gain by it.
const LENGTHS: std::ops::RangeInclusive<u64> = 256..=1 << 20;

/// Remembers texts as they were published, and says how they have changed since.
///
/// What is remembered is a file for each resource, named by its URI. If it is not there, or is not
/// what was published, there is no patch; nothing else depends on it.
pub(super) struct Patches {
    root: PathBuf,
    /// Where texts are remembered.
    folder: PathBuf,
    layout: Layout,
    made: u64,
    /// The last patch, and of what: a resource may have changed in several sets.
    last: Option<(Resource, Resource, Option<Link<'static>>)>,
    staged: Staged,
}

impl Patches {
    /// Patches of the files below `root`, of which texts are remembered in `folder`.
    pub(super) fn new(root: &Path, folder: PathBuf, layout: &Layout, staged: Staged) -> Self {
        Self { root: root.to_owned(), folder, layout: layout.clone(), made: 0, last: None, staged }
    }

    /// The link to a description of the change, if one can be had that is shorter than the resource.
    /// The resource as it is now is remembered.
    pub(super) fn of(
        &mut self,
        was: &Resource,
        now: &Resource,
        at: Moment,
    ) -> Result<Option<Link<'static>>, PublishError> {
        let same =
            |one: &Resource, other: &Resource| one.uri == other.uri && one.hash == other.hash;
        if let Some((from, to, link)) = &self.last
            && same(from, was)
            && same(to, now)
        {
            return Ok(link.clone());
        }
        let link = self.make(was, now, at)?;
        self.last = Some((was.clone(), now.clone(), link.clone()));
        Ok(link)
    }

    fn make(
        &mut self,
        was: &Resource,
        now: &Resource,
        at: Moment,
    ) -> Result<Option<Link<'static>>, PublishError> {
        let Some(new) = self.current(now) else { return Ok(None) };
        let old = fs::read(self.place(&was.uri)).ok().filter(|old| is_of(old, was));
        // What cannot be remembered only makes for no patch the next time.
        let _ = self.write(&now.uri, &new);
        let patch = old.and_then(|old| make(&old, &new, now.media_type.as_deref()));
        let Some(patch) = patch else { return Ok(None) };
        self.made += 1;
        let ending = match patch.format {
            Format::JsonPatch => "json",
            _ => "diff",
        };
        let name = format!("{PATCHES}{}-{:05}.{ending}", stamp(at), self.made);
        self.staged.bytes(&name, &patch.bytes)?;
        let mut link = Link::new(PATCH, self.layout.url(&name));
        link.media_type = Some(patch.format.media_type().into());
        link.length = Some(patch.bytes.len() as u64);
        let digest = Digest::new(Algorithm::Sha256, &Sha256::digest(&patch.bytes));
        link.hash = digest.map(|digest| Hash::new(&[digest]));
        Ok(Some(link))
    }

    /// Remembers a resource that is new, or was not remembered before.
    pub(super) fn remember(&self, resource: &Resource) {
        if let Some(bytes) = self.current(resource) {
            let _ = self.write(&resource.uri, &bytes);
        }
    }

    /// Forgets a resource that is gone.
    pub(super) fn forget(&self, resource: &Resource) {
        if is_text(resource) {
            let _ = fs::remove_file(self.place(&resource.uri));
        }
    }

    /// The patches, which are put into their places before the Change Lists that point to them.
    pub(super) fn into_staged(self) -> Staged {
        self.staged
    }

    /// The bytes of a resource, if it is a text, and still what it was found to be.
    fn current(&self, resource: &Resource) -> Option<Vec<u8>> {
        let path = is_text(resource).then(|| file(&self.layout, &self.root, &resource.uri))??;
        let mut bytes = Vec::new();
        fs::File::open(path).ok()?.take(LENGTHS.end() + 1).read_to_end(&mut bytes).ok()?;
        is_of(&bytes, resource).then_some(bytes)
    }

    fn place(&self, uri: &str) -> PathBuf {
        let digest = Sha256::digest(uri.as_bytes());
        let name = tidings_base::to_hex(&digest[..20]);
        self.folder.join(&name[..2]).join(&name[2..])
    }

    fn write(&self, uri: &str, bytes: &[u8]) -> io::Result<()> {
        let place = self.place(uri);
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(place, bytes)
    }
}

/// True for a text of which a patch may be worth while.
fn is_text(resource: &Resource) -> bool {
    let media_type = resource.media_type.as_deref().unwrap_or_default();
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    let text = essence.starts_with("text/")
        || ["json", "xml", "javascript"].iter().any(|kind| essence.ends_with(kind));
    text && resource.length.is_some_and(|length| LENGTHS.contains(&length))
}

/// True if these are the bytes of the resource, by all of its digests.
fn is_of(bytes: &[u8], resource: &Resource) -> bool {
    let mut digests = resource.hash.iter().flat_map(Hash::digests).peekable();
    digests.peek().is_some()
        && digests.all(|digest| {
            digest.is_ok_and(|digest| {
                let mut function = Function::new(digest.algorithm());
                function.update(bytes);
                function.finish().as_ref() == Some(&digest)
            })
        })
}
