//! Packages of small files, beside programs that make archives.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::Size;
use super::data::{DUMP, DUMP_OF_NOISE, DUMP_OF_TEXT, ZIP_0, ZIP_1, ZIPFILE};
use crate::bench::contest::{Contestant, rounds};
use crate::bench::field::{BASE, Field, Plan, Tree, published, tool};
use crate::bench::measure::{Words, problem};
use crate::bench::place::{Place, remove};
use crate::bench::shown::thousands;
use crate::bench::works::Work;
use crate::command::output;
use crate::workspace;

pub(super) fn run(field: &Field<'_>, size: &Size) -> Result<[Work; 2]> {
    let plan = |kind| Plan { folders: size.dumped, files: 100, bytes: 4 << 10, kind };
    let noise = "Dump of what cannot be compressed";
    Ok([
        contest(field, size, &plan("noise"), (DUMP_OF_NOISE, noise))?,
        contest(field, size, &plan("text"), (DUMP_OF_TEXT, "Dump of text"))?,
    ])
}

fn contest(field: &Field<'_>, size: &Size, plan: &Plan, (id, title): (&str, &str)) -> Result<Work> {
    let files = plan.folders * plan.files;
    let place = Place::for_about(files, files * (24 << 10))?;
    let tree = plan.make(field, place.at("tree"))?;
    let (out, cache) = (place.at("out"), place.at("cache"));
    let publish = |more: &[&str]| field.publish(BASE, [&tree.folder, &out, &cache], more);
    let lists = publish(&[]);
    output(Command::new(&lists[0]).args(&lists[1..])).context("no lists to begin with")?;
    let documents = out.join("resourcesync");
    let listed = || fs::metadata(documents.join("resourcelist.xml"))?.modified();
    let before = listed().context("there is no Resource List")?;
    let ours =
        Contestant::new(DUMP, "packages with manifests; lists are there", Ok(publish(&["--dump"])))
            .ours()
            .before(|| packages(&documents)?.iter().try_for_each(|file| remove(file)))
            .after(|taken| {
                let written = published(taken, &out, tree.files)?;
                ensure!(listed()? == before, "the lists were written anew");
                Ok(Some(written))
            });
    let archive = |name: &str| place.at(&format!("{name}.zip"));
    let mut contestants = [
        ours,
        zip((ZIP_0, "-0"), &tree, archive("stored")),
        zip((ZIP_1, "-1"), &tree, archive("deflated")),
        zipfile(field, &tree, archive("python")),
    ];
    rounds(id, size.rounds, &mut contestants);
    let mut sides: Vec<_> = contestants.into_iter().map(Contestant::end).collect();
    if let Some(ours) = sides.first_mut()
        && ours.problem.is_none()
    {
        ours.problem = check(&documents).err().map(|error| format!("{error}: {}", problem(&error)));
    }
    Ok(Work {
        id: id.to_owned(),
        title: title.to_owned(),
        about: format!(
            "{} files of 4 KiB in {} folders, {}. Lists and digests are there already, only the \
             dump is missing. Each package was then read by `unzip -tq` and by Python's \
             `testzip()`.",
            thousands(files as f64),
            plan.folders,
            place.shown
        ),
        resources: files,
        bytes: tree.bytes,
        sides,
    })
}

/// All that belongs to the dump.
fn packages(documents: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(documents)? {
        let entry = entry?;
        if entry.file_name().as_encoded_bytes().starts_with(b"resourcedump") {
            found.push(entry.path());
        }
    }
    Ok(found)
}

fn zip<'a>((name, level): (&str, &str), tree: &Tree, archive: PathBuf) -> Contestant<'a> {
    let words = tool("zip", "-v").map(|zip| {
        let mut words: Words = vec!["env".into(), "-C".into(), (&tree.folder).into(), zip];
        words.extend([level, "-q", "-r"].map(OsString::from));
        words.extend([(&archive).into(), OsString::from(".")]);
        words
    });
    // It would add to an archive that is there.
    Contestant::new(name, "one archive", words).before(move || remove(&archive))
}

fn zipfile<'a>(field: &Field<'_>, tree: &Tree, archive: PathBuf) -> Contestant<'a> {
    // The one that PATH finds may be a script that looks for an interpreter first.
    let python = field.python().map_or_else(|_| tool("python3", "--version"), |it| Ok(it.into()));
    let words = python.map(|python| {
        let archive = OsString::from(&archive);
        vec![python, script().into(), "store".into(), archive, (&tree.folder).into()]
    });
    Contestant::new(ZIPFILE, "one archive", words).before(move || remove(&archive))
}

fn script() -> PathBuf {
    workspace::root().join("benches/peers/zip-store.py")
}

/// Others can read each package to its end.
fn check(documents: &Path) -> Result<()> {
    let is_package = |file: &PathBuf| file.extension().is_some_and(|ending| ending == "zip");
    let packages: Vec<_> = packages(documents)?.into_iter().filter(is_package).collect();
    ensure!(!packages.is_empty(), "there is no package");
    for package in &packages {
        output(Command::new("unzip").arg("-tq").arg(package))
            .context("unzip finds a package broken")?;
        output(Command::new("python3").arg(script()).arg("test").arg(package))
            .context("Python's zipfile finds a package broken")?;
    }
    Ok(())
}
