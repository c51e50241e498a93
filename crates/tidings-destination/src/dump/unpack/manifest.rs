//! Whether a manifest and its package are of each other (section 11.2).

use tidings_document::{Capability, Change, Entry, Reader};

use crate::package::Package;

/// Whether the manifest and the package are of each other: every path that is named is there, and
/// once.
pub(super) fn check_manifest(manifest: &[u8], package: &Package) -> Result<(), String> {
    let mut reader = Reader::new(manifest);
    let head = reader.head().map_err(|error| format!("its manifest: {error}"))?;
    if !head.capability().is_none_or(Capability::is_manifest) {
        return Err(format!("its manifest is {}", head.title()));
    }
    let mut paths = std::collections::HashSet::new();
    while let Some(entry) = reader.next_entry().map_err(|error| format!("its manifest: {error}"))? {
        check_entry(&entry, package)?;
        if let Some(path) = &entry.metadata.path
            && !paths.insert(path.trim_start_matches('/').to_owned())
        {
            return Err(format!("its manifest names {path:?} twice"));
        }
    }
    Ok(())
}

fn check_entry(entry: &Entry<'_>, package: &Package) -> Result<(), String> {
    let loc = &entry.loc;
    match (&entry.metadata.path, entry.metadata.change) {
        (None, Some(Change::Deleted)) => Ok(()),
        (None, _) => Err(format!("its manifest does not say where {loc} is")),
        (Some(_), Some(Change::Deleted)) => {
            Err(format!("{loc} is deleted, and yet in the package"))
        }
        (Some(path), _) => match package.member(path) {
            None => Err(format!("its manifest names {path:?}, which is not in it")),
            Some(member) => match entry.metadata.length {
                Some(length) if length != member.length() => {
                    Err(format!("{path:?} has {} bytes, and should have {length}", member.length()))
                }
                _ => Ok(()),
            },
        },
    }
}
