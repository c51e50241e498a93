//! Names of members.

use crate::mapping::folded;

/// The name that a manifest's path stands for: without its first slash. None if the path would lead
/// anywhere but straight down if somebody followed it.
pub(super) fn of(path: &str) -> Option<&str> {
    let name = path.strip_prefix('/').unwrap_or(path);
    let is_odd = |segment: &str| matches!(segment, "" | "." | "..");
    (!name.contains(['\\', '\0']) && !name.split('/').any(is_odd)).then_some(name)
}

/// What names have in common that some systems take for one.
pub(super) fn key(name: &[u8]) -> Vec<u8> {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    match str::from_utf8(name) {
        Ok(name) => folded(name).into_bytes(),
        // In whatever encoding it is, the letters of ASCII are most often the same.
        Err(_) => name.to_ascii_lowercase(),
    }
}

/// A name for people.
pub(super) fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).escape_debug().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_straight_paths_have_names() {
        for (path, name) in [("/a/b", "a/b"), ("a", "a"), ("/a..b/.c", "a..b/.c"), ("/CON", "CON")]
        {
            assert_eq!(of(path), Some(name));
        }
        for path in ["", "/", "//a", "/../a", "a/..", "./a", "a//b", "a/", "\\a", "C:\\a", "a\0"] {
            assert_eq!(of(path), None, "{path:?}");
        }
    }
}
