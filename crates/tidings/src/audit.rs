//! `tidings audit`: is a copy what its Source is?

use std::fmt::Write as _;

use anyhow::Result;
use tidings_destination::{AuditOptions, AuditReport, audit, repair};

use crate::Outcome;
use crate::cli::{Audit, Global};
use crate::screen::{Screen, bytes, counted, grouped, present};
use crate::sync::{Entered, of_common, warn};
use crate::validate::visible;

/// How many differences are shown, unless all are asked for.
const SHOWN: usize = 20;

pub(crate) fn run(arguments: &Audit, global: &Global, screen: &Screen) -> Result<Outcome> {
    let options = of_common(&arguments.url, &arguments.folder, &arguments.common, global)?;
    let mut wanted = AuditOptions::of(&options);
    wanted.deep = arguments.deep;
    wanted.sample = arguments.sample;
    let look = || {
        let mut run = Entered::audit(&wanted, global, screen);
        let report = audit(&wanted, &mut run);
        run.audited(&report, wanted.deep);
        screen.clear();
        report
    };
    let mut report = look()?;
    if arguments.repair && !report.in_sync {
        if !global.json && !global.quiet {
            screen.print(&text(&report, global.verbose, screen))?;
        }
        let mut run = Entered::sync(&options, global, screen);
        let repaired = repair(&options, &report, &mut run);
        run.synced(&repaired);
        screen.clear();
        warn(&repaired?, &options, screen);
        report = look()?;
    }
    if global.json {
        screen.print(&(serde_json::to_string_pretty(&report)? + "\n"))?;
    } else if !global.quiet {
        screen.print(&text(&report, global.verbose, screen))?;
    }
    Ok(if report.in_sync { Outcome::Well } else { Outcome::Differs })
}

fn text(report: &AuditReport, verbose: bool, screen: &Screen) -> String {
    let mut out = String::new();
    let most = if verbose { usize::MAX } else { SHOWN };
    for difference in report.differences.iter().take(most) {
        let (kind, uri) = (difference.kind.name(), visible(&difference.uri));
        let _ = writeln!(out, "{}  {uri}: {}", screen.bold(kind), visible(&difference.reason));
    }
    let all = report.missing + report.changed + report.extra + report.corrupt;
    let shown = report.differences.len().min(most) as u64;
    if all > shown {
        let _ = writeln!(out, "and {} more; -v or --json shows more", grouped(all - shown));
    }
    let verdict = if report.in_sync { "in sync" } else { "not in sync" };
    let counts = present(&[
        (report.missing, "missing"),
        (report.changed, "changed"),
        (report.extra, "extra"),
        (report.corrupt, "corrupt"),
    ]);
    let counts = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
    let _ = writeln!(out, "{}{counts}", screen.bold(verdict));
    if report.unchecked_digests > 0 {
        let digests = counted(report.unchecked_digests, "digest", "digests");
        let _ = writeln!(out, "{digests} could not be checked: unknown algorithm, or malformed");
    }
    let mut looked = format!(
        "{}, {} looked at",
        counted(report.resources, "resource", "resources"),
        grouped(report.checked)
    );
    if report.bytes > 0 {
        let _ = write!(looked, ", {} read", bytes(report.bytes));
    }
    let _ = writeln!(out, "{looked} in {:.2} s", report.seconds);
    out
}
