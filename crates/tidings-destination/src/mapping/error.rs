//! What cannot be mapped, and why.

use url::ParseError;

/// What keeps a text from being the URI of a resource.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UriError {
    /// It is none at all.
    #[error("`{text}` is not a URI")]
    Invalid {
        /// The text.
        text: String,
        /// What is wrong with it.
        source: ParseError,
    },
    /// It is of a resource that is not on the Web.
    #[error("`{text}` has the scheme `{scheme}`, not `http` or `https`")]
    Scheme {
        /// The text.
        text: String,
        /// Its scheme.
        scheme: String,
    },
    /// It has a user name or a password: they are no part of what a resource is called, and a name
    /// of a file is no place for them. Here they are left out.
    #[error("`{text}` was given with a user name or a password")]
    Credentials {
        /// The URI, without them.
        text: String,
    },
}

/// What is wrong with what a user said of URIs and folders.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MappingError {
    /// There is no `=` in it.
    #[error("`{rule}` is not `URI=FOLDER`")]
    NoFolder {
        /// The text.
        rule: String,
    },
    /// The URI is none.
    #[error("cannot map what is below this URI")]
    Uri(#[from] UriError),
    /// The URI has a query, which nothing can be below.
    #[error("cannot map what is below `{prefix}`, which has a query")]
    Query {
        /// The URI.
        prefix: String,
    },
    /// The folder is not one in the copy, or not one that every system can have.
    #[error("`{folder}` cannot be a folder of the copy: {reason}")]
    Folder {
        /// The folder, as it was given.
        folder: String,
        /// Why.
        reason: &'static str,
    },
    /// The URI was mapped before.
    #[error("`{prefix}` is mapped twice")]
    Twice {
        /// The URI.
        prefix: String,
    },
    /// The folder is another URI's, or has it in it, or is in it.
    #[error("the folders `{folder}` and `{other}` are not apart from each other")]
    Overlap {
        /// The folder.
        folder: String,
        /// The one that was given before.
        other: String,
    },
}
