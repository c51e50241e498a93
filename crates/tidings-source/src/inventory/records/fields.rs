//! The fields of a record, and what they mean.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use tidings_document::{Algorithm, Digest, Hash, Moment};

use super::RecordError;
use super::links::LinkFields;
use crate::Resource;

/// A record as it was written, whatever the format.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Fields {
    uri: Option<Text>,
    loc: Option<Text>,
    lastmod: Option<Text>,
    length: Option<Text>,
    #[serde(rename = "type")]
    media_type: Option<Text>,
    hash: Option<Text>,
    md5: Option<Text>,
    sha1: Option<Text>,
    sha256: Option<Text>,
    links: Vec<LinkFields>,
}

/// A value: exports write numbers with and without quotes.
#[derive(Debug)]
struct Text(String);

impl Fields {
    /// Sets the field of that name; other names are ignored. The first of two is kept. A name `link:REL`
    /// is of links of that relation type, one or several with blanks between.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        if let Some(rel) = name.strip_prefix("link:") {
            let hrefs = value.split_ascii_whitespace();
            self.links.extend(hrefs.map(|href| LinkFields::new(rel, href)));
            return;
        }
        let field = match name {
            "uri" => &mut self.uri,
            "loc" => &mut self.loc,
            "lastmod" => &mut self.lastmod,
            "length" => &mut self.length,
            "type" => &mut self.media_type,
            "hash" => &mut self.hash,
            "md5" => &mut self.md5,
            "sha1" => &mut self.sha1,
            "sha256" => &mut self.sha256,
            _ => return,
        };
        field.get_or_insert_with(|| Text(value.to_owned()));
    }

    /// The URI, if it says one.
    pub(super) fn uri(&self) -> Option<String> {
        said(self.uri.as_ref()).or(said(self.loc.as_ref())).map(str::to_owned)
    }

    /// The resource that is meant, or what keeps it from being one. Whether its URI and its media
    /// type are in order is not asked here.
    pub(super) fn resource(self) -> Result<Resource, RecordError> {
        let uri = said(self.uri.as_ref()).or(said(self.loc.as_ref()));
        let digests = [
            (Algorithm::Md5, said(self.md5.as_ref())),
            (Algorithm::Sha1, said(self.sha1.as_ref())),
            (Algorithm::Sha256, said(self.sha256.as_ref())),
        ];
        Ok(Resource {
            uri: uri.ok_or(RecordError::NoUri)?.to_owned(),
            lastmod: said(self.lastmod.as_ref()).map(|text| moment("lastmod", text)).transpose()?,
            length: said(self.length.as_ref()).map(length).transpose()?,
            media_type: said(self.media_type.as_ref()).map(str::to_owned),
            hash: hash(said(self.hash.as_ref()), digests)?,
            links: self.links.into_iter().map(LinkFields::link).collect::<Result<_, _>>()?,
        })
    }
}

/// What a field says; none if that is nothing.
fn said(field: Option<&Text>) -> Option<&str> {
    field.map(|Text(text)| text.trim()).filter(|text| !text.is_empty())
}

/// The time that a field says.
pub(super) fn moment(field: &'static str, text: &str) -> Result<Moment, RecordError> {
    let failed = |cause| RecordError::Moment { field, text: text.to_owned(), cause };
    let (moment, _) = Moment::parse_lenient(text).map_err(failed)?;
    Ok(moment)
}

fn length(text: &str) -> Result<u64, RecordError> {
    // A sign, which parsing would let through, has no place here.
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse()
        .ok()
        .filter(|_| digits)
        .ok_or_else(|| RecordError::Length { text: text.to_owned() })
}

/// All digests together, one for each algorithm and always in the same order, so that an export that
/// shuffles them changes nothing.
fn hash(
    tokens: Option<&str>,
    named: [(Algorithm, Option<&str>); 3],
) -> Result<Option<Hash<'static>>, RecordError> {
    let mut digests: Vec<Digest> = Vec::new();
    let tokens = tokens.unwrap_or_default().split_ascii_whitespace().map(str::to_owned);
    let named = named
        .into_iter()
        .filter_map(|(algorithm, hex)| Some(format!("{}:{}", algorithm.name(), hex?)));
    for token in tokens.chain(named) {
        let digest = Digest::parse(&token);
        let digest = digest.map_err(|cause| RecordError::Digest { text: token, cause })?;
        match digests.iter().find(|other| other.algorithm() == digest.algorithm()) {
            None => digests.push(digest),
            Some(other) if *other == digest => {}
            Some(_) => return Err(RecordError::TwoDigests(digest.algorithm())),
        }
    }
    digests.sort_unstable_by_key(Digest::algorithm);
    Ok((!digests.is_empty()).then(|| Hash::new(&digests)))
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Scalar;
        impl Visitor<'_> for Scalar {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a whole number")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
                Ok(Text(text.to_owned()))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Text, E> {
                Ok(Text(number.to_string()))
            }
        }
        deserializer.deserialize_any(Scalar)
    }
}
