//! Looks at the files that posts use, each once.

use std::collections::HashSet;

use tidings_document::{Findings, rule::webfeed as rules};
use tidings_web::Url;
use tidings_webfeed::{
    Subresource, SubresourceKind, check, subresources_of_page, subresources_of_sheet,
};

use super::place::Place;

/// How many files are looked at.
const MAX_FILES: usize = 2_000;

/// The files that were looked at.
#[derive(Debug, Default)]
pub(super) struct Subresources {
    seen: HashSet<Url>,
}

impl Subresources {
    /// Says what is wrong with the files that a page uses, and with those that their style sheets use.
    /// What was said of a file already is not said again.
    pub(super) fn check(&mut self, place: &Place, html: &[u8], at: &Url, findings: &mut Findings) {
        let mut left = subresources_of_page(html, at);
        left.reverse();
        while let Some(one) = left.pop() {
            if self.seen.len() >= MAX_FILES
                || !place.has(&one.url)
                || !self.seen.insert(one.url.clone())
            {
                continue;
            }
            left.extend(look(place, &one, findings));
        }
    }
}

/// Looks at a file; the files that it uses itself.
fn look(place: &Place, one: &Subresource, findings: &mut Findings) -> Vec<Subresource> {
    let had = match place.get_file(&one.url) {
        Ok(had) => had,
        Err(missing) => {
            let rule = if missing.is_too_large {
                rules::SUBRESOURCE_LARGE
            } else {
                rules::SUBRESOURCE_MISSING
            };
            let detail = format!("it uses {}: {}", one.url, missing.reason);
            findings.push(check::finding(rule, &detail));
            return Vec::new();
        }
    };
    if let Some(finding) = check::subresource(one, &had.bytes, had.content_type.as_deref()) {
        findings.push(finding);
        return Vec::new();
    }
    match one.kind {
        SubresourceKind::StyleSheet => {
            subresources_of_sheet(&String::from_utf8_lossy(&had.bytes), &had.url)
        }
        _ => Vec::new(),
    }
}
