//! How good the documents are by which a site is followed.

use tidings_document::{CheckOptions, Profile, Severity, check};
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
                    message: finding.detail.replace(char::is_control, "\u{FFFD}"),
                });
            }
        }
    }
    quality
}
