//! A set of resources, with documents of its own.

use std::fmt::Debug;
use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::PublishError;
use crate::selection::{Globs, PatternError};

/// A list of the members of a set that is kept elsewhere, such as in a table.
pub trait Members: Debug + Send + Sync {
    /// True if the resource at that path below the base belongs to the set.
    fn has(&self, path: &Path) -> bool;

    /// The first error that kept [`has`](Self::has) from a true answer. It is asked for before
    /// anything is written, so that a list that cannot be read changes nothing.
    fn failure(&self) -> Option<io::Error> {
        None
    }
}

/// A set of resources: what belongs to it, and what is said of it.
#[derive(Debug, Clone, Default)]
pub struct Set {
    /// Its name, which is that of its folder of documents. None if it is the only set there is.
    pub name: Option<String>,
    /// The URI of the collection that it is; else that of its folder, or of the whole Source.
    pub uri: Option<String>,
    /// What a reader should know about it.
    pub about: About,
    /// True if its resources may be in other sets as well: it has all that it matches, even what another
    /// set has, and keeps nothing from the sets after it.
    pub shared: bool,
    prefix: Option<String>,
    members: Option<Globs>,
    listed: Option<Arc<dyn Members>>,
}

/// What a reader should know about a collection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// Its title.
    pub title: Option<String>,
    /// Who made it.
    pub author: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Its language, as a language tag (RFC 5646).
    pub language: Option<String>,
}

impl Set {
    /// A set of that name: of everything, until it is told otherwise.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..Self::default() }
    }

    /// True if that can be the name of a set: it is a folder's, and part of URLs.
    pub fn is_name(name: &str) -> bool {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        !name.is_empty() && name.len() <= 64 && name.bytes().all(plain)
    }

    /// The same set, of what lies below that path.
    pub fn with_prefix(mut self, prefix: &str) -> Result<Self, PatternError> {
        let prefix = prefix.trim_start_matches('/');
        let slash = if prefix.is_empty() || prefix.ends_with('/') { "" } else { "/" };
        self.prefix = Some(format!("{prefix}{slash}"));
        self.members = Some(Globs::new(&[format!("{}{slash}**", globset::escape(prefix))])?);
        Ok(self)
    }

    /// The same set, of what one of these globs matches.
    pub fn with_globs(mut self, patterns: &[String]) -> Result<Self, PatternError> {
        self.members = Some(Globs::new(patterns)?);
        Ok(self)
    }

    /// The same set, of what that list names.
    #[must_use]
    pub fn with_members(mut self, members: Arc<dyn Members>) -> Self {
        self.listed = Some(members);
        self
    }

    /// Fails if the list of its members could not be read.
    pub(crate) fn check(&self) -> Result<(), PublishError> {
        match self.listed.as_ref().and_then(|listed| listed.failure()) {
            Some(error) => {
                let name = self.name.clone().unwrap_or_default();
                Err(PublishError::io("could not read the members of the set", name)(error))
            }
            None => Ok(()),
        }
    }

    /// True if what lies at that path below the base belongs to it.
    pub(crate) fn has(&self, path: &Path) -> bool {
        if let Some(listed) = &self.listed {
            return listed.has(path);
        }
        self.members.as_ref().is_none_or(|members| members.is_match(path))
    }

    /// The places of the sets that a resource at that path is in: of all that are shared and have it,
    /// and of the first other one that has it.
    pub(crate) fn places<'s>(sets: &'s [Self], path: &'s Path) -> impl Iterator<Item = usize> + 's {
        let mut is_taken = false;
        let has = move |(place, set): (usize, &Self)| {
            let has = (set.shared || !is_taken) && set.has(path);
            is_taken |= has && !set.shared;
            has.then_some(place)
        };
        sets.iter().enumerate().filter_map(has)
    }

    /// The URI of the collection (IFCC-0001: what the Capability List `describes`). Two sets that are
    /// not folders need two URIs, too: a fragment keeps them apart.
    pub(crate) fn collection(&self, base: &str) -> String {
        match (&self.uri, &self.prefix, &self.name) {
            (Some(uri), _, _) => uri.clone(),
            (None, Some(prefix), _) => {
                let segments: Vec<String> = prefix
                    .split('/')
                    .map(|segment| crate::inventory::encoded(segment.as_ref()))
                    .collect();
                format!("{base}{}", segments.join("/"))
            }
            (None, None, Some(name)) if self.members.is_some() || self.listed.is_some() => {
                format!("{base}#{name}")
            }
            _ => base.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_a_folder_or_what_globs_match() {
        let folder = Set::named("art").with_prefix("/art [1]").unwrap();
        assert!(folder.has(Path::new("art [1]/a/b.png")));
        assert!(!folder.has(Path::new("art 1/a")));
        assert_eq!(folder.collection("http://e.example/"), "http://e.example/art%20%5B1%5D/");
        let globs = Set::named("pictures").with_globs(&["**/*.png".into(), "x/*".into()]).unwrap();
        assert!(globs.has(Path::new("a.png")) && globs.has(Path::new("x/y")));
        assert!(!globs.has(Path::new("x/y/z")));
        assert_eq!(globs.collection("http://e.example/"), "http://e.example/#pictures");
        assert!(Set::default().has(Path::new("anything")));
    }

    #[test]
    fn a_set_may_have_a_list_of_members() {
        #[derive(Debug)]
        struct Only(&'static str, bool);
        impl Members for Only {
            fn has(&self, path: &Path) -> bool {
                path == Path::new(self.0)
            }

            fn failure(&self) -> Option<io::Error> {
                self.1.then(|| io::Error::other("the disk is gone"))
            }
        }
        let set = |fails| Set::named("a").with_members(Arc::new(Only("x/y", fails)));
        assert!(set(false).has(Path::new("x/y")) && !set(false).has(Path::new("x")));
        assert_eq!(set(false).collection("http://e.example/"), "http://e.example/#a");
        assert!(set(false).check().is_ok() && set(true).check().is_err());
    }

    #[test]
    fn a_resource_is_in_the_first_set_and_in_all_that_are_shared() {
        let set = |name: &str, globs: &str, shared| {
            let set = Set::named(name).with_globs(&[globs.to_owned()]).unwrap();
            Set { shared, ..set }
        };
        let sets = [
            set("a", "*.png", true),
            set("b", "x*", false),
            set("c", "**", false),
            set("d", "**", true),
        ];
        for (path, places) in [
            ("x.png", &[0, 1, 3][..]),
            ("y.png", &[0, 2, 3]),
            ("x.txt", &[1, 3]),
            ("y.txt", &[2, 3]),
        ] {
            assert_eq!(Set::places(&sets, Path::new(path)).collect::<Vec<_>>(), places, "{path}");
        }
    }

    #[test]
    fn a_name_is_one_of_a_folder() {
        assert!(Set::is_name("gallery-2_a"));
        for name in ["", "a/b", "..", "a b", "ü", "changelist.xml"] {
            assert!(!Set::is_name(name), "{name}");
        }
    }
}
