//! The names of works and sides in the data file of `bench follow`.

/// A feed that the reader has already.
pub(crate) const UNCHANGED_FEED: &str = "feed-unchanged";
/// A feed that is sent.
pub(crate) const FEED: &str = "feed";
/// Polls of sites that have nothing new.
pub(crate) const POLLS: &str = "polls";
/// Polls that bring changes.
pub(crate) const CHANGES: &str = "changes";
/// Some sites do not answer, all are due at once.
pub(crate) const HANGING: &str = "hanging";
/// The same, due one after the other.
pub(crate) const HANGING_SPREAD: &str = "hanging-spread";
pub(crate) const START: &str = "start";
/// A large Sitemap, compared with what it was.
pub(crate) const SITEMAP: &str = "sitemap";

pub(crate) const SERVE: &str = "Tidings, serve";
pub(crate) const HELLO: &str = "axum, hello";
/// The same with as many bytes as ours.
pub(crate) const BODY: &str = "axum, the same bytes";
pub(crate) const ALL_ANSWER: &str = "Tidings, all sites answer";
pub(crate) const SOME_HANG: &str = "Tidings, one site in ten hangs";
pub(crate) const EMPTY: &str = "Tidings, nothing followed";
pub(crate) const KNOWN: &str = "Tidings, many sites followed";
pub(crate) const POLL: &str = "Tidings, poll";
