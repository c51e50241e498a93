//! The input of every measurement: made-up entries, the same at each run and on each machine.

use std::io::{self, Write};

/// One entry. All text is ready, so that the floor of writing has nothing to do but to copy it.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// The URI, about 60 characters. One in eight has a query with an ampersand.
    pub(crate) loc: String,
    /// `loc` as it is in XML.
    pub(crate) escaped_loc: String,
    /// To the second, in UTC.
    pub(crate) lastmod: String,
    /// SHA-256, in lower-case hexadecimal.
    pub(crate) sha256: String,
    /// In bytes.
    pub(crate) length: String,
    /// The media type.
    pub(crate) media_type: &'static str,
}

const KINDS: [(&str, &str); 4] = [
    ("html", "text/html"),
    ("pdf", "application/pdf"),
    ("jpeg", "image/jpeg"),
    ("odt", "application/vnd.oasis.opendocument.text"),
];

impl Sample {
    /// The `number`th entry. Entries are in the order of their URIs.
    pub(crate) fn new(number: u64) -> Self {
        let mut random = Random(number);
        let bits = random.next();
        let (extension, media_type) = KINDS[(bits & 3) as usize];
        let mut loc = format!(
            "https://data.example.org/archive/{:04}/item-{number:08}/content.{extension}",
            number / 10_000
        );
        if (bits >> 2).is_multiple_of(8) {
            loc.push_str("?lang=en&v=2");
        }
        let at = |shift: u32, below: u64| (bits >> shift) % below;
        Self {
            escaped_loc: loc.replace('&', "&amp;"),
            loc,
            lastmod: format!(
                "20{:02}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
                15 + at(8, 11),
                1 + at(14, 12),
                1 + at(20, 28),
                at(26, 24),
                at(32, 60),
                at(38, 60)
            ),
            sha256: (0..4).map(|_| format!("{:016x}", random.next())).collect(),
            length: (100 + at(44, 900_000)).to_string(),
            media_type,
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(b"  <url>\n      <loc>")?;
        out.write_all(self.escaped_loc.as_bytes())?;
        out.write_all(b"</loc>\n      <lastmod>")?;
        out.write_all(self.lastmod.as_bytes())?;
        out.write_all(b"</lastmod>\n")?;
        out.write_all(b"      <rs:md hash=\"sha-256:")?;
        out.write_all(self.sha256.as_bytes())?;
        out.write_all(b"\"\n             length=\"")?;
        out.write_all(self.length.as_bytes())?;
        out.write_all(b"\"\n             type=\"")?;
        out.write_all(self.media_type.as_bytes())?;
        out.write_all(b"\"/>\n")?;
        out.write_all(b"  </url>\n")
    }
}

/// Laid out as in the standard's examples.
const HEAD: &str = concat!(
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
    "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"\n",
    "        xmlns:rs=\"http://www.openarchives.org/rs/terms/\">\n",
    "  <rs:ln rel=\"up\" href=\"https://data.example.org/resourcesync/capabilitylist.xml\"/>\n",
    "  <rs:md capability=\"resourcelist\" at=\"2026-01-01T00:00:00Z\"/>\n",
);

/// Writes a Resource List of `count` entries.
pub(crate) fn document(count: u64, mut out: impl Write) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    for number in 0..count {
        Sample::new(number).write(&mut out)?;
    }
    out.write_all(b"</urlset>\n")?;
    out.flush()
}

/// `SplitMix64`: enough for text that does not repeat.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}
