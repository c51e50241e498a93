//! Whose webfeed it is.

use url::Url;

/// What the identity area of a reader shows: read from the folder's own document, else from the newest
/// post (Webfeeds Specification, "Example HTML Post").
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// `<meta name="author">`.
    pub author: Option<String>,
    /// `<meta name="description">`.
    pub description: Option<String>,
    /// `<link rel="icon">`.
    pub icon: Option<Url>,
}

impl Identity {
    /// What this does not say, as the other says it.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            author: self.author.or(other.author),
            description: self.description.or(other.description),
            icon: self.icon.or(other.icon),
        }
    }
}
