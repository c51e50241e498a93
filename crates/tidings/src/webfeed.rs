//! `tidings webfeed`: a folder of posts.

mod check;

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::json;
use tidings_webfeed::{Added, Profile, Publisher, Written};
use url::Url;

use crate::Outcome;
use crate::cli::{Global, Webfeed, WebfeedVerb};
use crate::screen::{Screen, counted};

pub(crate) use check::checked;

pub(crate) fn run(arguments: &Webfeed, global: &Global, screen: &Screen) -> Result<Outcome> {
    match &arguments.verb {
        WebfeedVerb::Init { folder, author, about, icon, base } => {
            let profile =
                Profile { author: author.clone(), about: about.clone(), icon: icon.clone() };
            init(folder, &profile, base.as_ref(), global, screen)
        }
        WebfeedVerb::Add { folder, posts, name } => {
            add(folder, posts, name.as_deref(), global, screen)
        }
        WebfeedVerb::Remove { folder, posts, keep, delete } => {
            remove(folder, posts, *keep, *delete, global, screen)
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
    let base = base.map(folder_of).transpose()?;
    let begun = Publisher::new(folder).init(profile, base.as_ref())?;
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

/// A URL that names a folder, with a slash at its end.
fn folder_of(base: &Url) -> Result<Url> {
    if !matches!(base.scheme(), "http" | "https") {
        bail!("{base} is no place on the web; give it as https://example.com/feed/");
    }
    let mut base = base.clone();
    if !base.path().ends_with('/') {
        base.set_path(&format!("{}/", base.path()));
    }
    base.set_query(None);
    base.set_fragment(None);
    Ok(base)
}

fn add(
    folder: &Path,
    posts: &[String],
    name: Option<&str>,
    global: &Global,
    screen: &Screen,
) -> Result<Outcome> {
    if name.is_some() && posts.len() > 1 {
        bail!("--name is for one post, and {} were given", posts.len());
    }
    let publisher = Publisher::new(folder);
    let mut added = Vec::new();
    for post in posts {
        added.push(one(&publisher, folder, post, name)?);
    }
    if global.json {
        let posts: Vec<_> = added.iter().map(as_json).collect();
        screen.print(&format!("{}\n", json!({ "added": posts })))?;
    } else if !global.quiet {
        let mut text = String::new();
        for Added { line, sections, index, .. } in &added {
            let what = match sections {
                0 => "repost".to_owned(),
                _ => counted(*sections as u64, "section", "sections"),
            };
            let _ = writeln!(text, "added {line}: {what}; {}", lengths(index));
        }
        screen.print(&text)?;
    }
    Ok(Outcome::Well)
}

fn one(publisher: &Publisher, folder: &Path, post: &str, name: Option<&str>) -> Result<Added> {
    if post.starts_with("http://") || post.starts_with("https://") {
        let url = Url::parse(post).with_context(|| format!("{post} is no address"))?;
        return Ok(publisher.repost(&url)?);
    }
    if post == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("could not read standard input")?;
        return Ok(publisher.add_markdown(&text, name)?);
    }
    let path = Path::new(post);
    // A page that lies in the folder is there already.
    let is_inside = match (path.canonicalize(), folder.canonicalize()) {
        (Ok(path), Ok(folder)) => path.strip_prefix(&folder).ok().map(Path::to_owned),
        _ => None,
    };
    let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
    let is_markdown = matches!(extension.to_ascii_lowercase().as_str(), "md" | "markdown" | "txt");
    if let (Some(inside), false) = (&is_inside, is_markdown) {
        return Ok(publisher.add_file(inside)?);
    }
    let bytes = std::fs::read(path).with_context(|| format!("could not read {post}"))?;
    Ok(if is_markdown {
        publisher.add_markdown(&tidings_feed::decode_page(&bytes, None), name)?
    } else {
        publisher.add_html(&bytes, name)?
    })
}

fn remove(
    folder: &Path,
    posts: &[String],
    keep: Option<usize>,
    delete: bool,
    global: &Global,
    screen: &Screen,
) -> Result<Outcome> {
    let publisher = Publisher::new(folder);
    let removed = match keep {
        Some(most) => vec![publisher.keep(most, delete)?],
        None => {
            posts.iter().map(|post| publisher.remove(post, delete)).collect::<Result<_, _>>()?
        }
    };
    let index = &removed.last().context("no post was named")?.index;
    let lines: Vec<&String> = removed.iter().flat_map(|one| &one.lines).collect();
    let files: Vec<String> =
        removed.iter().flat_map(|one| &one.files).map(|file| file.display().to_string()).collect();
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
        let left = counted(index.posts.len() as u64, "post", "posts");
        let _ = writeln!(text, "{left} left; {}", lengths(index));
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
        "bytes": added.index.lengths.1,
    })
}
