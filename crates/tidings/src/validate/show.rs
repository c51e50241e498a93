//! Findings, as people read them.

use std::fmt::Write as _;

use tidings_base::text::{counted, grouped, visible_in_terminal};
use tidings_document::{BrokenRule, Severity};

use super::Checked;
use crate::cli::Global;
use crate::screen::Screen;

/// How many places of one rule are shown.
const PLACES: usize = 3;

pub(super) fn render(checked: &[Checked], global: &Global, screen: &Screen) -> String {
    let mut out = String::new();
    for one in checked {
        let quiet = one.report.findings.is_empty()
            && (global.quiet || checked.len() > 20 && !global.verbose);
        if !quiet {
            document(&mut out, one, screen);
        }
    }
    if !global.quiet && !checked.is_empty() {
        summary(&mut out, checked, screen);
    }
    out
}

fn document(out: &mut String, one: &Checked, screen: &Screen) {
    let indent = "  ".repeat(one.depth.min(8));
    let report = &one.report;
    let name = visible_in_terminal(one.short.as_ref().unwrap_or(&one.name));
    let _ = writeln!(out, "{indent}{}: {}", screen.bold(&name), described(one));
    for broken in &report.findings.broken_rules() {
        group(out, &indent, broken, screen);
    }
    if let Some(hint) = one.hint {
        let _ = writeln!(out, "{indent}  {}", screen.dim(hint));
    }
}

fn described(one: &Checked) -> String {
    let report = &one.report;
    if let Some(what) = &one.what {
        let well = if report.findings.is_empty() { ", nothing wrong" } else { "" };
        return format!("{what}{well}");
    }
    let Some(head) = &report.head else { return "not readable".into() };
    let mut parts = vec![head.title(), counted(report.entries, "entry", "entries")];
    if report.entries > 0 || report.complete {
        parts.push(format!("{} bytes", grouped(report.bytes)));
    }
    if !report.complete {
        parts.push("not read to its end".into());
    }
    if report.findings.is_empty() {
        parts.push("nothing wrong".into());
    }
    parts.join(", ")
}

fn group(out: &mut String, indent: &str, broken: &BrokenRule<'_>, screen: &Screen) {
    let (rule, count) = (broken.rule, broken.count);
    let times = if count > 1 { format!(", {} times", grouped(count)) } else { String::new() };
    let _ = writeln!(
        out,
        "{indent}  {} {}{times}",
        screen.severity(rule.severity),
        screen.bold(rule.id)
    );
    let _ =
        writeln!(out, "{indent}    {} {}", rule.wants, screen.dim(&format!("({})", rule.clause)));
    for finding in broken.findings.iter().take(PLACES) {
        let mut place = Vec::new();
        if finding.place.line > 0 {
            place.push(format!("line {}", grouped(finding.place.line)));
        }
        place.extend(finding.place.entry.map(|entry| format!("entry {}", grouped(entry))));
        let place = if place.is_empty() { String::new() } else { place.join(", ") + ": " };
        let _ = writeln!(out, "{indent}    {place}{}", visible_in_terminal(&finding.detail));
        if !finding.excerpt.is_empty() {
            let number = finding.place.line.to_string();
            let bar = screen.dim(&format!("{number} |"));
            let _ = writeln!(out, "{indent}      {bar} {}", visible_in_terminal(&finding.excerpt));
        }
    }
    let left_out = broken.left_out(PLACES);
    if left_out > 0 {
        let _ = writeln!(out, "{indent}    … and {} more", grouped(left_out));
    }
    let _ = writeln!(out, "{indent}    {}", screen.dim(&format!("-> {}", rule.remedy)));
}

fn summary(out: &mut String, checked: &[Checked], screen: &Screen) {
    let of = |severity| checked.iter().map(|one| one.report.findings.of(severity)).sum::<u64>();
    let counts: Vec<String> = Severity::ALL
        .into_iter()
        .map(|severity| (severity, of(severity)))
        .filter(|(_, number)| *number > 0)
        .map(|(severity, number)| counted(number, severity.name(), severity.plural()))
        .collect();
    let documents = counted(checked.len() as u64, "document", "documents");
    let found = if counts.is_empty() { "nothing wrong".into() } else { counts.join(", ") };
    let _ = writeln!(out, "{}", screen.bold(&format!("{documents}: {found}")));
}
