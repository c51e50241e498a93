use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::Sidecar;

fn shard(root: &Path, id: ObjectId) -> PathBuf {
    root.join("content").join(id.shard())
}

/// What a reader takes: the highest version that has both halves, if it is read whole.
fn current(root: &Path, id: ObjectId) -> Option<(u32, Sidecar, String)> {
    let names = std::fs::read_dir(shard(root, id)).ok()?;
    let names: BTreeSet<String> =
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let numbers =
        names.iter().filter_map(|name| name.strip_prefix(&format!("{id}."))?.parse().ok());
    let number: u32 = numbers.filter(|one| names.contains(&format!("{id}.{one}.ron"))).max()?;
    let blob = shard(root, id).join(format!("{id}.{number}"));
    let sidecar = std::fs::read(shard(root, id).join(format!("{id}.{number}.ron"))).ok()?;
    let body = std::fs::read_to_string(blob).ok()?;
    Some((number, Sidecar::parse(&sidecar).unwrap(), body))
}

#[test]
fn an_object_is_made_saved_and_removed() {
    let (root, editor) = root(&["content"]);
    let draft = Draft {
        alias: Some(" docs/start ".to_owned()),
        tags: vec!["docs".to_owned()],
        nav_parent: Some("1122334455667788".to_owned()),
        nav_order: Some(3),
        robots: Some("noindex".to_owned()),
        ..page("Start", "# One\n")
    };
    let (id, place) = editor.create(&draft).unwrap();
    assert_eq!(place, Place::Version { number: 0 });
    let (mut read, seen) = editor.read(id, &place).unwrap();
    assert_eq!(read, Draft { alias: Some("docs/start".to_owned()), ..draft });
    assert_eq!(seen, Seen::Version(0));

    // The theme is in no form, and stays.
    let sidecar = shard(root.path(), id).join(format!("{id}.0.ron"));
    let bare = std::fs::read_to_string(&sidecar).unwrap();
    let themed = bare.replace("\n)\n", "\n theme: \"t\")\n");
    std::fs::write(&sidecar, themed).unwrap();
    read.body = b"# Two\n".to_vec();
    let next = editor.save(id, &place, seen, &read).unwrap();
    assert_eq!(next, Place::Version { number: 1 });
    let (number, sidecar, body) = current(root.path(), id).unwrap();
    assert_eq!((number, sidecar.theme.as_deref(), body.as_str()), (1, Some("t"), "# Two\n"));
    assert_eq!(editor.read(id, &place).unwrap().0.body, b"# One\n");

    assert!(matches!(editor.save(id, &place, seen, &read), Err(EditError::Changed(_))));
    assert!(matches!(editor.remove(id, &place, seen), Err(EditError::Changed(_))));
    let other = Seen::File { modified: 0, length: 0 };
    assert!(matches!(editor.save(id, &place, other, &read), Err(EditError::Changed(_))));
    editor.remove(id, &next, Seen::Version(1)).unwrap();
    assert!(files(&root.path().join("content")).is_empty());
    let kept = files(&root.path().join("state/tidings/removed"));
    assert_eq!(kept.len(), 4);
    assert!(kept[0].ends_with(&format!("/content/{}/{id}.0", id.shard())), "{kept:?}");
    assert!(matches!(editor.read(id, &next), Err(EditError::Missing(_))));
    assert!(matches!(editor.remove(id, &next, Seen::Version(1)), Err(EditError::Missing(_))));
}

#[test]
fn what_the_layout_cannot_keep_is_refused() {
    let (root, editor) = root(&["content"]);
    let roles = Draft { roles: vec!["boss".to_owned()], ..page("x", "y") };
    assert!(matches!(editor.create(&roles), Err(EditError::RolesNeedTag)));
    let parent = Draft { nav_parent: Some("docs".to_owned()), ..page("x", "y") };
    assert!(matches!(editor.create(&parent), Err(EditError::Parent(_))));
    assert!(matches!(editor.create(&page(" ", "y")), Err(EditError::Sidecar(_))));
    let tag = Draft { tags: vec![" ".to_owned()], ..page("x", "y") };
    assert!(matches!(editor.create(&tag), Err(EditError::Sidecar(_))));
    assert!(files(root.path()).is_empty());
}

#[test]
fn halves_and_leftovers_of_a_crash_are_passed_over() {
    let (root, editor) = root(&["content"]);
    let (id, place) = editor.create(&page("One", "one")).unwrap();
    let write = |name: &str| std::fs::write(shard(root.path(), id).join(name), "x").unwrap();
    for name in [".tidings-0123456789abcdef", &format!(".{id}.9"), &format!("{id}.1.ron")] {
        write(name);
    }
    for name in [format!("{id}.01"), format!("{id}.+5"), format!("{id}.x"), format!("{id}.5.tmp")] {
        write(&name);
    }
    let (draft, seen) = editor.read(id, &place).unwrap();
    let next = editor.save(id, &place, seen, &draft).unwrap();
    assert_eq!(next, Place::Version { number: 2 });
    // And a blob without a sidecar, which is not to be had by the number of the next.
    write(&format!("{id}.3"));
    let next = editor.save(id, &next, Seen::Version(2), &draft).unwrap();
    assert_eq!(next, Place::Version { number: 4 });
    assert!(matches!(editor.read(id, &Place::Version { number: 3 }), Err(EditError::Missing(_))));
    write(&format!("{id}.{}", u32::MAX));
    assert!(matches!(editor.save(id, &next, Seen::Version(4), &draft), Err(EditError::Io { .. })));
    let left = files(root.path()).into_iter().filter(|path| path.contains("/.tidings-"));
    assert_eq!(left.count(), 1);
}

#[test]
fn a_reader_never_sees_half_an_edit() {
    let (root, editor) = root(&["content"]);
    let (id, place) = editor.create(&page("0", "0")).unwrap();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut last = 0;
                while !is_done.load(Ordering::Relaxed) {
                    let (number, sidecar, body) = current(root.path(), id).expect("a version");
                    assert_eq!(sidecar.title.as_deref(), Some(number.to_string().as_str()));
                    assert_eq!(body, number.to_string());
                    assert!(number >= last, "{number} after {last}");
                    last = number;
                }
            });
        }
        for number in 0..150 {
            let text = (number + 1).to_string();
            editor.save(id, &place, Seen::Version(number), &page(&text, &text)).unwrap();
        }
        is_done.store(true, Ordering::Relaxed);
    });
    // Nor a past one, while it is removed.
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                assert!(current(root.path(), id).is_none_or(|(number, ..)| number == 150));
            }
        });
        editor.remove(id, &place, Seen::Version(150)).unwrap();
        is_done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn of_many_who_save_the_same_one_wins() {
    let (root, editor) = root(&["content"]);
    let (id, place) = editor.create(&page("x", "x")).unwrap();
    let saved = std::thread::scope(|scope| {
        let save = |text: String| editor.save(id, &place, Seen::Version(0), &page(&text, &text));
        let threads: Vec<_> =
            (0..8).map(|one| scope.spawn(move || save(format!("by {one}")))).collect();
        let saved = threads.into_iter().map(|thread| thread.join().unwrap());
        saved
            .filter(|saved| match saved {
                Ok(_) => true,
                Err(error) => {
                    assert!(matches!(error, EditError::Changed(_)), "{error}");
                    false
                }
            })
            .count()
    });
    assert_eq!(saved, 1);
    assert_eq!(files(&root.path().join("content")).len(), 4);
}

#[test]
fn a_shard_that_is_elsewhere_is_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    let (root, editor) = root(&["content"]);
    let id = ObjectId::parse("1122334455667788").unwrap();
    std::fs::write(outside.path().join(format!("{id}.0")), "secret").unwrap();
    std::fs::write(outside.path().join(format!("{id}.0.ron")), "(mime: \"text/plain\")").unwrap();
    std::os::unix::fs::symlink(outside.path(), root.path().join("content/88")).unwrap();
    let place = Place::Version { number: 0 };
    let draft = Draft { mime: "text/plain".to_owned(), ..Draft::default() };
    assert!(matches!(editor.read(id, &place), Err(EditError::Link(_))));
    let saved = editor.save(id, &place, Seen::Version(0), &draft);
    assert!(matches!(saved, Err(EditError::Link(_))), "{saved:?}");
    assert!(matches!(editor.remove(id, &place, Seen::Version(0)), Err(EditError::Link(_))));
    assert_eq!(files(outside.path()).len(), 2);

    // Nor a blob that is.
    std::fs::remove_file(root.path().join("content/88")).unwrap();
    std::fs::create_dir(root.path().join("content/88")).unwrap();
    let blob = root.path().join(format!("content/88/{id}.0"));
    std::os::unix::fs::symlink(outside.path().join(format!("{id}.0")), &blob).unwrap();
    std::fs::write(root.path().join(format!("content/88/{id}.0.ron")), "(mime: \"text/x\")")
        .unwrap();
    assert!(matches!(editor.read(id, &place), Err(EditError::Link(_))));
}
