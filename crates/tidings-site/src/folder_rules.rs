//! The rules of a folder of `pages/`: who may see what is in it and below it.

use crate::access::Access;
use crate::front_matter::{FrontMatter, OddKey};
use crate::guard::Guard;
use crate::path::normalized;
use crate::spelling::is_within;

/// The name of the file that has them.
pub(crate) const FOLDER_RULES: &str = "_folder.toml";
/// Whether a file was probably meant to be called so: `_Folder.toml`, `_folder.yaml`, `folder.toml`.
pub(crate) fn is_nearly_folder_rules(name: &str) -> bool {
    let lower = normalized(name);
    let is_begun = lower.strip_prefix('_').is_some_and(|rest| {
        let word = rest.split('.').next().unwrap_or(rest);
        rest.starts_with("folder.") || rest.contains('.') && word == "folders" || rest == "folder"
    });
    let is_begun = is_begun
        || lower.starts_with(".folder.")
        || matches!(&*lower, "folder.yaml" | "folder.yml");
    name != FOLDER_RULES && (is_begun || is_within(name, FOLDER_RULES, 2))
}

/// The longest such file that is read.
pub(crate) const MAX_FOLDER_RULES_BYTES: usize = 64 << 10;

/// What a folder says of everything in it and below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FolderRules {
    /// Who may see it. Its number is 0.
    pub(crate) guard: Guard,
    /// Whether files beside restricted pages stay as public as the folder is.
    pub(crate) has_public_files: bool,
    /// Keys that are not understood.
    pub(crate) odd_keys: Vec<OddKey>,
    /// When who may see it changes, in seconds since 1970.
    pub(crate) next_change: Option<i64>,
}

impl FolderRules {
    /// Rules that let nobody see anything: of a file that cannot be understood.
    pub(crate) fn closed() -> Self {
        let guard = Guard { number: 0, tags: Vec::new(), own: Access::Deny };
        Self { guard, has_public_files: false, odd_keys: Vec::new(), next_change: None }
    }

    /// Reads the keys of front matter that say who may see a page, and `files = "public"`.
    pub(crate) fn parse(bytes: &[u8], now: i64) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim_matches(|letter: char| letter == '\0' || letter.is_whitespace()).is_empty() {
            return Err("it is empty; remove it if the folder is for everybody".to_owned());
        }
        let mut table: toml::Table =
            toml::from_str(text).map_err(|error| error.message().to_owned())?;
        let has_public_files = match table.remove("files") {
            None => false,
            Some(toml::Value::String(word)) if word == "public" => true,
            Some(_) => return Err("`files` can be \"public\" and nothing else".to_owned()),
        };
        let (matter, visibility) = FrontMatter::read_table(table)?;
        let own = match &matter.roles[..] {
            _ if matter.is_draft || visibility.is_closed_at(now) || visibility.is_cascading => {
                Access::Deny
            }
            [] => Access::Public,
            roles => Access::any_of(roles.iter().cloned()),
        };
        let next_change = visibility.next_change(now);
        let tags = matter.tags.into_iter().chain(visibility.tags).collect();
        let guard = Guard { number: 0, tags, own };
        Ok(Self { guard, has_public_files, odd_keys: visibility.odd_keys, next_change })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_nearly_that_of_the_rules_are_recognized() {
        for name in [
            "_Folder.toml",
            "_FOLDER.TOML",
            "_folder.tml",
            "_folder.yaml",
            "_folder.toml.txt",
            "_folder.md",
            "folder.toml",
            "_folders.toml",
            "_folders.yml",
            "_floder.toml",
            "-folder.toml",
            "_folder",
            ".folder.yaml",
            "folder.yaml",
            "\u{ff3f}folder.toml",
        ] {
            assert!(is_nearly_folder_rules(name), "{name}");
        }
        for name in [
            FOLDER_RULES,
            "folder.jpg",
            "folder.html",
            "folder",
            "_index.md",
            "book.toml",
            "folders",
        ] {
            assert!(!is_nearly_folder_rules(name), "{name}");
        }
    }

    #[test]
    fn a_folder_says_who_may_see_it() {
        let rules = FolderRules::parse(b"roles = [\"staff\"]\nfiles = \"public\"\n", 0).unwrap();
        assert_eq!(rules.guard.own, Access::any_of(["staff".to_owned()]));
        assert!(rules.has_public_files);
        for closed in ["draft = true", "private = true", "role = ['x']", "publishDate = 2030-01-01"]
        {
            let rules = FolderRules::parse(closed.as_bytes(), 0).unwrap();
            assert_eq!(rules.guard.own, Access::Deny, "{closed}");
        }
        for wrong in ["", " \n", "\0\0", "roles = [", "files = true", "\u{feff}"] {
            assert!(FolderRules::parse(wrong.as_bytes(), 0).is_err(), "{wrong:?}");
        }
    }
}
