//! What is known of an object without reading all of it.

use std::sync::Arc;

use crate::access::Access;
use crate::alias::Alias;
use crate::load::MOST_MARKDOWN;
use crate::object_id::ObjectId;
use crate::path::encoded;
use crate::place::Place;

/// When a file was written last, and how long it is: what says whether it is still the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Stamp {
    /// Seconds since 1970.
    pub seconds: i64,
    /// And nanoseconds.
    pub nanos: u32,
    /// In bytes.
    pub length: u64,
}

/// What a page is, as against all that is only served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Shown as a page.
    Markdown,
    /// Sent as it is.
    Blob,
}

/// Where a page is in the navigation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nav {
    /// What it is called there; else by its title.
    pub title: Option<Box<str>>,
    /// Below which page: an id, or an alias.
    pub parent: Option<Box<str>>,
    /// Smaller ones come first.
    pub order: Option<i32>,
}

/// The canonical metadata of one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageMeta {
    /// What it is known by.
    pub id: ObjectId,
    /// Where it is in the content root.
    pub place: Place,
    /// Whether it is shown or sent.
    pub kind: Kind,
    /// The media type.
    pub mime: Arc<str>,
    /// Its name in URLs.
    pub alias: Option<Alias>,
    /// What it is called; Markdown always is.
    pub title: Box<str>,
    /// What it is about, and by that, who may see it.
    pub tags: Arc<[Box<str>]>,
    /// Who may see it, by itself.
    pub own_access: Access,
    /// Who may see it, all in all.
    pub access: Access,
    /// Where it is in the navigation, if it says so.
    pub nav: Option<Box<Nav>>,
    /// What search engines are told not to do with it, such as `noindex`; empty if nothing.
    pub robots: Box<str>,
    /// Where the body begins: after front matter.
    pub body: u32,
    /// The blob.
    pub blob: Stamp,
    /// The sidecar, if there is one.
    pub sidecar: Option<Stamp>,
}

impl PageMeta {
    /// The later of blob and sidecar, in seconds since 1970.
    #[must_use]
    pub fn last_modified(&self) -> i64 {
        let sidecar = self.sidecar.map_or(i64::MIN, |sidecar| sidecar.seconds);
        self.blob.seconds.max(sidecar)
    }

    /// The path of its one URL.
    #[must_use]
    pub fn url_path(&self) -> String {
        match &self.alias {
            Some(alias) => alias.url_path(),
            None => encoded(&format!("id/{}", self.id)),
        }
    }

    /// The media type of what is sent at its URL.
    #[must_use]
    pub fn sent_type(&self) -> &str {
        match self.kind {
            Kind::Markdown if self.blob.length > MOST_MARKDOWN => "text/plain",
            Kind::Markdown => "text/html",
            Kind::Blob => &self.mime,
        }
    }

    /// How long that is, where it is known without making it.
    #[must_use]
    pub fn sent_length(&self) -> Option<u64> {
        (self.kind == Kind::Blob).then_some(self.blob.length)
    }

    /// Whether everybody may see it.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.access.is_public()
    }

    /// Whether search engines may list it.
    #[must_use]
    pub fn is_indexed(&self) -> bool {
        let words = self.robots.split([',', ' ']);
        !words.map(str::trim).any(|word| matches!(word, "noindex" | "none"))
    }

    /// Whether it is in the sitemap: public Markdown that search engines may list.
    #[must_use]
    pub fn is_in_sitemap(&self) -> bool {
        self.kind == Kind::Markdown && self.is_public() && self.is_indexed()
    }
}
