//! A follower as a person has it: a data folder, the verbs, and a server if one is wanted.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use super::{stderr, stdout, tidings};

/// A data folder of its own, or a database.
pub struct Follower {
    pub folder: tempfile::TempDir,
    /// The URL of the database that has the state; none if the folder has it.
    pub database: Option<String>,
}

impl Default for Follower {
    fn default() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), database: None }
    }
}

impl Follower {
    pub fn data(&self) -> std::path::PathBuf {
        self.folder.path().join("data")
    }

    /// A verb on this folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = tidings();
        command.args(arguments).current_dir(self.folder.path());
        match &self.database {
            Some(url) => command.args(["--database", url]),
            None => command.arg("--data").arg(self.data()),
        };
        // What other tests copy is not to be among the copies that its server shows.
        command.env("XDG_STATE_HOME", self.folder.path().join("state"));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// The answer of a verb that has to end well, as JSON.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        serde_json::from_str(&stdout(&output)).unwrap()
    }

    /// All sites.
    pub fn sites(&self) -> Vec<Value> {
        self.json(&["sites"])["sites"].as_array().unwrap().clone()
    }

    /// The one site that there is.
    pub fn site(&self) -> Value {
        let sites = self.sites();
        assert_eq!(sites.len(), 1, "{sites:?}");
        sites[0].clone()
    }

    /// Puts a configuration where the verbs find it.
    pub fn configure(&self, text: &str) {
        std::fs::write(self.folder.path().join("tidings.toml"), text).unwrap();
    }

    /// The hosts that somebody has a lease of.
    pub fn leased_hosts(&self) -> Vec<String> {
        const LEASED: &str = "SELECT name FROM hosts
            WHERE lease_until > CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)";
        let database = rusqlite::Connection::open(self.data().join("tidings.db")).unwrap();
        let mut statement = database.prepare(LEASED).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }

    /// A server on this folder, on a free port.
    pub fn serve(&self, arguments: &[&str]) -> Serving {
        let mut command = self.command(&[&["serve", "--json"], arguments].concat());
        if !arguments.contains(&"--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        Serving::start(command)
    }
}

/// A server that runs, until it is dropped.
pub struct Serving {
    pub child: Child,
    pub base: String,
    pub address: String,
}

impl Serving {
    pub fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let Ok(ready) = serde_json::from_str::<Value>(&line) else {
            let mut errors = String::new();
            let _ = child.kill();
            child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
            panic!("the server did not start: {line}{errors}");
        };
        let text = |name: &str| ready[name].as_str().unwrap().to_owned();
        let (base, address) = (text("base"), text("address"));
        // What is logged must not fill the pipe.
        let mut log = child.stderr.take().unwrap();
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Self { child, base, address }
    }

    /// One request, as it is written; the answer's head and body.
    pub fn ask(&self, request: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        // Who is refused may be so before all was sent.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let at = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(answer.len());
        let head = String::from_utf8_lossy(&answer[..at]).into_owned();
        (head, answer.get(at + 4..).unwrap_or_default().to_vec())
    }

    /// A request with a method, a path, headers and a body.
    pub fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let length = body.len();
        let host = if headers.to_ascii_lowercase().contains("host:") {
            String::new()
        } else {
            format!("Host: {}\r\n", self.address)
        };
        let (head, body) = self.ask(&format!(
            "{method} {path} HTTP/1.1\r\n{host}Connection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        ));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        Answer { status, head, body }
    }

    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, "", "")
    }

    /// Sends JSON.
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.request("POST", path, "Content-Type: application/json\r\n", &body.to_string())
    }

    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a server answered.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("{} {}", self.head, self.text()))
    }

    pub fn header(&self, name: &str) -> Option<String> {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        let mut found = lines.filter(|(one, _)| one.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.trim().to_owned())
    }

    /// The feed, read by a program that is not ours.
    pub fn feed(&self) -> feed_rs::model::Feed {
        assert_eq!(self.status, 200, "{}", self.head);
        feed_rs::parser::parse(&self.body[..]).unwrap()
    }

    /// The titles of its entries.
    pub fn titles(&self) -> Vec<String> {
        let feed = self.feed();
        feed.entries.into_iter().map(|entry| entry.title.unwrap().content).collect()
    }
}

/// The path of a URL at a server.
pub fn path_of(url: &str) -> String {
    url::Url::parse(url).unwrap().path().to_owned()
}

/// Writes files below a folder.
pub fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
