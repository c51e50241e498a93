//! A Source on a server of ours, the copy of it, and what must hold of both.
#![allow(clippy::print_stdout, reason = "the counts are what is published")]

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use tidings_destination::{Progress, Report, Step, SyncError, SyncOptions, sync};

use super::documents::{Item, capability_list, resource_list};
use super::server::{Reply, Server};
use super::{keep_apart, stderr, stdout, tests_folder};

/// What lies beside the copy and must stay as it is.
const SENTINEL: &str = "not yours";

pub struct Stage {
    pub server: Server,
    parent: tempfile::TempDir,
}

/// What a run answered with.
pub struct Run {
    code: Option<i32>,
    all: String,
    pub json: Value,
}

impl Stage {
    pub fn new() -> Self {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("sentinel"), SENTINEL).unwrap();
        Self { server: Server::start(), parent }
    }

    /// A Source with these files in its Resource List, with their digests, and a Capability List.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let stage = Self::new();
        stage.files(files);
        stage.list(&stage.items(files));
        stage
    }

    /// The same, copied.
    #[track_caller]
    pub fn copied(files: &[(&str, &str)]) -> Self {
        let stage = Self::with(files);
        stage.sync(&[]).exits(0);
        stage.has(files);
        stage
    }

    /// The beginning of a copy with a Change List, which is empty.
    #[track_caller]
    pub fn followed(files: &[(&str, &str)]) -> Self {
        let stage = Self::with(files);
        stage.changes(&super::documents::change_list(&[]));
        stage.sync(&[]).exits(0);
        stage.has(files);
        stage
    }

    pub fn url(&self, path: &str) -> String {
        self.server.url(path)
    }

    pub fn put(&self, path: &str, reply: Reply) {
        self.server.put(path, reply);
    }

    pub fn text(&self, path: &str, body: impl Into<Vec<u8>>) {
        self.put(path, Reply::ok(body));
    }

    pub fn files(&self, files: &[(&str, &str)]) {
        for (path, content) in files {
            self.text(&format!("/{path}"), *content);
        }
    }

    /// Entries for these files, with their digests.
    pub fn items(&self, files: &[(&str, &str)]) -> Vec<Item> {
        let item = |(path, content): &(&str, &str)| self.item(path).of(content);
        files.iter().map(item).collect()
    }

    pub fn item(&self, path: &str) -> Item {
        Item::new(self.url(&format!("/{path}")))
    }

    /// A Resource List, and a Capability List that has it.
    pub fn list(&self, items: &[Item]) {
        self.list_text(resource_list(items));
    }

    pub fn list_text(&self, list: impl Into<Vec<u8>>) {
        self.list_reply(Reply::ok(list));
    }

    pub fn list_reply(&self, reply: Reply) {
        self.put("/resourcelist.xml", reply);
        self.offer(&["resourcelist"]);
    }

    /// A Change List, which the Capability List has from now on, too.
    pub fn changes(&self, list: &str) {
        self.text("/changelist.xml", list);
        self.offer(&["resourcelist", "changelist"]);
    }

    pub fn offer(&self, capabilities: &[&str]) {
        let offers: Vec<_> =
            capabilities.iter().map(|one| (*one, self.url(&format!("/{one}.xml")))).collect();
        self.text("/capabilitylist.xml", capability_list(&offers));
    }

    pub fn copy(&self) -> PathBuf {
        self.parent.path().join("copy")
    }

    /// The folder of the copy that the server's own resources are in.
    pub fn home(&self) -> PathBuf {
        self.copy().join(format!("127.0.0.1+{}", self.server.port()))
    }

    /// The folder that the copy is in.
    pub fn parent(&self) -> &Path {
        self.parent.path()
    }

    /// `tidings sync`, from the Capability List.
    pub fn sync(&self, options: &[&str]) -> Run {
        self.run("sync", "/capabilitylist.xml", options)
    }

    pub fn sync_from(&self, start: &str, options: &[&str]) -> Run {
        self.run("sync", start, options)
    }

    pub fn run(&self, command: &str, start: &str, options: &[&str]) -> Run {
        self.run_within(60, command, start, options)
    }

    /// The same with a number of seconds, after which it is killed: what hangs must not hang the test.
    pub fn run_within(&self, seconds: u32, command: &str, start: &str, options: &[&str]) -> Run {
        let mut tidings = tidings_within(seconds);
        tidings.arg(command).arg(self.url(start)).arg(self.copy()).arg("--json").args(options);
        // Nothing here is asked by TLS, and a hundred authorities take longer to read than the rest.
        let authority = tests_folder().join("support/authority.pem");
        let output = tidings.env("SSL_CERT_FILE", authority).output().unwrap();
        let all = format!("{}\n{}", stdout(&output), stderr(&output));
        let json = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let run = Run { code: output.status.code(), all, json };
        self.nothing_outside(&run);
        run
    }

    /// `tidings sync` that is killed as soon as something is so.
    pub fn sync_until(&self, start: &str, options: &[&str], is_time: impl Fn() -> bool) {
        let mut tidings = Command::new(env!("CARGO_BIN_EXE_tidings"));
        tidings.arg("sync").arg(self.url(start)).arg(self.copy()).args(options);
        tidings.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        keep_apart(&mut tidings);
        let mut run = tidings.spawn().unwrap();
        while !is_time() {
            assert_eq!(run.try_wait().unwrap(), None, "it ended before");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        run.kill().unwrap();
        assert!(!run.wait().unwrap().success());
    }

    /// An audit that reads every byte says that the copy is in sync.
    #[track_caller]
    pub fn in_sync(&self, start: &str, options: &[&str]) {
        self.run("audit", start, &[&["--deep"], options].concat()).exits(0);
    }

    /// Nothing but the copy is new, and nothing is left over in it.
    #[track_caller]
    fn nothing_outside(&self, run: &Run) {
        let all = &run.all;
        let sentinel = fs::read_to_string(self.parent.path().join("sentinel"));
        assert_eq!(sentinel.ok().as_deref(), Some(SENTINEL), "the sentinel changed: {all}");
        let mut beside: Vec<String> = fs::read_dir(self.parent.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !matches!(name.as_str(), "copy" | "sentinel" | "outside"))
            .collect();
        beside.sort();
        assert_eq!(beside, Vec::<String>::new(), "outside of the copy: {all}");
        let unfinished = self.copy().join(".tidings/tmp");
        let left = files_of(&unfinished);
        assert!(left.is_empty() || unfinished.is_symlink(), "left over: {left:?}: {all}");
    }

    /// The files of the copy, those of the server's own folder by their paths in it.
    pub fn found(&self) -> BTreeMap<String, Vec<u8>> {
        let home = format!("127.0.0.1+{}/", self.server.port());
        files_of(&self.copy())
            .into_iter()
            .filter(|(path, _)| !path.starts_with(".tidings/"))
            .map(|(path, bytes)| match path.strip_prefix(&home) {
                Some(path) => (path.to_owned(), bytes),
                None => (format!("../{path}"), bytes),
            })
            .collect()
    }

    /// The copy has these files with this content, and no other.
    #[track_caller]
    pub fn has(&self, files: &[(&str, &str)]) {
        let expected: BTreeMap<String, String> =
            files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let found: BTreeMap<String, String> = self
            .found()
            .into_iter()
            .map(|(path, bytes)| (path, String::from_utf8_lossy(&bytes).into_owned()))
            .collect();
        assert_eq!(found, expected);
    }
}

fn tidings_within(seconds: u32) -> Command {
    let mut command = Command::new("timeout");
    command.args(["-s", "KILL", &seconds.to_string(), env!("CARGO_BIN_EXE_tidings")]);
    command.env_remove("NO_COLOR").stdin(Stdio::null());
    keep_apart(&mut command);
    command
}

impl Run {
    #[track_caller]
    pub fn exits(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{}", self.all);
        self
    }

    #[track_caller]
    pub fn says(&self, text: &str) -> &Self {
        assert!(self.all.contains(text), "no {text:?} in: {}", self.all);
        self
    }

    #[track_caller]
    pub fn counts(&self, name: &str, number: u64) -> &Self {
        assert_eq!(self.json[name].as_u64(), Some(number), "{name} of: {}", self.all);
        self
    }
}

/// A run in this process: as the program does it, with what only a program of one's own can set.
pub fn sync_here(options: &SyncOptions) -> Result<Report, String> {
    struct Silent;
    impl Progress for Silent {
        fn show(&mut self, _: &Step<'_>) {}
    }
    loop {
        match sync(options, &mut Silent) {
            // A program that another thread is about to start holds our last lock for a moment.
            Err(SyncError::Locked { .. }) => std::thread::yield_now(),
            result => return result.map_err(|error| error.to_string()),
        }
    }
}

/// Every file below a folder, by its path there. Links are not followed; they are told as such.
pub fn files_of(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_symlink() {
                found.insert(name, b"(a link)".to_vec());
            } else {
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

/// One thing that a Source may do to those who copy it.
pub struct Case {
    name: String,
    /// Why it does not hold yet.
    known: Option<&'static str>,
    run: Box<dyn Fn() + Send + Sync>,
}

impl Case {
    pub fn known(mut self, reason: &'static str) -> Self {
        self.known = Some(reason);
        self
    }
}

pub fn case(name: impl Into<String>, run: impl Fn() + Send + Sync + 'static) -> Case {
    Case { name: name.into(), known: None, run: Box::new(run) }
}

/// Runs the cases, which are `things`, some at once: most of their time they wait for the disk or the network.
/// `TIDINGS_CASE` picks those whose names contain it.
pub fn hold(things: &str, cases: Vec<Case>) {
    let chosen = std::env::var("TIDINGS_CASE").unwrap_or_default();
    let cases: Vec<Case> = cases.into_iter().filter(|one| one.name.contains(&chosen)).collect();
    let next = AtomicUsize::new(0);
    let told = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let begun = std::time::Instant::now();
                    let panic = catch_unwind(AssertUnwindSafe(&case.run)).err();
                    told.lock().unwrap().push((
                        case,
                        panic.map(|panic| text_of(&*panic)),
                        begun.elapsed(),
                    ));
                }
            });
        }
    });
    let told = told.into_inner().unwrap();
    let mut wrong = Vec::new();
    let mut rows: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (case, panic, time) in &told {
        let row = rows.entry(case.name.split(' ').next().unwrap_or_default()).or_default();
        row.1 += 1;
        match (panic, case.known) {
            (None, None) => row.0 += 1,
            (Some(_), Some(reason)) => println!("{} does not hold yet: {reason}", case.name),
            (None, Some(_)) => wrong.push(format!("{}: it holds by now", case.name)),
            (Some(panic), None) => wrong.push(format!("{}: {panic}", case.name)),
        }
        if std::env::var_os("TIDINGS_TIMES").is_some() {
            println!("{:>8.2} s  {}", time.as_secs_f64(), case.name);
        }
    }
    for (row, (held, total)) in rows.iter().filter(|(_, (_, total))| *total > 1) {
        println!("{row}: {held} of {total} held");
    }
    let held: usize = rows.values().map(|(held, _)| held).sum();
    println!("{held} of {} {things} held", told.len());
    assert!(wrong.is_empty(), "{} do not hold:\n{}", wrong.len(), wrong.join("\n"));
}

fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
}
