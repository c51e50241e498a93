//! Where a copy is, and the name that the register has for it.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// How many digits a key has.
const DIGITS: usize = 32;

/// The one path of a folder, whatever links lead to it. What of it is not there yet is taken as it is
/// written.
pub(super) fn canonical(path: &Path) -> io::Result<PathBuf> {
    let whole = std::path::absolute(path)?;
    let mut rest: Vec<&OsStr> = Vec::new();
    let mut there = whole.as_path();
    let mut found = loop {
        match there.canonicalize() {
            Ok(found) => break found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let last = there.components().next_back();
        rest.extend(last.map(|part: Component<'_>| part.as_os_str()));
        there = there.parent().ok_or(io::ErrorKind::NotFound)?;
    };
    for part in rest.into_iter().rev() {
        match part == ".." {
            true => _ = found.pop(),
            false => found.push(part),
        }
    }
    Ok(found)
}

/// The key of a copy in that folder.
pub(super) fn key(folder: &Path) -> String {
    tidings_base::to_hex(&Sha256::digest(folder.as_os_str().as_bytes())[..DIGITS / 2])
}

/// True if it may be a key: then it is a plain name.
pub(super) fn is_key(text: &str) -> bool {
    text.len() == DIGITS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
