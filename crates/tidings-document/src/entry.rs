//! `<url>` and `<sitemap>`: one entry of a document.

use std::borrow::Cow;
use std::fmt;

use crate::metadata::owned;
use crate::{Link, Metadata, Moment};

/// A hint of how often a resource changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "named as the Sitemap protocol names them")]
pub enum ChangeFreq {
    Always,
    Hourly,
    Daily,
    Weekly,
    Monthly,
    Yearly,
    Never,
}

impl ChangeFreq {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Always,
        Self::Hourly,
        Self::Daily,
        Self::Weekly,
        Self::Monthly,
        Self::Yearly,
        Self::Never,
    ];

    /// The element's content.
    pub fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Hourly => "hourly",
            Self::Daily => "daily",
            Self::Weekly => "weekly",
            Self::Monthly => "monthly",
            Self::Yearly => "yearly",
            Self::Never => "never",
        }
    }

    /// The hint of that name; case does not count.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|hint| hint.name().eq_ignore_ascii_case(name))
    }
}

/// A page's priority among those of its site, 0.0 to 1.0, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(u16);

impl Priority {
    /// A priority of so many thousandths; `None` above 1,000.
    pub fn from_thousandths(thousandths: u16) -> Option<Self> {
        (thousandths <= 1000).then_some(Self(thousandths))
    }

    /// Reads a decimal number from 0.0 to 1.0; digits past the third are dropped.
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let whole = if whole.is_empty() && !fraction.is_empty() { "0" } else { whole };
        if whole.is_empty()
            || whole.len() > 4
            || !fraction.bytes().chain(whole.bytes()).all(|b| b.is_ascii_digit())
        {
            return None;
        }
        let digit =
            |place: usize| fraction.as_bytes().get(place).map_or(0, |byte| u16::from(byte - b'0'));
        let thousandths = digit(0) * 100 + digit(1) * 10 + digit(2);
        match whole.trim_start_matches('0') {
            "" => Some(Self(thousandths)),
            "1" if fraction.bytes().all(|byte| byte == b'0') => Some(Self(1000)),
            _ => None,
        }
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = format!("{:03}", self.0 % 1000);
        let digits = digits.trim_end_matches('0');
        write!(f, "{}.{}", self.0 / 1000, if digits.is_empty() { "0" } else { digits })
    }
}

/// One entry of a document: a resource, a change, a package or another document.
///
/// Read from a document it borrows the reader's buffer wherever the text stands there as it is
/// meant; [`Entry::into_owned`] sets it free.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Entry<'a> {
    /// The URI.
    pub loc: Cow<'a, str>,
    /// When the resource was last modified.
    pub lastmod: Option<Moment>,
    /// How often it is thought to change.
    pub changefreq: Option<ChangeFreq>,
    /// Its weight among the pages of its site (Sitemap protocol).
    pub priority: Option<Priority>,
    /// What is said about it; empty where there is no `rs:md`.
    pub metadata: Metadata<'a>,
    /// Links to related resources.
    pub links: Vec<Link<'a>>,
    /// Elements of other namespaces (image, video, news, `xhtml:link` …), each as its XML, with the
    /// prefixes of the document's [`Head::namespaces`](crate::Head::namespaces) or its own.
    pub extensions: Vec<Cow<'a, str>>,
}

impl<'a> Entry<'a> {
    /// An entry with nothing but its URI.
    pub fn new(loc: impl Into<Cow<'a, str>>) -> Self {
        Self { loc: loc.into(), ..Self::default() }
    }

    /// When the change that this entry conveys came about: its `datetime`, else its `lastmod`
    /// (which was the place for it in 1.0). Where there is neither, the place in the list tells.
    pub fn change_time(&self) -> Option<Moment> {
        self.metadata.datetime.or(self.lastmod)
    }

    /// The first link of that relation type.
    pub fn link(&self, rel: &str) -> Option<&Link<'a>> {
        self.links.iter().find(|link| link.is(rel))
    }

    /// The same, borrowing nothing.
    pub fn into_owned(self) -> Entry<'static> {
        Entry {
            loc: owned(self.loc),
            lastmod: self.lastmod,
            changefreq: self.changefreq,
            priority: self.priority,
            metadata: self.metadata.into_owned(),
            links: self.links.into_iter().map(Link::into_owned).collect(),
            extensions: self.extensions.into_iter().map(owned).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_priorities() {
        for (text, shown) in [
            ("0.5", "0.5"),
            ("1.0", "1.0"),
            ("1", "1.0"),
            ("0", "0.0"),
            (".25", "0.25"),
            ("0.6421", "0.642"),
        ] {
            assert_eq!(Priority::parse(text).unwrap().to_string(), shown);
        }
        for text in ["", ".", "1.1", "2", "-0.5", "high", "0,5", "1e-1"] {
            assert_eq!(Priority::parse(text), None, "{text}");
        }
    }
}
