use std::fs;

use super::*;
use crate::Passed;

fn folder(files: &[&str]) -> (tempfile::TempDir, Folder) {
    let root = tempfile::tempdir().unwrap();
    for name in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, name).unwrap();
    }
    let folder = Folder {
        root: root.path().to_owned(),
        base: "https://e.example/".into(),
        algorithms: vec![Algorithm::Sha256],
        selection: Selection::default(),
        leave_out: vec!["own.xml".into()],
    };
    (root, folder)
}

fn listed(folder: &Folder) -> (Vec<String>, Vec<Passed>) {
    let (mut uris, mut passed) = (Vec::new(), Vec::new());
    let nothing = PriorStream::new(Box::new(std::iter::empty()));
    let mut show = |event: ScanEvent<'_>| {
        match event {
            ScanEvent::Present { resource, .. } => {
                uris.push(resource.resource.uri.replace("https://e.example/", ""));
            }
            ScanEvent::Passed(one) => passed.push(one),
            _ => unreachable!(),
        }
        Ok(())
    };
    folder.scan(nothing, &mut show).unwrap();
    (uris, passed)
}

#[test]
fn files_come_in_the_order_of_their_uris() {
    let names = [
        "a/b.html",
        "a.html",
        "a-1",
        "a/c/d",
        "a b",
        "z",
        ".hidden",
        "x/.git/config",
        "own.xml",
        "☃/ü",
    ];
    let (_root, folder) = folder(&names);
    let (uris, passed) = listed(&folder);
    let mut sorted = uris.clone();
    sorted.sort();
    assert_eq!(uris, sorted);
    assert_eq!(uris, ["%E2%98%83/%C3%BC", "a%20b", "a-1", "a.html", "a/b.html", "a/c/d", "z"]);
    assert!(passed.is_empty());
}

#[test]
fn links_are_followed_only_inside() {
    let (root, folder) = folder(&["a", "sub/b"]);
    std::os::unix::fs::symlink("a", root.path().join("inside")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", root.path().join("outside")).unwrap();
    std::os::unix::fs::symlink("sub", root.path().join("folder")).unwrap();
    std::os::unix::fs::symlink("nowhere", root.path().join("dangling")).unwrap();
    let (uris, passed) = listed(&folder);
    assert_eq!(uris, ["a", "inside", "sub/b"]);
    assert_eq!(passed.len(), 3);
}

#[test]
fn more_files_than_one_batch_stay_in_order() {
    let names: Vec<String> = (0..600).map(|number| format!("{number:04}")).collect();
    let (_root, folder) = folder(&names.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(listed(&folder).0, names);
}
