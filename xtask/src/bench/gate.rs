//! The gate: our instructions for an entry, against the figures in `benches/instructions.toml`.
//!
//! Time is no gate on a machine that others use. Instructions are the same at each run with the
//! same compiler, so what differs was changed.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

use super::machine::rustc;
use super::measure::instructions_for_one_more;
use super::programs::Programs;
use crate::workspace;

const ENTRIES: u64 = 2_000;
/// How much worse is not yet worse, in percent.
const TOLERANCE: f64 = 3.0;
const FILE: &str = "benches/instructions.toml";

/// Instructions for an entry, by verb.
type Figures = BTreeMap<String, f64>;

pub(crate) fn run(bless: bool) -> Result<()> {
    let path = workspace::root().join(FILE);
    let found = count()?;
    if bless {
        fs::write(&path, to_toml(&rustc(), &found))?;
        for (verb, figure) in &found {
            println!("{verb}: {figure:.1} instructions per entry");
        }
        println!("written: {FILE}");
        return Ok(());
    }
    let committed = fs::read_to_string(&path)
        .with_context(|| format!("no {FILE}: make it with `--gate --bless` and commit it"))?;
    let (compiler, committed) =
        from_toml(&committed).with_context(|| format!("{FILE} is damaged: bless it anew"))?;
    if compiler != rustc() {
        println!("note: {FILE} is of rustc {compiler}, this is {}; bless when it moves", rustc());
    }
    let mut worse = Vec::new();
    for (verb, figure) in &found {
        let before = *committed
            .get(verb)
            .with_context(|| format!("{FILE} does not know `{verb}`: bless it anew"))?;
        let change = (figure / before - 1.0) * 100.0;
        println!("{verb}: {figure:.1} instructions per entry, {before:.1} before: {change:+.1} %");
        if change > TOLERANCE {
            worse.push(verb.as_str());
        } else if change < -TOLERANCE {
            println!("{verb}: better; keep it so with `--gate --bless`");
        }
    }
    ensure!(
        worse.is_empty(),
        "more than {TOLERANCE} % worse: {}. Make it faster, or bless it (`--gate --bless`) and say \
         why in the commit",
        worse.join(", ")
    );
    Ok(())
}

fn count() -> Result<Figures> {
    let programs = Programs::provide_ours()?;
    let scratch = TempDir::with_prefix("tidings-bench-")?;
    let list = scratch.path().join("list.xml");
    programs.generate(ENTRIES, &list)?;
    let list = list.to_str().context("the folder for temporary files has a strange name")?;
    let (once, twice) = (ENTRIES.to_string(), (2 * ENTRIES).to_string());
    let commands = [
        ("read", ["read", list, "1"], ["read", list, "2"]),
        ("check", ["check", list, "1"], ["check", list, "2"]),
        ("write", ["write", &once, "memory"], ["write", &twice, "memory"]),
    ];
    let mut figures = Figures::new();
    for (verb, once, twice) in commands {
        let counted = instructions_for_one_more(&programs.ours(once), &programs.ours(twice))
            .with_context(|| format!("`tidings-bench {verb}` cannot be counted"))?;
        figures.insert(verb.to_owned(), counted / ENTRIES as f64);
    }
    Ok(figures)
}

fn to_toml(compiler: &str, figures: &Figures) -> String {
    let lines: String =
        figures.iter().map(|(verb, figure)| format!("{verb} = {figure:.1}\n")).collect();
    format!(
        "# Our instructions for an entry, counted by callgrind over {ENTRIES} of them.\n\
         # `cargo xtask bench documents --gate` fails when there are {TOLERANCE} % more; with\n\
         # `--bless` it writes this file.\n\
         rustc = \"{compiler}\"\n\
         \n\
         [instructions-per-entry]\n\
         {lines}"
    )
}

/// Of TOML, only what `to_toml` writes.
fn from_toml(text: &str) -> Option<(String, Figures)> {
    let mut compiler = None;
    let mut figures = Figures::new();
    for line in text.lines().filter(|line| !line.starts_with(['#', '['])) {
        match line.split_once(" = ") {
            Some(("rustc", version)) => compiler = Some(version.trim_matches('"').to_owned()),
            Some((verb, figure)) => {
                figures.insert(verb.to_owned(), figure.parse().ok()?);
            }
            None if line.is_empty() => {}
            None => return None,
        }
    }
    Some((compiler?, figures))
}

#[cfg(test)]
mod tests {
    use super::{Figures, from_toml, to_toml};

    #[test]
    fn what_is_blessed_is_read_again() {
        let figures: Figures = [("read".to_owned(), 4321.5), ("write".to_owned(), 900.0)].into();
        let text = to_toml("1.95.0", &figures);
        assert_eq!(from_toml(&text), Some(("1.95.0".to_owned(), figures)));
        assert_eq!(from_toml("read = many\n"), None);
    }
}
