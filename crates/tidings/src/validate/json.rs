//! Findings, as scripts read them. The shape is part of the interface: fields may be added.

use std::collections::BTreeMap;

use serde::Serialize;
use tidings_document::{Finding, Severity};

use super::{Checked, Unreadable};

#[derive(Serialize)]
struct Output<'a> {
    documents: Vec<DocumentOutput<'a>>,
    unreadable: Vec<UnreadableOutput<'a>>,
    errors: u64,
    warnings: u64,
    notes: u64,
}

#[derive(Serialize)]
struct DocumentOutput<'a> {
    target: &'a str,
    kind: Option<String>,
    capability: Option<&'static str>,
    index: Option<bool>,
    entries: u64,
    bytes: u64,
    complete: bool,
    /// How often each rule is broken; of each, the first findings follow.
    rules: BTreeMap<&'static str, u64>,
    findings: Vec<FindingOutput<'a>>,
}

#[derive(Serialize)]
struct FindingOutput<'a> {
    rule: &'static str,
    severity: &'static str,
    line: u64,
    entry: Option<u64>,
    detail: &'a str,
    excerpt: &'a str,
    clause: &'static str,
    wants: &'static str,
    remedy: &'static str,
}

#[derive(Serialize)]
struct UnreadableOutput<'a> {
    target: &'a str,
    reason: &'a str,
}

pub(super) fn render(checked: &[Checked], unreadable: &[Unreadable]) -> serde_json::Result<String> {
    let of = |severity| checked.iter().map(|one| one.report.findings.of(severity)).sum();
    let output = Output {
        documents: checked.iter().map(document).collect(),
        unreadable: unreadable
            .iter()
            .map(|one| UnreadableOutput { target: &one.name, reason: &one.reason })
            .collect(),
        errors: of(Severity::Error),
        warnings: of(Severity::Warning),
        notes: of(Severity::Note),
    };
    Ok(serde_json::to_string_pretty(&output)? + "\n")
}

fn document(one: &Checked) -> DocumentOutput<'_> {
    let report = &one.report;
    let head = report.head.as_ref();
    DocumentOutput {
        target: &one.name,
        kind: head.map(tidings_document::Head::title).or_else(|| one.what.clone()),
        capability: head
            .and_then(tidings_document::Head::capability)
            .map(tidings_document::Capability::name),
        index: head.map(|head| head.form == tidings_document::Form::Index),
        entries: report.entries,
        bytes: report.bytes,
        complete: report.complete,
        rules: report.findings.by_rule().collect(),
        findings: report.findings.iter().map(finding).collect(),
    }
}

fn finding(finding: &Finding) -> FindingOutput<'_> {
    FindingOutput {
        rule: finding.rule.id,
        severity: finding.rule.severity.name(),
        line: finding.place.line,
        entry: finding.place.entry,
        detail: &finding.detail,
        excerpt: &finding.excerpt,
        clause: finding.rule.clause,
        wants: finding.rule.wants,
        remedy: finding.rule.remedy,
    }
}
