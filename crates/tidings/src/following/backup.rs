//! Runs `tidings backup` and `tidings restore`.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use tidings_base::text::counted;
use tidings_store::Location;

use super::place;
use crate::Outcome;
use crate::cli::{self, Global, Place};
use crate::screen::Screen;

pub(crate) fn backup(arguments: &cli::Backup, global: &Global, screen: &Screen) -> Result<Outcome> {
    let folder = folder(&arguments.place, global, "pg_dump --format=custom --file=FILE URL")?;
    screen.progress(&format!("copying the state in {}", folder.display()));
    let bytes = tidings_store::backup(&folder, &arguments.file)?;
    screen.clear();
    let words =
        format!("{} written to {}", counted(bytes, "byte", "bytes"), shown(&arguments.file));
    say(
        global,
        screen,
        &words,
        &serde_json::json!({ "file": shown(&arguments.file), "bytes": bytes }),
    )
}

pub(crate) fn restore(
    arguments: &cli::Restore,
    global: &Global,
    screen: &Screen,
) -> Result<Outcome> {
    let command = "pg_restore --clean --if-exists --single-transaction --dbname=URL FILE";
    let folder = folder(&arguments.place, global, command)?;
    screen.progress(&format!("putting the state back into {}", folder.display()));
    tidings_store::restore(&arguments.file, &folder, arguments.replace)?;
    screen.clear();
    let words = format!("the state in {} is that of {}", folder.display(), shown(&arguments.file));
    let folder = folder.display().to_string();
    say(
        global,
        screen,
        &words,
        &serde_json::json!({ "file": shown(&arguments.file), "folder": folder }),
    )
}

/// The folder with the state. A database has tools of its own.
fn folder(place: &Place, global: &Global, command: &str) -> Result<PathBuf> {
    match place::location(place, global)? {
        Location::Folder(folder) => Ok(folder),
        Location::Database(_) => {
            bail!("the state is in PostgreSQL, whose own tools make backups of it; use `{command}`")
        }
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn say(
    global: &Global,
    screen: &Screen,
    words: &str,
    object: &serde_json::Value,
) -> Result<Outcome> {
    if global.json {
        screen.print(&format!("{object:#}\n"))?;
    } else if !global.quiet {
        screen.print(&format!("{words}\n"))?;
    }
    Ok(Outcome::Well)
}
