//! `tidings webfeed`: a folder of posts.

mod check;
mod edit;
mod plan;

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::json;
use tidings_base::text::counted;
use tidings_webfeed::{
    AddOptions, Added, Draft, Material, Post, Profile, Publisher, Removed, Written,
};
use url::Url;

use crate::Outcome;
use crate::cli::{Global, Webfeed, WebfeedVerb};
use crate::screen::Screen;

pub(crate) use check::checked;

pub(crate) fn run(arguments: &Webfeed, global: &Global, screen: &Screen) -> Result<Outcome> {
    match &arguments.verb {
        WebfeedVerb::Init { folder, author, about, icon, base, dry_run } => {
            let profile =
                Profile { author: author.clone(), about: about.clone(), icon: icon.clone() };
            let base = base.as_ref().map(folder_of).transpose()?;
            is_here(folder)?;
            if *dry_run {
                let plan = Publisher::new(folder).plan_init(&profile, base.as_ref())?;
                return plan::show(&plan, global, screen);
            }
            init(folder, &profile, base.as_ref(), global, screen)
        }
        WebfeedVerb::Add { folder, posts, name, resize, dry_run } => {
            let options = AddOptions { max_photo_pixels: *resize };
            let drafts = drafts(folder, posts, name.as_deref())?;
            let publisher = Publisher::new(folder);
            if *dry_run {
                let plan = publisher.plan_add(&drafts, &options)?;
                return plan::show_posts(&plan, global, screen);
            }
            print_added(&publisher.add(&drafts, &options)?, global, screen)
        }
        WebfeedVerb::Edit { folder, post, file, resize, dry_run } => {
            let options = AddOptions { max_photo_pixels: *resize };
            edit::run(folder, post, file.as_deref(), &options, *dry_run, global, screen)
        }
        WebfeedVerb::Remove { folder, posts, keep, delete, dry_run } => {
            is_here(folder)?;
            let posts: Vec<&str> = posts.iter().map(String::as_str).collect();
            if *dry_run {
                let publisher = Publisher::new(folder);
                let plan = match keep {
                    Some(most) => publisher.plan_keep(*most, *delete)?,
                    None => publisher.plan_remove(&posts, *delete)?,
                };
                return plan::show(&plan, global, screen);
            }
            remove(folder, &posts, *keep, *delete, global, screen)
        }
        WebfeedVerb::Check { targets, most } => {
            crate::validate::webfeeds(targets, *most, global, screen)
        }
    }
}

fn init(
    folder: &Path,
    profile: &Profile,
    base: Option<&Url>,
    global: &Global,
    screen: &Screen,
) -> Result<Outcome> {
    let begun = Publisher::new(folder).init(profile, base)?;
    if global.json {
        let files: Vec<_> = begun.files.iter().map(|file| file.display().to_string()).collect();
        screen.print(&format!("{}\n", json!({ "files": files })))?;
    } else if !global.quiet {
        let mut text = String::new();
        for file in &begun.files {
            let _ = writeln!(text, "wrote {}", file.display());
        }
        let _ = writeln!(
            text,
            "Serve the folder with any web server; readers follow its index.txt. \
             Add posts with `tidings webfeed add {} FILE`.",
            folder.display()
        );
        screen.print(&text)?;
    }
    Ok(Outcome::Well)
}

/// Posts are written into a folder, and a server serves it: nothing is written over the web.
fn is_here(folder: &Path) -> Result<()> {
    let is_address = |it: &str| it.starts_with("http://") || it.starts_with("https://");
    if folder.to_str().is_some_and(|it| is_address(&it.to_ascii_lowercase())) {
        bail!(
            "DIR is a folder on this computer, and {} is an address: give the folder that is served there",
            folder.display()
        );
    }
    Ok(())
}

/// A URL that names a folder, with a slash at its end.
fn folder_of(base: &Url) -> Result<Url> {
    if !matches!(base.scheme(), "http" | "https") {
        bail!("{base} is no place on the web; give it as https://example.com/feed/");
    }
    if base.query().is_some() || base.fragment().is_some() {
        bail!("{base} is no folder: give its address without what begins with ? or #");
    }
    let mut base = base.clone();
    if !base.path().ends_with('/') {
        base.set_path(&format!("{}/", base.path()));
    }
    Ok(base)
}

/// What is to be added.
fn drafts(folder: &Path, posts: &[String], name: Option<&str>) -> Result<Vec<Draft>> {
    is_here(folder)?;
    if name.is_some() && posts.len() > 1 {
        bail!("--name is for one post, and {} were given", posts.len());
    }
    // All is read before anything is written.
    posts.iter().map(|post| draft(folder, post, name)).collect()
}

/// Says what was added, and what its author should know.
fn print_added(added: &[Added], global: &Global, screen: &Screen) -> Result<Outcome> {
    for warning in added.iter().flat_map(|added| &added.warnings).filter(|_| !global.quiet) {
        screen.warning(warning);
    }
    if global.json {
        let posts: Vec<_> = added.iter().map(as_json).collect();
        screen.print(&format!("{}\n", json!({ "added": posts })))?;
    } else if !global.quiet {
        let mut text = String::new();
        for Added { line, sections, is_update, index, .. } in added {
            let what = match sections {
                0 => "repost".to_owned(),
                _ => counted(*sections as u64, "section", "sections"),
            };
            let done = if *is_update { "updated" } else { "added" };
            let _ = writeln!(text, "{done} {line}: {what}; {}", lengths(index));
        }
        for file in added.first().into_iter().flat_map(|added| &added.copied) {
            let _ = writeln!(text, "wrote {}", file.display());
        }
        screen.print(&text)?;
    }
    Ok(Outcome::Well)
}

/// What somebody wants to add, by what they call it.
fn draft(folder: &Path, post: &str, name: Option<&str>) -> Result<Draft> {
    let name = name.map(str::to_owned);
    let path = Path::new(post);
    let draft = |called: &str, material, source| {
        let called = called.to_owned();
        Draft { called, name, material, source }
    };
    if post == "-" {
        let bytes = opening(io::stdin()).context("could not read standard input")?;
        // What it names is beside whoever writes it; a name that is no file is no source of another time.
        let beside = std::env::current_dir().ok().map(|folder| folder.join("-"));
        return Ok(draft("standard input", Material::Markdown(bytes), beside));
    }
    let material = if post.contains("://") && !path.exists() {
        Material::Address(Url::parse(post).with_context(|| format!("{post} is no address"))?)
    } else {
        from_file(folder, path)?
    };
    let source = matches!(material, Material::Markdown(_) | Material::Html(_));
    let draft = draft(post, material, source.then(|| path.to_owned()));
    match &draft.material {
        Material::Address(_) if draft.name.is_some() => {
            bail!("--name names a file that is made, and none is made of an address: leave it out");
        }
        Material::File(_) if draft.name.is_some() => {
            bail!("{post} is in the folder already, and keeps its name: leave out --name");
        }
        _ => Ok(draft),
    }
}

/// What is in a file. A page that lies in the folder is there already.
fn from_file(folder: &Path, path: &Path) -> Result<Material> {
    let is_markdown = is_markdown(path)?;
    if let (Some(inside), false) = (inside(folder, path), is_markdown) {
        return Ok(Material::File(inside));
    }
    let bytes = File::open(path).and_then(opening);
    let bytes = bytes.with_context(|| format!("could not read {}", path.display()))?;
    Ok(if is_markdown { Material::Markdown(bytes) } else { Material::Html(bytes) })
}

/// Whether a file is Markdown, by its name, and not HTML.
fn is_markdown(path: &Path) -> Result<bool> {
    let extension = path.extension().map(|it| it.to_string_lossy().to_ascii_lowercase());
    match extension.as_deref() {
        Some("md" | "markdown" | "txt") => Ok(true),
        None | Some("html" | "htm" | "xhtml") => Ok(false),
        Some(_) => bail!(
            "{} cannot be added: only Markdown (.md, .markdown, .txt), HTML (.html, .htm, .xhtml) and \
             addresses can",
            path.display()
        ),
    }
}

/// Where in the folder a file is, if it is there.
fn inside(folder: &Path, path: &Path) -> Option<PathBuf> {
    let (path, folder) = (path.canonicalize().ok()?, folder.canonicalize().ok()?);
    path.strip_prefix(&folder).ok().map(Path::to_owned)
}

/// As much as a post may have, and one byte that shows that there is more.
fn opening(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(Post::MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn remove(
    folder: &Path,
    posts: &[&str],
    keep: Option<usize>,
    delete: bool,
    global: &Global,
    screen: &Screen,
) -> Result<Outcome> {
    let publisher = Publisher::new(folder);
    let Removed { lines, files, fileless, index } = match keep {
        Some(most) => publisher.keep(most, delete)?,
        None => publisher.remove(posts, delete)?,
    };
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    if global.json {
        let index = json!({ "posts": index.posts, "bytes": index.lengths.1 });
        let said = json!({ "removed": lines, "deleted": files, "index": index });
        screen.print(&format!("{said}\n"))?;
    } else if !global.quiet {
        let mut text = String::new();
        for line in &lines {
            let _ = writeln!(text, "removed {line}");
        }
        for file in &files {
            let _ = writeln!(text, "deleted {file}");
        }
        for line in fileless.iter().filter(|_| delete) {
            let _ = writeln!(text, "there is no file of {line} here to delete");
        }
        let left = counted(index.posts.len() as u64, "post", "posts");
        let _ = writeln!(text, "{left} left; {}", lengths(&index));
        screen.print(&text)?;
    }
    Ok(Outcome::Well)
}

fn lengths(index: &Written) -> String {
    let (before, after) = index.lengths;
    format!("index.txt had {before} bytes, and has {after}")
}

fn as_json(added: &Added) -> serde_json::Value {
    json!({
        "line": added.line,
        "file": added.file.as_ref().map(|file| file.display().to_string()),
        "sections": added.sections,
        "updated": added.is_update,
        "copied": added.copied.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
        "warnings": added.warnings,
        "bytes": added.index.lengths.1,
    })
}
