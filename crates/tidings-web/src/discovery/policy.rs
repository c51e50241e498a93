//! How far a search may go, and what it may be content with.

/// What [`discover_with`](super::discover_with) looks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DiscoveryPolicy {
    /// Which documents are looked for.
    pub search: Search,
    /// Climb from any document to the Source Description, and take all of its sets.
    pub all_sets: bool,
}

/// Which documents a search looks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Search {
    /// ResourceSync, else a Sitemap, whatever the reason why there is no ResourceSync: for those who
    /// want to see what there is.
    #[default]
    Lenient,
    /// ResourceSync; a Sitemap only if the server says that there is no ResourceSync (404, 410). Any
    /// other answer is no statement about the Source, and ends the search: for those who verify what
    /// they are given, and would verify less of a Sitemap.
    Strict,
    /// Sitemaps only: what was named, those of robots.txt, `/sitemap.xml`.
    Sitemaps,
}
