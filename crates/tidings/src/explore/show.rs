//! The tree, as people read it.

use std::fmt::Write as _;

use tidings_base::text::{counted, rounded_size, visible_in_terminal};
use tidings_document::Severity;
use tidings_web::Source;
use tidings_web::explore::{DocumentSummary, Node, Tree};

use crate::cli::Global;
use crate::screen::Screen;

/// How many packages of a dump are shown.
const PACKAGES: usize = 5;

pub(super) fn render(source: &Source, tree: &Tree, global: &Global, screen: &Screen) -> String {
    let mut out = String::new();
    if !global.quiet {
        let names: Vec<String> =
            source.sets.iter().map(|set| visible_in_terminal(&set.name)).collect();
        let sets = counted(names.len() as u64, "set", "sets");
        let _ = writeln!(out, "Found by {}; {sets}: {}", source.found_by, names.join(", "));
    }
    for node in &tree.nodes {
        self::node(&mut out, node, global, screen);
    }
    if !global.quiet {
        let _ = writeln!(out, "{}", screen.bold(&tree.summary(source).to_string()));
    }
    out
}

fn node(out: &mut String, node: &Node, global: &Global, screen: &Screen) {
    let indent = "  ".repeat(node.depth.min(8));
    let url = screen.bold(&visible_in_terminal(node.url.as_str()));
    let seen = match &node.seen {
        Ok(seen) => seen,
        Err(error) => {
            let label = screen.severity(Severity::Error);
            let _ = writeln!(
                out,
                "{indent}{url}: {label}: {}",
                visible_in_terminal(&format!("{error:#}"))
            );
            return;
        }
    };
    let summary = seen.summary();
    let _ = writeln!(out, "{indent}{url}: {}", described(&summary, screen));
    if summary.kind.is_none() {
        return;
    }
    let times: Vec<&str> = summary.times.iter().map(String::as_str).chain(summary.state).collect();
    if !times.is_empty() {
        let _ = writeln!(out, "{indent}    {}", times.join(", "));
    }
    if !summary.links.is_empty() {
        let link =
            |(rel, number): &(&str, String)| format!("{} {number}", visible_in_terminal(rel));
        let links: Vec<String> = summary.links.iter().map(link).collect();
        let _ =
            writeln!(out, "{indent}    {}", screen.dim(&format!("links: {}", links.join(", "))));
    }
    let shown = if global.verbose { usize::MAX } else { PACKAGES };
    let (packages, more) = seen.first_packages(shown);
    for package in packages {
        let (url, length) = (visible_in_terminal(&package.url), package.length_text(rounded_size));
        let _ = writeln!(out, "{indent}    package {url}: {length}");
    }
    if let Some(more) = more {
        let _ = writeln!(out, "{indent}    … and {more} packages more");
    }
}

/// What it is, how large, and how well it is made.
fn described(summary: &DocumentSummary<'_>, screen: &Screen) -> String {
    let mut parts = match &summary.kind {
        Some(kind) => [kind.as_str(), &summary.entries, &rounded_size(summary.bytes)].join(", "),
        None => "not readable".to_owned(),
    };
    let findings = summary.findings.iter().map(|(_, words)| words.as_str());
    for part in summary.truncation.into_iter().chain(findings) {
        let _ = write!(parts, ", {part}");
    }
    // Why it is of no use, at least; the rest is for `validate`.
    if let Some(fault) = summary.fault {
        let (severity, detail) = (fault.rule.severity, visible_in_terminal(&fault.detail));
        let _ = write!(parts, " ({}: {detail})", screen.severity(severity));
    }
    parts
}
