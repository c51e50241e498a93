//! A folder of the user's choice.

use super::escape::{self, Part};
use super::{MappingError, Uri, folded, reserved, segment};

/// What is below this prefix is kept in this folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    /// A URI in its normal form, with a slash at its end.
    pub(super) prefix: String,
    /// Without a slash at its end; empty for the copy itself.
    pub(super) folder: String,
}

impl Rule {
    pub(super) fn new(prefix: &str, folder: &str) -> Result<Self, MappingError> {
        let mut prefix = Uri::parse(prefix)?.to_string();
        if prefix.contains('?') {
            return Err(MappingError::Query { prefix });
        }
        if !prefix.ends_with('/') {
            prefix.push('/');
        }
        let refused = |reason| MappingError::Folder { folder: folder.to_owned(), reason };
        Ok(Self { prefix, folder: relative(folder).map_err(refused)? })
    }

    /// Refuses a rule that could lead to the files of another one.
    pub(super) fn check_beside(&self, other: &Self) -> Result<(), MappingError> {
        if self.prefix == other.prefix {
            return Err(MappingError::Twice { prefix: self.prefix.clone() });
        }
        let (mine, others) = (folded(&self.folder), folded(&other.folder));
        if is_within(&mine, &others) || is_within(&others, &mine) {
            let (folder, other) = (self.folder.clone(), other.folder.clone());
            return Err(MappingError::Overlap { folder, other });
        }
        Ok(())
    }
}

fn is_within(folder: &str, other: &str) -> bool {
    other.is_empty()
        || folder.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The folder without what says nothing, or why it is none.
fn relative(folder: &str) -> Result<String, &'static str> {
    if folder.starts_with('/') {
        return Err("it is absolute");
    }
    let mut names = Vec::new();
    for name in folder.split('/').filter(|name| !matches!(*name, "" | ".")) {
        if name == ".." {
            return Err("it leads upwards");
        }
        if names.is_empty() && reserved::is_state(name) {
            return Err("that is where the copy keeps its state");
        }
        if !is_portable(name) {
            return Err("not every system can have that name");
        }
        names.push(name);
    }
    Ok(names.join("/"))
}

/// True of a name that would be written as it is if it stood in a URI. So none has an escape, and
/// what has one can always be told from it.
fn is_portable(name: &str) -> bool {
    let mut written = String::new();
    for character in name.chars() {
        match u8::try_from(character) {
            Ok(b' ') => written.push(' '),
            Ok(byte) if byte.is_ascii() => {
                escape::push(&mut written, character.encode_utf8(&mut [0; 4]), Part::Path);
            }
            _ if super::visible::is_visible(character) => written.push(character),
            _ => return false,
        }
    }
    segment::protect(&mut written, 0, false);
    written == name
}
