//! A content root of either layout, and `tidings site` that serves it.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::print_stdout,
    reason = "each test binary uses a part of it, and what is skipped is to be seen"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::support::follower::Answer;
use crate::support::{stderr, stdout, tests_folder, tidings};

/// How pages lie in a content root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// `content/<shard>/<id>.<version>`, each with a sidecar.
    Versioned,
    /// `pages/**/*.md`, with front matter.
    Plain,
}

pub const LAYOUTS: [Layout; 2] = [Layout::Versioned, Layout::Plain];

/// A page, whatever the layout.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// What its file is found by.
    pub name: &'a str,
    pub alias: &'a str,
    pub title: &'a str,
    pub tags: &'a [&'a str],
    pub robots: &'a str,
    pub body: &'a str,
    /// Its name in the navigation.
    pub nav: &'a str,
}

impl<'a> Page<'a> {
    /// One whose alias is its name.
    pub fn new(name: &'a str) -> Self {
        Self { name, alias: name, title: name, tags: &[], robots: "", body: "Words.\n", nav: "" }
    }

    pub fn alias(self, alias: &'a str) -> Self {
        Self { alias, ..self }
    }

    pub fn titled(self, title: &'a str) -> Self {
        Self { title, ..self }
    }

    pub fn tagged(self, tags: &'a [&'a str]) -> Self {
        Self { tags, ..self }
    }

    pub fn robots(self, robots: &'a str) -> Self {
        Self { robots, ..self }
    }

    pub fn says(self, body: &'a str) -> Self {
        Self { body, ..self }
    }

    pub fn in_navigation(self, nav: &'a str) -> Self {
        Self { nav, ..self }
    }

    /// What the sidecar of its versioned form has in it.
    pub fn sidecar(&self) -> String {
        let mut text = format!(
            "(alias: {}, title: {}, mime: \"text/markdown\", tags: [{}]",
            quoted(self.alias),
            quoted(self.title),
            self.tags.iter().map(|tag| quoted(tag)).collect::<Vec<_>>().join(", "),
        );
        if !self.robots.is_empty() {
            text += &format!(", robots: {}", quoted(self.robots));
        }
        if !self.nav.is_empty() {
            text += &format!(", nav_title: {}", quoted(self.nav));
        }
        text + ")"
    }

    /// What its plain form begins with.
    pub fn front_matter(&self) -> String {
        let mut text = format!("---\ntitle: {}\n", quoted(self.title));
        if self.alias != self.name {
            text += &format!("alias: {}\n", quoted(self.alias));
        }
        if !self.tags.is_empty() {
            let tags = self.tags.iter().map(|tag| quoted(tag)).collect::<Vec<_>>();
            text += &format!("tags: [{}]\n", tags.join(", "));
        }
        if !self.robots.is_empty() {
            text += &format!("robots: {}\n", quoted(self.robots));
        }
        if !self.nav.is_empty() {
            text += &format!("nav_title: {}\n", quoted(self.nav));
        }
        text + "---\n"
    }
}

/// A text as RON, YAML and JSON have it alike.
pub fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|letter| match letter {
        '"' | '\\' => format!("\\{letter}"),
        letter if letter.is_ascii_control() => format!("\\x{:02x}", u32::from(letter)),
        letter => letter.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// The id of the object of that name in the versioned layout (FNV-1a).
pub fn id_of(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A content root in a folder of its own.
pub struct Root {
    folder: tempfile::TempDir,
}

impl Root {
    /// An empty one of both layouts.
    pub fn new() -> Self {
        let root = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(root.path("content")).unwrap();
        fs::create_dir_all(root.path("pages")).unwrap();
        root
    }

    /// One in memory, where there is such a disk: its listings leave out what is renamed meanwhile.
    pub fn in_memory() -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let root = Self { folder: folder.unwrap() };
        fs::create_dir_all(root.path("content")).unwrap();
        fs::create_dir_all(root.path("pages")).unwrap();
        root
    }

    /// One with these pages.
    pub fn with(layout: Layout, pages: &[Page<'_>]) -> Self {
        let root = Self::new();
        for page in pages {
            root.put(layout, page);
        }
        root
    }

    /// It is one folder down, so that it can be moved away.
    pub fn folder(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    /// What lies beside it, and is not to be reached.
    pub fn outside(&self) -> PathBuf {
        self.folder.path().join("outside")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// A version of an object: sidecar and blob.
    pub fn version(&self, id: u64, number: u32, sidecar: &str, blob: impl AsRef<[u8]>) {
        let path = version_path(id, number);
        self.write(&format!("{path}.ron"), sidecar);
        self.write(&path, blob);
    }

    pub fn put(&self, layout: Layout, page: &Page<'_>) {
        match layout {
            Layout::Versioned => self.version(id_of(page.name), 0, &page.sidecar(), page.body),
            Layout::Plain => {
                let text = format!("{}{}", page.front_matter(), page.body);
                self.write(&format!("pages/{}.md", page.name), text);
            }
        }
    }

    /// The files that a page is made of, the blob first.
    pub fn files(&self, layout: Layout, name: &str) -> Vec<PathBuf> {
        match layout {
            Layout::Versioned => {
                let path = version_path(id_of(name), 0);
                vec![self.path(&path), self.path(&format!("{path}.ron"))]
            }
            Layout::Plain => vec![self.path(&format!("pages/{name}.md"))],
        }
    }

    pub fn remove(&self, layout: Layout, name: &str) {
        for file in self.files(layout, name) {
            fs::remove_file(file).unwrap();
        }
    }

    /// Sets the time of all files of a page.
    pub fn date(&self, layout: Layout, name: &str, seconds: u64) {
        for file in self.files(layout, name) {
            set_time(&file, seconds);
        }
    }

    /// Restricts the tag `staff` to the role of that name.
    pub fn restrict(&self) {
        self.write(
            "state/sys/tags.yaml",
            "staff:\n  name: Staff\n  roles: [staff]\n  access_rule: union\n",
        );
    }

    /// Serves it on a free port.
    pub fn serve(&self, arguments: &[&str]) -> Site {
        let mut command = tidings();
        command.arg("site").arg(self.folder()).arg("--json");
        if !arguments.contains(&"--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        command.args(arguments).current_dir(self.folder.path());
        Site::start(command)
    }

    /// Serves it so that deletions are reported at once.
    pub fn serve_unsettled(&self, arguments: &[&str]) -> Site {
        self.serve_settling("0s", arguments)
    }

    /// Serves it with that time that an object has to be gone for.
    pub fn serve_settling(&self, settle: &str, arguments: &[&str]) -> Site {
        let config = self.folder.path().join("settle.toml");
        fs::write(&config, format!("[site]\nsettle = \"{settle}\"\n")).unwrap();
        self.serve(&[arguments, &["--config", config.to_str().unwrap()]].concat())
    }

    /// `tidings site --check`.
    pub fn check(&self, arguments: &[&str]) -> Output {
        let mut command = tidings();
        command.arg("site").arg(self.folder()).arg("--check").args(arguments);
        command.current_dir(self.folder.path()).output().unwrap()
    }
}

pub fn version_path(id: u64, number: u32) -> String {
    format!("content/{:02x}/{id:016x}.{number}", id & 0xff)
}

pub fn set_time(file: &Path, seconds: u64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    fs::File::open(file).unwrap().set_modified(time).unwrap();
}

/// Seconds as a sitemap has them.
pub fn w3c(seconds: u64) -> String {
    jiff::Timestamp::from_second(i64::try_from(seconds).unwrap()).unwrap().to_string()
}

/// `tidings site`, until it is dropped.
pub struct Site {
    pub child: Child,
    pub base: String,
    pub address: String,
    /// What it said when it was ready.
    pub ready: Value,
}

impl Site {
    fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // What is logged must not fill the pipe.
        let mut log = child.stderr.take().unwrap();
        let log = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = log.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let Ok(ready) = serde_json::from_str::<Value>(&line) else {
            let _ = child.kill();
            let _ = child.wait();
            panic!("the site is not served: {line}{}", log.join().unwrap());
        };
        let text = |name: &str| ready[name].as_str().unwrap().to_owned();
        Self { child, base: text("base"), address: text("address"), ready }
    }

    /// What absolute URLs begin with, without a slash at the end.
    pub fn origin(&self) -> &str {
        self.base.trim_end_matches('/')
    }

    /// Where the administration is, without slashes at its ends. Only the first start says so.
    pub fn admin(&self) -> &str {
        self.ready["admin_path"].as_str().unwrap().trim_matches('/')
    }

    /// The answer to bytes as they are; status 0 if there was none.
    pub fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        // Who was answered early may be hung up on in the middle.
        let _ = stream.write_all(request);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        let at = all.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(all.len());
        let head = String::from_utf8_lossy(&all[..at]).into_owned();
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        let mut answer =
            Answer { status, head, body: all.get(at + 4..).unwrap_or_default().to_vec() };
        if answer.header("transfer-encoding").as_deref() == Some("chunked") {
            answer.body = unchunked(&answer.body);
        }
        answer
    }

    /// A request; each line of `headers` ends with CRLF.
    pub fn request(&self, method: &str, target: &str, headers: &str, body: &str) -> Answer {
        let length = if body.is_empty() {
            String::new()
        } else {
            format!("Content-Length: {}\r\n", body.len())
        };
        let host = if headers.to_ascii_lowercase().starts_with("host:") {
            String::new()
        } else {
            format!("Host: {}\r\n", self.address)
        };
        self.raw(
            format!(
                "{method} {target} HTTP/1.1\r\n{host}{headers}{length}Connection: close\r\n\r\n{body}"
            )
            .as_bytes(),
        )
    }

    pub fn get(&self, target: &str) -> Answer {
        self.request("GET", target, "", "")
    }

    pub fn get_with(&self, target: &str, headers: &str) -> Answer {
        self.request("GET", target, headers, "")
    }

    pub fn status(&self, target: &str) -> u16 {
        self.get(target).status
    }

    /// The text at a path that has to be there.
    #[track_caller]
    pub fn text(&self, target: &str) -> String {
        let answer = self.get(target);
        assert_eq!(answer.status, 200, "{target}: {}", answer.head);
        answer.text()
    }

    /// The paths in the sitemap, with their times.
    #[track_caller]
    pub fn listed(&self) -> BTreeMap<String, String> {
        let all = entries(&self.text("/sitemap.xml"), "url");
        let path = |loc: &str| {
            let path = loc.strip_prefix(self.origin());
            path.unwrap_or_else(|| panic!("{loc} is not of {}", self.origin())).to_owned()
        };
        let count = all.len();
        let all: BTreeMap<_, _> =
            all.into_iter().map(|(loc, lastmod)| (path(&loc), lastmod)).collect();
        assert_eq!(all.len(), count, "some are listed twice");
        all
    }

    pub fn listed_paths(&self) -> BTreeSet<String> {
        self.listed().into_keys().collect()
    }

    /// Signs in: what to send with requests from then on.
    #[track_caller]
    pub fn sign_in(&self, name: &str, password: &str) -> String {
        let form = self.get("/login/");
        let cookie = form.header("set-cookie").unwrap();
        let cookie = cookie.split(';').next().unwrap();
        let text = form.text();
        let guard = text.split("name=\"guard\" value=\"").nth(1).unwrap();
        let guard = guard.split('"').next().unwrap();
        let encoded: String = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs([("name", name), ("password", password), ("guard", guard)])
            .finish();
        let headers = format!(
            "Cookie: {cookie}\r\nContent-Type: application/x-www-form-urlencoded\r\nOrigin: {}\r\n",
            self.origin()
        );
        let answer = self.request("POST", "/login/", &headers, &encoded);
        assert_eq!(answer.status, 303, "{} {}", answer.head, answer.text());
        let session = answer
            .head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(name, value)| {
                name.eq_ignore_ascii_case("set-cookie")
                    && value.starts_with("tidings-site-session=")
            })
            .map(|(_, value)| value.split(';').next().unwrap().to_owned());
        format!("Cookie: {}\r\n", session.unwrap())
    }

    /// The administrator, at the first start.
    pub fn sign_in_admin(&self) -> String {
        let text = |name: &str| self.ready[name].as_str().unwrap();
        self.sign_in(text("user"), text("password"))
    }

    /// Makes an account of that name and roles, which has the administrator's password, and signs in.
    pub fn sign_in_as(&self, root: &Root, name: &str, roles: &[&str]) -> String {
        let accounts = tidings_site::Accounts::open(&root.path("state/tidings")).unwrap();
        let (_, hash) = accounts.find("admin").unwrap().unwrap();
        let roles = roles.iter().map(|role| (*role).to_owned()).collect();
        let account = tidings_site::Account { name: name.to_owned(), roles, is_admin: false };
        accounts.add(&account, &hash).unwrap();
        self.sign_in(name, self.ready["password"].as_str().unwrap())
    }

    /// The most memory that it ever had, in KiB.
    pub fn peak_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// Stops it as a service manager does, and waits.
    pub fn stop(mut self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.child.wait().unwrap();
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some(end) = body.windows(2).position(|two| two == b"\r\n") {
        let length = std::str::from_utf8(&body[..end]).unwrap();
        let length = usize::from_str_radix(length.trim(), 16).unwrap();
        if length == 0 {
            break;
        }
        let start = end + 2;
        all.extend_from_slice(&body[start..start + length]);
        body = &body[start + length + 2..];
    }
    all
}

/// `loc` and `lastmod` of each entry, read by an XML reader that checks the namespace.
#[track_caller]
pub fn entries(xml: &str, kind: &str) -> Vec<(String, String)> {
    use quick_xml::events::Event;
    use quick_xml::name::ResolveResult;
    let mut reader = quick_xml::NsReader::from_str(xml);
    let (mut entries, mut path, mut text) = (Vec::new(), Vec::new(), String::new());
    let mut entry = (String::new(), String::new());
    loop {
        match reader.read_resolved_event().unwrap() {
            (namespace, Event::Start(start)) => {
                let own = "http://www.sitemaps.org/schemas/sitemap/0.9";
                let ResolveResult::Bound(namespace) = namespace else {
                    panic!("an element has no namespace: {xml}")
                };
                assert_eq!(namespace.as_ref(), own);
                path.push(start.local_name().as_ref().to_owned());
                text.clear();
            }
            (_, Event::Text(some)) => text += &some,
            (_, Event::GeneralRef(some)) => {
                text.push_str(match &*some {
                    "amp" => "&",
                    "apos" => "'",
                    "quot" => "\"",
                    "lt" => "<",
                    "gt" => ">",
                    other => panic!("&{other};"),
                });
            }
            (_, Event::End(_)) => {
                let names: Vec<&str> = path.iter().skip(1).map(String::as_str).collect();
                match names[..] {
                    [one, "loc"] if one == kind => entry.0 = std::mem::take(&mut text),
                    [one, "lastmod"] if one == kind => entry.1 = std::mem::take(&mut text),
                    [one] if one == kind => entries.push(std::mem::take(&mut entry)),
                    [] => {}
                    _ => panic!("{names:?} has no place in a sitemap"),
                }
                path.pop();
            }
            (_, Event::Eof) => {
                assert!(path.is_empty(), "{path:?} does not end");
                return entries;
            }
            _ => {}
        }
    }
}

/// Asserts that the schema of sitemaps.org accepts a document; skips that where there is none.
#[track_caller]
pub fn assert_schema(xml: &[u8], schema: &str) {
    let beside = || tests_folder().join("../../shared/corpus");
    let corpus = std::env::var_os("TIDINGS_CORPUS").map_or_else(beside, PathBuf::from);
    let schema = corpus.join("xsd").join(schema);
    if !schema.exists() {
        println!("skipped: there is no {}", schema.display());
        return;
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), xml).unwrap();
    let mut command = Command::new("xmllint");
    command.arg("--noout").arg("--schema").arg(&schema).arg(file.path());
    let Ok(output) = command.output() else {
        println!("skipped: there is no xmllint; `cargo xtask setup` installs it");
        return;
    };
    assert!(output.status.success(), "{}", stderr(&output));
}

/// Programs of others, which `TIDINGS_JUDGES` can name a folder of: a Python environment, with Node's
/// modules in `node_modules`.
fn judges() -> Option<PathBuf> {
    std::env::var_os("TIDINGS_JUDGES").map(PathBuf::from)
}

/// What a Python script says that needs a module; nothing where that is not there.
#[track_caller]
pub fn python(module: &str, script: &str, arguments: &[&str]) -> Option<String> {
    let python = judges().map_or_else(|| "python3".into(), |folder| folder.join("bin/python"));
    let probe = Command::new(&python).args(["-c", &format!("import {module}")]).output();
    if !probe.is_ok_and(|probe| probe.status.success()) {
        println!("skipped: there is no Python module {module}; TIDINGS_JUDGES can name a folder");
        return None;
    }
    let output = Command::new(&python).args(["-c", script]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    Some(stdout(&output))
}

/// A script of such an environment, to be run.
pub fn judge(program: &str) -> Option<Command> {
    let path = judges().map_or_else(|| program.into(), |folder| folder.join("bin").join(program));
    if Command::new(&path).arg("--help").output().is_err() {
        println!("skipped: there is no {program}; TIDINGS_JUDGES can name a folder that has it");
        return None;
    }
    Some(Command::new(path))
}

/// What a script for Node says that needs a module.
#[track_caller]
pub fn node(module: &str, script: &str, arguments: &[&str]) -> Option<String> {
    let folder = judges().unwrap_or_else(|| ".".into());
    if !folder.join("node_modules").join(module).exists() {
        println!("skipped: there is no npm module {module}; TIDINGS_JUDGES can name a folder");
        return None;
    }
    let mut command = Command::new("node");
    command.args(["--input-type=module", "-e", script]).args(arguments).current_dir(folder);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    Some(stdout(&output))
}
