//! The floor of writing: the very bytes of Tidings' writer, copied together from prepared text.
//! Nothing is escaped, formatted or checked here. `tidings-bench same` tells when the writer's
//! layout has changed and this one is to follow.

use std::io::Write;

use crate::Result;
use crate::sample::Sample;

/// Writes one Resource List of these entries.
pub(crate) fn write<'a>(
    entries: impl Iterator<Item = &'a Sample>,
    out: &mut impl Write,
) -> Result<()> {
    out.write_all(HEAD.as_bytes())?;
    for entry in entries {
        out.write_all(b"  <url><loc>")?;
        out.write_all(entry.escaped_loc.as_bytes())?;
        out.write_all(b"</loc><lastmod>")?;
        out.write_all(entry.lastmod.as_bytes())?;
        out.write_all(b"</lastmod><rs:md hash=\"sha-256:")?;
        out.write_all(entry.sha256.as_bytes())?;
        out.write_all(b"\" length=\"")?;
        out.write_all(entry.length.as_bytes())?;
        out.write_all(b"\" type=\"")?;
        out.write_all(entry.media_type.as_bytes())?;
        out.write_all(b"\"/></url>\n")?;
    }
    out.write_all(b"</urlset>\n")?;
    Ok(())
}

const HEAD: &str = concat!(
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
    "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"",
    " xmlns:rs=\"http://www.openarchives.org/rs/terms/\">\n",
    "  <rs:ln rel=\"up\" href=\"https://data.example.org/resourcesync/capabilitylist.xml\"/>\n",
    "  <rs:md capability=\"resourcelist\" at=\"2026-01-01T00:00:00Z\"/>\n",
);
