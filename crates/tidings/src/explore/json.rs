//! The tree, as scripts read it. The shape is part of the interface: fields may be added.

use std::collections::BTreeMap;

use serde::Serialize;
use tidings_document::{Capability, Form, Head, Moment, Severity};
use tidings_web::explore::{Node, Seen, Tree};
use tidings_web::{Source, SourceSet};

#[derive(Serialize)]
struct Output<'a> {
    description: Option<&'a str>,
    found_by: &'a str,
    sets: Vec<SetOutput<'a>>,
    documents: Vec<DocumentOutput<'a>>,
    /// How many documents were not looked at.
    left: usize,
}

#[derive(Serialize)]
struct SetOutput<'a> {
    name: &'a str,
    capability_list: Option<&'a str>,
    described_by: Option<&'a str>,
    offers: Vec<OfferOutput<'a>>,
}

#[derive(Serialize)]
struct OfferOutput<'a> {
    capability: &'static str,
    url: &'a str,
    sitemap: bool,
}

#[derive(Serialize)]
struct DocumentOutput<'a> {
    url: &'a str,
    depth: usize,
    /// Why it could not be had; then nothing is known of it.
    problem: Option<String>,
    #[serde(flatten)]
    seen: Option<SeenOutput<'a>>,
}

#[derive(Serialize)]
struct SeenOutput<'a> {
    kind: Option<String>,
    capability: Option<&'static str>,
    index: Option<bool>,
    entries: u64,
    bytes: u64,
    complete: bool,
    at: Option<String>,
    completed: Option<String>,
    from: Option<String>,
    until: Option<String>,
    open: Option<bool>,
    links: &'a BTreeMap<String, u64>,
    packages: Vec<PackageOutput<'a>>,
    errors: u64,
    warnings: u64,
    notes: u64,
}

#[derive(Serialize)]
struct PackageOutput<'a> {
    url: &'a str,
    length: Option<u64>,
    #[serde(rename = "type")]
    media_type: Option<&'a str>,
}

pub(super) fn render(source: &Source, tree: &Tree) -> serde_json::Result<String> {
    let output = Output {
        description: source.description.as_ref().map(tidings_web::Url::as_str),
        found_by: &source.found_by,
        sets: source.sets.iter().map(set).collect(),
        documents: tree.nodes.iter().map(document).collect(),
        left: tree.summary(source).left,
    };
    Ok(serde_json::to_string_pretty(&output)? + "\n")
}

fn set(set: &SourceSet) -> SetOutput<'_> {
    SetOutput {
        name: &set.name,
        capability_list: set.capability_list.as_ref().map(tidings_web::Url::as_str),
        described_by: set.described_by.as_ref().map(tidings_web::Url::as_str),
        offers: set
            .offers
            .iter()
            .map(|offer| OfferOutput {
                capability: offer.capability.name(),
                url: offer.url.as_str(),
                sitemap: offer.is_sitemap,
            })
            .collect(),
    }
}

fn document(node: &Node) -> DocumentOutput<'_> {
    DocumentOutput {
        url: node.url.as_str(),
        depth: node.depth,
        problem: node.seen.as_ref().err().map(|error| format!("{error:#}")),
        seen: node.seen.as_ref().ok().map(seen),
    }
}

fn seen(seen: &Seen) -> SeenOutput<'_> {
    let report = &seen.report;
    let head = report.head.as_ref();
    let time = |of: fn(&Head<'_>) -> Option<Moment>| Some(of(head?)?.to_string());
    let packages = seen.packages.iter().map(|package| PackageOutput {
        url: &package.url,
        length: package.length,
        media_type: package.media_type.as_deref(),
    });
    SeenOutput {
        kind: head.map(Head::title),
        capability: head.and_then(Head::capability).map(Capability::name),
        index: head.map(|head| head.form == Form::Index),
        entries: report.entries,
        bytes: report.bytes,
        complete: report.complete,
        at: time(|head| head.metadata.at),
        completed: time(|head| head.metadata.completed),
        from: time(|head| head.metadata.from),
        until: time(|head| head.metadata.until),
        open: seen.is_open(),
        links: &seen.links,
        packages: packages.collect(),
        errors: report.findings.of(Severity::Error),
        warnings: report.findings.of(Severity::Warning),
        notes: report.findings.of(Severity::Note),
    }
}
