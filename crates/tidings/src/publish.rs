//! `tidings publish`: a folder becomes a Source.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde::Serialize;
use tidings_document::{Algorithm, Change};
use tidings_source::{Format, Inventory, Options, Outcome as Published, Progress, publish};

use crate::Outcome;
use crate::cli::{Global, Publish};
use crate::screen::{Screen, counted, grouped};

pub(crate) fn run(arguments: &Publish, global: &Global, screen: &Screen) -> Result<Outcome> {
    let options = Options {
        inventory: inventory(arguments),
        out: arguments.out.clone().unwrap_or_else(|| arguments.folder.clone()),
        base: arguments.base.clone(),
        algorithms: algorithms(&arguments.hash)?,
        max_entries: arguments.max_entries.clamp(1, 50_000),
        full: arguments.full,
        dump: arguments.dump,
        dry_run: arguments.dry_run,
    };
    let listing = arguments.dry_run && !global.json && !global.quiet;
    let mut shown = Shown { screen, listing, changes: 0, last: Instant::now(), error: None };
    let published = publish(&options, &mut shown)?;
    screen.clear();
    if let Some(error) = shown.error {
        return Err(error.into());
    }
    if global.json {
        screen.print(&json(&published, arguments)?)?;
    } else {
        for passed in &published.passed {
            screen.error(&format!("passed over {}: {}", passed.path.display(), passed.reason));
        }
        if !global.quiet {
            screen.print(&summary(&published, arguments))?;
        }
    }
    Ok(if published.passed.is_empty() { Outcome::Well } else { Outcome::Differs })
}

fn inventory(arguments: &Publish) -> Inventory {
    let records = |path: &PathBuf, format| {
        Inventory::Records((path.as_os_str() != "-").then(|| path.clone()), format)
    };
    match (&arguments.from_jsonl, &arguments.from_csv) {
        (Some(path), _) => records(path, Format::JsonLines),
        (None, Some(path)) => records(path, Format::Csv),
        (None, None) => Inventory::Folder(arguments.folder.clone()),
    }
}

fn algorithms(names: &[String]) -> Result<Vec<Algorithm>> {
    let mut algorithms = Vec::new();
    for name in names {
        match Algorithm::by_name(name) {
            Some(algorithm) if algorithms.contains(&algorithm) => {}
            Some(algorithm) => algorithms.push(algorithm),
            None => bail!("--hash {name}: use md5, sha-1, sha-224, sha-256, sha-384 or sha-512"),
        }
    }
    Ok(algorithms)
}

/// Shows progress, and with `--dry-run` each change.
struct Shown<'s> {
    screen: &'s Screen,
    listing: bool,
    changes: u64,
    last: Instant,
    error: Option<std::io::Error>,
}

impl Progress for Shown<'_> {
    fn looked_at(&mut self, files: u64, bytes: u64) {
        if self.last.elapsed() > Duration::from_millis(100) {
            self.last = Instant::now();
            let changes = grouped(self.changes);
            self.screen.progress(&format!(
                "{} files, {} bytes, {changes} changes",
                grouped(files),
                grouped(bytes)
            ));
        }
    }

    fn changed(&mut self, change: Change, uri: &str) {
        self.changes += 1;
        if self.listing
            && let Err(error) = self.screen.print(&format!("{change} {uri}\n"))
        {
            self.error = Some(error);
        }
    }
}

fn summary(published: &Published, arguments: &Publish) -> String {
    let resources = counted(published.resources, "resource", "resources");
    let documents = counted(published.written.len() as u64, "document", "documents");
    let verb = if arguments.dry_run { "to be written" } else { "written" };
    if published.first {
        return format!("first publication: {resources}; {documents} {verb}\n");
    }
    let Published { created, updated, deleted, .. } = published;
    format!(
        "{} created, {} updated, {} deleted; {resources}; {documents} {verb}\n",
        grouped(*created),
        grouped(*updated),
        grouped(*deleted)
    )
}

#[derive(Serialize)]
struct Output<'a> {
    first: bool,
    dry_run: bool,
    resources: u64,
    created: u64,
    updated: u64,
    deleted: u64,
    written: &'a [String],
    passed: Vec<PassedOutput<'a>>,
}

#[derive(Serialize)]
struct PassedOutput<'a> {
    path: String,
    reason: &'a str,
}

fn json(published: &Published, arguments: &Publish) -> serde_json::Result<String> {
    let output = Output {
        first: published.first,
        dry_run: arguments.dry_run,
        resources: published.resources,
        created: published.created,
        updated: published.updated,
        deleted: published.deleted,
        written: &published.written,
        passed: published
            .passed
            .iter()
            .map(|one| PassedOutput { path: one.path.display().to_string(), reason: &one.reason })
            .collect(),
    };
    Ok(serde_json::to_string_pretty(&output)? + "\n")
}
