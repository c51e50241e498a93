//! The files that posts use: they come into the folder with a post, and `check` looks for them.

use std::fs;
use std::path::Path;

use image::RgbImage;
use serde_json::Value;

use crate::stage::{index, page};
use crate::support::server::{Reply, Server};
use crate::support::{run, stderr, stdout, write_all};

/// A webfeed, and a folder of notes.
struct Desk {
    feed: tempfile::TempDir,
    notes: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        let feed = tempfile::tempdir().unwrap();
        let output = run(["webfeed", "init", feed.path().to_str().unwrap(), "--author", "Ada"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        Self { feed, notes: tempfile::tempdir().unwrap() }
    }

    fn note(&self, name: &str, text: &str) -> String {
        write_all(self.notes.path(), &[(name, text)]);
        self.notes.path().join(name).to_str().unwrap().to_owned()
    }

    fn picture(&self, name: &str, width: u32, seed: u8) {
        save(&self.notes.path().join(name), width, seed);
    }

    #[track_caller]
    fn add(&self, arguments: &[&str]) -> Value {
        let feed = self.feed.path().to_str().unwrap();
        let output = run([&["webfeed", "add", "--json", feed], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        serde_json::from_str(&stdout(&output)).unwrap()
    }

    #[track_caller]
    fn refused(&self, arguments: &[&str]) -> String {
        let feed = self.feed.path().to_str().unwrap();
        let before = listing(self.feed.path());
        let output = run([&["webfeed", "add", feed], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{}{}", stdout(&output), stderr(&output));
        assert_eq!(listing(self.feed.path()), before, "nothing is written");
        stderr(&output)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.feed.path().join(name)).unwrap()
    }

    fn rules(&self) -> Vec<(String, String)> {
        rules(self.feed.path().to_str().unwrap())
    }
}

fn save(path: &Path, width: u32, seed: u8) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let dot = |x: u32, y: u32| image::Rgb([x as u8 ^ seed, y as u8, seed]);
    RgbImage::from_fn(width, width / 2, dot).save(path).unwrap();
}

fn listing(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            names.extend(listing(&path));
        }
        names.push(path.display().to_string());
    }
    names.sort();
    names
}

/// The rules that are broken by more than a note, and what is said.
fn rules(target: &str) -> Vec<(String, String)> {
    let output = run(["webfeed", "check", "--json", "--allow-private", target]);
    let said: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let documents = said["documents"].as_array().unwrap().iter();
    let findings = documents.flat_map(|one| one["findings"].as_array().unwrap());
    let text = |it: &Value, key: &str| it[key].as_str().unwrap().to_owned();
    findings
        .filter(|it| it["severity"] != "note")
        .map(|it| (text(it, "rule"), text(it, "detail")))
        .collect()
}

#[test]
fn the_pictures_of_a_post_come_with_it() {
    let desk = Desk::new();
    desk.picture("fog.png", 8, 1);
    desk.picture("img/boat.png", 8, 2);
    desk.picture("../outside.png", 8, 3);
    let fog = desk.note(
        "fog.md",
        "# Fog\n\n![f](fog.png)\n---\n![b](img/boat.png) ![](https://a.example/x.png)\n",
    );
    let said = desk.add(&[&fog]);
    assert_eq!(said["added"][0]["copied"].as_array().unwrap().len(), 2, "{said}");
    assert!(desk.read("fog.html").contains("src=\"img/boat.png\""));
    assert!(desk.feed.path().join("fog.png").exists());
    assert_eq!(desk.rules(), []);
    // HTML with its style sheet, whose picture comes, too; the bytes of the page stay.
    desk.picture("css/bg.png", 8, 4);
    desk.note("css/own.css", "section{background:url(bg.png)}");
    let html = "<title>Boat</title><link rel=stylesheet href=css/own.css><link rel=icon href=fog.png>\
                <section><img src='img/boat.png' srcset='img/boat.png 2x'></section>\n";
    let boat = desk.note("boat.html", html);
    desk.add(&[&boat]);
    assert_eq!(desk.read("boat.html"), html);
    assert!(desk.feed.path().join("css/bg.png").exists());
    // What is shown and is not below the page.
    let up = desk.note("sub/up.html", "<section><h1>Up</h1><img src=../img/boat.png></section>");
    desk.add(&[&up]);
    assert!(desk.read("up.html").contains("<img src=boat.png>"), "{}", desk.read("up.html"));
    assert_eq!(desk.rules(), []);
}

#[test]
fn a_name_that_is_taken_makes_another() {
    let desk = Desk::new();
    desk.picture("one/a.png", 8, 1);
    desk.picture("two/a.png", 8, 2);
    desk.note("one/post.css", "p{color:red}");
    let one = desk.note(
        "one/one.html",
        "<link rel=stylesheet href=post.css><section><h1>One</h1><img src=\"a.png\"></section>",
    );
    let two = desk.note("two/two.md", "# Two\n\n![x](a.png)\n");
    desk.add(&[&one, &two]);
    assert!(desk.read("one.html").contains("href=post-2.css"), "{}", desk.read("one.html"));
    assert!(desk.read("two.html").contains("src=\"a-2.png\""), "{}", desk.read("two.html"));
    assert_ne!(
        fs::read(desk.feed.path().join("a.png")).unwrap(),
        fs::read(desk.feed.path().join("a-2.png")).unwrap()
    );
    // What is the same is there once.
    let said = desk.add(&[&two]);
    assert_eq!(said["added"][0]["copied"].as_array().unwrap().len(), 0, "{said}");
    assert_eq!(desk.rules(), []);
}

#[test]
fn a_picture_that_is_missing_is_named_before_anything_is_written() {
    let desk = Desk::new();
    desk.picture("here.png", 8, 1);
    let post = desk.note("fog.md", "# Fog\n\n![](here.png)\n\n![](gone.png)\n");
    let why = desk.refused(&[&post]);
    assert!(why.contains("uses gone.png") && why.contains("put it there"), "{why}");
    // A letter is no picture, whoever names it.
    desk.note("../secret.key", "mine");
    let post = desk.note("key.html", "<section><h1>x</h1><img src=../secret.key></section>");
    assert!(desk.refused(&[&post]).contains("no picture"));
    // Of a page that is there already.
    write_all(desk.feed.path(), &[("own.html", "<section><img src=none.png></section>")]);
    let own = desk.feed.path().join("own.html");
    assert!(desk.refused(&[own.to_str().unwrap()]).contains("none.png"));
}

#[test]
fn large_photographs_are_made_smaller_on_request() {
    let desk = Desk::new();
    desk.picture("big.jpg", 1200, 1);
    let post = desk.note("big.md", "# Big\n\n![](big.jpg)\n");
    desk.add(&[&post, "--resize=300"]);
    let size = image::image_dimensions(desk.feed.path().join("big.jpg")).unwrap();
    assert_eq!(size, (300, 150));
    // The same again is the same.
    let said = desk.add(&[&post, "--resize=300"]);
    assert_eq!(said["added"][0]["copied"].as_array().unwrap().len(), 0, "{said}");
    // Without the request it is another file.
    desk.add(&[&post]);
    assert_eq!(image::image_dimensions(desk.feed.path().join("big-2.jpg")).unwrap(), (1200, 600));
    // What is too large for readers is said.
    fs::write(desk.notes.path().join("huge.png"), vec![0; 9 << 20]).unwrap();
    let post = desk.note("huge.md", "# Huge\n\n![](huge.png)\n");
    let said = desk.add(&[&post]);
    assert!(
        said["added"][0]["warnings"][0].as_str().unwrap().contains("huge.png has 9437184 bytes"),
        "{said}"
    );
    let found = desk.rules();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, "WF-subresource-large");
}

#[test]
fn check_names_every_file_that_is_missing_too_large_or_no_picture() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start();
    let post = "<meta name=author content=Ada><link rel=stylesheet href=s.css><link rel=icon href=icon.png>\
        <section style='background:url(gone-1.png)'><img src=gone-2.png><img src=big.png><img src=fine.png>\
        <img src=drawn.svg><img src=gone-2.png></section>";
    let sheet = "p{background:url(gone-3.png)}";
    save(&folder.path().join("fine.png"), 8, 1);
    let fine = fs::read(folder.path().join("fine.png")).unwrap();
    fs::write(folder.path().join("big.png"), vec![0; 9 << 20]).unwrap();
    fs::write(folder.path().join("index.txt"), "post.html\n").unwrap();
    fs::write(folder.path().join("icon.png"), &fine).unwrap();
    write_all(folder.path(), &[("post.html", post), ("s.css", sheet), ("drawn.svg", "<svg/>")]);
    server.put("/index.txt", index("post.html\n"));
    server.put("/post.html", Reply::ok(post).with("Content-Type", "text/html"));
    server.put("/s.css", Reply::ok(sheet).with("Content-Type", "text/css"));
    server.put("/drawn.svg", Reply::ok("<svg/>").with("Content-Type", "image/svg+xml"));
    server.put("/big.png", Reply::ok(vec![0; 9 << 20]));
    for name in ["fine.png", "icon.png"] {
        server.put(&format!("/{name}"), Reply::ok(fine.clone()));
    }
    for target in [folder.path().to_str().unwrap().to_owned(), server.url("/index.txt")] {
        let found = rules(&target);
        let of = |rule: &str| -> Vec<&str> {
            found.iter().filter(|(it, _)| it == rule).map(|(_, detail)| detail.as_str()).collect()
        };
        let missing = of("WF-subresource-missing");
        assert_eq!(missing.len(), 3, "{target}: {found:#?}");
        for number in 1..=3 {
            assert!(
                missing.iter().any(|it| it.contains(&format!("gone-{number}.png"))),
                "{missing:?}"
            );
        }
        assert!(of("WF-subresource-large")[0].contains("big.png"), "{found:#?}");
        assert!(of("WF-subresource-kind")[0].contains("drawn.svg"), "{found:#?}");
        assert_eq!(found.len(), 5, "{found:#?}");
    }
    // One post by itself is looked at in the same way.
    let alone = rules(folder.path().join("post.html").to_str().unwrap());
    assert_eq!(alone.len(), 5, "{alone:#?}");
    server.put("/index.txt", index("fine.html\n"));
    server.put("/fine.html", page("fine"));
    assert_eq!(rules(&server.url("/index.txt")), []);
}
