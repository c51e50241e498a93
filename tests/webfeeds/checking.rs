//! What `tidings webfeed check` says of folders, files and servers.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::stage::{index, page};
use crate::support::server::Server;
use crate::support::{feed, run, stderr, stdout, tidings, write_all};

const POST: &str = "<meta name=author content=Ada><section>x</section>";

fn folder_of(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_all(folder.path(), files);
    folder
}

fn named(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

/// What is said in answer to a check, for scripts.
#[track_caller]
fn said(output: &Output) -> Value {
    serde_json::from_str(&stdout(output)).unwrap_or_else(|_| panic!("{}", stderr(output)))
}

fn checked(target: &str) -> Value {
    said(&run(["webfeed", "check", "--json", "--allow-private", target]))
}

/// The findings that are more than notes: of which document, the rule, and the line.
fn wrong(said: &Value) -> Vec<(usize, &str, u64)> {
    let documents = said["documents"].as_array().unwrap().iter().enumerate();
    documents
        .flat_map(|(at, one)| one["findings"].as_array().unwrap().iter().map(move |it| (at, it)))
        .filter(|(_, it)| it["severity"] != "note")
        .map(|(at, it)| (at, it["rule"].as_str().unwrap(), it["line"].as_u64().unwrap()))
        .collect()
}

fn kinds(said: &Value) -> Vec<&str> {
    let documents = said["documents"].as_array().unwrap().iter();
    documents.map(|one| one["kind"].as_str().unwrap()).collect()
}

fn piped(arguments: &[&str], text: &str) -> Output {
    let mut command = tidings();
    command.args(arguments);
    let text = text.to_owned();
    feed(command, move |input| input.write_all(text.as_bytes()))
}

#[test]
fn a_folder_and_its_address_are_judged_alike() {
    let server = Server::start();
    let lines = "/post-1\npost-2.html\n/feed/post-2.html#top\n";
    server.put("/feed/post-2.html", page("two"));
    server.put("/post-1", page("one"));
    let text = format!("# served at {}\n{lines}", server.url("/feed/"));
    server.put("/feed/index.txt", index(text.as_str()));
    let folder = folder_of(&[("index.txt", &text), ("post-1.html", POST), ("post-2.html", POST)]);
    let (here, there) =
        (checked(&named(folder.path(), "")), checked(&server.url("/feed/index.txt")));
    assert_eq!(wrong(&here), wrong(&there));
    let expected = [(0, "WF-index-root", 2), (0, "WF-index-root", 4), (0, "WF-index-twice", 4)];
    assert_eq!(wrong(&here), expected);
    assert_eq!(
        kinds(&here),
        ["webfeed, 2 posts", "1 section", "outside of the folder, not looked at"]
    );
}

#[test]
fn a_line_from_the_root_is_looked_at_in_a_folder_that_says_no_address() {
    let folder = folder_of(&[("index.txt", "/post-1\n/missing\nnotes/\n"), ("post-1.html", POST)]);
    write_all(folder.path(), &[("notes/index.html", POST)]);
    let said = checked(&named(folder.path(), ""));
    let expected =
        [(0, "WF-index-root", 1), (0, "WF-index-root", 2), (2, "WF-post-unreachable", 0)];
    assert_eq!(wrong(&said), expected);
    assert_eq!(kinds(&said), ["webfeed, 3 posts", "1 section", "not there", "1 section"]);
}

#[test]
fn addresses_below_that_of_the_folder_are_files_in_it() {
    let text = "# served at https://a.example/feed/\nhttps://a.example/feed/b%20c.html\n\
                https://a.example/feed/missing\nhttps://b.example/feed/x\n";
    let folder = folder_of(&[("index.txt", text), ("b c.html", POST)]);
    let said = checked(&named(folder.path(), ""));
    assert_eq!(wrong(&said), [(2, "WF-post-unreachable", 0)]);
    let expected = ["webfeed, 3 posts", "repost, not looked at", "not there", "1 section"];
    assert_eq!(kinds(&said), expected);
}

#[test]
fn an_index_or_a_post_comes_by_standard_input() {
    for command in [vec!["webfeed", "check"], vec!["validate", "--profile", "webfeed"]] {
        let arguments = [command, vec!["--json", "-"]].concat();
        let index = said(&piped(&arguments, "# mine\na.html\n./a.html\n/b\n"));
        assert_eq!(wrong(&index), [(0, "WF-index-twice", 3), (0, "WF-index-root", 4)]);
        assert_eq!(kinds(&index), ["webfeed, 2 posts"]);
        let post = said(&piped(&arguments, "\n<p>x"));
        assert_eq!(wrong(&post)[0], (0, "WF-post-section", 0));
        assert_eq!(
            (&post["documents"][0]["target"], kinds(&post)[0]),
            (&"-".into(), "post, 0 sections")
        );
    }
}

#[test]
fn a_page_is_checked_as_a_post_unless_it_is_called_a_text() {
    let body = "<body><section>x</section>";
    let files = ["a.html", "b.XHTML", "c", "d.txt"].map(|name| (name, body));
    let folder = folder_of(&files);
    for (name, rule) in ["a.html", "b.XHTML", "c"].map(|it| (it, "WF-post-body")) {
        let said = checked(&named(folder.path(), name));
        assert_eq!((wrong(&said), kinds(&said)), (vec![(0, rule, 0)], vec!["post, 1 section"]));
    }
    let text = checked(&named(folder.path(), "d.txt"));
    assert_eq!(wrong(&text), [(0, "WF-index-html", 0)]);
    let server = Server::start();
    for (path, kind) in [
        ("/a.html", "post, 1 section"),
        ("/post-1", "post, 1 section"),
        ("/feed/", "no webfeed"),
        ("/index.txt", "no webfeed"),
    ] {
        server.put(path, page("one"));
        assert_eq!(kinds(&checked(&server.url(path))), [kind], "{path}");
    }
}

#[test]
fn a_map_is_not_for_webfeeds() {
    let map = "https://a.example/=feed";
    let refused =
        run(["validate", "--profile", "webfeed", "--map", map, "https://a.example/index.txt"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("--map is not for webfeeds"), "{}", stderr(&refused));
}

#[test]
fn what_looks_like_a_webfeed_has_a_hint_for_people() {
    let hint = "add --profile webfeed";
    for text in [
        "# mine\n\nhello.html\n",
        "post-1\n/post 3\nhttps://a.example/x",
        "\u{feff}<!DOCTYPE html><SECTION>x</SECTION>",
    ] {
        let output = piped(&["validate", "-"], text);
        assert_eq!(stdout(&output).matches(hint).count(), 1, "{text}: {}", stdout(&output));
        let output = piped(&["validate", "-", "--json"], text);
        assert!(!stdout(&output).contains(hint), "{}", stdout(&output));
    }
    for text in [
        "",
        "# nothing\n",
        "Dear Ada,\nhello.\n",
        "{\"a-b\":1}",
        "<p>x",
        "<?xml version=\"1.0\"?><rss><description><![CDATA[<section>]]></description></rss>",
    ] {
        let output = piped(&["validate", "-"], text);
        assert!(!stdout(&output).contains(hint), "{text}: {}", stdout(&output));
    }
}

#[test]
fn what_cannot_be_read_is_not_called_missing() {
    // A folder in the place of a file is there, and cannot be read by anybody.
    let folder = folder_of(&[("feed/index.txt", "post.html\n"), ("other/index.txt/x", "")]);
    fs::create_dir(folder.path().join("feed/post.html")).unwrap();
    let said = checked(&named(folder.path(), "feed"));
    assert_eq!(wrong(&said), [(1, "WF-post-unreachable", 0)]);
    let detail = said["documents"][1]["findings"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("post.html cannot be read: "), "{detail}");
    assert_eq!(kinds(&said)[1], "not readable");
    let output = run(["webfeed", "check", &named(folder.path(), "other")]);
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    assert!(stderr(&output).contains("index.txt cannot be read: "), "{}", stderr(&output));
    assert!(!stdout(&output).contains("webfeed init"), "{}", stdout(&output));
    #[cfg(unix)]
    {
        let circle = folder.path().join("circle");
        std::os::unix::fs::symlink(&circle, &circle).unwrap();
        let output = run(["webfeed", "check", circle.to_str().unwrap()]);
        assert!(stderr(&output).contains("circle cannot be read: "), "{}", stderr(&output));
    }
}

#[test]
fn a_server_that_refuses_head_is_quoted() {
    let server = Server::start();
    server.put("/a.html", page("a"));
    server.put("/index.txt", index("a.html\n").without_head());
    let said = checked(&server.url("/index.txt"));
    assert_eq!(wrong(&said), [(0, "WF-poll-length", 0)]);
    let detail = said["documents"][0]["findings"][0]["detail"].as_str().unwrap();
    assert!(detail.starts_with("HEAD is answered with 405"), "{detail}");
    server.put("/index.txt", index("a.html\n").breaking_at_head());
    let said = checked(&server.url("/index.txt"));
    let detail = said["documents"][0]["findings"][0]["detail"].as_str().unwrap();
    assert!(detail.starts_with("HEAD is not answered: "), "{detail}");
}

#[test]
fn whose_it_is_is_taken_from_the_newest_post_as_readers_take_it() {
    let folder = folder_of(&[
        ("index.txt", "old.html\nnew.html\nhttps://b.example/x\n"),
        ("old.html", POST),
        ("new.html", "<section>x</section>"),
    ]);
    let at = named(folder.path(), "");
    let says = "neither the page of the folder nor the newest post says an author";
    let output = run(["webfeed", "check", &at]);
    assert!(stdout(&output).contains(says), "{}", stdout(&output));
    write_all(folder.path(), &[("index.html", "<meta name=author content=Ada>")]);
    let output = run(["webfeed", "check", &at]);
    assert!(!stdout(&output).contains(says), "{}", stdout(&output));
}

#[test]
fn scripts_are_told_how_many_there_are_and_of_which_folder() {
    let files = [
        ("a/index.txt", "https://b.example/x\nhello.html\n"),
        ("a/hello.html", "<section>x</section><section>y</section>"),
        ("b/index.txt", "hello.html\n"),
        ("b/hello.html", POST),
    ];
    let folder = folder_of(&files);
    let (a, b) = (named(folder.path(), "a"), named(folder.path(), "b"));
    let said = said(&run(["webfeed", "check", "--json", &a, &b]));
    let documents = said["documents"].as_array().unwrap().iter();
    let told: Vec<_> = documents
        .map(|one| (one["target"].as_str().unwrap(), one["entries"].as_u64().unwrap()))
        .collect();
    let (hello, other) = (format!("{a}/hello.html"), format!("{b}/hello.html"));
    let expected = [(&*a, 2), (&*hello, 2), ("https://b.example/x", 0), (&*b, 1), (&*other, 1)];
    assert_eq!(told, expected);
    let shown = stdout(&run(["webfeed", "check", &a]));
    assert!(shown.contains("\n  hello.html: 2 sections"), "{shown}");
}
