//! Why content could not be changed.

use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use crate::{FrontMatterError, SidecarError};

/// Why content could not be changed, or read to be changed. Nothing was changed then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// Somebody else was faster.
    #[error(
        "{0} was changed by somebody else in the meantime; look at theirs before you save yours"
    )]
    Changed(String),
    /// There is no such object.
    #[error("{0} is not there any more")]
    Missing(String),
    /// There is one.
    #[error("{0} is there already; take another alias or title")]
    Exists(String),
    /// It is not the name of a file that could be served.
    #[error("{name:?} cannot be the name of a file: {reason}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Neither an alias nor a title to name a file by.
    #[error("a page needs an alias or a title to be called by")]
    NoName,
    /// The way there leads out of the content root.
    #[error(
        "{} is or is behind a symbolic link out of the content root, and is not changed; \
         replace the link by what it points to", .0.display()
    )]
    Link(PathBuf),
    /// Longer than is taken.
    #[error("it is larger than {limit} bytes, which is all that is taken")]
    TooLarge {
        /// How much is.
        limit: u64,
    },
    /// Markdown that is no text.
    #[error("Markdown has to be UTF-8, and this is not")]
    Encoding,
    /// Not a media type.
    #[error("{0:?} is no media type; one is \"image/png\"")]
    Mime(String),
    /// What the sidecar would say cannot be used, or what it says cannot be read.
    #[error(transparent)]
    Sidecar(#[from] SidecarError),
    /// The front matter of a file cannot be read.
    #[error(transparent)]
    FrontMatter(#[from] FrontMatterError),
    /// Roles where there can be none: they would be lost, and everybody could see it.
    #[error(
        "objects of the versioned layout have no roles of their own; give it a tag that has them"
    )]
    RolesNeedTag,
    /// Tags where there can be none: they would be lost, and everybody could see it.
    #[error(
        "files that are no pages have no tags; put what not everybody may see under `content/`"
    )]
    NoTags,
    /// Not an id.
    #[error("{0:?} is no id of an object, which is what something is below in menus")]
    Parent(String),
    /// The system failed.
    #[error("could not {what} {}: {source}", path.display())]
    Io {
        /// What was done.
        what: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl EditError {
    pub(super) fn io(what: &'static str, path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { what, path: path.to_owned(), source }
    }

    /// The same of what the system says where links are not followed.
    pub(super) fn os(what: &'static str, path: &Path) -> impl Fn(Errno) -> Self {
        move |error| match error {
            Errno::LOOP | Errno::XDEV => Self::Link(path.to_owned()),
            error => Self::io(what, path)(error.into()),
        }
    }
}
