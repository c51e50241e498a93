//! The reader itself.

use std::io::BufRead;

use memchr::{memchr2_iter, memmem};

use super::element::{Context, Note, too_deep};
use super::window::Window;
use super::{Limits, ReadError, ReadOptions};
use crate::xml::namespace::{Bindings, Namespace, SITEMAP, declared_prefix, split};
use crate::xml::scan::{Fault, RawAttribute, Scanner, Span, Stop, Token, is_blank};
use crate::{Entry, Finding, Findings, Form, Head, Metadata, Place, Rule, rule};

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

/// What stands next under the root element.
enum Unit {
    Entry(Span),
    End,
}

impl<R: BufRead> Reader<R> {
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
            finders: Finders::new(Form::List),
            marks: Vec::new(),
        }
    }

    /// Reads up to the first entry, if that was not done yet, and says what stands before it.
    pub fn head(&mut self) -> Result<&Head<'static>, ReadError> {
        if self.state == State::Fresh {
            self.guarded(Self::read_head)?;
        }
        Ok(&self.head)
    }

    /// The next entry that has a URI; `None` at the end of the document.
    pub fn next_entry(&mut self) -> Result<Option<Entry<'_>>, ReadError> {
        if self.state == State::Fresh {
            self.guarded(Self::read_head)?;
        }
        if self.state != State::Entries {
            return Ok(None);
        }
        self.noted.clear();
        let Unit::Entry(span) = self.guarded(Self::next_unit)? else { return Ok(None) };
        self.last = span;
        self.at = span.end;
        self.entries += 1;
        if self.entries > self.options.limits.entries {
            self.state = State::Failed;
            let detail = format!("more than {} entries", self.options.limits.entries);
            return Err(self.window.error(
                Fault { rule: rule::limit::ENTRIES, detail, at: span.start },
                Some(self.entries),
            ));
        }
        let entry = interpret(
            &self.window.text,
            span,
            &mut self.bindings,
            &mut self.attributes,
            &mut self.notes,
            &self.options.limits,
        );
        let entry = match entry {
            Ok(entry) => entry,
            Err(fault) => {
                self.state = State::Failed;
                return Err(self.window.error(*fault, Some(self.entries)));
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

    /// Where the entry read last begins.
    pub fn place(&self) -> Place {
        Place {
            line: self.window.line(self.last.start),
            entry: (self.entries > 0).then_some(self.entries),
        }
    }

    /// Adds a finding about the entry read last, at the line of it that holds `about`.
    pub(crate) fn report(&mut self, rule: &'static Rule, about: &str, detail: String) {
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

    /// Runs a step, and remembers if it failed.
    fn guarded<T>(&mut self, step: fn(&mut Self) -> Result<T, ReadError>) -> Result<T, ReadError> {
        let result = step(self);
        if result.is_err() {
            self.state = State::Failed;
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
        let finding = self.window.finding(rule, detail.into(), at, None);
        self.findings.push(finding);
    }

    /// Everything up to the root element's start tag.
    fn read_prolog(&mut self) -> Result<(), ReadError> {
        let (mut anything, mut markup) = (false, false);
        loop {
            let (start, token) = self.token()?;
            markup |= !matches!(token, Token::Text { .. } | Token::End0);
            match token {
                Token::Text { span, .. } => {
                    let text = span.of(&self.window.text);
                    let junk = text.bytes().position(|byte| !is_blank(byte));
                    if let Some(junk) = junk {
                        let detail = format!("the document begins with {:?}", shown(&text[junk..]));
                        return Err(self.fault(Fault {
                            rule: rule::xml::NOT_XML,
                            detail,
                            at: start + junk,
                        }));
                    }
                }
                Token::Instruction { target } if target.of(&self.window.text) == "xml" => {
                    if anything {
                        self.note(
                            rule::xml::BLANK_BEFORE_DECLARATION,
                            start,
                            "the XML declaration is not at the very beginning",
                        );
                    }
                }
                Token::Instruction { .. } | Token::Comment => {}
                Token::Doctype => {
                    let rest = self.window.text[start + 9..].trim_start();
                    let html = rest.get(..4).is_some_and(|name| name.eq_ignore_ascii_case("html"));
                    let (rule, detail) = match html {
                        true => (rule::xml::HTML, "an HTML page where a document was expected"),
                        false => (rule::xml::DOCTYPE, "a document type declaration"),
                    };
                    return Err(self.fault(Fault { rule, detail: detail.into(), at: start }));
                }
                Token::Start { name, empty } => return self.read_root(start, name, empty),
                Token::Cdata { .. } | Token::End { .. } => {
                    let detail =
                        "the document begins with neither a declaration nor a root element".into();
                    return Err(self.fault(Fault {
                        rule: rule::xml::MALFORMED,
                        detail,
                        at: start,
                    }));
                }
                Token::End0 => {
                    let rule = if markup { rule::xml::TRUNCATED } else { rule::xml::EMPTY };
                    let detail = "the document has no root element".into();
                    return Err(self.fault(Fault { rule, detail, at: start }));
                }
            }
            anything = true;
        }
    }

    fn read_root(&mut self, start: usize, name: Span, empty: bool) -> Result<(), ReadError> {
        let name = name.of(&self.window.text).to_owned();
        self.bindings.bind(&self.window.text, &self.attributes, 1);
        let (prefix, local) = split(&name);
        self.head.form = match local {
            "urlset" => Form::List,
            "sitemapindex" => Form::Index,
            _ => {
                let html = local.eq_ignore_ascii_case("html");
                let rule = if html { rule::xml::HTML } else { rule::sitemap::ROOT };
                let detail = match local.to_ascii_lowercase().as_str() {
                    "html" => "an HTML page where a document was expected".into(),
                    "rss" | "feed" | "rdf" => format!("the root element is {name}: this is a feed"),
                    _ => format!("the root element is {}", shown(&name)),
                };
                return Err(self.fault(Fault { rule, detail, at: start }));
            }
        };
        self.finders = Finders::new(self.head.form);
        if self.bindings.uri(prefix) != Some(SITEMAP) {
            let detail = match self.bindings.uri(prefix) {
                None | Some("") => "the root element has no namespace".into(),
                Some(uri) => format!("the root element is in the namespace {:?}", shown(uri)),
            };
            self.note(rule::sitemap::NAMESPACE, start, detail);
            self.bindings.adopt_root(prefix);
        }
        if self.bindings.wild_resourcesync {
            self.note(
                rule::resourcesync::NAMESPACE,
                start,
                "the ResourceSync namespace is misspelt",
            );
        }
        let (head, limits) = (&mut self.head, &self.options.limits);
        let mut context = Context::new(
            &self.window.text,
            Span { start: self.at, end: self.at },
            &mut self.bindings,
            &mut self.attributes,
            &mut self.notes,
            limits,
        );
        let mut kept = Ok(());
        for place in 0..context.attributes.len() {
            let attribute = context.attributes[place];
            match context.foreign(attribute) {
                Ok(attribute) => {
                    head.attributes.extend(attribute.map(crate::Attribute::into_owned))
                }
                Err(fault) => kept = Err(fault),
            }
        }
        kept.map_err(|fault| self.fault(fault))?;
        for note in &mut self.notes {
            if note.rule == rule::resourcesync::ATTRIBUTE {
                note.rule = rule::sitemap::ATTRIBUTE;
            }
        }
        commit(&mut self.notes, &mut self.noted, &mut self.findings, &self.window, None);
        self.mark(Span { start, end: self.at });
        self.root = name;
        if empty {
            self.nested = usize::MAX;
        }
        Ok(())
    }

    /// Goes on to the next entry that has a URI, which is then whole in the window, or to the end.
    fn next_unit(&mut self) -> Result<Unit, ReadError> {
        // A root element without content was closed as it was opened.
        if self.nested == usize::MAX {
            return self.read_epilog();
        }
        loop {
            if let Some(span) = self.plain_entry() {
                return Ok(Unit::Entry(span));
            }
            let (start, token) = self.token()?;
            match token {
                Token::Text { span, plain } => {
                    let text = span.of(&self.window.text);
                    if let Some(junk) = text.bytes().position(|byte| !is_blank(byte)) {
                        if !plain {
                            let mut bare = false;
                            crate::xml::escape::resolve(text, start, false, &mut bare)
                                .map_err(|fault| self.fault(fault))?;
                        }
                        self.note(rule::sitemap::TEXT, start + junk, "text between the elements");
                    }
                }
                Token::Cdata { .. } => {
                    self.note(rule::sitemap::TEXT, start, "text between the elements")
                }
                Token::Instruction { target } if target.of(&self.window.text) == "xml" => {
                    self.note(
                        rule::xml::BLANK_BEFORE_DECLARATION,
                        start,
                        "an XML declaration inside the document",
                    );
                }
                Token::Comment | Token::Instruction { .. } => {}
                Token::End { name } if *name.of(&self.window.text) == *self.root => {
                    if self.nested == 0 {
                        return self.read_epilog();
                    }
                    self.nested -= 1;
                }
                Token::End { .. } | Token::Doctype => {
                    let detail =
                        "an end tag that does not match its start tag, or a DOCTYPE".into();
                    return Err(self.fault(Fault {
                        rule: rule::xml::MALFORMED,
                        detail,
                        at: start,
                    }));
                }
                Token::End0 => {
                    let detail = format!("the document ends before </{}>", self.root);
                    return Err(self.fault(Fault {
                        rule: rule::xml::TRUNCATED,
                        detail,
                        at: start,
                    }));
                }
                Token::Start { name, empty } if self.is_root_again(name) => {
                    self.nested += usize::from(!empty);
                    // Its prefixes stay bound: what follows may need them.
                    self.bindings.bind(&self.window.text, &self.attributes, 1);
                    self.note(
                        rule::sitemap::ROOT_NESTED,
                        start,
                        "the root element again, inside itself",
                    );
                    if self.nested + 1 > self.options.limits.depth {
                        return Err(self.fault(too_deep(start)));
                    }
                }
                Token::Start { name, empty } => {
                    let length = name.end - name.start;
                    let start = if empty { start } else { self.whole_element(start, length)? };
                    let end = self.at;
                    if end - start > self.options.limits.entry {
                        let detail = "an entry longer than the limit".into();
                        return Err(self.fault(Fault {
                            rule: rule::limit::ENTRY,
                            detail,
                            at: start,
                        }));
                    }
                    if self.read_unit(Span { start, end })? {
                        return Ok(Unit::Entry(Span { start, end }));
                    }
                }
            }
        }
    }

    /// True if the start tag just read is the root element's again; one of that name may also be
    /// of another namespace.
    fn is_root_again(&self, name: Span) -> bool {
        let text = &self.window.text;
        let (prefix, _) = split(&self.root);
        let declares =
            |attribute: &&RawAttribute| declared_prefix(attribute.name.of(text)) == Some(prefix);
        *name.of(text) == *self.root
            && self.attributes.iter().filter(declares).all(|attribute| {
                let uri = attribute.value.of(text);
                uri == SITEMAP || self.bindings.uri(prefix) == Some(uri)
            })
    }

    /// The usual entry, if that is what comes next and is whole: a tag without attributes, a `loc`
    /// first, and nothing in it that needs a second look. Sees to it that most entries are scanned
    /// once only.
    #[inline]
    fn plain_entry(&mut self) -> Option<Span> {
        let bytes = self.window.text.as_bytes();
        let mut at = self.at;
        while at < bytes.len() && is_blank(bytes[at]) {
            at += 1;
        }
        if self.state != State::Entries || self.root != self.head.form.root() {
            return None;
        }
        let entry = self.head.form.entry().as_bytes();
        let opening = entry.len() + 2;
        let rest = &bytes[at..];
        if rest.len() < opening
            || rest[0] != b'<'
            || &rest[1..=entry.len()] != entry
            || rest[opening - 1] != b'>'
        {
            return None;
        }
        let mut loc = opening;
        while loc < rest.len() && is_blank(rest[loc]) {
            loc += 1;
        }
        let first = rest[loc..].strip_prefix(b"<loc>")?.first()?;
        if is_blank(*first) || *first == b'<' || *first == b'&' {
            return None;
        }
        let length = self.finders.extent(rest)?;
        // Beyond that length there might be a URI too long to keep.
        (length <= 8 << 10).then_some(Span { start: at, end: at + length })
    }

    /// Sees to it that the element whose start tag begins at `start`, with a name of that length, is
    /// whole in the window. Answers where it begins then; `self.at` is where it ends.
    fn whole_element(&mut self, start: usize, name: usize) -> Result<usize, ReadError> {
        let mut start = start;
        loop {
            let mut scanner =
                scanner(&self.window.text, start, self.window.whole, &self.options.limits);
            let mut depth = 0_usize;
            let stop = loop {
                match scanner.next(&mut self.attributes) {
                    Ok(Token::Start { empty: false, .. }) => depth += 1,
                    Ok(Token::End { .. }) => {
                        depth -= 1;
                        if depth == 0 {
                            self.at = scanner.at;
                            return Ok(start);
                        }
                    }
                    Ok(Token::End0) => break Stop::More(scanner.at),
                    Ok(Token::Doctype) => {
                        let detail = "a document type declaration inside an element".into();
                        let fault = Fault { rule: rule::xml::DOCTYPE, detail, at: scanner.at };
                        break Stop::Fault(Box::new(fault));
                    }
                    Ok(_) => {}
                    Err(stop) => break stop,
                }
                if depth + 1 > self.options.limits.depth {
                    return Err(self.fault(too_deep(scanner.at)));
                }
            };
            match stop {
                Stop::Fault(fault) => return Err(self.fault(fault)),
                Stop::More(at) if self.window.whole => {
                    let element = &self.window.text[start + 1..start + 1 + name];
                    let detail = format!("the document ends before </{element}>");
                    return Err(self.fault(Fault { rule: rule::xml::TRUNCATED, detail, at }));
                }
                Stop::More(_) if self.window.text.len() - start > self.options.limits.entry => {
                    let detail = "an entry longer than the limit".into();
                    return Err(self.fault(Fault { rule: rule::limit::ENTRY, detail, at: start }));
                }
                Stop::More(_) => {
                    self.window.fill(start)?;
                    start = 0;
                }
            }
        }
    }

    /// Takes one whole element under the root: true if it is an entry that has a URI, which is left
    /// to be read once more by the caller.
    fn read_unit(&mut self, span: Span) -> Result<bool, ReadError> {
        let late = self.entries > 0;
        if !late {
            self.mark(span);
        }
        let (head, limits) = (&mut self.head, &self.options.limits);
        let mut context = Context::new(
            &self.window.text,
            span,
            &mut self.bindings,
            &mut self.attributes,
            &mut self.notes,
            limits,
        );
        let result = read_unit(&mut context, head, limits, late, &mut self.has_metadata);
        let entry = late.then_some(self.entries);
        match result {
            Ok(Kind::Entry { usable: true }) => {
                self.notes.clear();
                Ok(true)
            }
            Ok(kind) => {
                if let Kind::Entry { .. } = kind {
                    self.entries += 1;
                    self.last = span;
                }
                let entry = if let Kind::Entry { .. } = kind { Some(self.entries) } else { entry };
                commit(&mut self.notes, &mut self.noted, &mut self.findings, &self.window, entry);
                self.at = span.end;
                Ok(false)
            }
            Err(fault) => Err(self.fault(fault)),
        }
    }

    /// What follows the root element: nothing that matters.
    fn read_epilog(&mut self) -> Result<Unit, ReadError> {
        loop {
            let (start, token) = match self.token() {
                // A tag that breaks off after the root is as little wanted as one that does not.
                Err(ReadError::Document(mut finding)) if finding.rule == rule::xml::TRUNCATED => {
                    finding.rule = rule::xml::AFTER_ROOT;
                    return Err(ReadError::Document(finding));
                }
                result => result?,
            };
            let blank = match token {
                Token::Text { span, .. } => span.of(&self.window.text).bytes().all(is_blank),
                Token::Instruction { target } => target.of(&self.window.text) != "xml",
                Token::Comment => true,
                Token::End0 => {
                    self.state = State::Ended;
                    return Ok(Unit::End);
                }
                _ => false,
            };
            if !blank {
                let detail = "something follows the root element".into();
                return Err(self.fault(Fault { rule: rule::xml::AFTER_ROOT, detail, at: start }));
            }
        }
    }
}

/// What an element under the root turned out to be.
enum Kind {
    Entry { usable: bool },
    Other,
}

fn read_unit(
    context: &mut Context<'_, '_>,
    head: &mut Head<'static>,
    limits: &Limits,
    late: bool,
    has_metadata: &mut bool,
) -> Result<Kind, Box<Fault>> {
    let start = context.scanner.at;
    let Token::Start { name, empty } = context.token()? else { return Ok(Kind::Other) };
    let full = name.of(context.text);
    context.bindings.bind(context.text, context.attributes, 2);
    let (mut namespace, local) = context.bindings.element(full);
    if namespace == Namespace::Unbound {
        context.unbound(split(full).0, start);
        if full == "rs:md" || full == "rs:ln" {
            namespace = Namespace::ResourceSync;
        }
    }
    let wild = std::mem::take(&mut context.bindings.wild_resourcesync)
        && namespace == Namespace::ResourceSync;
    if wild && context.bindings.origin(split(full).0).is_some_and(|(_, depth)| depth == 2) {
        context.note(
            rule::resourcesync::NAMESPACE,
            start,
            "the ResourceSync namespace is misspelt",
        );
    }
    match (namespace, local) {
        (Namespace::Sitemap, local) if local == head.form.entry() => {
            context.bindings.unbind(2);
            context.scanner.at = start;
            let usable = !context.entry(2, limits)?.loc.is_empty();
            return Ok(Kind::Entry { usable });
        }
        (Namespace::Sitemap, "url" | "sitemap") => {
            let detail = format!("{local} in a {}, which is passed over", head.form.root());
            context.note(rule::sitemap::MISPLACED, start, detail);
            context.leave(name, empty, limits, 2)?;
        }
        (Namespace::Sitemap, "urlset" | "sitemapindex") => {
            let detail = format!("{local} in a {}, which is passed over", head.form.root());
            context.note(rule::sitemap::ROOT_NESTED, start, detail);
            context.leave(name, empty, limits, 2)?;
        }
        (Namespace::ResourceSync, "md") => {
            let mut metadata = Metadata::default();
            context.metadata(false, &mut metadata)?;
            if late {
                context.note(
                    rule::resourcesync::MD_LATE,
                    start,
                    "the document's rs:md after an entry, which is passed over",
                );
            } else if std::mem::replace(has_metadata, true) {
                context.note(
                    rule::resourcesync::MD_TWICE,
                    start,
                    "a second rs:md of the document, which is passed over",
                );
            } else {
                head.metadata = metadata.into_owned();
            }
            context.leave(name, empty, limits, 2)?;
        }
        (Namespace::ResourceSync, "ln") => {
            let link = context.link(start)?.map(crate::Link::into_owned);
            if late {
                context.note(
                    rule::resourcesync::LN_LATE,
                    start,
                    "a link of the document after an entry, which is passed over",
                );
            } else {
                head.links.extend(link);
            }
            context.leave(name, empty, limits, 2)?;
        }
        (Namespace::Foreign, _) => {
            let extension = context.extension(start, name, empty, limits, 2)?;
            if !late {
                head.extensions.extend(extension.map(|xml| xml.into_owned().into()));
            }
        }
        _ => {
            context.references()?;
            context.unknown(namespace, full, start);
            context.leave(name, empty, limits, 2)?;
        }
    }
    context.bindings.unbind(2);
    Ok(Kind::Other)
}

fn interpret<'t>(
    text: &'t str,
    span: Span,
    bindings: &mut Bindings,
    attributes: &mut Vec<RawAttribute>,
    notes: &mut Vec<Note>,
    limits: &Limits,
) -> Result<Entry<'t>, Box<Fault>> {
    Context::new(text, span, bindings, attributes, notes, limits).entry(2, limits)
}

fn commit<R: BufRead>(
    notes: &mut Vec<Note>,
    noted: &mut Vec<&'static Rule>,
    findings: &mut Findings,
    window: &Window<R>,
    entry: Option<u64>,
) {
    for note in notes.drain(..) {
        noted.push(note.rule);
        findings.push(window.finding(note.rule, note.detail, note.at, entry));
    }
}

fn scanner<'t>(text: &'t str, at: usize, whole: bool, limits: &Limits) -> Scanner<'t> {
    Scanner { text, at, whole, most_attributes: limits.attributes, most_bytes: limits.token }
}

/// Finds where usual entries end.
struct Finders {
    start: memmem::Finder<'static>,
    end: memmem::Finder<'static>,
}

impl Finders {
    fn new(form: Form) -> Self {
        match form {
            Form::List => {
                Self { start: memmem::Finder::new("<url"), end: memmem::Finder::new("</url>") }
            }
            Form::Index => Self {
                start: memmem::Finder::new("<sitemap"),
                end: memmem::Finder::new("</sitemap>"),
            },
        }
    }

    /// The length of the entry at the beginning of `rest`, if it is whole and has no comment, CDATA
    /// section, instruction or element of the same name in it: then the first end tag of that name
    /// is its own.
    #[inline]
    fn extent(&self, rest: &[u8]) -> Option<usize> {
        let end = self.end.find(rest)?;
        let inside = &rest[1..end];
        let declaration = |at: usize| at > 0 && inside[at - 1] == b'<';
        if memchr2_iter(b'!', b'?', inside).any(declaration) || self.start.find(inside).is_some() {
            return None;
        }
        Some(end + self.end.needle().len())
    }
}

fn shown(text: &str) -> String {
    text.trim().chars().take(40).collect()
}
