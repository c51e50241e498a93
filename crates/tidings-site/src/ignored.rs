//! Names of files that nobody means to publish: hidden ones, backups, and temporary files of programs.

use crate::load::is_page_name;

/// Endings of backups and of files that are being written.
const ENDINGS: [&str; 21] = [
    "~",
    ".bak",
    ".backup",
    ".orig",
    ".rej",
    ".old",
    ".save",
    ".swp",
    ".swo",
    ".swn",
    ".swx",
    ".tmp",
    ".temp",
    ".part",
    ".partial",
    ".crdownload",
    ".un~",
    ".vsctmp",
    ".crswap",
    ".!sync",
    ".unison",
];

/// What Vim, Windows, macOS and storage devices leave in folders, in small letters.
const LEFT_BY_SYSTEMS: [&str; 11] = [
    "4913",
    "thumbs.db",
    "ehthumbs.db",
    "desktop.ini",
    "icon\r",
    "$recycle.bin",
    "system volume information",
    "__macosx",
    "@eadir",
    "#recycle",
    "lost+found",
];

/// Whether it is the name that KDE's and other Qt programs write a file under before they rename it: its
/// name, a dot and six letters or digits by chance.
fn is_saved_beside(name: &str) -> bool {
    let Some((saved, chance)) = name.rsplit_once('.') else { return false };
    let is_chance = chance.len() == 6 && chance.bytes().all(|byte| byte.is_ascii_alphanumeric());
    // Endings of other files are of small letters, as a rule.
    let is_mixed = || {
        chance.bytes().any(|byte| byte.is_ascii_uppercase())
            && chance.bytes().any(|byte| byte.is_ascii_lowercase())
    };
    is_chance && (is_page_name(saved) || saved.contains('.') && is_mixed())
}

fn is_dotted_rules(lower: &str) -> bool {
    matches!(lower, ".folder.toml" | ".folder.yaml" | ".folder.yml")
}

/// Whether a file or folder of `pages/` is left out because of its name.
pub(crate) fn is_ignored(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_enclosed = |mark: char| name.len() > 1 && name.starts_with(mark) && name.ends_with(mark);
    let is_office_lock = name.starts_with("~$") || name.starts_with("~syncthing~");
    // sed writes to `sed` and six letters or digits beside the file; Vim tries with `4913` whether it may
    // write in a folder.
    let is_sed = name.len() == 9
        && name.starts_with("sed")
        && name[3..].bytes().all(|byte| byte.is_ascii_alphanumeric())
        && name[3..].bytes().any(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    // It may be meant as the rules of the folder, which are not to be passed over.
    name.starts_with('.') && !is_dotted_rules(&lower)
        || is_saved_beside(name)
        || ENDINGS.iter().any(|ending| lower.ends_with(ending))
        || is_enclosed('#')
        || is_office_lock
        || is_sed
        || LEFT_BY_SYSTEMS.contains(&&*lower)
        || lower.contains(".sync-conflict-")
        || lower.contains("___jb_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backups_and_temporary_files_are_ignored() {
        for name in [
            ".git",
            ".a.md.swp",
            "a.md~",
            "#a.md#",
            ".#a.md",
            "a.md.bak",
            "A.BAK",
            "a.orig",
            "a.swp",
            "a.tmp",
            "sedXy12Ab",
            "4913",
            ".a.md.Xy12Ab",
            "~$a.docx",
            "a.md.part",
            "a.md___jb_tmp___",
            "THUMBS.DB",
            "a.md.vsctmp",
            "@eaDir",
            "a.md.w6t8e9",
            "a.md.abcdef",
            "photo.jpg.XyZabc",
        ] {
            assert!(is_ignored(name), "{name}");
        }
        for name in [
            "a.md",
            "a.tar.sqlite",
            "v1.Readme",
            "photo.jpg.SHA256",
            "sedation",
            "sediments",
            "#a.md",
            "a#b#",
            "bak",
            "tmp.md",
            "49132",
            "a.old.md",
        ] {
            assert!(!is_ignored(name), "{name}");
        }
    }
}
