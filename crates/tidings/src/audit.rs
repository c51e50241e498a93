//! `tidings audit`: is a copy what its Source is?

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use tidings_base::text::{counted, grouped, rounded_size, visible_in_terminal};
use tidings_destination::{
    AuditCounts, AuditOptions, AuditReport, Depth, Sets, SyncOptions, audit, recorded_source,
    repair,
};

use crate::Outcome;
use crate::cli::{Audit, Global};
use crate::runs::joined;
use crate::screen::Screen;
use crate::sync::{Entered, of_common, warn};

/// How many differences are shown, unless all are asked for.
const SHOWN: usize = 20;

pub(crate) fn run(arguments: &Audit, global: &Global, screen: &Screen) -> Result<Outcome> {
    let (url, folder) = match &arguments.folder {
        Some(folder) => (arguments.url.clone(), folder.clone()),
        // Only with --offline: the copy knows its Source.
        None => {
            let folder = PathBuf::from(&arguments.url);
            (recorded_source(&folder)?.to_string(), folder)
        }
    };
    let options = of_common(&url, &folder, &arguments.common, global)?;
    let mut wanted = AuditOptions::of(&options);
    wanted.offline = arguments.offline;
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
    // Nothing is fetched in the place of files that are no resources.
    if arguments.repair && report.count() > report.stray {
        if !global.json && !global.quiet {
            screen.print(&text(&report, global.verbose, screen))?;
        }
        // What the next audit says is what is left.
        let mut run = Entered::sync(&options, global, screen);
        let repaired = repair(&options, &report, &mut run);
        run.synced(&repaired);
        screen.clear();
        warn(&repaired?, &options, screen);
        report = look()?;
    }
    if let Some(path) = &arguments.report {
        report.write(path)?;
    }
    if global.json {
        screen.print(&(serde_json::to_string_pretty(&report)? + "\n"))?;
    } else if !global.quiet {
        screen.print(&(text(&report, global.verbose, screen) + &remedy(&report, &options)))?;
    }
    Ok(if report.in_sync { Outcome::Well } else { Outcome::Differs })
}

fn text(report: &AuditReport, verbose: bool, screen: &Screen) -> String {
    let mut out = String::new();
    let most = if verbose { usize::MAX } else { SHOWN };
    for difference in report.differences.iter().take(most) {
        let kind = difference.kind.name();
        let what = visible_in_terminal(difference.path.as_deref().unwrap_or(&difference.uri));
        let _ = writeln!(
            out,
            "{}  {what}: {}",
            screen.bold(kind),
            visible_in_terminal(&difference.reason)
        );
    }
    let all = report.count();
    let shown = report.differences.len().min(most) as u64;
    if all > shown {
        let _ = writeln!(out, "and {} more; --report FILE has all of them", grouped(all - shown));
    }
    for gap in &report.gaps {
        let _ = writeln!(
            out,
            "{}  {}: {}",
            screen.bold("gap"),
            visible_in_terminal(&gap.set),
            visible_in_terminal(&gap.reason)
        );
    }
    for note in &report.notes {
        let _ = writeln!(out, "{}", screen.dim(&visible_in_terminal(note)));
    }
    let verdict = match (report.in_sync, report.offline) {
        (true, false) => "in sync",
        (false, false) => "not in sync",
        (true, true) => "as it was copied",
        (false, true) => "not as it was copied",
    };
    let counts = AuditCounts::from_report(report, report.depth == Depth::Deep, None);
    let counts = joined(&counts.difference_labels());
    let counts = if counts.is_empty() { counts } else { format!(": {counts}") };
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
        let _ = write!(looked, ", {} read", rounded_size(report.bytes));
    }
    let _ = writeln!(out, "{looked} in {:.2} s", report.seconds);
    out
}

/// What to do about the differences.
fn remedy(report: &AuditReport, options: &SyncOptions) -> String {
    let url = quoted(&report.source);
    let mut folder = quoted(&options.folder.to_string_lossy());
    match &options.sets {
        Sets::Only => {}
        Sets::All => folder.push_str(" --all"),
        Sets::Named(names) => names.iter().for_each(|name| {
            folder.extend([" --set ", &quoted(name)]);
        }),
    }
    let mut out = String::new();
    if report.damaged > 0 {
        let _ = writeln!(out, "tidings sync {url} {folder} fetches what is missing or corrupt");
    }
    // What no damage of a file explains.
    if report.changed > 0 || report.missing + report.corrupt > report.damaged {
        let _ = writeln!(out, "tidings audit {url} {folder} --repair fetches what differs");
    }
    if report.extra > 0 {
        let _ = writeln!(out, "tidings sync {url} {folder} --delete removes what is extra");
    }
    out
}

/// An argument as a shell takes it.
fn quoted(argument: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/:._-+%=,@~".contains(&byte);
    match argument.bytes().all(is_plain) {
        true => argument.to_owned(),
        false => format!("'{}'", argument.replace('\'', "'\\''")),
    }
}
