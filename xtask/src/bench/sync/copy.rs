//! The first copy of many small files.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::Size;
use super::data::{COPY_DISK, COPY_TMPFS, CP_SYNC, DUMP, LIST};
use super::ground::{Ground, said};
use super::{peers, unchanged};
use crate::bench::contest::{Contestant, rounds};
use crate::bench::field::{Field, Plan};
use crate::bench::place::Place;
use crate::bench::shown::thousands;
use crate::bench::works::Work;
use crate::command::output;

/// Everyone has a copy of their own.
const COPIES: u64 = 10;

pub(super) fn run(field: &Field<'_>, size: &Size) -> Result<Vec<Work>> {
    let plan = Plan { folders: size.copied, files: 100, bytes: 4 << 10, kind: "text" };
    let files = plan.folders * plan.files;
    let source = Place::for_about(files, files * (12 << 10))?;
    let ground = Ground::make(field, &plan, &source, &["--dump"], None)?;
    let memory = Place::for_about(files * COPIES, files * COPIES * (4 << 10))?;
    let disk = Place::on_disk(files * COPIES, files * COPIES * (8 << 10))?;
    Ok(vec![
        contest(&ground, size, &memory, (COPY_TMPFS, "First copy"))?,
        unchanged::run(&ground, size, &memory),
        contest(&ground, size, &disk, (COPY_DISK, "First copy, onto a disk"))?,
    ])
}

fn contest(
    ground: &Ground<'_>,
    size: &Size,
    to: &Place,
    (id, title): (&str, &str),
) -> Result<Work> {
    let on_disk = id == COPY_DISK;
    let list = "verified, recorded, durable when it ends";
    let ours = |name, does, folder, way| {
        ground
            .ours((name, does), to.at(folder), &["--via", way])
            .received(|taken| Ok(said(taken)?.bytes))
    };
    let mut contestants = vec![
        ours(LIST, list, "list", "list"),
        ours(DUMP, "the same from packages", "dump", "dump"),
    ];
    contestants.extend(peers::over_http(ground, to, size.slow_rounds)?);
    contestants.extend([peers::rsync_copying(ground, to), peers::cp(ground, to)]);
    if on_disk {
        let does = "no network; on the disk when it ends";
        contestants.push(peers::copying(ground, to, (CP_SYNC, does), |ground, folder| {
            let script = "cp -a \"$1\" \"$2\" && sync -f \"$2\"";
            let mut words = ["sh", "-c", script, "sh"].map(OsString::from).to_vec();
            words.extend([ground.tree.folder.join(".").into(), folder.into()]);
            Ok(words)
        }));
    }
    let (count, settle) = if on_disk {
        // What one left to be written is not to be written while another one is timed.
        (size.slow_rounds, Some(to.at("")))
    } else {
        (size.rounds, None)
    };
    let settled = |folder: &Path| output(Command::new("sync").arg("-f").arg(folder)).map(|_| ());
    let mut contestants: Vec<_> = contestants
        .into_iter()
        .map(|contestant| match settle.clone() {
            Some(folder) => contestant.and_before(move || settled(&folder)),
            None => contestant,
        })
        .collect();
    rounds(id, count, &mut contestants);
    let note = if on_disk {
        " What earlier runs left in memory is written before each run; most others leave what they \
         copied there."
    } else {
        ""
    };
    Ok(Work {
        id: id.to_owned(),
        title: title.to_owned(),
        about: format!(
            "{} files of 4 KiB of text in {} folders, from nginx on the same machine, {}.{note} \
             Requests are counted by nginx.",
            thousands(ground.tree.files as f64),
            thousands(size.copied as f64),
            to.shown
        ),
        resources: ground.tree.files,
        bytes: ground.tree.bytes,
        sides: contestants.into_iter().map(Contestant::end).collect(),
    })
}
