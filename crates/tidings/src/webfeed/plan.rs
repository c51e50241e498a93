//! What an edit would do, for `--dry-run`.

use std::fmt::Write as _;

use anyhow::Result;
use serde_json::json;
use tidings_webfeed::{Added, EditPlan};

use crate::Outcome;
use crate::cli::Global;
use crate::screen::Screen;

/// Says what would become of posts, and what their authors should know.
pub(super) fn show_posts(
    plan: &EditPlan<Vec<Added>>,
    global: &Global,
    screen: &Screen,
) -> Result<Outcome> {
    let warnings = plan.outcome.iter().flat_map(|added| &added.warnings);
    for warning in warnings.filter(|_| !global.quiet) {
        screen.warning(warning);
    }
    show(plan, global, screen)
}

/// Says which files would be written and deleted.
pub(super) fn show<T>(plan: &EditPlan<T>, global: &Global, screen: &Screen) -> Result<Outcome> {
    let names = |paths: &[std::path::PathBuf]| -> Vec<String> {
        paths.iter().map(|path| path.display().to_string()).collect()
    };
    let (writes, deletes) = (names(&plan.writes), names(&plan.removes));
    if global.json {
        let index = plan.index.as_ref();
        let index = index.map(|index| json!({ "posts": index.posts, "bytes": index.lengths.1 }));
        let said = json!({ "dry_run": true, "writes": writes, "deletes": deletes, "index": index });
        screen.print(&format!("{said}\n"))?;
    } else if !global.quiet {
        let mut text = String::new();
        for file in &writes {
            let _ = writeln!(text, "would write {file}");
        }
        for file in &deletes {
            let _ = writeln!(text, "would delete {file}");
        }
        match &plan.index {
            Some(index) => {
                let (before, after) = index.lengths;
                let _ = writeln!(text, "index.txt has {before} bytes, and would have {after}");
            }
            None => text.push_str("nothing would change\n"),
        }
        screen.print(&text)?;
    }
    Ok(Outcome::Well)
}
