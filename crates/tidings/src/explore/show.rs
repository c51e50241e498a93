//! The tree, as people read it.

use std::fmt::Write as _;

use tidings_base::text::{counted, grouped, rounded_size, visible_in_terminal};
use tidings_document::{Head, Severity};
use tidings_web::Source;
use tidings_web::explore::{Node, Seen, Tree};

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
        let mut parts = vec![counted(tree.nodes.len() as u64, "document", "documents")];
        let lost = tree.nodes.iter().filter(|node| !node.is_whole());
        match lost.count() as u64 {
            0 => {}
            lost => parts.push(format!("{} could not be had", grouped(lost))),
        }
        if tree.left > 0 {
            parts.push(format!("{} more not looked at", grouped(tree.left as u64)));
        }
        let _ = writeln!(out, "{}", screen.bold(&parts.join(", ")));
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
    let _ = writeln!(out, "{indent}{url}: {}", described(seen, screen));
    let Some(head) = &seen.report.head else { return };
    let times = times(head, seen);
    if !times.is_empty() {
        let _ = writeln!(out, "{indent}    {}", times.join(", "));
    }
    if !seen.links.is_empty() {
        let links: Vec<String> = seen
            .links
            .iter()
            .map(|(rel, count)| format!("{} {}", visible_in_terminal(rel), grouped(*count)))
            .collect();
        let _ =
            writeln!(out, "{indent}    {}", screen.dim(&format!("links: {}", links.join(", "))));
    }
    let shown = if global.verbose { usize::MAX } else { PACKAGES };
    for package in seen.packages.iter().take(shown) {
        let length = package.length.map_or_else(|| "of unknown length".to_owned(), rounded_size);
        let _ =
            writeln!(out, "{indent}    package {}: {length}", visible_in_terminal(&package.url));
    }
    if seen.packages.len() > shown {
        let more = grouped((seen.packages.len() - shown) as u64);
        let _ = writeln!(out, "{indent}    … and {more} packages more");
    }
}

/// What it is, how large, and how well it is made.
fn described(seen: &Seen, screen: &Screen) -> String {
    let report = &seen.report;
    let mut parts = match &report.head {
        Some(head) => {
            vec![
                head.title(),
                counted(report.entries, "entry", "entries"),
                rounded_size(report.bytes),
            ]
        }
        None => vec!["not readable".to_owned()],
    };
    if report.head.is_some() && !report.complete {
        parts.push("not read to its end".to_owned());
    }
    for (severity, one, many) in [
        (Severity::Error, "error", "errors"),
        (Severity::Warning, "warning", "warnings"),
        (Severity::Note, "note", "notes"),
    ] {
        match report.findings.of(severity) {
            0 => {}
            count => parts.push(counted(count, one, many)),
        }
    }
    // Why it is of no use, at least; the rest is for `validate`.
    let mut text = parts.join(", ");
    if !seen.is_whole()
        && let Some(worst) = report.findings.iter().max_by_key(|one| one.rule.severity)
    {
        text += &format!(
            " ({}: {})",
            screen.severity(worst.rule.severity),
            visible_in_terminal(&worst.detail)
        );
    }
    text
}

/// The times that the head speaks of, and whether it is open.
fn times(head: &Head<'_>, seen: &Seen) -> Vec<String> {
    let metadata = &head.metadata;
    let mut parts: Vec<String> = [
        ("at", metadata.at),
        ("completed", metadata.completed),
        ("from", metadata.from),
        ("until", metadata.until),
    ]
    .into_iter()
    .filter_map(|(name, time)| Some(format!("{name} {}", time?)))
    .collect();
    parts.extend(seen.is_open().map(|open| if open { "open" } else { "closed" }.to_owned()));
    parts
}
