//! Holds the floors in `ARCHITECTURE.md` to the dependencies in the manifests.

use std::collections::BTreeMap;
use std::fs;

use crate::workspace;

/// The crates that each crate of the workspace depends on, without what only tests need.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let crates = workspace::root().join("crates");
    let folders = fs::read_dir(crates).into_iter().flatten().flatten();
    let depends = |entry: fs::DirEntry| {
        let manifest = fs::read_to_string(entry.path().join("Cargo.toml")).ok()?;
        let (_, section) = manifest.split_once("[dependencies]\n")?;
        let section = section.split("\n[").next()?;
        let names = section.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
        let own = names.filter(|name| name.starts_with("tidings-")).map(str::to_owned).collect();
        Some((entry.file_name().into_string().ok()?, own))
    };
    folders.filter_map(depends).collect()
}

fn floor_of(name: &str, dependencies: &BTreeMap<String, Vec<String>>) -> usize {
    let below = dependencies.get(name).into_iter().flatten();
    below.map(|below| floor_of(below, dependencies) + 1).max().unwrap_or_default()
}

/// The floors as they are written down.
fn written() -> BTreeMap<String, usize> {
    let text = fs::read_to_string(workspace::root().join("ARCHITECTURE.md")).unwrap_or_default();
    let (mut floors, mut floor) = (BTreeMap::new(), None);
    for line in text.lines().take_while(|line| !line.starts_with("## ")) {
        let mut words = line.split_whitespace().peekable();
        if words.next_if_eq(&"floor").is_some() {
            floor = words.next().and_then(|number| number.parse().ok());
        }
        if let (Some(floor), Some(name)) = (floor, words.next())
            && (name == "tidings" || name.starts_with("tidings-"))
        {
            floors.insert(name.to_owned(), floor);
        }
    }
    floors
}

#[test]
fn the_floors_in_the_architecture_are_those_of_the_manifests() {
    let dependencies = dependencies();
    let floors: BTreeMap<String, usize> =
        dependencies.keys().map(|name| (name.clone(), floor_of(name, &dependencies))).collect();
    assert!(floors.len() > 10);
    assert_eq!(written(), floors);
}
