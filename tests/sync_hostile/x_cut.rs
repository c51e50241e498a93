//! X8: documents that break off. The server says that each is whole, so only the document itself can
//! tell. They are cut here and there, and at every byte of their ends; with `TIDINGS_EVERY_BYTE` at
//! every byte, which takes minutes.

use tidings_destination::{MaxDelete, Sets, SyncOptions};

use crate::support::documents::{
    AT, Item, capability_list, change_list, description, document, gzip, index, resource_list,
};
use crate::support::server::Reply;
use crate::support::stage::{Case, Stage, case, sync_here};
use crate::support::zip::{member, zip};

const OLD: &[(&str, &str)] = &[("a", "old"), ("b", "kept until all is known")];
const NEW: &[(&str, &str)] = &[("a", "new"), ("c", "more")];

/// One run in this process: as the program does it, and a good deal faster. It tells what was wrong.
fn run(stage: &Stage, start: &str, baseline: bool) -> Result<(), String> {
    let mut options = SyncOptions::new(stage.url(start).parse().unwrap(), stage.copy());
    options.delete = true;
    options.max_delete = MaxDelete::Any;
    options.sets = Sets::All;
    options.baseline = baseline;
    let report = sync_here(&options)?;
    if report.is_well() { Ok(()) } else { Err(format!("{report:?}")) }
}

/// The lengths that something of this length is cut to.
fn lengths(whole: usize) -> impl Iterator<Item = usize> {
    let every = std::env::var_os("TIDINGS_EVERY_BYTE").is_some();
    (0..whole).filter(move |length| every || length % 97 == 0 || length + 6 > whole)
}

/// Serves these files and what leads to them, and makes the document that is cut.
type Publish = fn(&Stage, &[(&str, &str)]) -> Vec<u8>;

/// The old copy, then the document at `path` in all its beginnings, then whole.
fn cut(
    name: &'static str,
    path: &'static str,
    start: &'static str,
    baseline: bool,
    publish: Publish,
) -> Case {
    case(format!("X8 {name}"), move || {
        let stage = Stage::new();
        stage.files(OLD);
        let old = publish(&stage, OLD);
        stage.text(path, old);
        run(&stage, start, baseline).unwrap();
        stage.has(OLD);
        let before = stage.found();
        stage.files(NEW);
        let new = publish(&stage, NEW);
        // A line break at the end, and the sums of gzip's trailer, are all that may be missing.
        for length in lengths(new.len() - 1) {
            stage.put(path, Reply::ok(&new[..length]));
            assert!(run(&stage, start, baseline).is_err(), "{name} of {length} bytes was believed");
            assert_eq!(stage.found(), before, "{name} of {length} bytes");
        }
        stage.text(path, new);
        run(&stage, start, baseline).unwrap();
        stage.has(NEW);
    })
}

fn listed(stage: &Stage, files: &[(&str, &str)]) -> Vec<Item> {
    files
        .iter()
        .map(|(path, text)| {
            stage
                .item(path)
                .md("hash", format_args!("md5:{}", crate::support::documents::md5(text.as_bytes())))
        })
        .collect()
}

fn list(stage: &Stage, files: &[(&str, &str)]) -> Vec<u8> {
    resource_list(&listed(stage, files)).into()
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        cut("Resource List", "/l", "/l", false, list),
        cut("Resource List, packed", "/l", "/l", false, |stage, files| gzip(&list(stage, files))),
        cut("Sitemap", "/sitemap.xml", "/", false, |stage, files| {
            let time = if files == OLD { "2026-01-01" } else { "2026-01-02" };
            let items: Vec<Item> =
                files.iter().map(|(path, _)| stage.item(path).lastmod(time)).collect();
            document("", &items).into()
        }),
        cut("part of an index", "/p", "/i", false, |stage, files| {
            let head = format!("<rs:md capability='resourcelist' at='{AT}'/>");
            stage.text("/i", index(&head, &[stage.item("p")]));
            list(stage, files)
        }),
        cut("index", "/i", "/i", false, |stage, files| {
            let part = if files == OLD { "p" } else { "q" };
            stage.text(&format!("/{part}"), list(stage, files));
            let head = format!("<rs:md capability='resourcelist' at='{AT}'/>");
            index(&head, &[stage.item(part)]).into()
        }),
        cut("Capability List", "/cl", "/cl", true, |stage, files| {
            let list_at = if files == OLD { "/l" } else { "/m" };
            stage.text(list_at, list(stage, files));
            capability_list(&[("resourcelist", stage.url(list_at))]).into()
        }),
        cut("Source Description", "/.well-known/resourcesync", "/", true, |stage, files| {
            let number = if files == OLD { "1" } else { "2" };
            stage.text(&format!("/l{number}"), list(stage, files));
            let lists = [("resourcelist", stage.url(&format!("/l{number}")))];
            stage.text(&format!("/set/c{number}"), capability_list(&lists));
            description(&[stage.url(&format!("/set/c{number}"))]).into()
        }),
        cut("Change List", "/changelist.xml", "/capabilitylist.xml", false, |stage, files| {
            if files == OLD {
                stage.list(&listed(stage, OLD));
                stage.offer(&["resourcelist", "changelist"]);
                return change_list(&[]).into();
            }
            change_list(&[
                stage.item("a").change("updated").at("2026-02-01T00:00:00Z"),
                stage.item("b").change("deleted").at("2026-02-01T00:00:00Z"),
                stage.item("c").change("created").at("2026-02-01T00:00:00Z"),
            ])
            .into()
        }),
        case("X8 package", || {
            let stage = Stage::new();
            let head = format!("<rs:md capability='resourcedump-manifest' at='{AT}'/>");
            let manifest = document(&head, &[stage.item("a").md("path", "/a").of("old")]);
            let package = zip(&[member("manifest.xml", manifest), member("a", "old")]);
            let head = format!("<rs:md capability='resourcedump' at='{AT}'/>");
            stage.text("/d", document(&head, &[stage.item("p.zip")]));
            for length in lengths(package.len()) {
                stage.text("/p.zip", &package[..length]);
                assert!(
                    run(&stage, "/d", false).is_err(),
                    "a package of {length} bytes was believed"
                );
                stage.has(&[]);
            }
            stage.text("/p.zip", package);
            run(&stage, "/d", false).unwrap();
            stage.has(&[("a", "old")]);
        }),
    ]
}
