//! Other programs that copy.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use super::data::{ARIA2C, CP, CURL, RCLONE, RESYNC, RSYNC, WGET2};
use super::ground::{Ground, complete};
use crate::bench::contest::Contestant;
use crate::bench::field::tool;
use crate::bench::measure::Words;
use crate::bench::place::{Place, remove};

/// Where a peer's copy lies.
pub(super) fn folder(place: &Place, name: &str) -> PathBuf {
    place.at(&name.replace(' ', "-"))
}

/// A peer that copies, each time anew.
pub(super) fn copying<'c>(
    ground: &'c Ground<'_>,
    place: &Place,
    (name, does): (&str, &str),
    words: impl FnOnce(&Ground<'_>, &Path) -> Result<Words, String>,
) -> Contestant<'c> {
    let folder = folder(place, name);
    let (copy, files) = (folder.clone(), ground.tree.files);
    Contestant::new(name, does, words(ground, &folder))
        .before(move || {
            remove(&folder)?;
            Ok(fs::create_dir(&folder)?)
        })
        .after(move |_| {
            complete(&copy, files)?;
            Ok(None)
        })
}

/// All that speak HTTP; the slow one last.
pub(super) fn over_http<'c>(
    ground: &'c Ground<'_>,
    place: &Place,
    most: usize,
) -> Result<[Contestant<'c>; 5]> {
    let lists = Lists::write(ground, place)?;
    let curl = curl(ground, place)?;
    let counted = |contestant| ground.counted(contestant);
    let by_list = "URLs from a file, nothing verified";
    let wget2 = copying(ground, place, (WGET2, by_list), |_, folder| {
        let flags = ["--quiet", "--max-threads=32", "--force-directories", "--no-host-directories"];
        let mut words: Words = vec![tool("wget2", "--version")?];
        words.extend(flags.map(OsString::from));
        words.extend(["--directory-prefix".into(), folder.into()]);
        words.extend(["--input-file".into(), lists.urls.into()]);
        Ok(words)
    });
    let aria2c = copying(ground, place, (ARIA2C, by_list), |_, folder| {
        let flags = ["--quiet", "--file-allocation=none", "-j16", "-x1", "--no-conf"];
        let mut words: Words = vec![tool("aria2c", "--version")?];
        words.extend(flags.map(OsString::from));
        words.extend(["--dir".into(), folder.into(), "--input-file".into(), lists.aria2c.into()]);
        Ok(words)
    });
    let pages = "finds files in pages that list folders";
    Ok([
        curl,
        counted(wget2),
        counted(aria2c),
        counted(copying(ground, place, (RCLONE, pages), rclone)),
        counted(copying(ground, place, (RESYNC, "by the Resource List"), resync)).at_most(most),
    ])
}

/// With a file that says what goes where.
pub(super) fn curl<'c>(ground: &'c Ground<'_>, place: &Place) -> Result<Contestant<'c>> {
    let (list, copy) = (place.at("curl.txt"), folder(place, CURL));
    let mut text = String::new();
    for path in paths(&ground.tree.folder)? {
        let file = copy.join(&path);
        let _ = writeln!(text, "url = \"{}{path}\"\noutput = \"{}\"", ground.url, file.display());
    }
    fs::write(&list, text)?;
    let does = "URLs from a file, 32 at once, nothing verified";
    Ok(ground.counted(copying(ground, place, (CURL, does), |_, _| {
        let flags = ["--silent", "--show-error", "--fail", "--create-dirs", "--disable"];
        // It has to be the first one.
        let mut words: Words = vec![tool("curl", "--version")?, flags[4].into()];
        words.extend(flags[..4].iter().map(OsString::from));
        words.extend(["--parallel", "--parallel-max", "32", "--config"].map(OsString::from));
        words.push(list.into());
        Ok(words)
    })))
}

pub(super) fn rsync(ground: &Ground<'_>, folder: &Path) -> Result<Words, String> {
    let rsync = tool("rsync", "--version")?;
    ground.daemon.as_ref().map_err(|error| format!("its daemon: {error:#}"))?;
    Ok(vec![rsync, "-a".into(), (&ground.module).into(), folder.into()])
}

pub(super) fn rsync_copying<'c>(ground: &'c Ground<'_>, place: &Place) -> Contestant<'c> {
    copying(ground, place, (RSYNC, "its own protocol, nothing hashed"), rsync)
}

pub(super) fn cp<'c>(ground: &'c Ground<'_>, place: &Place) -> Contestant<'c> {
    copying(ground, place, (CP, "no network"), |ground, folder| {
        let tree = ground.tree.folder.join(".");
        Ok(vec!["cp".into(), "-a".into(), tree.into(), folder.into()])
    })
}

pub(super) fn rclone(ground: &Ground<'_>, folder: &Path) -> Result<Words, String> {
    let url = format!("http://127.0.0.1:{}/", ground.nginx.plain);
    let mut words: Words = vec![tool("rclone", "version")?];
    words.extend(["copy", ":http:"].map(OsString::from));
    words.push(folder.into());
    words.extend(["--http-url", &url, "--transfers=16", "--checkers=16"].map(OsString::from));
    words.extend(["--quiet", "--config=/dev/null"].map(OsString::from));
    Ok(words)
}

pub(super) fn resync(ground: &Ground<'_>, folder: &Path) -> Result<Words, String> {
    let client = ground.field.python()?.with_file_name("resync-sync");
    // It keeps what it knows in the folder where it is started.
    let home = folder.parent().unwrap_or(folder);
    let mut words: Words = vec!["env".into(), "-C".into(), home.into(), client.into()];
    words.extend(["--baseline", ground.url.as_str()].map(OsString::from));
    words.push(folder.into());
    Ok(words)
}

/// What is to be copied, as programs take it.
struct Lists {
    urls: PathBuf,
    aria2c: PathBuf,
}

impl Lists {
    fn write(ground: &Ground<'_>, place: &Place) -> Result<Self> {
        let (mut urls, mut aria2c) = (String::new(), String::new());
        for path in paths(&ground.tree.folder)? {
            let _ = writeln!(urls, "{}{path}", ground.url);
            let _ = writeln!(aria2c, "{}{path}\n  out={path}", ground.url);
        }
        let lists = Self { urls: place.at("urls.txt"), aria2c: place.at("aria2c.txt") };
        fs::write(&lists.urls, urls)?;
        fs::write(&lists.aria2c, aria2c)?;
        Ok(lists)
    }
}

/// Of all files, in the order of their names.
fn paths(tree: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for folder in fs::read_dir(tree)? {
        let folder = folder?;
        for file in fs::read_dir(folder.path())? {
            let path = Path::new(&folder.file_name()).join(file?.file_name());
            found.push(path.to_str().context("a strange name")?.to_owned());
        }
    }
    ensure!(!found.is_empty(), "there are no files to copy");
    found.sort_unstable();
    Ok(found)
}
