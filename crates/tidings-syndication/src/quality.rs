//! How good the documents are by which a site is followed.

use tidings_document::{CheckOptions, Profile, Rule, Severity, check};
use tidings_web::{Url, Validators};

use crate::change_list::off_the_road;
use crate::details::{Finding, Quality};
use crate::fetch::{Fetch, read_options};

/// How many documents are looked at.
const MOST_DOCUMENTS: usize = 8;
/// How many findings are shown.
const MOST_FINDINGS: usize = 12;

/// Checks documents as `tidings validate` does. What cannot be had is no matter here.
pub(crate) async fn quality(fetch: &Fetch<'_>, documents: &[Url], profile: Profile) -> Quality {
    let mut quality = Quality::default();
    for url in documents.iter().take(MOST_DOCUMENTS) {
        let Ok(fetched) = fetch.get(url, Validators::default()).await else { continue };
        let options = CheckOptions {
            profile,
            read: read_options(&fetched),
            url: Some(url.to_string()),
            ..CheckOptions::default()
        };
        let body = fetched.body;
        let report = off_the_road(move || check(body.into_reader(), &options)).await;
        let Ok(report) = report else { continue };
        quality.documents += 1;
        quality.errors += report.findings.of(Severity::Error);
        quality.warnings += report.findings.of(Severity::Warning);
        quality.notes += report.findings.of(Severity::Note);
        for finding in report.findings.iter() {
            if quality.findings.len() < MOST_FINDINGS {
                quality.findings.push(Finding {
                    document: url.to_string(),
                    line: finding.place.line,
                    rule: finding.rule.id.to_owned(),
                    severity: finding.rule.severity.name().to_owned(),
                    message: tidings_base::text::visible_in_terminal(&finding.detail),
                });
            }
        }
    }
    quality
}

/// A rule that the documents of a set break together.
pub(crate) struct SetFinding {
    document: String,
    rule: &'static Rule,
    message: String,
}

impl SetFinding {
    pub(crate) fn new(document: &Url, rule: &'static Rule, message: String) -> Self {
        Self { document: document.to_string(), rule, message }
    }
}

/// Adds what is wrong with the sets: it stands first, since nobody else says it.
pub(crate) fn add_findings(quality: &mut Quality, findings: Vec<SetFinding>) {
    let mut shown = Vec::new();
    for SetFinding { document, rule, message } in findings {
        match rule.severity {
            Severity::Error => quality.errors += 1,
            Severity::Warning => quality.warnings += 1,
            _ => quality.notes += 1,
        }
        shown.push(Finding {
            document,
            line: 1,
            rule: rule.id.to_owned(),
            severity: rule.severity.name().to_owned(),
            message: tidings_base::text::visible_in_terminal(&message),
        });
    }
    shown.append(&mut quality.findings);
    shown.truncate(MOST_FINDINGS);
    quality.findings = shown;
}
