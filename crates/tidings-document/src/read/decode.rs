//! From bytes to text: the document's encoding.

use std::io::{self, Read};

use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::ReadOptions;
use super::stream::{Stream, StreamError};
use crate::{Rule, rule};

/// How much is read at a time.
const CHUNK: usize = 64 << 10;
/// How much is looked at to find out the encoding.
const LOOKED_AT: usize = 1 << 10;

/// Gives the text of a document, piece by piece.
pub(super) struct Decode<R> {
    stream: Stream<R>,
    coding: Coding,
    /// Bytes not yet decoded, at the beginning: the first ones, or a part of a character.
    raw: Vec<u8>,
    length: usize,
    ended: bool,
}

enum Coding {
    Utf8,
    Other(Box<Decoder>, &'static Encoding),
}

/// Why no more text can be had.
pub(super) enum DecodeError {
    Io(io::Error),
    Document(&'static Rule, String),
}

impl From<StreamError> for DecodeError {
    fn from(error: StreamError) -> Self {
        match error {
            StreamError::Io(error) => Self::Io(error),
            StreamError::Damaged(detail) => Self::Document(rule::xml::GZIP, detail),
            StreamError::Inflated => Self::Document(
                rule::limit::INFLATION,
                "the compressed document expands more than the limit allows".into(),
            ),
        }
    }
}

impl<R: Read> Decode<R> {
    pub(super) fn new(input: R, inflation: u64) -> Self {
        Self {
            stream: Stream::new(input, inflation),
            coding: Coding::Utf8,
            raw: Vec::new(),
            length: 0,
            ended: false,
        }
    }

    /// Finds out the encoding. A finding that does not keep the document from being read goes back.
    pub(super) fn open(
        &mut self,
        options: &ReadOptions,
    ) -> Result<Option<(&'static Rule, String)>, DecodeError> {
        self.raw = self.stream.open(LOOKED_AT)?;
        let (marked, mark) = match self.raw.as_slice() {
            [0x1f, 0x8b, ..] => {
                let detail = "the document is compressed more than twice over".into();
                return Err(DecodeError::Document(rule::xml::NOT_XML, detail));
            }
            [0, 0, 0xfe, 0xff, ..]
            | [0xff, 0xfe, 0, 0, ..]
            | [0, 0, 0, b'<', ..]
            | [b'<', 0, 0, 0, ..] => {
                let detail = "the document is in UTF-32, which readers of XML need not know".into();
                return Err(DecodeError::Document(rule::xml::ENCODING_UNKNOWN, detail));
            }
            [0xef, 0xbb, 0xbf, ..] => (Some(UTF_8), 3),
            [0xfe, 0xff, ..] => (Some(UTF_16BE), 2),
            [0xff, 0xfe, ..] => (Some(UTF_16LE), 2),
            [0, b'<', 0, _, ..] => (Some(UTF_16BE), 0),
            [b'<', 0, _, 0, ..] => (Some(UTF_16LE), 0),
            _ => (None, 0),
        };
        self.raw.drain(..mark);
        self.length = self.raw.len();
        // What claims to be ASCII is read as UTF-8, which differs only where the claim is wrong.
        let by_label = |label: &str| match label.trim() {
            label
                if label.eq_ignore_ascii_case("us-ascii")
                    || label.eq_ignore_ascii_case("ascii") =>
            {
                Some(UTF_8)
            }
            label => Encoding::for_label(label.as_bytes()),
        };
        let header = options.charset.as_deref().and_then(by_label);
        let declared = declaration(&self.raw);
        let known = declared.as_deref().map(|label| (label, by_label(label)));
        if let (Some((label, None)), None, None) = (known, marked, header) {
            let detail = format!("the declared encoding {label:?} is not known");
            return Err(DecodeError::Document(rule::xml::ENCODING_UNKNOWN, detail));
        }
        let declared = known.and_then(|(_, encoding)| encoding);
        // A document that could be read as ASCII this far is not in UTF-16, whatever it says.
        let wide = |encoding: &&'static Encoding| *encoding == UTF_16BE || *encoding == UTF_16LE;
        let narrow = |encoding: &&'static Encoding| !wide(encoding);
        let claimed = header.filter(narrow).or(declared.filter(narrow));
        let encoding = marked.or(claimed).unwrap_or(UTF_8);
        if encoding != UTF_8 {
            self.coding =
                Coding::Other(Box::new(encoding.new_decoder_without_bom_handling()), encoding);
        }
        let family =
            |encoding: &'static Encoding| if wide(&encoding) { UTF_16LE } else { encoding };
        // Which end comes first is said by the names UTF-16LE and UTF-16BE, but not by UTF-16.
        let big = |label: &&str| label.trim().eq_ignore_ascii_case("utf-16be");
        let little = |label: &&str| label.trim().eq_ignore_ascii_case("utf-16le");
        let other_end = |label: &&str| match encoding {
            encoding if encoding == UTF_16LE => big(label),
            encoding if encoding == UTF_16BE => little(label),
            _ => false,
        };
        let labels = [options.charset.as_deref(), known.map(|(label, _)| label)];
        let conflict = labels.into_iter().zip([header, declared]).find_map(|(label, other)| {
            let other = other?;
            let differs = family(other) != family(encoding) || label.is_some_and(|l| other_end(&l));
            differs.then_some(other)
        });
        Ok(conflict.map(|other| {
            let detail = format!(
                "the document is read as {}, but is also said to be {}",
                encoding.name(),
                other.name()
            );
            (rule::xml::ENCODING_CONFLICT, detail)
        }))
    }

    /// Appends more text; false at the end of the document.
    pub(super) fn read(&mut self, text: &mut String) -> Result<bool, DecodeError> {
        if self.ended {
            return Ok(false);
        }
        // What was looked at comes first; it may be all there is.
        let looked = self.length > 4;
        let last = !looked && self.fill()? == 0;
        self.ended = last;
        match &mut self.coding {
            Coding::Utf8 => self.utf8(last, text)?,
            Coding::Other(decoder, encoding) => {
                let mut rest = &self.raw[..self.length];
                loop {
                    text.reserve(rest.len() * 2 + 16);
                    let (result, read) =
                        decoder.decode_to_string_without_replacement(rest, text, last);
                    rest = &rest[read..];
                    match result {
                        DecoderResult::InputEmpty => break,
                        DecoderResult::OutputFull => {}
                        DecoderResult::Malformed(..) => return Err(undecodable(encoding.name())),
                    }
                }
                self.length = 0;
            }
        }
        Ok(true)
    }

    fn fill(&mut self) -> Result<usize, DecodeError> {
        // Zeroed once, not for each piece.
        self.raw.resize(CHUNK, 0);
        let count = self.stream.read(&mut self.raw[self.length..])?;
        self.length += count;
        Ok(count)
    }

    fn utf8(&mut self, last: bool, text: &mut String) -> Result<(), DecodeError> {
        match std::str::from_utf8(&self.raw[..self.length]) {
            Ok(all) => {
                text.push_str(all);
                self.length = 0;
            }
            Err(error) => {
                let valid = error.valid_up_to();
                text.push_str(std::str::from_utf8(&self.raw[..valid]).unwrap_or_default());
                if error.error_len().is_some() || last {
                    return Err(undecodable("UTF-8"));
                }
                self.raw.copy_within(valid..self.length, 0);
                self.length -= valid;
            }
        }
        Ok(())
    }
}

fn undecodable(encoding: &str) -> DecodeError {
    DecodeError::Document(rule::xml::ENCODING, format!("bytes that are not {encoding}"))
}

/// The encoding that an XML declaration names; the bytes may be UTF-16.
fn declaration(raw: &[u8]) -> Option<String> {
    let ascii: String =
        raw.iter().filter(|byte| **byte != 0).take(200).map(|byte| char::from(*byte)).collect();
    let declaration = ascii.trim_start().strip_prefix("<?xml")?.split("?>").next()?.to_owned();
    let value = declaration
        .split_once("encoding")?
        .1
        .trim_start()
        .strip_prefix('=')?
        .trim_start()
        .to_owned();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].split(quote).next().map(|label| label.trim().to_owned())
}
