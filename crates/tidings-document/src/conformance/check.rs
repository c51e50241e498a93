//! Reads a document to its end and names everything that is wrong with it.

use std::io::{self, Read};

use super::rules::{Hit, Rules};
use super::{Profile, Spec};
use crate::{Entry, Findings, Head, ReadError, ReadOptions, Reader, Rule, rule};

/// How to check a document.
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    /// Which version of the standard it is held against.
    pub spec: Spec,
    /// Which use of it is meant.
    pub profile: Profile,
    /// How it is read.
    pub read: ReadOptions,
    /// Its URL, where it is known: some rules are about the place of a document.
    pub url: Option<String>,
}

/// What a check came to.
#[derive(Debug, Clone)]
pub struct Report {
    /// What stands before the entries; none where not even that could be read.
    pub head: Option<Head<'static>>,
    /// How many entries were read.
    pub entries: u64,
    /// How many bytes of text were read, uncompressed.
    pub bytes: u64,
    /// True if the document was read to its end.
    pub complete: bool,
    /// What is wrong with it, by line.
    pub findings: Findings,
}

/// Checks a document. An error means that its bytes could not be had.
pub fn check(input: impl Read, options: &CheckOptions) -> io::Result<Report> {
    check_each(input, options, |_, _| {})
}

/// Checks a document and shows each of its entries on the way.
pub fn check_each(
    input: impl Read,
    options: &CheckOptions,
    mut each: impl FnMut(&Head<'_>, &Entry<'_>),
) -> io::Result<Report> {
    let mut reader = Reader::with_options(input, options.read.clone());
    let mut head = None;
    let outcome = run(&mut reader, options, &mut each, &mut head);
    let (entries, bytes, complete) = (reader.entries(), reader.bytes(), reader.is_done());
    let mut findings = reader.into_findings();
    match outcome {
        Ok(()) => {}
        Err(ReadError::Document(finding)) => findings.push(*finding),
        Err(ReadError::Io(error)) => return Err(error),
    }
    findings.sort();
    Ok(Report { head, entries, bytes, complete, findings })
}

fn run<R: Read>(
    reader: &mut Reader<R>,
    options: &CheckOptions,
    each: &mut impl FnMut(&Head<'_>, &Entry<'_>),
    kept: &mut Option<Head<'static>>,
) -> Result<(), ReadError> {
    let head = kept.insert(reader.head()?.clone());
    let mut hits = Vec::new();
    let has_metadata = reader.has_metadata();
    let mut rules = Rules::new(
        head,
        has_metadata,
        options.spec,
        options.profile,
        options.url.as_deref(),
        &mut hits,
    )
    .with_duplicates();
    hits.retain(|hit| !explained(hit.rule, reader.noted()));
    let mut head_hits = std::mem::take(&mut hits);
    let outcome = loop {
        match reader.next_entry() {
            Ok(Some(entry)) => {
                rules.entry(&entry, &mut hits);
                each(head, &entry);
                if !hits.is_empty() {
                    report(reader, &mut hits, false);
                }
            }
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    // What the head lacks is said at the end: it may have come up, too late, among the entries.
    report(reader, &mut head_hits, true);
    outcome?;
    rules.finish(reader.entries(), reader.bytes(), &mut hits);
    report(reader, &mut hits, true);
    Ok(())
}

fn report<R: Read>(reader: &mut Reader<R>, hits: &mut Vec<Hit>, document: bool) {
    for Hit { rule, about, detail } in hits.drain(..) {
        match document {
            true if came_late(rule, reader.findings()) => {}
            true => reader.report_document(rule, about, detail),
            false if explained(rule, reader.noted()) => {}
            false => reader.report(rule, about, detail),
        }
    }
}

/// True where the head lacks something only because it stands among the entries, which was said
/// already.
fn came_late(missing: &Rule, findings: &Findings) -> bool {
    let late = |rule: &Rule| findings.count(rule.id) > 0;
    missing == rule::resourcesync::MD_MISSING && late(rule::resourcesync::MD_LATE)
        || missing.id.ends_with("up-missing") && late(rule::resourcesync::LN_LATE)
}

/// True where something is missing only because what is there could not be read, which was said
/// already.
fn explained(missing: &'static Rule, noted: &[&'static Rule]) -> bool {
    use rule::resourcesync as rs;
    let reasons: &[&Rule] = match missing {
        _ if noted.is_empty() => return false,
        missing if missing == rs::CAPABILITY_MISSING => &[rs::CAPABILITY],
        missing if missing.id.ends_with("change-missing") => &[rs::CHANGE, rs::ENTRY_MD_TWICE],
        missing if missing.id.ends_with("up-missing") => &[rs::HREF_MISSING, rs::REL_MISSING],
        missing if missing.id.ends_with("at-missing") || missing.id.ends_with("from-missing") => {
            &[rs::TIME]
        }
        missing if missing.id.ends_with("lastmod-missing") => {
            &[rule::sitemap::LASTMOD, rule::sitemap::LASTMOD_EMPTY]
        }
        missing if missing.id.ends_with("datetime-missing") => &[rs::TIME],
        missing if missing.id.ends_with("capability-missing") => {
            &[rs::CAPABILITY, rs::CAPABILITY_UNKNOWN]
        }
        missing if missing == rs::DESCRIPTION_CAPABILITY => &[rs::CAPABILITY_UNKNOWN],
        missing if missing == rs::RESOURCEDUMP_TYPE || missing == rs::CHANGEDUMP_TYPE => {
            &[rs::MEDIA_TYPE, rs::LENGTH]
        }
        missing if missing == rs::PATCH_TYPE => &[rs::MEDIA_TYPE],
        _ => return false,
    };
    noted.iter().any(|rule| reasons.contains(rule))
}
