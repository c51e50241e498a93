//! What a program built straight on quick-xml does: resolve namespaces, unescape every text and
//! attribute, collect the fields of an entry as strings. It checks nothing.

use std::error::Error;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use quick_xml::NsReader;
use quick_xml::XmlVersion::Implicit1_0;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::{Namespace, ResolveResult};

const SITEMAP: Namespace<'static> = Namespace("http://www.sitemaps.org/schemas/sitemap/0.9");
const RESOURCESYNC: Namespace<'static> = Namespace("http://www.openarchives.org/rs/terms/");

/// The fields of one entry, as text.
#[derive(Debug, Default)]
pub struct Fields {
    /// The text of `loc`.
    pub loc: String,
    /// The text of `lastmod`.
    pub lastmod: String,
    /// The attribute `hash` of `rs:md`.
    pub hash: Option<String>,
    /// The attribute `length` of `rs:md`.
    pub length: Option<String>,
    /// The attribute `type` of `rs:md`.
    pub media_type: Option<String>,
}

#[derive(Clone, Copy)]
enum Text {
    Loc,
    Lastmod,
}

/// Reads the document and hands over each entry when it is complete.
pub fn entries(file: &Path, mut each: impl FnMut(Fields)) -> Result<(), Box<dyn Error>> {
    let mut reader = NsReader::from_reader(BufReader::new(File::open(file)?));
    let mut buffer = Vec::new();
    let mut entry: Option<Fields> = None;
    let mut text: Option<Text> = None;
    loop {
        match reader.read_resolved_event_into(&mut buffer)? {
            (ResolveResult::Bound(SITEMAP), Event::Start(start)) => {
                match start.local_name().as_ref() {
                    "url" => entry = Some(Fields::default()),
                    "loc" => text = Some(Text::Loc),
                    "lastmod" => text = Some(Text::Lastmod),
                    _ => {}
                }
            }
            (ResolveResult::Bound(RESOURCESYNC), Event::Start(start) | Event::Empty(start)) => {
                if start.local_name().as_ref() == "md"
                    && let Some(entry) = &mut entry
                {
                    attributes(&start, entry)?;
                }
            }
            (ResolveResult::Bound(SITEMAP), Event::End(end)) => {
                text = None;
                if end.local_name().as_ref() == "url"
                    && let Some(entry) = entry.take()
                {
                    each(entry);
                }
            }
            (_, Event::Text(part)) => {
                if let Some(field) = field(&mut entry, text) {
                    field.push_str(&part.xml10_content());
                }
            }
            (_, Event::GeneralRef(reference)) => {
                if let Some(field) = field(&mut entry, text) {
                    push_reference(field, &reference)?;
                }
            }
            (_, Event::Eof) => return Ok(()),
            _ => {}
        }
        buffer.clear();
    }
}

fn field(entry: &mut Option<Fields>, text: Option<Text>) -> Option<&mut String> {
    let entry = entry.as_mut()?;
    Some(match text? {
        Text::Loc => &mut entry.loc,
        Text::Lastmod => &mut entry.lastmod,
    })
}

fn attributes(start: &BytesStart<'_>, entry: &mut Fields) -> Result<(), Box<dyn Error>> {
    for attribute in start.attributes() {
        let attribute = attribute?;
        let value = || Ok::<_, quick_xml::Error>(attribute.normalized_value(Implicit1_0)?.into());
        match attribute.key.as_ref() {
            "hash" => entry.hash = Some(value()?),
            "length" => entry.length = Some(value()?),
            "type" => entry.media_type = Some(value()?),
            _ => {}
        }
    }
    Ok(())
}

fn push_reference(field: &mut String, reference: &BytesRef<'_>) -> Result<(), Box<dyn Error>> {
    if let Some(character) = reference.resolve_char_ref()? {
        field.push(character);
    } else {
        field.push_str(resolve_xml_entity(reference).ok_or("unknown entity")?);
    }
    Ok(())
}
