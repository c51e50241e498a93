//! Where documents cannot be written.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use tidings_source::{InventoryKind, Options};

/// The file by which a copy is known.
const COPY_STATE: &str = ".tidings/state.sqlite";

/// Refuses places that cannot be published, or published into.
pub(super) fn check(options: &Options, out: &Path) -> Result<()> {
    if let InventoryKind::Folder(folder) = &options.inventory
        && let Some(scheme) = scheme(folder)
    {
        bail!(
            "cannot publish what is at a URL of the scheme {scheme}: {}; give a folder, or an object \
             store as s3://, gs:// or az://",
            folder.display()
        );
    }
    if let Some(scheme) = scheme(out) {
        bail!(
            "cannot write documents to a URL of the scheme {scheme}: {}; write them into a folder of \
             this machine with --out DIR, and copy that there",
            out.display()
        );
    }
    if let Some(copy) = copy_around(out) {
        bail!(
            "cannot write documents into a copy that tidings sync keeps: {} has {COPY_STATE}; publish \
             the copy with `tidings republish {} --base URL`, or give another folder with --out DIR",
            copy.display(),
            copy.display()
        );
    }
    Ok(())
}

/// The scheme of a path that is a URL: `scheme://…`.
fn scheme(path: &Path) -> Option<&str> {
    let (scheme, _) = path.to_str()?.split_once("://")?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    is_scheme.then_some(scheme)
}

/// The copy that a folder is, or lies in. The folder itself need not be there yet.
fn copy_around(folder: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(folder).ok()?;
    let there = absolute.ancestors().find_map(|path| path.canonicalize().ok())?;
    let is_copy = |path: &&Path| path.join(COPY_STATE).is_file();
    there.ancestors().find(is_copy).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_a_scheme_and_a_path_none() {
        for (text, found) in [
            ("s3://bucket/site", Some("s3")),
            ("git+ssh://host/x", Some("git+ssh")),
            ("public", None),
            ("./s3://bucket", None),
            ("a:/b", None),
            ("1://x", None),
            ("://x", None),
        ] {
            assert_eq!(scheme(Path::new(text)), found, "{text}");
        }
    }
}
