//! `--previous`: the last publication, from where it is served.

use anyhow::Result;
use tempfile::TempDir;
use tidings_base::text::{counted, rounded_size};
use tidings_source::{RestoreError, restore, restore_client};
use tidings_web::ClientOptions;

use super::Publication;
use crate::cli::Global;
use crate::remedy::REMEDIES;
use crate::screen::Screen;

/// Fetches the last publication into the folder of the documents. For a dry run it goes into a folder
/// of its own, which is to be kept until the end.
pub(super) fn fetch(
    from: &str,
    publication: &mut Publication,
    dry_run: bool,
    global: &Global,
    screen: &Screen,
) -> Result<Option<TempDir>> {
    let elsewhere = if dry_run { Some(tempfile::tempdir()?) } else { None };
    if let Some(folder) = &elsewhere {
        publication.out = folder.path().to_owned();
    }
    let options = &publication.options;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let client_options = ClientOptions {
        allow_private: global.allow_private,
        remedies: REMEDIES,
        ..ClientOptions::default()
    };
    let client = restore_client(client_options)?;
    screen.progress(&format!("fetching the last publication from {from}"));
    let restored = runtime.block_on(restore(&client, from, &options.base, &publication.out));
    screen.clear();
    let restored = restored.map_err(with_remedy)?;
    if !global.json && !global.quiet {
        screen.print(&match restored {
            restored if !restored.found => format!("nothing was published at {from} yet\n"),
            restored if restored.documents == 0 => {
                format!("the last publication at {from} is here already\n")
            }
            restored => format!(
                "{} the last publication at {from}: {}, {}\n",
                if restored.replaced { "replaced what was here by" } else { "fetched" },
                counted(restored.documents + restored.packages, "file", "files"),
                rounded_size(restored.bytes),
            ),
        })?;
    }
    Ok(elsewhere)
}

/// Adds the remedy to an error: the library does not know the options.
fn with_remedy(error: RestoreError) -> anyhow::Error {
    let remedy = match error {
        RestoreError::Fetch { .. } | RestoreError::Page { .. } | RestoreError::Mismatch { .. } => {
            "--previous is needed to go on with its history, --full without --previous starts anew"
        }
        RestoreError::OtherBase { .. }
        | RestoreError::Foreign { .. }
        | RestoreError::TooMany { .. } => "--full without --previous starts anew",
        RestoreError::Local(error) => return super::with_full(error),
        _ => return error.into(),
    };
    anyhow::anyhow!("{:#}; {remedy}", anyhow::Error::from(error))
}
