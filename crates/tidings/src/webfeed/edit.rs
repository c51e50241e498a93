//! `tidings webfeed edit`: a post says something else.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use tidings_webfeed::{AddOptions, Draft, Material, Publisher};

use super::{draft, is_here, plan, print_added};
use crate::Outcome;
use crate::cli::Global;
use crate::screen::Screen;

/// Replaces a post by a file, or has its page edited.
pub(super) fn run(
    folder: &Path,
    post: &str,
    file: Option<&str>,
    options: &AddOptions,
    dry_run: bool,
    global: &Global,
    screen: &Screen,
) -> Result<Outcome> {
    is_here(folder)?;
    let publisher = Publisher::new(folder);
    let added = match file {
        Some(file) => {
            let draft = draft(folder, file, None)?;
            if !matches!(draft.material, Material::Markdown(_) | Material::Html(_)) {
                bail!(
                    "{file} is no Markdown and no HTML file outside of the folder; give one of these"
                );
            }
            if dry_run {
                return plan::show_posts(
                    &publisher.plan_edit(post, &draft, options)?,
                    global,
                    screen,
                );
            }
            publisher.edit(post, &draft, options)?
        }
        None => {
            let page = publisher.file_of_post(post)?;
            edit_by_hand(&page)?;
            let called = page.display().to_string();
            let name = page.strip_prefix(folder).unwrap_or(&page).to_owned();
            let material = Material::File(name);
            let draft = Draft { called, name: None, material, source: None };
            let mut added = publisher.add(&[draft], options)?;
            added.pop().context("nothing was edited")?
        }
    };
    print_added(&[added], global, screen)
}

/// Opens a file in the editor that the environment names.
fn edit_by_hand(file: &Path) -> Result<()> {
    let named = ["VISUAL", "EDITOR"].into_iter().find_map(|name| std::env::var(name).ok());
    let Some(editor) = named.filter(|editor| !editor.trim().is_empty()) else {
        bail!("no editor is named; set $EDITOR, or give the file that the post is to be made of");
    };
    // It may have arguments, as in `code --wait`.
    let mut words = editor.split_whitespace();
    let status = Command::new(words.next().unwrap_or_default())
        .args(words)
        .arg(file)
        .status()
        .with_context(|| format!("could not start the editor {editor}"))?;
    if !status.success() {
        bail!("the editor {editor} ended with {status}; nothing was published");
    }
    Ok(())
}
