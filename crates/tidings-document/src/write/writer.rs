//! One document, written entry by entry.

use std::io::Write;

use super::element::{self, Sink};
use super::{WriteError, strict};
use crate::conformance::{Hit, Rules};
use crate::{Entry, Form, Head, Limits, Profile, Severity, Spec, rule};

/// How much one document may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// Entries, 50,000 at the most.
    pub entries: u64,
    /// Bytes, 50 MB (52,428,800) at the most.
    pub bytes: u64,
}

impl Default for Capacity {
    /// The limits of the Sitemap protocol.
    fn default() -> Self {
        Self { entries: 50_000, bytes: 50 << 20 }
    }
}

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// How many entries.
    pub entries: u64,
    /// How many bytes.
    pub bytes: u64,
}

/// Writes one document. It refuses whatever would make the document break a rule of the
/// specifications that is an error, or be refused by the default [`Limits`]; that no URI comes up twice in a Resource List is left to
/// the caller, as it takes memory to know. It reports [`WriteError::Full`] before the document would
/// grow past its [`Capacity`].
///
/// Equal input gives equal bytes. Without [`Writer::finish`] the document is not whole; there is
/// nothing to clean up but what was handed in as `out`.
///
/// ```
/// use tidings_document::{Capability, Entry, Form, Head, Moment, Writer};
///
/// let at = Moment::parse("2026-11-15T10:00:00Z")?;
/// let head = Head::snapshot(Capability::ResourceList, Form::List, at, "http://example.com/capabilitylist.xml");
/// let mut writer = Writer::new(Vec::new(), &head)?;
/// writer.write(&Entry::new("http://example.com/"))?;
/// let (bytes, written) = writer.finish()?;
/// assert_eq!(written.entries, 1);
/// assert!(bytes.starts_with(b"<?xml"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Writer<W> {
    out: W,
    buffer: Vec<u8>,
    /// Bytes that have left the buffer.
    flushed: u64,
    form: Form,
    plain: bool,
    prefixes: Vec<String>,
    capacity: Capacity,
    entries: u64,
    rules: Rules,
    hits: Vec<Hit>,
    /// The document up to its first entry, to check what was written.
    #[cfg(debug_assertions)]
    preface: Vec<u8>,
}

/// How much is gathered before it is handed on.
const BUFFER: usize = 64 << 10;

impl<W: Write> Writer<W> {
    /// Begins a document with the limits of the Sitemap protocol.
    pub fn new(out: W, head: &Head<'_>) -> Result<Self, WriteError> {
        Self::with_capacity(out, head, Capacity::default())
    }

    /// Begins a document that holds less; more than the Sitemap protocol allows is not possible.
    pub fn with_capacity(out: W, head: &Head<'_>, capacity: Capacity) -> Result<Self, WriteError> {
        let most = Capacity::default();
        let capacity = Capacity {
            entries: capacity.entries.min(most.entries),
            bytes: capacity.bytes.min(most.bytes),
        };
        let plain = head.metadata.is_empty() && head.links.is_empty();
        strict::head(head)?;
        let mut hits = Vec::new();
        let rules =
            Rules::new(head, !head.metadata.is_empty(), Spec::Auto, Profile::Auto, None, &mut hits);
        if !plain && head.metadata.is_empty() {
            let detail = "links of the document without its rs:md".into();
            return Err(WriteError::Refused { rule: rule::resourcesync::MD_MISSING, detail });
        }
        refuse(&mut hits)?;
        let mut buffer = Vec::with_capacity(BUFFER + (BUFFER >> 2));
        let mut sink = Sink { out: &mut buffer, sound: true, short: true };
        sink.head(head, plain);
        if !sink.sound {
            return Err(unsound());
        }
        if !sink.short || buffer.len() > Limits::default().head {
            let detail = "a head that readers would refuse for its length".into();
            return Err(WriteError::Refused { rule: rule::limit::HEAD, detail });
        }
        Ok(Self {
            out,
            flushed: 0,
            form: head.form,
            plain,
            prefixes: head
                .namespaces
                .iter()
                .map(|(prefix, _)| prefix.clone().into_owned())
                .collect(),
            capacity,
            entries: 0,
            rules,
            hits,
            #[cfg(debug_assertions)]
            preface: buffer.clone(),
            buffer,
        })
    }

    /// Writes one entry. After an error other than [`WriteError::Io`] the document is as it was.
    pub fn write(&mut self, entry: &Entry<'_>) -> Result<(), WriteError> {
        if self.entries == self.capacity.entries {
            return Err(WriteError::Full);
        }
        let start = self.buffer.len();
        self.put(entry).inspect_err(|_| self.buffer.truncate(start))?;
        let bytes = self.flushed + self.buffer.len() as u64 + element::end(self.form).len() as u64;
        // Where one entry is more than a document may hold, it gets a document of its own.
        if bytes > self.capacity.bytes && self.entries > 0 {
            self.buffer.truncate(start);
            return Err(WriteError::Full);
        }
        // Last, as the rules remember the entry.
        self.rules.admit(entry, &mut self.hits);
        if !self.hits.is_empty() {
            refuse(&mut self.hits).inspect_err(|_| self.buffer.truncate(start))?;
        }
        #[cfg(debug_assertions)]
        self.assert_conforming(start);
        self.entries += 1;
        if self.buffer.len() >= BUFFER {
            self.out.write_all(&self.buffer)?;
            self.flushed += self.buffer.len() as u64;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Puts an entry into the buffer, if what it says can be written at all.
    fn put(&mut self, entry: &Entry<'_>) -> Result<(), WriteError> {
        if self.prefixes.is_empty() {
            strict::entry(entry, &[])?;
        } else {
            let prefixes: Vec<&str> = self.prefixes.iter().map(String::as_str).collect();
            strict::entry(entry, &prefixes)?;
        }
        if self.plain && !(entry.metadata.is_empty() && entry.links.is_empty()) {
            let detail = "rs:md or rs:ln into a plain Sitemap".into();
            return Err(WriteError::Refused { rule: rule::resourcesync::MD_MISSING, detail });
        }
        let start = self.buffer.len();
        let mut sink = Sink { out: &mut self.buffer, sound: true, short: true };
        sink.entry(entry, self.form);
        let (sound, short) = (sink.sound, sink.short);
        if !sound {
            return Err(unsound());
        }
        let limits = Limits::default();
        if !short || self.buffer.len() - start > limits.entry {
            let rule = if short { rule::limit::ENTRY } else { rule::limit::TOKEN };
            let detail = "an entry that readers would refuse for its length".into();
            return Err(WriteError::Refused { rule, detail });
        }
        Ok(())
    }

    /// How much was written so far.
    pub fn written(&self) -> Written {
        Written { entries: self.entries, bytes: self.flushed + self.buffer.len() as u64 }
    }

    /// Ends the document and hands everything on.
    pub fn finish(mut self) -> Result<(W, Written), WriteError> {
        self.buffer.extend_from_slice(element::end(self.form));
        self.out.write_all(&self.buffer)?;
        self.out.flush()?;
        let written = self.written();
        Ok((self.out, written))
    }

    /// What was just written must be read again without an error. Only for the first entries of a
    /// document, and only in debug builds.
    #[cfg(debug_assertions)]
    fn assert_conforming(&self, start: usize) {
        if self.entries >= 64 {
            return;
        }
        let document = [&self.preface, &self.buffer[start..], element::end(self.form)].concat();
        let report = crate::check(document.as_slice(), &crate::CheckOptions::default());
        let broken = report.map_or(1, |report| report.findings.of(Severity::Error));
        debug_assert_eq!(
            broken,
            0,
            "written against the rules: {}",
            String::from_utf8_lossy(&document)
        );
    }
}

fn unsound() -> WriteError {
    WriteError::Refused {
        rule: rule::xml::CHARACTER,
        detail: "a character that XML does not allow".into(),
    }
}

/// The first error among the hits; what is less grave is the author's to decide.
fn refuse(hits: &mut Vec<Hit>) -> Result<(), WriteError> {
    let error = hits.drain(..).find(|hit| hit.rule.severity == Severity::Error);
    match error {
        None => Ok(()),
        Some(Hit { rule, detail, .. }) => Err(WriteError::Refused { rule, detail }),
    }
}
