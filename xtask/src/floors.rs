//! Holds the floors and edges in `ARCHITECTURE.md` to the dependencies in the manifests.

use std::collections::{BTreeMap, BTreeSet};
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
    let lines = text.lines().take_while(|line| !line.starts_with("## "));
    for line in lines.filter(|line| !line.contains("-->")) {
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

/// A crate and one that it depends on, without `tidings-` before their names.
type Edge = (String, String);

/// The edges as they are drawn.
fn drawn() -> BTreeSet<Edge> {
    let text = fs::read_to_string(workspace::root().join("ARCHITECTURE.md")).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.trim().split_once(" --> "));
    let edges = lines.flat_map(|(above, below)| {
        below.split(" & ").map(|below| (above.to_owned(), below.to_owned()))
    });
    edges.collect()
}

/// The edges of the manifests, but for those to crates that are also reached through another crate.
fn edges(dependencies: &BTreeMap<String, Vec<String>>) -> BTreeSet<Edge> {
    let short = |name: &str| name.strip_prefix("tidings-").unwrap_or(name).to_owned();
    let mut edges = BTreeSet::new();
    for (name, below) in dependencies {
        let reaches =
            |over: &String, one: &String| over != one && is_above(over, one, dependencies);
        let direct = below.iter().filter(|one| !below.iter().any(|over| reaches(over, one)));
        edges.extend(direct.map(|one| (short(name), short(one))));
    }
    edges
}

fn is_above(name: &str, other: &str, dependencies: &BTreeMap<String, Vec<String>>) -> bool {
    let mut below = dependencies.get(name).into_iter().flatten();
    below.any(|below| below == other || is_above(below, other, dependencies))
}

#[test]
fn the_edges_in_the_architecture_are_those_of_the_manifests() {
    let dependencies = dependencies();
    let edges = edges(&dependencies);
    assert!(edges.len() > dependencies.len());
    assert_eq!(drawn(), edges);
}

#[test]
fn the_floors_in_the_architecture_are_those_of_the_manifests() {
    let dependencies = dependencies();
    let floors: BTreeMap<String, usize> =
        dependencies.keys().map(|name| (name.clone(), floor_of(name, &dependencies))).collect();
    assert!(floors.len() > 10);
    assert_eq!(written(), floors);
}
