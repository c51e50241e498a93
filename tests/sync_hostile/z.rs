//! Z: packages. Nothing of one that is not to be trusted gets into the copy, and what is in it can
//! still be had from where it is.

use crate::support::documents::{AT, Item, document, sha256};
use crate::support::stage::{Case, Stage, case};
use crate::support::zip::{Member, member, zip, zip_with};

const FILES: &[(&str, &str)] = &[("a.txt", "one"), ("b.txt", "two")];

fn manifest(items: &[Item]) -> String {
    document(&format!("<rs:md capability=\"resourcedump-manifest\" at=\"{AT}\"/>"), items)
}

fn right(stage: &Stage) -> Vec<Item> {
    FILES
        .iter()
        .map(|(path, text)| stage.item(path).of(text).md("path", format!("/{path}")))
        .collect()
}

fn good(stage: &Stage) -> Vec<Member> {
    let manifest = member("manifest.xml", manifest(&right(stage)));
    let files = FILES.iter().map(|(path, text)| member(*path, *text));
    std::iter::once(manifest).chain(files).collect()
}

fn offer(stage: &Stage, package: Vec<u8>) {
    let head = format!("<rs:md capability=\"resourcedump\" at=\"{AT}\"/>");
    let item = stage.item("p.zip").md("type", "application/zip").of(&package);
    stage.text("/resourcedump.xml", document(&head, &[item]));
    stage.text("/p.zip", package);
    stage.offer(&["resourcedump"]);
}

/// The package is refused as a whole.
fn refused(name: &str, package: impl Fn(&Stage) -> Vec<u8> + Send + Sync + 'static) -> Case {
    case(name, move || {
        let stage = Stage::new();
        offer(&stage, package(&stage));
        stage.sync(&["--via", "dump"]).exits(1).counts("unpacked", 0);
        stage.has(&[]);
    })
}

/// The same with one member changed.
fn with(name: &str, change: impl Fn(&mut Vec<Member>) + Send + Sync + 'static) -> Case {
    refused(name, move |stage| {
        let mut members = good(stage);
        change(&mut members);
        zip(&members)
    })
}

/// The package is as good as another.
fn taken(name: &str, package: impl Fn(&Stage) -> Vec<u8> + Send + Sync + 'static) -> Case {
    case(name, move || {
        let stage = Stage::new();
        offer(&stage, package(&stage));
        stage.sync(&["--via", "dump"]).exits(0).counts("unpacked", 2);
        stage.has(FILES);
    })
}

/// The manifest says something else of the members.
fn told(name: &str, items: impl Fn(&Stage) -> Vec<Item> + Send + Sync + 'static) -> Case {
    refused(name, move |stage| {
        let mut members = good(stage);
        members[0] = member("manifest.xml", manifest(&items(stage)));
        zip(&members)
    })
}

/// A member more, under a name that leads elsewhere: named by the manifest or not, nothing is
/// written by that name.
fn named(name: &'static str) -> Case {
    case(format!("Z1 {name:?}"), move || {
        let stage = Stage::new();
        let mut items = right(&stage);
        items.push(stage.item("evil").of("evil").md("path", name.replace('\0', "")));
        let mut members = good(&stage);
        members[0] = member("manifest.xml", manifest(&items));
        members.push(member(name, "evil"));
        offer(&stage, zip(&members));
        stage.sync(&["--via", "dump"]);
        for (path, bytes) in stage.found() {
            let expected = [FILES, &[("evil", "evil")]].concat();
            let text = String::from_utf8(bytes).unwrap();
            assert!(expected.contains(&(path.as_str(), text.as_str())), "{path}");
        }
    })
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = vec![taken("Z0 a good one", |stage| zip(&good(stage)))];
    let names = [
        "../evil",
        "..\\evil",
        "/evil",
        "C:\\evil",
        "\\\\host\\evil",
        "//evil",
        "e\0vil",
        "evil.",
        "CON",
        "a/../../../evil",
    ];
    cases.extend(names.map(named));
    cases.extend(members());
    cases.extend(archives());
    cases.extend(manifests());
    cases.extend(fallbacks());
    cases
}

fn members() -> Vec<Case> {
    let mode = |mode: u32| move |members: &mut Vec<Member>| members[1].mode = mode;
    vec![
        with("Z2 a symbolic link", |members| {
            members[1] = member("a.txt", "../../../sentinel").set(|one| one.mode = 0o120_777);
        }),
        with("Z2 a device", mode(0o020_666)),
        with("Z2 a pipe", mode(0o010_666)),
        with("Z2 a link, and a file through it", |members| {
            members.push(member("x", "../outside").set(|one| one.mode = 0o120_777));
            members.push(member("x/evil", "evil"));
        }),
        with("Z3 a ratio of 1,000", |members| {
            members.push(member("bomb", vec![0; 8 << 20]).deflated());
        }),
        with("Z3 one over the other", |members| members[2].shift = -20),
        with("Z4 one name twice", |members| members.push(member("a.txt", "other"))),
        with("Z4 case twins", |members| members.push(member("A.TXT", "other"))),
        with("Z4 two manifests", |members| members.push(members[0].clone())),
        with("Z4 no manifest", |members| drop(members.remove(0))),
        with("Z4 a manifest in a folder", |members| members[0].name = b"x/manifest.xml".to_vec()),
        with("Z5 the length is another in the directory", |members| members[1].length = 2),
        with("Z5 it begins elsewhere", |members| members[1].shift = 1 << 20),
        with("Z6 encrypted", |members| members[1].flags = 1),
        with("Z6 a method that nobody has", |members| members[1].method = 99),
    ]
}

fn archives() -> Vec<Case> {
    vec![
        refused("Z3 100,000 and more empty members", |stage| {
            let mut members = good(stage);
            members.extend((0..60_000).map(|number| member(number.to_string(), "")));
            // The end of a ZIP file counts to 65,535; more need the longer form, which is missing.
            members.extend((60_000..70_000).map(|number| member(number.to_string(), "")));
            zip(&members)
        }),
        refused("Z5 the directory is elsewhere", |stage| {
            zip_with(&good(stage), |end| end[16] ^= 0x40)
        }),
        refused("Z5 more entries than there are", |stage| {
            zip_with(&good(stage), |end| (end[8], end[10]) = (9, 9))
        }),
        refused("Z6 a part of several", |stage| zip_with(&good(stage), |end| end[4] = 1)),
        refused("Z6 broken off", |stage| {
            let package = zip(&good(stage));
            package[..package.len() / 2].to_vec()
        }),
        refused("Z6 no package at all", |_| b"<html>Sign in</html>".to_vec()),
        refused("Z6 empty", |_| Vec::new()),
        taken("Z6 compressed", |stage| {
            zip(&good(stage).into_iter().map(Member::deflated).collect::<Vec<_>>())
        }),
        taken("Z5 another end in the comment", |stage| {
            zip_with(&good(stage), |end| {
                end[20] = 22;
                end.extend([0; 22]);
            })
        }),
    ]
}

fn manifests() -> Vec<Case> {
    vec![
        told("Z7 a path that is not there", |stage| {
            vec![stage.item("a.txt").md("path", "/missing")]
        }),
        told("Z7 no path", |stage| vec![stage.item("a.txt").of("one")]),
        told("Z7 one path for two", |stage| {
            vec![stage.item("a.txt").md("path", "/a.txt"), stage.item("b.txt").md("path", "/a.txt")]
        }),
        told("Z7 a path upwards", |stage| vec![stage.item("a.txt").md("path", "/../sentinel")]),
        told("Z7 another length", |stage| {
            vec![stage.item("a.txt").md("path", "/a.txt").md("length", 99)]
        }),
        told("Z7 deleted and there", |stage| {
            vec![stage.item("a.txt").md("path", "/a.txt").change("deleted")]
        }),
        with("Z7 a manifest that is none", |members| {
            members[0] = member("manifest.xml", "<html/>");
        }),
        with("Z7 a manifest of another kind", |members| {
            let head = "<rs:md capability=\"resourcelist\"/>";
            members[0] = member("manifest.xml", document(head, &[]));
        }),
        taken("Z7 paths without a slash", |stage| {
            let mut members = good(stage);
            let plain = manifest(&right(stage)).replace("path=\"/", "path=\"");
            members[0] = member("manifest.xml", plain);
            zip(&members)
        }),
        taken("Z7 members in another order, and one more", |stage| {
            let mut members = good(stage);
            members.reverse();
            members.push(member("readme", "nobody speaks of it"));
            zip(&members)
        }),
    ]
}

fn fallbacks() -> Vec<Case> {
    vec![
        case("Z6 a wrong checksum: it comes from where it is", || {
            let stage = Stage::new();
            stage.files(FILES);
            let mut members = good(&stage);
            members[1].crc ^= 1;
            offer(&stage, zip(&members));
            stage.sync(&["--via", "dump"]).exits(0);
            stage.has(FILES);
        }),
        case("Z7 a wrong digest: it comes from where it is", || {
            let stage = Stage::new();
            stage.files(FILES);
            let mut members = good(&stage);
            members[1] = member("a.txt", "eno");
            offer(&stage, zip(&members));
            stage.sync(&["--via", "dump"]).exits(0);
            stage.has(FILES);
        }),
        case("Z7 a wrong digest, and nowhere else", || {
            let stage = Stage::new();
            let mut members = good(&stage);
            members[1] = member("a.txt", "eno");
            offer(&stage, zip(&members));
            stage.sync(&["--via", "dump"]).exits(1);
            stage.has(&[("b.txt", "two")]);
        }),
        case("Z5 two names: nothing in it is believed", || {
            let stage = Stage::new();
            stage.files(FILES);
            let mut members = good(&stage);
            members[1].local_name = Some(b"b.txt".to_vec());
            offer(&stage, zip(&members));
            stage.sync(&["--via", "dump"]).exits(1).counts("unpacked", 0);
            stage.has(&[]);
        }),
        case("Z5 an extra field that ends outside: right bytes, or none", || {
            let stage = Stage::new();
            let mut members = good(&stage);
            members[1].extra = vec![1, 0, 0xff, 0xff];
            offer(&stage, zip(&members));
            stage.sync(&["--via", "dump"]);
            let found = stage.found();
            assert!(found.is_empty() || found["a.txt"] == b"one" && found["b.txt"] == b"two");
        }),
        case("Z6 a package that is not the one that was listed", || {
            let stage = Stage::new();
            offer(&stage, zip(&good(&stage)));
            stage.text("/p.zip", zip(&good(&stage)[..2]));
            stage.sync(&["--via", "dump"]).exits(1);
            stage.has(&[]);
        }),
        case("Z6 a dump that is of no use, and a list that is", || {
            let stage = Stage::with(FILES);
            offer(&stage, b"no package".to_vec());
            stage.offer(&["resourcelist", "resourcedump"]);
            stage.sync(&[]);
            stage.sync(&[]).exits(0);
            stage.has(FILES);
        }),
        case("Z7 the same digest in the list", || {
            let stage = Stage::with(FILES);
            offer(&stage, zip(&good(&stage)));
            stage.offer(&["resourcelist", "resourcedump"]);
            stage.sync(&["--via", "dump"]).exits(0);
            stage.has(FILES);
            assert_eq!(sha256(b"one").len(), 64);
            stage.in_sync("/capabilitylist.xml", &[]);
        }),
    ]
}
