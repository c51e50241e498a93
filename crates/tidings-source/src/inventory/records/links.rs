//! The links of a record.

use serde::{Deserialize, Serialize};
use tidings_document::{Hash, Link};

use super::RecordError;
use super::fields::moment;

/// A link as it is written in JSON: with the names that the attributes of `rs:ln` have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkFields {
    rel: String,
    href: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pri: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    modified: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    media_type: Option<String>,
}

impl LinkFields {
    /// A link with nothing but its relation type and its target.
    pub(crate) fn new(rel: &str, href: &str) -> Self {
        Self { rel: rel.to_owned(), href: href.to_owned(), ..Self::default() }
    }

    /// What was written down of a link.
    pub fn of_link(link: &Link<'_>) -> Self {
        Self {
            rel: link.rel.clone().into_owned(),
            href: link.href.clone().into_owned(),
            pri: link.pri,
            modified: link.modified.map(|moment| moment.to_string()),
            encoding: link.encoding.as_deref().map(str::to_owned),
            hash: link.hash.as_ref().map(|hash| hash.as_str().to_owned()),
            length: link.length,
            media_type: link.media_type.as_deref().map(str::to_owned),
        }
    }

    /// The link that is meant. Whether a list could hold it is not asked here.
    pub fn link(self) -> Result<Link<'static>, RecordError> {
        let mut link = Link::new(self.rel, self.href);
        link.pri = self.pri;
        link.modified = match self.modified {
            Some(text) => Some(moment("modified", &text)?),
            None => None,
        };
        link.encoding = self.encoding.map(Into::into);
        link.hash = self.hash.map(|text| Hash::from_attribute(text.into()));
        link.length = self.length;
        link.media_type = self.media_type.map(Into::into);
        Ok(link)
    }
}
