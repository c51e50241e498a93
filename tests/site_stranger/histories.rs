//! Random trees of pages with random rules, and programs that bring one in the place of another: nothing that is
//! restricted before or after is ever seen.
//!
//! `TIDINGS_HISTORIES` says how many there are, 2 unless told otherwise, and `TIDINGS_SEED` the first of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::content_root::{Root, Site, id_of, version_path};

/// Random numbers that follow from a seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// One state of the files, and the words and names in it.
#[derive(Default)]
struct Tree {
    files: BTreeMap<String, String>,
    /// What everybody may see.
    public: BTreeSet<String>,
    /// What nobody may see who is not signed in.
    secret: BTreeSet<String>,
    /// Paths of pages, with their status for strangers.
    paths: BTreeMap<String, u16>,
}

impl Tree {
    fn note(&mut self, words: &[String], is_public: bool) {
        let noted = if is_public { &mut self.public } else { &mut self.secret };
        noted.extend(words.iter().cloned());
    }
}

const FOLDERS: [&str; 5] = ["", "alpha", "beta", "beta/deep", "gamma"];
/// The rules of each folder, the same whenever it is there: known folders that get rules later are a hole that
/// docs/site.md names.
const RULES: [&str; 5] = ["", "roles = [\"staff\"]\n", "", "tags = [\"closed-0\"]\n", ""];
/// Pages by number: each belongs to a folder.
const PAGES: u64 = 24;

/// A tree of this number in a history. Tags that are called `closed` have roles wherever they are used.
fn tree(seed: u64, number: u64) -> Tree {
    let mut chance = Chance(seed.wrapping_mul(1_000).wrapping_add(number));
    let mut tree = Tree::default();
    let mut tags = BTreeSet::new();
    let has_folder: Vec<bool> =
        FOLDERS.iter().map(|folder| folder.is_empty() || chance.below(3) > 0).collect();
    for (index, (folder, rules)) in FOLDERS.iter().zip(RULES).enumerate() {
        let is_there = has_folder[index] && (index != 3 || has_folder[2]);
        if is_there && !rules.is_empty() {
            tree.files.insert(format!("pages/{folder}/_folder.toml"), rules.to_owned());
            if rules.starts_with("tags") {
                tags.insert("closed-0".to_owned());
            }
        }
    }
    for page in 0..PAGES {
        let index = usize::try_from(page).unwrap() % FOLDERS.len();
        let is_there = has_folder[index] && (index != 3 || has_folder[2]) && chance.below(4) > 0;
        if !is_there {
            continue;
        }
        let (line, is_open) = match chance.below(6) {
            0 => ("roles: [staff]".to_owned(), false),
            1 => ("draft: true".to_owned(), false),
            2 | 3 => {
                let tag = format!("closed-{}", chance.below(5));
                tags.insert(tag.clone());
                (format!("tags: [{tag}]"), false)
            }
            4 => ("tags: [plain]".to_owned(), true),
            _ => ("nav_order: 3".to_owned(), true),
        };
        let is_public = is_open && RULES[index].is_empty();
        let name = format!("{}zqp{page}x", ["", "2", "B", "z"][usize::try_from(page % 4).unwrap()]);
        let folder = FOLDERS[index];
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let word = format!("zqw{page}n{number}x");
        let file = format!("zqf{page}x");
        let text = format!("---\ntitle: Title {word}\n{line}\n---\n{word} ![a]({name}.svg)\n");
        tree.files.insert(format!("pages/{path}.md"), text);
        tree.files.insert(format!("pages/{path}.svg"), format!("<svg>{file}</svg>"));
        tree.note(&[word, file, name], is_public);
        let status = if is_public { 200 } else { 404 };
        tree.paths.insert(format!("/{}", path.to_lowercase()), status);
        tree.paths.insert(format!("/{}.svg", path.to_lowercase()), status);
    }
    for object in 0..6 {
        if chance.below(3) == 0 {
            continue;
        }
        let is_public = object % 2 == 0;
        let tag =
            if is_public { "plain".to_owned() } else { format!("closed-{}", chance.below(5)) };
        let name = format!("zqo{object}x");
        let path = version_path(id_of(&name), 0);
        let mime = "text/markdown";
        let sidecar =
            format!("(alias: {name:?}, title: {name:?}, mime: {mime:?}, tags: [{tag:?}])");
        tree.files.insert(format!("{path}.ron"), sidecar);
        tree.files.insert(path, format!("{name}\n"));
        tree.paths.insert(format!("/{name}"), if is_public { 200 } else { 404 });
        tree.note(&[name], is_public);
        if !is_public {
            tags.insert(tag);
        }
    }
    let tag = |tag: &String| format!("{tag}:\n  roles: [staff]\n");
    let rules: String = tags.iter().map(tag).collect();
    tree.files.insert(
        "state/sys/tags.yaml".to_owned(),
        format!("# Tags {number}.\nkept:\n  roles: []\n{rules}"),
    );
    tree
}

fn run(program: &str, folder: &Path, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    for name in ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"] {
        command.env(name, "Ada");
    }
    for name in ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"] {
        command.env(name, "ada@example.org");
    }
    command.output().is_ok_and(|output| output.status.success())
}

/// Removes what a tree does not have.
fn prune(root: &Root, tree: &Tree, before: &Tree) {
    for name in before.files.keys().filter(|name| !tree.files.contains_key(*name)) {
        let _ = fs::remove_file(root.path(name));
    }
    for folder in FOLDERS.iter().rev().filter(|folder| !folder.is_empty()) {
        let _ = fs::remove_dir(root.path(&format!("pages/{folder}")));
    }
}

/// Brings a tree in the place of another by one of several programs. Says which.
fn bring(root: &Root, chance: &mut Chance, before: &Tree, tree: &Tree) -> &'static str {
    let folder = root.folder();
    let source = tempfile::tempdir().unwrap();
    for (name, text) in &tree.files {
        let path = source.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let from = format!("{}/", source.path().display());
    let to = format!("{}/", folder.display());
    let rsync = |arguments: &[&str]| run("rsync", &folder, &[arguments, &[&from, &to]].concat());
    let write = |name: &String, text: &String, delay: u64| {
        root.write(name, text);
        std::thread::sleep(Duration::from_millis(delay));
    };
    let way = match chance.below(9) {
        0 if rsync(&["-rcI", "--inplace"]) => "rsync --inplace",
        1 if rsync(&["-rc", "--delay-updates"]) => "rsync --delay-updates",
        2 if rsync(&["-rcI", "--bwlimit=8"]) => "rsync --bwlimit",
        3 => {
            // Each emptied, and written in two pieces.
            for (name, text) in &tree.files {
                write(name, &String::new(), 1);
                let mut file = fs::OpenOptions::new().append(true).open(root.path(name)).unwrap();
                for piece in text.as_bytes().chunks(text.len().div_ceil(2).max(1)) {
                    std::io::Write::write_all(&mut file, piece).unwrap();
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            "in pieces"
        }
        4 => {
            // As sed -i and vim do: a file beside, renamed; and a backup by a link.
            for (name, text) in &tree.files {
                let path = root.path(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                let _ = fs::hard_link(&path, path.with_extension("md~"));
                let aside = path.with_file_name("sedXy12Ab");
                fs::write(&aside, text).unwrap();
                fs::rename(&aside, &path).unwrap();
                let _ = fs::remove_file(path.with_extension("md~"));
            }
            "renamed one by one"
        }
        5 => {
            // A link to the file elsewhere, made anew each time.
            for (name, text) in &tree.files {
                let store = root.outside().join(format!("{}", chance.below(u64::MAX)));
                fs::create_dir_all(store.parent().unwrap()).unwrap();
                fs::write(&store, text).unwrap();
                let _ = fs::remove_file(root.path(name));
                fs::create_dir_all(root.path(name).parent().unwrap()).unwrap();
                // A link that leads out of the root is not followed: nothing is seen, then the file.
                std::os::unix::fs::symlink(&store, root.path(name)).unwrap();
                let _ = fs::remove_file(root.path(name));
                fs::write(root.path(name), text).unwrap();
            }
            "ln -sf"
        }
        6 => {
            // Whole folders, each renamed to its place.
            for name in ["content", "pages", "state/sys"] {
                let aside = format!("{}-aside", name.replace('/', "-"));
                let _ = fs::rename(root.path(name), root.path(&aside));
                if source.path().join(name).exists() {
                    let _ = run(
                        "cp",
                        &folder,
                        &["-r", &format!("{from}{name}"), &format!("new-{aside}")],
                    );
                    fs::rename(root.path(&format!("new-{aside}")), root.path(name)).unwrap();
                }
                let _ = fs::remove_dir_all(root.path(&aside));
            }
            "mv of folders"
        }
        7 => {
            for (name, text) in tree.files.iter().rev() {
                write(name, text, 3);
            }
            "backwards"
        }
        _ => {
            let is_done = run("cp", &folder, &["-rf", &format!("{from}."), "."]);
            assert!(is_done);
            "cp -r"
        }
    };
    prune(root, tree, before);
    for (name, text) in &tree.files {
        assert_eq!(&fs::read_to_string(root.path(name)).unwrap(), text, "{way}");
    }
    way
}

/// Reads everything until it is over, and notes words that may not be seen now.
fn spy(
    site: &Site,
    forbidden: &Mutex<BTreeSet<String>>,
    is_over: &AtomicBool,
    paths: &[String],
) -> Vec<String> {
    let mut leaks = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        for path in paths {
            // What is forbidden when the answer begins and when it is there: the two states change between.
            let before = forbidden.lock().unwrap().clone();
            let answer = site.get(path);
            let body = crate::support::zip::members(&answer.body).unwrap_or(answer.body);
            let mut text = String::from_utf8_lossy(&body).into_owned();
            if answer.status == 200 && path.contains("zq") {
                text += path;
            }
            let after = forbidden.lock().unwrap().clone();
            let is_seen = |word: &&String| text.contains(&***word) && after.contains(&***word);
            leaks.extend(before.iter().filter(is_seen).map(|word| {
                let (start, _) = text.split_once(&**word).unwrap_or_default();
                let around: Vec<char> = start.chars().rev().take(80).collect();
                let around: String = around.into_iter().rev().collect();
                format!("{path} ({}): {around}{word}", answer.status)
            }));
        }
    }
    leaks
}

#[test]
fn nothing_that_is_restricted_before_or_after_is_ever_seen() {
    let number = |name: &str, default| {
        std::env::var(name).map_or(default, |value| value.parse::<u64>().unwrap())
    };
    let first = number("TIDINGS_SEED", 1);
    for seed in first..first + number("TIDINGS_HISTORIES", 2) {
        history(seed);
    }
}

fn history(seed: u64) {
    let root = Root::new();
    let mut chance = Chance(seed);
    let trees: Vec<Tree> = (0..6).map(|number| tree(seed, number)).collect();
    for (name, text) in &trees[0].files {
        root.write(name, text);
    }
    root.write("pages/index.md", "# Home\n");
    let site = root.serve(&[]);
    let lists = ["/", "/sitemap.xml", "/feed.atom", "/resourcesync/resourcelist.xml"];
    let more = [
        "/resourcesync/changelist.xml",
        "/resourcesync/resourcedump-part.zip",
        "/builtin/search?q=title",
    ];
    let paths: BTreeSet<String> =
        trees.iter().flat_map(|tree| tree.paths.keys().cloned()).collect();
    let paths: Vec<String> =
        lists.iter().chain(&more).map(|path| (*path).to_owned()).chain(paths).collect();
    let is_over = AtomicBool::new(false);
    // What was public once may stay in the feed and in the Change List.
    let mut was_public: BTreeSet<String> = trees[0].public.clone();
    let all: BTreeSet<String> =
        trees.iter().flat_map(|tree| tree.public.union(&tree.secret).cloned()).collect();
    let forbid = |public: &BTreeSet<String>| all.difference(public).cloned().collect();
    let forbidden: Mutex<BTreeSet<String>> = Mutex::new(forbid(&was_public));
    let mut ways = Vec::new();
    let leaks: Vec<String> = std::thread::scope(|scope| {
        let spies: Vec<_> = paths
            .chunks(paths.len().div_ceil(4))
            .map(|paths| scope.spawn(|| spy(&site, &forbidden, &is_over, paths)))
            .collect();
        let work = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for step in 1..trees.len() {
                was_public.extend(trees[step].public.iter().cloned());
                *forbidden.lock().unwrap() = forbid(&was_public);
                ways.push(bring(&root, &mut chance, &trees[step - 1], &trees[step]));
                // Each ends as its rules say, however soon the next one comes.
                println!("seed {seed}: {:?}", ways.last());
                if step % 2 == 0 {
                    wait_for(&site, &trees[step], seed, &ways);
                }
            }
        }));
        is_over.store(true, Ordering::Relaxed);
        let leaks = spies.into_iter().flat_map(|spy| spy.join().unwrap()).collect();
        work.unwrap();
        leaks
    });
    println!("seed {seed}: {}; {} leaks", ways.join(", "), leaks.len());
    let mut first = leaks;
    first.truncate(5);
    assert_eq!(first, [""; 0], "seed {seed}: {}", ways.join(", "));
}

/// Waits until all pages of a tree are there for those who may see them.
fn wait_for(site: &Site, tree: &Tree, seed: u64, ways: &[&str]) {
    let begun = std::time::Instant::now();
    loop {
        let wrong: Vec<String> = tree
            .paths
            .iter()
            .filter(|(path, status)| site.status(path) != **status)
            .map(|(path, status)| format!("{path} is not {status}"))
            .collect();
        if wrong.is_empty() {
            return;
        }
        assert!(begun.elapsed().as_secs() < 120, "seed {seed} {ways:?}: {wrong:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
}
