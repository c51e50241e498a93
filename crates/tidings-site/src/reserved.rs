//! The paths that are kept for the program itself: the one place that says which.
//!
//! Alias validation, routing, the sitemap and `/robots.txt` all ask here.

use crate::path::folded;

/// One reserved path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReservedPath {
    /// Without slashes at its ends, in lower case.
    pub path: Box<str>,
    /// What it takes besides itself.
    pub extent: Extent,
    /// Whether crawlers are told to keep away from it.
    pub robots: Robots,
}

/// How much a reserved path takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// It alone.
    Exact,
    /// And all that is below it.
    Prefix,
}

/// What `/robots.txt` says about a reserved path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Robots {
    /// Nothing: crawlers may have it.
    Open,
    /// That it is not for them.
    Disallow,
    /// Nothing, since saying it would tell everybody where it is.
    Secret,
}

/// All of them.
#[derive(Debug, Clone)]
pub struct Reserved(Vec<ReservedPath>);

/// Why a path cannot be that of the administration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the admin path {path:?} cannot be used: it takes letters of a to z, digits and hyphens, with slashes \
     between, 4 to 100 in all, and none of the paths that are kept for something else"
)]
pub struct AdminPathError {
    /// What was given.
    pub path: String,
}

const OWN: [(&str, Extent, Robots); 11] = [
    ("robots.txt", Extent::Exact, Robots::Open),
    ("sitemap.xml", Extent::Exact, Robots::Open),
    ("sitemap_index.xml", Extent::Exact, Robots::Open),
    ("feed.atom", Extent::Exact, Robots::Open),
    ("sitemaps", Extent::Prefix, Robots::Open),
    // Objects without an alias are there, for crawlers, too.
    ("id", Extent::Prefix, Robots::Open),
    ("login", Extent::Prefix, Robots::Disallow),
    ("builtin", Extent::Prefix, Robots::Disallow),
    ("api", Extent::Prefix, Robots::Disallow),
    // Those who copy the site, and heed its robots.txt, have to come here.
    ("resourcesync", Extent::Prefix, Robots::Open),
    (".well-known", Extent::Prefix, Robots::Open),
];

impl Reserved {
    /// All of them, with that of the administration.
    pub fn new(admin: &str) -> Result<Self, AdminPathError> {
        let path = admin.trim_matches('/');
        let is_letter =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_segment = |segment: &str| !segment.is_empty() && segment.bytes().all(is_letter);
        let mut own: Vec<ReservedPath> = OWN
            .iter()
            .map(|(path, extent, robots)| ReservedPath {
                path: (*path).into(),
                extent: *extent,
                robots: *robots,
            })
            .collect();
        let is_taken = own.iter().any(|known| known.takes(path));
        if !(4..=100).contains(&path.len()) || !path.split('/').all(is_segment) || is_taken {
            return Err(AdminPathError { path: admin.to_owned() });
        }
        own.push(ReservedPath {
            path: path.into(),
            extent: Extent::Prefix,
            robots: Robots::Secret,
        });
        Ok(Self(own))
    }

    /// The one that takes this path, in whatever spelling.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<&ReservedPath> {
        let path = folded(path)?;
        self.0.iter().find(|known| known.takes(&path))
    }

    /// Whether no alias may be this: it is taken, or spelled so that nobody can tell.
    #[must_use]
    pub fn is_reserved(&self, path: &str) -> bool {
        match folded(path) {
            Some(path) => self.0.iter().any(|known| known.takes(&path)),
            None => true,
        }
    }

    /// All, in the order in which they are told.
    pub fn iter(&self) -> impl Iterator<Item = &ReservedPath> {
        self.0.iter()
    }

    /// Where the administration is, without slashes at the ends.
    #[must_use]
    pub fn admin(&self) -> &str {
        self.0.iter().find(|known| known.robots == Robots::Secret).map_or("", |known| &known.path)
    }
}

impl ReservedPath {
    fn takes(&self, folded: &str) -> bool {
        match folded.strip_prefix(&*self.path) {
            Some("") => true,
            Some(rest) => self.extent == Extent::Prefix && rest.starts_with('/'),
            None => false,
        }
    }

    /// As a rule of `/robots.txt` has it.
    #[must_use]
    pub fn rule(&self) -> String {
        match self.extent {
            Extent::Exact => format!("/{}$", self.path),
            Extent::Prefix => format!("/{}/", self.path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reserved_path_is_known_in_any_spelling() {
        let reserved = Reserved::new("/back-room/").unwrap();
        assert_eq!(reserved.admin(), "back-room");
        for path in [
            "api",
            "/API/",
            "/api/x",
            "/%61pi",
            "/x/../api/y",
            "//api",
            "\\api\\",
            "/back-room",
            "Back-Room/x",
        ] {
            assert!(reserved.is_reserved(path), "{path}");
            assert!(reserved.find(path).is_some(), "{path}");
        }
        for path in ["apis", "robots.txt/extra", "identity", "x/api", "loginn", "back-rooms", ""] {
            assert!(!reserved.is_reserved(path), "{path}");
        }
        // It cannot be told what this is.
        assert!(reserved.is_reserved("a\u{1}"));
    }

    #[test]
    fn the_administration_has_a_path_of_its_own() {
        for wrong in [
            "", "abc", "login", "login/x", "a b c d", "ABCD", "a//b/c", "..", "id/abcd", "%61bcd",
            "résumé",
        ] {
            assert!(Reserved::new(wrong).is_err(), "{wrong}");
        }
        assert!(Reserved::new("back/room").is_ok());
    }
}
