//! OPML of any version, as liberally as is safe.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::{FollowedSite, Opml, OpmlError, Outline};
use crate::survey::{self, resolved};
use crate::{decode, html};

/// How deep elements may be nested.
pub(super) const DEEPEST: usize = 32;
/// How many outlines there may be.
pub(super) const MOST_OUTLINES: usize = 100_000;

impl Opml {
    /// Reads OPML 1.0 or 2.0, whatever the case of its attributes, and with or without a head.
    ///
    /// A document type declaration is refused, as are elements more than 32 deep and more than
    /// 100,000 outlines: no list of subscriptions has these.
    pub fn read(bytes: &[u8]) -> Result<Self, OpmlError> {
        let text = decode::decode(bytes, None);
        let text = text.trim_end_matches('\0');
        match text.trim_start().as_bytes().first() {
            Some(b'<') if html::is_html(text) => return Err(other("an HTML page")),
            Some(b'<') => {}
            Some(_) => return Err(other("no XML at all")),
            None => return Err(other("empty")),
        }
        let mut reading = Reading { text, ..Reading::default() };
        let mut reader = Reader::from_str(text);
        reader.config_mut().allow_dangling_amp = true;
        loop {
            let at = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
            let event = reader.read_event().map_err(|error| {
                let at = usize::try_from(reader.error_position()).unwrap_or(usize::MAX);
                reading.broken(at, error.to_string())
            })?;
            if matches!(event, Event::Eof) {
                return reading.finish();
            }
            reading.event(&event, at)?;
        }
    }
}

fn other(found: &str) -> OpmlError {
    OpmlError::Other { found: found.to_owned() }
}

#[derive(Default)]
struct Reading<'t> {
    text: &'t str,
    opml: Opml,
    /// The elements that are open.
    open: Vec<Open>,
    /// How many outlines there have been.
    outlines: usize,
    rooted: bool,
    /// What the names of our own attributes begin with in this document.
    own_prefix: Option<String>,
}

enum Open {
    Outline(Outline),
    /// The title of the whole list.
    Title,
    Other,
}

impl Reading<'_> {
    fn event(&mut self, event: &Event<'_>, at: usize) -> Result<(), OpmlError> {
        match event {
            Event::DocType(_) => return Err(OpmlError::Doctype { line: self.line(at) }),
            Event::Start(start) => self.start(start, at)?,
            Event::Empty(start) => {
                self.start(start, at)?;
                self.end();
            }
            Event::End(_) => self.end(),
            Event::Text(text) => self.title(&resolved(text)),
            Event::CData(text) => self.title(text),
            Event::GeneralRef(reference) => {
                if let Some(character) = survey::character(reference) {
                    self.title(character.encode_utf8(&mut [0; 4]));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, start: &BytesStart<'_>, at: usize) -> Result<(), OpmlError> {
        let name = start.local_name();
        let name: &str = name.as_ref();
        if !self.rooted && !name.eq_ignore_ascii_case("opml") {
            return Err(other(&format!("XML that begins with <{name}>")));
        }
        if !self.rooted {
            self.own_prefix = own_prefix(start);
        }
        self.rooted = true;
        if self.open.len() >= DEEPEST {
            return Err(OpmlError::Deep { line: self.line(at) });
        }
        let is_outline = name.eq_ignore_ascii_case("outline");
        self.open.push(match name {
            _ if is_outline => Open::Outline(outline(start, self.own_prefix.as_deref())),
            _ if name.eq_ignore_ascii_case("title") => Open::Title,
            _ => Open::Other,
        });
        self.outlines += usize::from(is_outline);
        if self.outlines > MOST_OUTLINES {
            return Err(OpmlError::Many { line: self.line(at) });
        }
        Ok(())
    }

    fn end(&mut self) {
        let Some(Open::Outline(outline)) = self.open.pop() else { return };
        let parent = self.open.iter_mut().rev().find_map(|open| match open {
            Open::Outline(parent) => Some(&mut parent.children),
            _ => None,
        });
        parent.unwrap_or(&mut self.opml.outlines).push(outline);
    }

    fn title(&mut self, text: &str) {
        if matches!(self.open.last(), Some(Open::Title)) {
            self.opml.title.push_str(text);
        }
    }

    fn finish(mut self) -> Result<Opml, OpmlError> {
        if !self.rooted || !self.open.is_empty() {
            let reason = "the file ends in the middle";
            return Err(self.broken(self.text.len(), reason.to_owned()));
        }
        self.opml.title = self.opml.title.trim().to_owned();
        Ok(self.opml)
    }

    fn line(&self, at: usize) -> usize {
        // The space before an element is not yet part of it.
        let rest = self.text.get(at..).unwrap_or_default();
        survey::line(self.text, at + rest.len() - rest.trim_start().len())
    }

    fn broken(&self, at: usize, reason: String) -> OpmlError {
        OpmlError::Broken { line: survey::line(self.text, at), reason }
    }
}

/// The prefix that the root binds to the namespace of our own attributes.
fn own_prefix(root: &BytesStart<'_>) -> Option<String> {
    let mut attributes = root.html_attributes();
    attributes.with_checks(false).flatten().find_map(|attribute| {
        let prefix: &str = attribute.key.as_ref().strip_prefix("xmlns:")?;
        let is_ours = resolved(&attribute.value).trim() == FollowedSite::NAMESPACE;
        is_ours.then(|| prefix.to_owned())
    })
}

fn outline(start: &BytesStart<'_>, own_prefix: Option<&str>) -> Outline {
    let mut outline = Outline::default();
    let mut site = FollowedSite::default();
    let (mut title, mut url) = (String::new(), None);
    for attribute in start.html_attributes().with_checks(false).flatten() {
        let value = resolved(&attribute.value);
        let value = value.trim();
        if value.is_empty() {
            continue;
        }
        if let Some((prefix, name)) = attribute.key.as_ref().split_once(':')
            && Some(prefix) == own_prefix
        {
            match name {
                "site" => value.clone_into(&mut site.url),
                name => site.settings.push((name.to_owned(), value.to_owned())),
            }
            continue;
        }
        match &attribute.key.local_name().as_ref().to_ascii_lowercase()[..] {
            "text" => value.clone_into(&mut outline.text),
            "title" => value.clone_into(&mut title),
            "type" => outline.kind = Some(value.to_owned()),
            "xmlurl" => outline.xml_url = Some(address(value)),
            "htmlurl" => outline.html_url = Some(address(value)),
            "url" => url = Some(address(value)),
            _ => {}
        }
    }
    outline.site = Some(site).filter(|site| !site.url.is_empty());
    // What a link or an inclusion names is not a feed (OPML 2.0, "Inclusion").
    let is_feed = !matches!(outline.kind.as_deref(), Some("link" | "include"));
    if is_feed {
        outline.xml_url = outline.xml_url.or(url);
    } else {
        outline.html_url = outline.html_url.or(url);
    }
    if outline.text.is_empty() {
        let address = outline.xml_url.as_ref().or(outline.html_url.as_ref());
        let no_title = || address.cloned().unwrap_or_default();
        outline.text = Some(title).filter(|title| !title.is_empty()).unwrap_or_else(no_title);
    }
    outline
}

/// `feed://host` and `feed:https://host` are what some browsers once made of a feed's address.
fn address(value: &str) -> String {
    let is_feed = value.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("feed:"));
    match &value[if is_feed { 5 } else { 0 }..] {
        rest if is_feed && rest.starts_with("//") => format!("http:{rest}"),
        rest => rest.to_owned(),
    }
}
