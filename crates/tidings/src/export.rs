//! `tidings export`: a copy as a bag.

use anyhow::Result;
use tidings_base::text::{counted, rounded_size};
use tidings_destination::{ExportOptions, ExportReport, export_bag};

use crate::Outcome;
use crate::cli::{Export, Global};
use crate::screen::Screen;
use crate::sync::Shown;

pub(crate) fn run(arguments: &Export, global: &Global, screen: &Screen) -> Result<Outcome> {
    let options = ExportOptions { folder: arguments.folder.clone(), out: arguments.bagit.clone() };
    let report = export_bag(&options, &mut Shown::new(screen));
    screen.clear();
    let report = report?;
    if report.failed > 0 {
        let failed = counted(report.failed, "resource", "resources");
        screen.warning(&format!(
            "the bag lacks {failed} that could not be fetched; run sync, then export again"
        ));
    }
    if global.json {
        screen.print(&(serde_json::to_string_pretty(&report)? + "\n"))?;
    } else if !global.quiet {
        screen.print(&summary(&report, screen))?;
    }
    Ok(if report.failed == 0 { Outcome::Well } else { Outcome::Differs })
}

fn summary(report: &ExportReport, screen: &Screen) -> String {
    format!(
        "{}: {}, {}; {} in {:.2} s\n",
        screen.bold(&report.out),
        counted(report.files, "file", "files"),
        rounded_size(report.bytes),
        report.manifests.join(", "),
        report.seconds,
    )
}
