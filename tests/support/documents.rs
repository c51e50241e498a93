//! Documents of a Source, by hand: right ones, and ones that no writer of ours would write.

use std::fmt::Write as _;

use tidings_document::Algorithm;
use tidings_source::Function;

pub const SITEMAP: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";
pub const TERMS: &str = "http://www.openarchives.org/rs/terms/";

/// The time that lists are of, unless a test says otherwise.
pub const AT: &str = "2026-01-01T00:00:00Z";

/// An entry of a document.
#[derive(Clone, Default)]
pub struct Item {
    loc: String,
    lastmod: Option<String>,
    metadata: String,
    links: String,
}

impl Item {
    pub fn new(loc: impl Into<String>) -> Self {
        Self { loc: loc.into(), ..Self::default() }
    }

    pub fn lastmod(mut self, time: &str) -> Self {
        self.lastmod = Some(time.to_owned());
        self
    }

    /// An attribute of its `rs:md`.
    pub fn md(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        let _ = write!(self.metadata, " {name}=\"{value}\"");
        self
    }

    /// The length and the SHA-256 of these bytes.
    pub fn of(self, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        self.md("length", bytes.len()).md("hash", format!("sha-256:{}", sha256(bytes)))
    }

    pub fn change(self, change: &str) -> Self {
        self.md("change", change)
    }

    pub fn at(self, time: &str) -> Self {
        self.md("datetime", time)
    }

    /// A link, with more attributes as they are written.
    pub fn link(mut self, rel: &str, href: &str, more: &str) -> Self {
        let _ = write!(self.links, "<rs:ln rel=\"{rel}\" href=\"{href}\" {more}/>");
        self
    }

    fn write(&self, out: &mut String, element: &str) {
        let _ = write!(out, "<{element}><loc>{}</loc>", self.loc);
        if let Some(lastmod) = &self.lastmod {
            let _ = write!(out, "<lastmod>{lastmod}</lastmod>");
        }
        if !self.metadata.is_empty() {
            let _ = write!(out, "<rs:md{}/>", self.metadata);
        }
        let _ = write!(out, "{}</{element}>", self.links);
    }
}

/// A document of entries, with what is in its head as it is written.
pub fn document(head: &str, items: &[Item]) -> String {
    write("urlset", "url", head, items)
}

/// An index of documents.
pub fn index(head: &str, items: &[Item]) -> String {
    write("sitemapindex", "sitemap", head, items)
}

fn write(root: &str, element: &str, head: &str, items: &[Item]) -> String {
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{root} xmlns=\"{SITEMAP}\" xmlns:rs=\"{TERMS}\">{head}"
    );
    for item in items {
        item.write(&mut out, element);
        out.push('\n');
    }
    out + &format!("</{root}>\n")
}

pub fn resource_list(items: &[Item]) -> String {
    resource_list_at(AT, items)
}

pub fn resource_list_at(at: &str, items: &[Item]) -> String {
    document(&format!("<rs:md capability=\"resourcelist\" at=\"{at}\"/>"), items)
}

/// A Change List since [`AT`].
pub fn change_list(items: &[Item]) -> String {
    change_list_of(AT, None, items)
}

pub fn change_list_of(from: &str, until: Option<&str>, items: &[Item]) -> String {
    let until = until.map_or(String::new(), |until| format!(" until=\"{until}\""));
    document(&format!("<rs:md capability=\"changelist\" from=\"{from}\"{until}/>"), items)
}

/// A Capability List of capabilities and their URLs.
pub fn capability_list(offers: &[(&str, String)]) -> String {
    listing("capabilitylist", offers)
}

/// A Source Description of Capability Lists.
pub fn description(sets: &[String]) -> String {
    let sets: Vec<_> = sets.iter().map(|url| ("capabilitylist", url.clone())).collect();
    listing("description", &sets)
}

fn listing(capability: &str, offers: &[(&str, String)]) -> String {
    let items: Vec<Item> =
        offers.iter().map(|(what, url)| Item::new(url.as_str()).md("capability", what)).collect();
    document(&format!("<rs:md capability=\"{capability}\"/>"), &items)
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn digest(algorithm: Algorithm, bytes: &[u8]) -> Vec<u8> {
    let mut function = Function::new(algorithm);
    function.update(bytes);
    function.finish().unwrap().bytes().to_vec()
}

pub fn sha256(bytes: &[u8]) -> String {
    hex(&digest(Algorithm::Sha256, bytes))
}

pub fn md5(bytes: &[u8]) -> String {
    hex(&digest(Algorithm::Md5, bytes))
}

/// The difference of two texts of one line each, which no line feed ends.
pub fn unified_diff(old: &str, new: &str) -> String {
    const NO_END: &str = "\\ No newline at end of file";
    format!("--- a\n+++ b\n@@ -1 +1 @@\n-{old}\n{NO_END}\n+{new}\n{NO_END}\n")
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
