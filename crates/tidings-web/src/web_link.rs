//! A link from a page or an answer to another resource.

use url::Url;

/// A link that a page or the head of an answer has, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebLink {
    /// Where it leads, without its fragment.
    pub target: Url,
    /// Its relation types, in lower case.
    pub rels: Vec<String>,
    /// The media type that is announced.
    pub media_type: Option<String>,
}

impl WebLink {
    /// The link of a relative or whole URL and a list of relation types; none where it is no URL, or
    /// one without a relation.
    pub(crate) fn new(
        base: &Url,
        target: &str,
        rels: &str,
        media_type: Option<String>,
    ) -> Option<Self> {
        let mut target = base.join(target.trim()).ok()?;
        target.set_fragment(None);
        let rels: Vec<String> =
            rels.split_ascii_whitespace().map(str::to_ascii_lowercase).collect();
        (!rels.is_empty()).then_some(Self { target, rels, media_type })
    }

    /// Whether it is of that relation type, whose case does not count (RFC 8288, section 2.1.1).
    #[must_use]
    pub fn is(&self, rel: &str) -> bool {
        self.rels.iter().any(|own| own.eq_ignore_ascii_case(rel))
    }
}
