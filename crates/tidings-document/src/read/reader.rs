//! The reader itself.

mod extent;
mod prolog;
mod unit;

use std::io::{self, Read};

use super::element::{Context, Note, mismatch};
use super::window::Window;
use super::{Limits, ReadError, ReadOptions};
use crate::xml::namespace::Bindings;
use crate::xml::scan::{Fault, RawAttribute, Scanner, Span, Stop, Token};
use crate::{Entry, Finding, Findings, Form, Head, Place, Rule, rule};
use extent::Finders;
use unit::Unit;

/// Reads one document, entry by entry, in memory that does not grow with it.
///
/// Leniency is never silent: whatever had to be overlooked or guessed is in
/// [`Reader::findings`]. What cannot be overlooked is a [`ReadError`], after which nothing more can
/// be read; the end of the document, [`Reader::next_entry`] answering `None`, is reached only where
/// its root element is closed and nothing follows.
///
/// ```
/// use tidings_document::Reader;
///
/// let document = br#"<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
///   <url><loc>http://example.com/</loc><lastmod>2013-01-02</lastmod></url>
/// </urlset>"#;
/// let mut reader = Reader::new(&document[..]);
/// while let Some(entry) = reader.next_entry()? {
///     assert_eq!(entry.loc, "http://example.com/");
/// }
/// assert!(reader.findings().is_empty());
/// # Ok::<(), tidings_document::ReadError>(())
/// ```
pub struct Reader<R> {
    options: ReadOptions,
    window: Window<R>,
    /// Where the next token begins.
    at: usize,
    state: State,
    bindings: Bindings,
    attributes: Vec<RawAttribute>,
    notes: Vec<Note>,
    findings: Findings,
    head: Head<'static>,
    root: String,
    /// How many roots are open inside the root; none but in documents that are put together badly.
    nested: usize,
    /// The entry read last.
    last: Span,
    entries: u64,
    has_metadata: bool,
    noted: Vec<&'static Rule>,
    /// What ended the reading too early.
    failure: Option<Finding>,
    /// Bytes of the elements before the first entry.
    head_bytes: usize,
    /// True if the root element was closed as it was opened.
    closed: bool,
    finders: Finders,
    /// The elements before the entries: line and text.
    marks: Vec<(u64, String)>,
}

/// How many elements before the entries are remembered with their lines.
const MOST_MARKS: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Fresh,
    Entries,
    Ended,
    Failed,
}

impl<R: Read> Reader<R> {
    /// A reader with the default limits.
    pub fn new(input: R) -> Self {
        Self::with_options(input, ReadOptions::default())
    }

    /// A reader with these options.
    pub fn with_options(input: R, options: ReadOptions) -> Self {
        Self {
            window: Window::new(input, &options),
            options,
            at: 0,
            state: State::Fresh,
            bindings: Bindings::default(),
            attributes: Vec::new(),
            notes: Vec::new(),
            findings: Findings::default(),
            head: Head::sitemap(Form::List),
            root: String::new(),
            nested: 0,
            last: Span { start: 0, end: 0 },
            entries: 0,
            has_metadata: false,
            noted: Vec::new(),
            failure: None,
            head_bytes: 0,
            closed: false,
            finders: Finders::new(Form::List),
            marks: Vec::new(),
        }
    }

    /// Reads up to the first entry, if that was not done yet, and says what stands before it.
    pub fn head(&mut self) -> Result<&Head<'static>, ReadError> {
        match self.state {
            State::Fresh => self.guarded(Self::read_head)?,
            State::Failed => return Err(self.failed_again()),
            State::Entries | State::Ended => {}
        }
        Ok(&self.head)
    }

    /// The next entry that has a URI; `None` at the end of the document.
    pub fn next_entry(&mut self) -> Result<Option<Entry<'_>>, ReadError> {
        self.head()?;
        if self.state == State::Ended {
            return Ok(None);
        }
        let Unit::Entry(span) = self.guarded(Self::next_unit)? else { return Ok(None) };
        self.noted.clear();
        self.last = span;
        self.at = span.end;
        self.entries += 1;
        let entry = match self.within(span) {
            Ok(()) => interpret(
                &self.window.text,
                span,
                &mut self.bindings,
                &mut self.attributes,
                &mut self.notes,
                &self.options.limits,
            ),
            Err(fault) => Err(fault),
        };
        let entry = match entry {
            Ok(entry) => entry,
            Err(fault) => {
                self.state = State::Failed;
                let error = self.window.error(*fault, Some(self.entries));
                self.failure = error.finding().cloned();
                return Err(error);
            }
        };
        if !self.notes.is_empty() {
            commit(
                &mut self.notes,
                &mut self.noted,
                &mut self.findings,
                &self.window,
                Some(self.entries),
            );
        }
        Ok(Some(entry))
    }

    /// What was overlooked or guessed so far.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// How many entries were read, with those that had no URI.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// How many bytes of text were looked at; at the end, the length of the document.
    pub fn bytes(&self) -> u64 {
        self.window.read()
    }

    /// True once the end of the document was reached.
    pub fn is_done(&self) -> bool {
        self.state == State::Ended
    }

    /// True if the document has an `rs:md` of its own, empty or not.
    pub(crate) fn has_metadata(&self) -> bool {
        self.has_metadata
    }

    /// Adds a finding about the entry read last, at the line of it that holds `about`.
    pub(crate) fn report(&mut self, rule: &'static Rule, about: &str, detail: String) {
        if self.findings.only_counted(rule) {
            return;
        }
        let entry = &self.window.text[self.last.start..self.last.end];
        let at = self.last.start + entry.find(about).unwrap_or(0);
        let finding =
            self.window.finding(rule, detail, at, (self.entries > 0).then_some(self.entries));
        self.findings.push(finding);
    }

    /// Adds a finding about the document as a whole: at the first line before its entries that holds
    /// `about`, if one does.
    pub(crate) fn report_document(&mut self, rule: &'static Rule, about: &str, detail: String) {
        let marked = self.marks.iter().find_map(|(line, text)| {
            let at = text.find(about).filter(|_| !about.is_empty())?;
            let before = text[..at].matches('\n').count();
            Some((
                line + before as u64,
                text.lines().nth(before).unwrap_or_default().trim().to_owned(),
            ))
        });
        let (line, excerpt) = marked.unwrap_or((1, String::new()));
        self.findings.push(Finding { rule, detail, place: Place { line, entry: None }, excerpt });
    }

    /// Remembers the lines of an element that stands before the entries, for what is said of it when
    /// it has left the window.
    fn mark(&mut self, span: Span) {
        if self.marks.len() < MOST_MARKS && span.end - span.start < 4_096 {
            let line = self.window.line(span.start);
            self.marks.push((line, span.of(&self.window.text).to_owned()));
        }
    }

    /// The rules broken by the head or the entry read last, as far as this reader looks at them.
    pub(crate) fn noted(&self) -> &[&'static Rule] {
        &self.noted
    }

    /// All findings, once the document was read.
    pub fn into_findings(self) -> Findings {
        self.findings
    }

    /// Sees to it that there are not more entries than may be.
    fn within(&self, entry: Span) -> Result<(), Box<Fault>> {
        if self.entries <= self.options.limits.entries {
            return Ok(());
        }
        let detail = format!("more than {} entries", self.options.limits.entries);
        Err(Box::new(Fault { rule: rule::limit::ENTRIES, detail, at: entry.start }))
    }

    /// What is said to whoever goes on after an error: the same again, never that this is the end.
    fn failed_again(&self) -> ReadError {
        match &self.failure {
            Some(finding) => ReadError::Document(Box::new(finding.clone())),
            None => ReadError::Io(io::Error::other("reading failed before")),
        }
    }

    /// Runs a step, and remembers if it failed.
    fn guarded<T>(&mut self, step: fn(&mut Self) -> Result<T, ReadError>) -> Result<T, ReadError> {
        let result = step(self);
        if let Err(error) = &result {
            self.state = State::Failed;
            self.failure = error.finding().cloned();
        }
        result
    }

    fn read_head(&mut self) -> Result<(), ReadError> {
        if let Some(finding) = self.window.open(&self.options)? {
            self.findings.push(finding);
        }
        self.read_prolog()?;
        self.state = State::Entries;
        // Up to the first entry, which is found again when it is asked for.
        if let Unit::Entry(span) = self.next_unit()? {
            self.at = span.start;
        }
        self.head.namespaces = self
            .bindings
            .of_root()
            .map(|(prefix, uri)| (prefix.to_owned().into(), uri.to_owned().into()))
            .collect();
        Ok(())
    }

    /// The next token at the level of the root element, and where it begins. What is before it is
    /// dropped from the window when more has to be read.
    fn token(&mut self) -> Result<(usize, Token), ReadError> {
        loop {
            let limits = &self.options.limits;
            let mut scanner = scanner(&self.window.text, self.at, self.window.whole, limits);
            match scanner.next(&mut self.attributes) {
                Ok(token) => {
                    let start = self.at;
                    self.at = scanner.at;
                    return Ok((start, token));
                }
                Err(Stop::More(start)) => {
                    self.window.fill(start)?;
                    self.at = 0;
                }
                Err(Stop::Fault(fault)) => return Err(self.fault(fault)),
            }
        }
    }

    fn fault(&self, fault: impl Into<Box<Fault>>) -> ReadError {
        self.window.error(*fault.into(), (self.entries > 0).then_some(self.entries))
    }

    fn note(&mut self, rule: &'static Rule, at: usize, detail: impl Into<String>) {
        if !self.findings.only_counted(rule) {
            let finding = self.window.finding(rule, detail.into(), at, None);
            self.findings.push(finding);
        }
    }
}

fn interpret<'t>(
    text: &'t str,
    span: Span,
    bindings: &mut Bindings,
    attributes: &mut Vec<RawAttribute>,
    notes: &mut Vec<Note>,
    limits: &Limits,
) -> Result<Entry<'t>, Box<Fault>> {
    let mut context = Context::new(text, span, bindings, attributes, notes, limits);
    let entry = context.entry(2, limits)?;
    // Where it was thought to end is where it does: nothing between may go unread.
    if context.scanner.at != span.end {
        return Err(mismatch(context.scanner.at));
    }
    Ok(entry)
}

fn commit<R: Read>(
    notes: &mut Vec<Note>,
    noted: &mut Vec<&'static Rule>,
    findings: &mut Findings,
    window: &Window<R>,
    entry: Option<u64>,
) {
    for note in notes.drain(..) {
        if !noted.contains(&note.rule) {
            noted.push(note.rule);
        }
        if !findings.only_counted(note.rule) {
            findings.push(window.finding(note.rule, note.detail, note.at, entry));
        }
    }
}

fn scanner<'t>(text: &'t str, at: usize, whole: bool, limits: &Limits) -> Scanner<'t> {
    Scanner { text, at, whole, most_attributes: limits.attributes, most_bytes: limits.token }
}
