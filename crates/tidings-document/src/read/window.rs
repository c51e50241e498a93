//! The part of the document that is being looked at.

use std::io::Read;

use super::decode::{Decode, DecodeError};
use super::{ReadError, ReadOptions};
use crate::xml::escape::first_forbidden;
use crate::xml::scan::Fault;
use crate::{Finding, Place, Rule, rule};

/// How much of a line is shown with a finding.
const SHOWN: usize = 160;

/// A window over the document's text: it moves on as the reader does, and grows only for what has
/// to be looked at as a whole.
pub(super) struct Window<R> {
    decode: Decode<R>,
    /// What is there; everything before it has been read.
    pub(super) text: String,
    /// True where the document ends with the text.
    pub(super) whole: bool,
    /// Lines and bytes before the text.
    lines: u64,
    bytes: u64,
    most_bytes: u64,
    /// What comes after the text and cannot be read.
    broken: Option<(&'static Rule, String)>,
}

impl<R: Read> Window<R> {
    pub(super) fn new(input: R, options: &ReadOptions) -> Self {
        Self {
            decode: Decode::new(input, options.limits.inflation),
            text: String::new(),
            whole: false,
            lines: 0,
            bytes: 0,
            most_bytes: options.limits.bytes,
            broken: None,
        }
    }

    pub(super) fn open(&mut self, options: &ReadOptions) -> Result<Option<Finding>, ReadError> {
        match self.decode.open(options) {
            Ok(None) => Ok(None),
            Ok(Some((rule, detail))) => {
                let place = Place { line: 1, entry: None };
                Ok(Some(Finding { rule, detail, place, excerpt: String::new() }))
            }
            Err(error) => Err(self.fail(error)),
        }
    }

    /// Drops the text before `keep` and adds more at its end. Offsets into the text are `keep` less
    /// from then on. False where there is no more.
    pub(super) fn fill(&mut self, keep: usize) -> Result<bool, ReadError> {
        if let Some((rule, detail)) = self.broken.take() {
            return Err(self.error(Fault { rule, detail, at: self.text.len() }, None));
        }
        self.lines += newlines(&self.text[..keep]);
        self.bytes += keep as u64;
        self.text.drain(..keep);
        let before = self.text.len();
        match self.decode.read(&mut self.text) {
            Ok(true) => {}
            Ok(false) => self.whole = true,
            Err(DecodeError::Document(rule, detail)) => self.broken = Some((rule, detail)),
            Err(error) => return Err(self.fail(error)),
        }
        if let Some(at) = first_forbidden(&self.text[before..]) {
            self.text.truncate(before + at);
            let detail = "a character that XML does not allow".to_owned();
            self.broken = Some((rule::xml::CHARACTER, detail));
        }
        if self.read() > self.most_bytes {
            let detail = format!("the document is longer than {} bytes", self.most_bytes);
            return Err(self.error(Fault { rule: rule::limit::BYTES, detail, at: 0 }, None));
        }
        Ok(!self.whole)
    }

    /// How many bytes of text were read so far.
    pub(super) fn read(&self) -> u64 {
        self.bytes + self.text.len() as u64
    }

    /// The line of an offset.
    pub(super) fn line(&self, at: usize) -> u64 {
        self.lines + newlines(&self.text[..at.min(self.text.len())]) + 1
    }

    /// The text of the line of an offset, shortened.
    pub(super) fn excerpt(&self, at: usize) -> String {
        let at = (0..=at.min(self.text.len()))
            .rev()
            .find(|at| self.text.is_char_boundary(*at))
            .unwrap_or(0);
        let start = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let line = self.text[start..].lines().next().unwrap_or_default();
        // Of a document without line breaks only what is near is shown.
        let from = if at - start > SHOWN { &self.text[at..start + line.len()] } else { line };
        let from = from.trim();
        let cut = from.char_indices().nth(SHOWN).map_or(from.len(), |(cut, _)| cut);
        if cut < from.len() { format!("{}…", &from[..cut]) } else { from.to_owned() }
    }

    /// The error for what ends the reading.
    pub(super) fn error(&self, fault: Fault, entry: Option<u64>) -> ReadError {
        ReadError::Document(Box::new(self.finding(fault.rule, fault.detail, fault.at, entry)))
    }

    pub(super) fn finding(
        &self,
        rule: &'static Rule,
        detail: String,
        at: usize,
        entry: Option<u64>,
    ) -> Finding {
        Finding {
            rule,
            detail,
            place: Place { line: self.line(at), entry },
            excerpt: self.excerpt(at),
        }
    }

    fn fail(&self, error: DecodeError) -> ReadError {
        match error {
            DecodeError::Io(error) => ReadError::Io(error),
            DecodeError::Document(rule, detail) => {
                self.error(Fault { rule, detail, at: self.text.len() }, None)
            }
        }
    }
}

fn newlines(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}
