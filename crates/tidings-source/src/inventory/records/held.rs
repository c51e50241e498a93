//! One record on its way through the sorting.

use std::cmp::Ordering;
use std::io::{self, BufRead, Read, Write};

use tidings_base::SpillRecord;
use tidings_document::{Hash, Link, Moment};

use super::MAX_RECORD_BYTES;
use super::links::LinkFields;
use crate::Resource;

/// A resource and the line that it was on. The order is that of the URIs, then of the lines.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::inventory) struct Held {
    pub(in crate::inventory) line: u64,
    pub(in crate::inventory) resource: Resource,
    /// True if only the URI can be used.
    pub(in crate::inventory) unknown: bool,
}

impl SpillRecord for Held {
    type Key = String;

    fn key(&self) -> &String {
        &self.resource.uri
    }

    fn into_key(self) -> String {
        self.resource.uri
    }

    /// About how many bytes it takes in memory. Itself it counts twice: a vector that grows has room
    /// for as many again.
    fn size(&self) -> usize {
        let Resource { uri, media_type, hash, links, .. } = &self.resource;
        2 * size_of::<Self>()
            + uri.len()
            + media_type.as_ref().map_or(0, String::len)
            + hash.as_ref().map_or(0, |hash| hash.as_str().len())
            + links.iter().map(|link| size_of_val(link) + link.href.len()).sum::<usize>()
    }

    /// Writes it down: the line, then each field with its length before it, an empty one for none.
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let Resource { uri, lastmod, length, media_type, hash, links } = &self.resource;
        out.write_all(&self.line.to_le_bytes())?;
        out.write_all(&[u8::from(self.unknown)])?;
        let lastmod = lastmod.map(|moment| moment.to_string());
        let length = length.map(|length| length.to_string());
        let links: Vec<LinkFields> = links.iter().map(LinkFields::of_link).collect();
        let links = match links.is_empty() {
            true => None,
            false => Some(serde_json::to_string(&links)?),
        };
        for field in [
            Some(uri.as_str()),
            lastmod.as_deref(),
            length.as_deref(),
            media_type.as_deref(),
            hash.as_ref().map(Hash::as_str),
            links.as_deref(),
        ] {
            let bytes = field.unwrap_or_default().as_bytes();
            let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
            out.write_all(&length.to_le_bytes())?;
            out.write_all(bytes)?;
        }
        Ok(())
    }

    /// Reads the next one that was written; none at the end.
    fn read(input: &mut impl BufRead) -> io::Result<Option<Self>> {
        if input.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let mut line = [0; 8];
        input.read_exact(&mut line)?;
        let mut unknown = [0];
        input.read_exact(&mut unknown)?;
        let unknown = unknown != [0];
        let uri = text(input)?.ok_or_else(damaged)?;
        let lastmod = text(input)?.map(|text| Moment::parse(&text)).transpose();
        let length = text(input)?.map(|text| text.parse()).transpose();
        let resource = Resource {
            uri,
            lastmod: lastmod.map_err(|_| damaged())?,
            length: length.map_err(|_| damaged())?,
            media_type: text(input)?,
            hash: text(input)?.map(|text| Hash::from_attribute(text.into())),
            links: match text(input)? {
                Some(text) => links(&text)?,
                None => Vec::new(),
            },
        };
        Ok(Some(Self { line: u64::from_le_bytes(line), resource, unknown }))
    }
}

fn text(input: &mut impl Read) -> io::Result<Option<String>> {
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_RECORD_BYTES {
        return Err(damaged());
    }
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes)?;
    let text = String::from_utf8(bytes).map_err(|_| damaged())?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}

fn links(text: &str) -> io::Result<Vec<Link<'static>>> {
    let links: Vec<LinkFields> = serde_json::from_str(text)?;
    links.into_iter().map(LinkFields::link).collect::<Result<_, _>>().map_err(|_| damaged())
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is not as it was written")
}

impl Ord for Held {
    fn cmp(&self, other: &Self) -> Ordering {
        self.resource.uri.cmp(&other.resource.uri).then(self.line.cmp(&other.line))
    }
}

impl PartialOrd for Held {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_was_written() {
        let full = Resource {
            uri: "http://e.example/".into(),
            lastmod: Moment::parse("2026-11-15T10:00:00.120Z").ok(),
            length: Some(u64::MAX),
            media_type: Some("text/html".into()),
            hash: Some(Hash::from_attribute("md5:1e0d5cb8ef6ba40c99b14c0237be735e".into())),
            links: vec![Link::new("describedby", "http://e.example/about")],
        };
        let day = Resource { lastmod: Moment::parse("9999-12-31").ok(), ..full.clone() };
        let bare = Resource { uri: full.uri.clone(), ..Resource::default() };
        let mut bytes = Vec::new();
        for resource in [&full, &day, &bare] {
            Held { line: 7, resource: resource.clone(), unknown: false }.write(&mut bytes).unwrap();
        }
        let mut input = bytes.as_slice();
        for resource in [full, day, bare] {
            let held = Held { line: 7, resource, unknown: false };
            assert_eq!(Held::read(&mut input).unwrap(), Some(held));
        }
        assert_eq!(Held::read(&mut input).unwrap(), None);
        assert!(Held::read(&mut &bytes[..bytes.len() - 1][1..]).is_err());
    }
}
