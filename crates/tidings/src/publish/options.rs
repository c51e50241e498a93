//! From the command line and the configuration to what is to be done.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tidings_document::Algorithm;
use tidings_source::{
    About, BucketInventory, Digests, Format, InventoryKind, LinkRule, MaxDelete, Options,
    RecordInventory, Retention, Selection, Set, Spec, Template,
};

use super::Publication;
use crate::cli::{Publish, PublishSpec};
use crate::config::{Found, KeepConfig, LinkConfig, PublishConfig, SetConfig};

/// What is to be done: the command line goes before the configuration.
pub(super) fn publication(arguments: &Publish, found: &Found) -> Result<Publication> {
    let config = &found.config.publish;
    let Some(base) = arguments.base.clone().or_else(|| config.base.clone()) else {
        bail!(
            "under which URL is {} served? Give it with --base URL, or as base in tidings.toml",
            arguments.folder.display()
        );
    };
    let hash = if arguments.hash.is_empty() { &config.hash } else { &arguments.hash };
    let out = arguments.out.clone().or_else(|| config.out.clone());
    let mut options = Options::folder(&arguments.folder, base);
    let read = if hash.is_empty() { None } else { Some(algorithms(hash)?) };
    options.inventory = inventory(arguments, config, read.clone());
    let out = match (out, bucket_url(arguments)) {
        (Some(out), _) => out,
        (None, None) => arguments.folder.clone(),
        (None, Some(url)) => {
            bail!("where are the documents of {url} to be written? Give a folder with --out DIR")
        }
    };
    if let Some(algorithms) = read {
        options.algorithms = algorithms;
    }
    options.max_entries = match arguments.max_entries.or(config.max_entries) {
        Some(most @ 1..=50_000) => most,
        Some(most) => bail!("max-entries = {most}: a document holds 1 to 50,000"),
        None => options.max_entries,
    };
    options.selection = selection(arguments, found)?;
    options.sets = sets(config)?;
    options.about = about(config);
    options.only.clone_from(&arguments.set);
    options.links = config.link.iter().map(link).collect::<Result<_>>()?;
    options.spec = match arguments.spec.or(config.spec) {
        None | Some(PublishSpec::Both) => Spec::Both,
        Some(PublishSpec::V1_0) => Spec::V1_0,
        Some(PublishSpec::V1_1) => Spec::V1_1,
    };
    if !matches!(options.inventory, InventoryKind::Folder(_)) {
        let asked = [
            (arguments.dump || config.dump, "a dump"),
            (arguments.change_dump || config.change_dump, "a change dump"),
            (arguments.watch, "--watch"),
        ];
        if let Some((_, what)) = asked.iter().find(|(asked, _)| *asked) {
            bail!("{what} needs the files themselves: publish a folder");
        }
    }
    options.full = arguments.full;
    options.max_delete = max_delete(arguments)?;
    options.dump = arguments.dump || config.dump;
    options.change_dump = arguments.change_dump || config.change_dump;
    options.patches = config.patches;
    options.retention = retention(&config.keep);
    options.cache = cache().filter(|_| !arguments.no_cache);
    Ok(Publication { options, out })
}

/// How many deletions may be announced: written as for `sync`.
fn max_delete(arguments: &Publish) -> Result<MaxDelete> {
    use tidings_destination::MaxDelete as Written;
    if arguments.force_delete {
        return Ok(MaxDelete::Any);
    }
    Ok(match crate::sync::max_delete(&arguments.max_delete)? {
        Written::Number(limit) => MaxDelete::Number(limit),
        Written::Percent(percent) => MaxDelete::Percent(percent),
        Written::Any => MaxDelete::Any,
    })
}

fn inventory(
    arguments: &Publish,
    config: &PublishConfig,
    read: Option<Vec<Algorithm>>,
) -> InventoryKind {
    let records = |path: &PathBuf, format| {
        let path = (path.as_os_str() != "-").then(|| path.clone());
        InventoryKind::listed(RecordInventory { path, format })
    };
    match (&arguments.from_jsonl, &arguments.from_csv, bucket_url(arguments)) {
        (Some(path), _, _) => records(path, Format::JsonLines),
        (None, Some(path), _) => records(path, Format::Csv),
        (None, None, Some(url)) => {
            let digests = match read {
                Some(algorithms) => Digests::Read(algorithms),
                None if config.etag_is_md5 => Digests::ETag,
                None => Digests::None,
            };
            InventoryKind::listed(BucketInventory { url: url.to_owned(), digests })
        }
        (None, None, None) => InventoryKind::Folder(arguments.folder.clone()),
    }
}

/// The URL of the object store that is to be published; none for files and records.
fn bucket_url(arguments: &Publish) -> Option<&str> {
    let is_records = arguments.from_jsonl.is_some() || arguments.from_csv.is_some();
    arguments.folder.to_str().filter(|text| !is_records && is_store(text))
}

/// True for the URL of an object store.
fn is_store(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        ["s3", "s3a", "gs", "az", "abfs", "abfss", "file"].contains(&scheme)
    })
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

fn selection(arguments: &Publish, found: &Found) -> Result<Selection> {
    let config = &found.config.publish;
    let both = |one: &[String], other: &[String]| [one, other].concat();
    let include = both(&arguments.include, &config.include);
    let exclude = both(&arguments.exclude, &config.exclude);
    let selection = Selection::new(&include, &exclude, config.hidden)?;
    // The configuration itself is nobody's to read.
    let own = found.path.as_deref().and_then(|path| below(path, &arguments.folder));
    Ok(own.into_iter().fold(selection, Selection::without))
}

/// The path below a folder; none if it is not there.
fn below(path: &Path, folder: &Path) -> Option<PathBuf> {
    let (path, folder) = (path.canonicalize().ok()?, folder.canonicalize().ok()?);
    path.strip_prefix(folder).ok().map(Path::to_owned)
}

fn about(config: &PublishConfig) -> About {
    About {
        title: config.title.clone(),
        author: config.author.clone(),
        description: config.description.clone(),
        language: config.language.clone(),
    }
}

fn sets(config: &PublishConfig) -> Result<Vec<Set>> {
    if config.set.is_empty() {
        let mut all = Set::default();
        all.about = about(config);
        all.uri.clone_from(&config.uri);
        return Ok(vec![all]);
    }
    config.set.iter().map(|set| self::set(set, config)).collect()
}

fn set(set: &SetConfig, config: &PublishConfig) -> Result<Set> {
    let named = || format!("the set {:?} in tidings.toml", set.name);
    let mut one = Set::named(&set.name);
    match (&set.prefix, &set.globs) {
        (Some(_), Some(_)) => bail!("{} has a prefix and globs; one of them will do", named()),
        (Some(prefix), None) => one = one.with_prefix(prefix).with_context(named)?,
        (None, Some(globs)) => one = one.with_globs(globs).with_context(named)?,
        (None, None) => {}
    }
    one.uri.clone_from(&set.uri);
    one.shared = set.shared;
    // What is said of all of it is said of each set that does not say otherwise.
    let or = |own: &Option<String>, all: &Option<String>| own.clone().or_else(|| all.clone());
    one.about = About {
        title: set.title.clone(),
        author: or(&set.author, &config.author),
        description: set.description.clone(),
        language: or(&set.language, &config.language),
    };
    Ok(one)
}

fn link(link: &LinkConfig) -> Result<LinkRule> {
    let named = || format!("the link {:?} in tidings.toml", link.rel);
    let rel = match link.rel.as_str() {
        // By the short name that everybody uses; the registered one is a URI (section 14.4).
        "patch" => tidings_document::PATCH,
        rel => rel,
    };
    let href = Template::parse(&link.href).with_context(named)?;
    let mut rule = LinkRule::new(&link.globs, rel, href).with_context(named)?;
    if let Some(pri) = link.pri {
        if !(1..=999_999).contains(&pri) {
            bail!("{}: pri = {pri}: it goes from 1 to 999,999", named());
        }
        rule.pri = Some(pri);
    }
    if link.media_type.is_some() {
        rule.media_type.clone_from(&link.media_type);
    }
    rule.encoding.clone_from(&link.encoding);
    Ok(rule)
}

fn retention(keep: &KeepConfig) -> Retention {
    let days = |days: u64| Duration::from_secs(days.saturating_mul(86_400));
    let usual = Retention::default();
    Retention {
        superseded: keep.superseded_days.map_or(usual.superseded, days),
        open: keep.open_days.map(days).or(usual.open),
        changes: keep.changes_days.map(days).or(usual.changes),
    }
}

/// The folder where programs of this user keep what they can find out again.
fn cache() -> Option<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(folder.join("tidings"))
}
