//! The name that an object has in URLs.

use std::fmt;

use crate::load::derived;
use crate::path::{encoded, normalized};
use crate::reserved::Reserved;

/// The longest, so that its URL stays below the 2,048 characters of a sitemap's `loc`, with room for any
/// host, even if each of its bytes has to be encoded.
const LONGEST: usize = 560;

/// A name in URLs, without slashes at its ends. That of the home page of a plain site is empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Alias(Box<str>);

/// Why an alias cannot be one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AliasError {
    /// It has a character that has no place in one.
    #[error(
        "the alias {alias:?} has {found:?} in it; letters, digits, slashes and -._~!$&'()*+,;=:@ can be"
    )]
    Character {
        /// The alias.
        alias: String,
        /// What cannot be in it.
        found: char,
    },
    /// It has a segment that means a folder.
    #[error("the alias {alias:?} has a segment of dots alone")]
    Dots {
        /// The alias.
        alias: String,
    },
    /// Too long for a sitemap.
    #[error("the alias is {length} bytes long; {LONGEST} are allowed")]
    Long {
        /// How long it is.
        length: usize,
    },
    /// It is kept for something else. Which, is not said: the path of the administration is one.
    #[error("the alias {alias:?} is reserved; take another one")]
    Reserved {
        /// The alias.
        alias: String,
    },
}

/// Where an alias comes from, and so, which characters it can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AliasOf {
    /// Written by somebody as an alias: what stands for itself in a URL.
    Text,
    /// The name of a file: letters of any script, and blanks, too, which are encoded in URLs.
    File,
}

impl Alias {
    /// Makes one of a text: trimmed, in lower case, with single slashes and none at its ends. None if
    /// nothing is left.
    pub fn parse(text: &str, of: AliasOf, reserved: &Reserved) -> Result<Option<Self>, AliasError> {
        let text = normalized(text.trim());
        let segments: Vec<&str> = text.split('/').filter(|segment| !segment.is_empty()).collect();
        let alias = segments.join("/");
        let is_letter = |letter: char| match of {
            AliasOf::Text => letter.is_alphanumeric() || "-._~!$&'()*+,;=:@/".contains(letter),
            AliasOf::File => !letter.is_control() && !matches!(letter, '\\' | '\u{fffd}'),
        };
        if let Some(found) = alias.chars().find(|letter| !is_letter(*letter)) {
            return Err(AliasError::Character { alias, found });
        }
        if segments.iter().any(|segment| matches!(*segment, "." | "..")) {
            return Err(AliasError::Dots { alias });
        }
        if alias.len() > LONGEST {
            return Err(AliasError::Long { length: alias.len() });
        }
        if alias.is_empty() {
            return Ok(None);
        }
        if reserved.is_reserved(&alias) {
            return Err(AliasError::Reserved { alias });
        }
        Ok(Some(Self(alias.into())))
    }

    /// That of a page of the plain layout that names none, by the path of its file from `pages/`:
    /// `docs/index.md` is `docs`, and blanks are hyphens.
    pub fn of_page(path: &str, reserved: &Reserved) -> Result<Self, AliasError> {
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        let alias = Self::parse(&derived(stem), AliasOf::File, reserved)?;
        Ok(alias.unwrap_or_else(Self::home))
    }

    /// That of the page at `/`.
    #[must_use]
    pub fn home() -> Self {
        Self("".into())
    }

    /// As it is compared with what a request names.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path of its URL: `/`, and no slash at the end of any other.
    #[must_use]
    pub fn url_path(&self) -> String {
        encoded(&self.0)
    }
}

impl fmt::Display for Alias {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_have_one_spelling() {
        let reserved = Reserved::new("secret-door").unwrap();
        let text = |text: &str| Alias::parse(text, AliasOf::Text, &reserved);
        for (given, alias) in [
            (" /Docs//Guide/ ", "docs/guide"),
            ("a.b~c!$&'()*+,;=:@-_", "a.b~c!$&'()*+,;=:@-_"),
            ("robots.txt/extra", "robots.txt/extra"),
            ("idea", "idea"),
            ("über", "über"),
        ] {
            assert_eq!(text(given).unwrap().unwrap().as_str(), alias);
        }
        assert_eq!(text(" / ").unwrap(), None);
        for wrong in
            ["a b", "a%20b", "a\\b", "a\0", "a\nb", "a?b", "a#b", "a/../b", "./a", "a\u{202e}b"]
        {
            assert!(text(wrong).is_err(), "{wrong:?}");
        }
        for kept in
            ["robots.txt", "ID", "id/1122", "login", "Secret-Door", "secret-door/x", "sitemaps/a"]
        {
            assert!(matches!(text(kept), Err(AliasError::Reserved { .. })), "{kept}");
        }
        assert!(text(&"a".repeat(600)).is_err());
        let file = |text: &str| Alias::parse(text, AliasOf::File, &reserved);
        assert_eq!(file("Fotos/Ä b.jpg").unwrap().unwrap().url_path(), "/fotos/%C3%A4%20b.jpg");
        assert!(file("%6cogin/x.png").is_err());
        assert_eq!(Alias::home().url_path(), "/");
        for (path, alias) in [("index.md", ""), ("docs/index.md", "docs"), ("A b.md", "a-b")] {
            assert_eq!(Alias::of_page(path, &reserved).unwrap().as_str(), alias);
        }
        assert!(Alias::of_page("login.md", &reserved).is_err());
    }
}
