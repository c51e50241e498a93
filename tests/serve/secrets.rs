//! Secrets stay where they are: not in what is kept, not in what is logged, not in what is said.

use std::process::{Command, Output, Stdio};

use serde_json::json;

use crate::stage::{bearer, raw, reachable, token, with_batches};
use crate::support::follower::{Follower, Serving};
use crate::support::server::{Reply, Server};
use crate::support::{stderr, stdout};

const CANARY: &str = "kanarienvogel";

/// All bytes of the state.
fn kept(follower: &Follower) -> Vec<u8> {
    let mut all = Vec::new();
    let mut folders = vec![follower.data()];
    while let Some(folder) = folders.pop() {
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => all.extend(std::fs::read(path).unwrap()),
            }
        }
    }
    assert!(all.starts_with(b"SQLite") || all.windows(6).any(|six| six == b"SQLite"));
    all
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// A server whose log is kept, too.
fn logged(follower: &Follower, arguments: &[&str]) -> (Serving, std::path::PathBuf) {
    let path = follower.folder.path().join("log");
    let log = std::fs::File::create(&path).unwrap();
    let mut shell = std::process::Command::new("sh");
    let program = follower.command(&[&["serve", "--json", "--verbose"], arguments].concat());
    shell.arg("-c").arg("exec \"$@\" 2>\"$LOG\"").arg("sh").arg(program.get_program());
    shell.args(program.get_args()).args(["--listen", "0.0.0.0:0"]);
    shell.env("LOG", &path).env("RUST_LOG", "trace").stdin(Stdio::null());
    shell.current_dir(follower.folder.path());
    drop(log);
    (Serving::start(shell), path)
}

#[test]
fn tokens_are_neither_kept_nor_logged() {
    let (follower, _store) = with_batches(1);
    let mut tokens =
        vec![token(&follower, "cli", &["--admin"]), token(&follower, "cli-reader", &["--read"])];
    let (server, log) = logged(&follower, &["--no-poll", "--log", "json"]);
    let post = |path: &str, token: &str, body: &str| {
        let (host, length) = (reachable(&server), body.len());
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n{}\r\n{body}",
            bearer(token)
        );
        raw(&server, head.as_bytes())
    };
    let body = json!({ "name": "api", "scope": "write" }).to_string();
    let made = post("/api/tokens", &tokens[0], &body);
    assert_eq!(made.status, 201, "{}", made.text());
    tokens.push(made.json()["token"].as_str().unwrap().to_owned());
    // Used, used wrongly, and nearly right.
    for token in tokens.clone() {
        post("/api/sites", &token, "{\"url\": \"http://127.0.0.1:9/\"}");
        post("/api/sites", &token, "{");
        post(&format!("/api/nothing?token={token}"), &token, "");
        post("/api/tokens", &format!("{token}x"), &body);
    }
    server.signal("-TERM");
    let mut server = server;
    server.child.wait().unwrap();
    let (kept, log) = (kept(&follower), std::fs::read(log).unwrap());
    assert!(has(&log, "ready"));
    for token in &tokens {
        let secret = &token["tidings_".len()..];
        assert!(secret.len() > 40);
        assert!(!has(&kept, secret) && !has(&kept, &token[..20]), "a token is kept");
        assert!(!has(&log, secret), "a token is logged: {}", String::from_utf8_lossy(&log));
    }
    let listed = stdout(&follower.run(&["token", "list", "--json"]));
    assert!(listed.contains("\"api\"") && tokens.iter().all(|token| !listed.contains(&token[8..])));
}

#[test]
fn a_password_in_a_url_is_refused_and_appears_nowhere() {
    let theirs = Server::start();
    theirs.put("/sitemap.xml", Reply::ok("<urlset/>"));
    let (follower, _store) = with_batches(1);
    let with = theirs.url("/").replace("http://", &format!("http://user:{CANARY}@"));
    let only_user = theirs.url("/").replace("http://", &format!("http://{CANARY}@"));
    for url in [&with, &only_user] {
        let output = follower.run(&["follow", url]);
        assert_eq!(output.status.code(), Some(2));
        let all = stderr(&output) + &stdout(&output);
        assert!(!all.contains(CANARY) && all.contains("password"), "{all}");
    }
    let (server, log) = logged(&follower, &["--no-poll"]);
    let write = token(&follower, "writer", &[]);
    let body = json!({ "url": with }).to_string();
    let head = format!(
        "POST /api/sites HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n{}\r\n{body}",
        body.len(),
        bearer(&write)
    );
    let answer = raw(&server, head.as_bytes());
    assert_eq!(answer.status, 400);
    assert!(!answer.text().contains(CANARY), "{}", answer.text());
    assert!(!has(&kept(&follower), CANARY));
    assert!(!has(&std::fs::read(log).unwrap(), CANARY));
    assert!(theirs.log().is_empty());
}

/// What cannot be a URL, or none that could be followed, may have a password in it nevertheless.
#[test]
fn a_password_in_what_is_no_good_is_not_said_either() {
    let (follower, _store) = with_batches(1);
    let list = follower.folder.path().join("list.opml");
    let url = format!("http://user:{CANARY}@127.0.0.1:9/feed");
    std::fs::write(
        &list,
        format!("<opml version=\"2.0\"><body><outline text=\"x\" xmlUrl=\"{url}\"/></body></opml>"),
    )
    .unwrap();
    let ftp = format!("ftp://user:{CANARY}@a.example/");
    let broken = format!("http://user:{CANARY}@a b/");
    let mut said = Vec::new();
    for arguments in [
        &["follow", &ftp][..],
        &["follow", &broken],
        &["poll", &url],
        &["unfollow", &url],
        &["opml", "import", list.to_str().unwrap()],
        &["opml", "import", list.to_str().unwrap(), "--json"],
    ] {
        let output = follower.run(arguments);
        if (stderr(&output) + &stdout(&output)).contains(CANARY) {
            said.push(arguments.join(" "));
        }
    }
    assert!(said.is_empty(), "{said:#?}");
}

#[test]
fn the_password_of_a_database_is_never_printed() {
    let follower = Follower::default();
    for database in [
        format!("postgres://user:{CANARY}@127.0.0.1:9/tidings"),
        format!("postgres://user:{CANARY}@127.0.0.1:port/tidings"),
        format!("postgres://user:{CANARY}@no-such-host.invalid/tidings"),
        format!("postgres://user:{CANARY}@127.0.0.1/tidings?nonsense=1"),
        format!("postgres://user:{CANARY}@"),
        format!("mysql://user:{CANARY}@127.0.0.1/tidings"),
        format!("host=127.0.0.1 port=9 user=x password={CANARY}"),
        format!("user:{CANARY}@127.0.0.1"),
    ] {
        for verb in [&["sites"][..], &["serve", "--listen", "127.0.0.1:0"], &["poll", "--json"]] {
            let mut command = crate::support::tidings();
            command.args(verb).args(["--database", &database, "--verbose"]);
            command.current_dir(follower.folder.path()).env("RUST_LOG", "trace");
            let output = command.output().unwrap();
            let all = stderr(&output) + &stdout(&output);
            assert_eq!(output.status.code(), Some(2), "{all}");
            assert!(!all.contains(CANARY), "{verb:?} {database}: {all}");
            assert!(!all.trim().is_empty());
        }
        // By the environment and by the configuration, too.
        let output = follower_with(&follower, &database);
        assert!(!output.contains(CANARY), "{database}: {output}");
    }
}

fn follower_with(follower: &Follower, database: &str) -> String {
    follower.configure(&format!("[serve]\ndatabase = {database:?}\n"));
    let mut command = crate::support::tidings();
    command.arg("sites").current_dir(follower.folder.path());
    let configured = command.output().unwrap();
    std::fs::remove_file(follower.folder.path().join("tidings.toml")).unwrap();
    let mut command = crate::support::tidings();
    command.args(["sites", "--help"]).env("TIDINGS_DATABASE", database);
    let helped = command.output().unwrap();
    stderr(&configured) + &stdout(&configured) + &stdout(&helped) + &stderr(&helped)
}

#[test]
fn a_base_with_a_password_is_refused() {
    let follower = Follower::default();
    let base = format!("https://user:{CANARY}@feeds.example.org/");
    let mut command = follower.command(&["serve", "--listen", "127.0.0.1:0", "--base", &base]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = std::time::Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            None if begun.elapsed() < std::time::Duration::from_secs(3) => {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            status => break status,
        }
    };
    let _ = child.kill();
    child.wait().unwrap();
    assert_eq!(status.and_then(|status| status.code()), Some(2));
}

/// Runs a verb while the operating system refuses to give random bytes at one of the times it is asked for some, or,
/// without a time, never; and how often it is asked.
fn without_random_bytes(
    follower: &Follower,
    arguments: &[&str],
    time: Option<usize>,
) -> (Output, usize) {
    let log = tempfile::NamedTempFile::new().unwrap();
    let command = follower.command(arguments);
    let injection = time.map(|time| format!("inject=getrandom:error=EIO:when={time}"));
    let output = Command::new("strace")
        .args(["-f", "-qq", "-o", log.path().to_str().unwrap(), "-e", "trace=getrandom"])
        .args(injection.iter().flat_map(|injection| ["-e", injection]))
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(follower.folder.path())
        .output()
        .expect("strace; `cargo xtask setup` installs it");
    let count = std::fs::read_to_string(log.path()).unwrap().matches("getrandom(").count();
    (output, count)
}

#[test]
fn without_random_bytes_there_is_an_error_and_no_secret() {
    let follower = Follower::default();
    assert!(follower.run(&["token", "add", "first"]).status.success());
    let length = |output: &Output| {
        let said: serde_json::Value = serde_json::from_str(&stdout(output)).unwrap();
        said["token"].as_str().unwrap().len()
    };
    let (made, count) = without_random_bytes(&follower, &["token", "add", "whole", "--json"], None);
    let whole = length(&made);
    let mut refused = 0;
    for time in 1..=count {
        let name = format!("token-{time}");
        let add = ["token", "add", &name, "--json"];
        let (output, _) = without_random_bytes(&follower, &add, Some(time));
        match output.status.code() {
            // What was refused was not for a secret, or was had in another way.
            Some(0) => assert_eq!(length(&output), whole, "{time}"),
            Some(2) => refused += 1,
            // The standard library can do nothing without them.
            _ => assert!(stderr(&output).contains("random"), "{time}: {}", stderr(&output)),
        }
        let is_made = output.status.success();
        assert_eq!(stdout(&output).contains("tidings_"), is_made, "{time}: {}", stdout(&output));
        let listed = stdout(&follower.run(&["token", "list"]));
        assert_eq!(listed.contains(&name), is_made, "{time}: {listed}");
    }
    assert!(refused > 0, "of {count} times the token was asked for at none");
}
