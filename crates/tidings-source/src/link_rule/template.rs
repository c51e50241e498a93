//! URIs with something left open.

use crate::Resource;

/// A URI that is made of a resource's own: `https://mirror.example/{path}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Blank(Blank),
}

/// What can be filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blank {
    Base,
    Uri,
    Path,
    Folder,
    Name,
    Stem,
    Timestamp,
}

const BLANKS: [(&str, Blank); 7] = [
    ("base", Blank::Base),
    ("uri", Blank::Uri),
    ("path", Blank::Path),
    ("folder", Blank::Folder),
    ("name", Blank::Name),
    ("stem", Blank::Stem),
    ("timestamp", Blank::Timestamp),
];

/// A template that cannot be filled in.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum TemplateError {
    /// A brace without its other half.
    #[error("{0:?} has a brace that is not closed, or was not opened")]
    Brace(String),
    /// A name that stands for nothing.
    #[error("{{{0}}} stands for nothing: use base, uri, path, folder, name, stem or timestamp")]
    Unknown(String),
}

impl Template {
    /// Reads a template. In braces, `base` is the URL of the Source; `uri` that of the resource, and
    /// `path` what it has after the base; `folder` is the path up to its last slash, `name` what
    /// follows, `stem` the path without the name's extension; `timestamp` is when the resource was last
    /// modified, in fourteen digits, as the URIs of web archives have it.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) =
                after.split_once('}').ok_or_else(|| TemplateError::Brace(text.to_owned()))?;
            let blank = BLANKS.iter().find(|(known, _)| *known == name);
            let (_, blank) = blank.ok_or_else(|| TemplateError::Unknown(name.to_owned()))?;
            parts.extend([Part::Text(before.to_owned()), Part::Blank(*blank)]);
            rest = after;
        }
        parts.push(Part::Text(rest.to_owned()));
        let stray = |part: &Part| matches!(part, Part::Text(text) if text.contains('}'));
        if parts.iter().any(stray) {
            return Err(TemplateError::Brace(text.to_owned()));
        }
        Ok(Self { parts })
    }

    /// The URI for a resource; none where it has not what is to be filled in.
    pub(crate) fn filled(&self, base: &str, resource: &Resource) -> Option<String> {
        let path = resource.uri.strip_prefix(base);
        let mut uri = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => uri.push_str(text),
                Part::Blank(Blank::Base) => uri.push_str(base),
                Part::Blank(Blank::Uri) => uri.push_str(&resource.uri),
                Part::Blank(Blank::Path) => uri.push_str(path?),
                Part::Blank(Blank::Folder) => uri.push_str(split(path?).0),
                Part::Blank(Blank::Name) => uri.push_str(split(path?).1),
                Part::Blank(Blank::Stem) => {
                    let (folder, name) = split(path?);
                    uri.push_str(folder);
                    let dot = name.rfind('.').filter(|dot| *dot > 0);
                    uri.push_str(&name[..dot.unwrap_or(name.len())]);
                }
                Part::Blank(Blank::Timestamp) => {
                    let digits = crate::layout::stamp(resource.lastmod?);
                    uri.push_str(digits.get(..14)?);
                }
            }
        }
        Some(uri)
    }
}

fn split(path: &str) -> (&str, &str) {
    path.split_at(path.rfind('/').map_or(0, |slash| slash + 1))
}

#[cfg(test)]
mod tests {
    use tidings_document::Moment;

    use super::*;

    #[test]
    fn every_blank_is_filled_in() {
        let resource = Resource {
            uri: "http://e.example/a/b/c.tar.gz".into(),
            lastmod: Moment::parse("2026-11-15T10:20:30Z").ok(),
            ..Resource::default()
        };
        for (template, uri) in [
            ("https://m.example/{path}", Some("https://m.example/a/b/c.tar.gz")),
            ("{base}{stem}.xml", Some("http://e.example/a/b/c.tar.xml")),
            ("{base}{folder}", Some("http://e.example/a/b/")),
            ("https://m.example/{name}", Some("https://m.example/c.tar.gz")),
            (
                "https://archive.example/{timestamp}/{uri}",
                Some("https://archive.example/20261115102030/http://e.example/a/b/c.tar.gz"),
            ),
        ] {
            let template = Template::parse(template).unwrap();
            assert_eq!(template.filled("http://e.example/", &resource).as_deref(), uri);
        }
        let timeless = Resource { lastmod: None, ..resource };
        let template = Template::parse("https://archive.example/{timestamp}/{uri}").unwrap();
        assert_eq!(template.filled("http://e.example/", &timeless), None);
    }

    #[test]
    fn a_template_that_cannot_be_filled_in_is_refused() {
        for text in ["http://e.example/{path", "http://e.example/path}", "{}", "{nothing}"] {
            assert!(Template::parse(text).is_err(), "{text}");
        }
    }
}
