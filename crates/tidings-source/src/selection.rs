//! What of an inventory is published.

use std::fmt;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// A glob that is none.
#[derive(Debug, thiserror::Error)]
#[error("{pattern:?} is not a glob: {reason}")]
pub struct PatternError {
    pattern: String,
    reason: String,
}

/// Globs as they are meant for paths: `*` stays in its folder, `**` does not.
#[derive(Clone, Default)]
pub(crate) struct Globs {
    patterns: Vec<String>,
    set: GlobSet,
}

impl fmt::Debug for Globs {
    /// The patterns alone: what they were compiled to is not worth to be seen.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.patterns.fmt(formatter)
    }
}

impl Globs {
    pub(crate) fn new(patterns: &[String]) -> Result<Self, PatternError> {
        let wrong = |pattern: &str, error: &globset::Error| PatternError {
            pattern: pattern.to_owned(),
            reason: error.kind().to_string(),
        };
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            let relative = pattern.trim_start_matches('/');
            let glob = GlobBuilder::new(relative).literal_separator(true).build();
            set.add(glob.map_err(|error| wrong(pattern, &error))?);
        }
        let set = set.build().map_err(|error| wrong(&patterns.join(" "), &error))?;
        Ok(Self { patterns: patterns.to_vec(), set })
    }

    pub(crate) fn is_match(&self, path: &Path) -> bool {
        !self.patterns.is_empty() && self.set.is_match(path)
    }
}

/// Which files are published: all that are not hidden, unless it is said otherwise.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    include: Option<Globs>,
    exclude: Globs,
    hidden: bool,
    leave_out: Option<PathBuf>,
}

impl Selection {
    /// Publishes what one of the globs `include` matches, or everything if there is none, but nothing
    /// that one of `exclude` matches, and nothing in a folder that one of them matches. Names that
    /// begin with a dot are `hidden`.
    pub fn new(include: &[String], exclude: &[String], hidden: bool) -> Result<Self, PatternError> {
        Ok(Self {
            include: if include.is_empty() { None } else { Some(Globs::new(include)?) },
            exclude: Globs::new(exclude)?,
            hidden,
            leave_out: None,
        })
    }

    /// The same, but for the file at that path.
    pub fn without(mut self, path: impl Into<PathBuf>) -> Self {
        self.leave_out = Some(path.into());
        self
    }

    /// True if only names count, and no globs.
    pub(crate) fn is_plain(&self) -> bool {
        self.include.is_none() && self.exclude.patterns.is_empty() && self.leave_out.is_none()
    }

    /// True if files and folders of that name may be looked at.
    pub(crate) fn allows_name(&self, name: &[u8]) -> bool {
        self.hidden || !name.starts_with(b".")
    }

    /// True if a folder may have something to publish.
    pub(crate) fn enters(&self, folder: &Path) -> bool {
        !self.exclude.is_match(folder) && self.leave_out.as_deref() != Some(folder)
    }

    /// True if the file at that path is published, if its folders and its name let it.
    pub(crate) fn takes(&self, path: &Path) -> bool {
        self.include.as_ref().is_none_or(|include| include.is_match(path)) && self.enters(path)
    }

    /// True if a path that is not walked to, but given, is published.
    pub fn takes_path(&self, path: &Path) -> bool {
        let named = |part: &std::ffi::OsStr| self.allows_name(part.as_encoded_bytes());
        path.iter().all(named)
            && self.takes(path)
            && path.ancestors().skip(1).all(|folder| self.enters(folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_excluded_goes_with_all_that_is_in_it() {
        let exclude = ["drafts".to_owned(), "**/*.bak".to_owned()];
        let selection = Selection::new(&["**/*.html".to_owned()], &exclude, false).unwrap();
        for (path, taken) in [
            ("a.html", true),
            ("a/b.html", true),
            ("a.css", false),
            ("drafts/a.html", false),
            ("a/drafts/a.html", true),
            ("a/.git/a.html", false),
        ] {
            assert_eq!(selection.takes_path(Path::new(path)), taken, "{path}");
        }
        assert!(Selection::new(&["a[".to_owned()], &[], false).is_err());
        assert!(Selection::default().takes_path(Path::new("a.bak")));
    }
}
