//! Publishing: `tidings webfeed`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::support::{feed, run, stderr, stdout, tidings, write_all};

fn made() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let output = run(["webfeed", "init", at(&folder), "--author", "Ada", "--about", "Boats"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    folder
}

fn at(folder: &tempfile::TempDir) -> &str {
    folder.path().to_str().unwrap()
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[track_caller]
fn well(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(output), stderr(output));
    stdout(output)
}

#[test]
fn a_new_webfeed_has_nothing_wrong_and_is_not_made_twice() {
    let folder = made();
    let checked = run(["webfeed", "check", at(&folder)]);
    let said = well(&checked);
    assert!(said.contains("WF-identity-icon") && !said.contains("warning"), "{said}");
    let again = run(["webfeed", "init", at(&folder)]);
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("is there already"), "{}", stderr(&again));
    let index = read(folder.path(), "index.txt");
    assert!(index.ends_with("\nhello.html\n"), "{index}");
    let post = read(folder.path(), "hello.html");
    assert_eq!(post.matches("<section>").count(), 2);
    assert!(!post.contains("<body"), "{post}");
}

#[test]
fn what_is_there_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("index.html"), "mine").unwrap();
    well(&run(["webfeed", "init", at(&folder)]));
    assert_eq!(read(folder.path(), "index.html"), "mine");
}

#[test]
fn markdown_html_pages_and_addresses_become_posts() {
    let folder = made();
    let notes = tempfile::tempdir().unwrap();
    let md = notes.path().join("fog.md");
    fs::write(&md, "# Fog & <b>mist</b>\n\nOne\n---\nTwo\n\n***\n\nThree\n").unwrap();
    well(&run(["webfeed", "add", at(&folder), md.to_str().unwrap()]));
    let html = notes.path().join("x.html");
    fs::write(&html, "<title>Whole</title><section>a</section><section>b</section>").unwrap();
    well(&run(["webfeed", "add", at(&folder), html.to_str().unwrap(), "--name", "whole"]));
    assert_eq!(read(folder.path(), "whole.html"), read(notes.path(), "x.html"), "as it is");
    fs::write(&html, "<p>Just a line").unwrap();
    well(&run(["webfeed", "add", at(&folder), html.to_str().unwrap(), "--name", "line.html"]));
    assert!(read(folder.path(), "line.html").contains("<section>\n<p>Just a line\n</section>"));
    fs::write(folder.path().join("by hand.html"), "<section>mine</section>").unwrap();
    let by_hand = folder.path().join("by hand.html");
    well(&run(["webfeed", "add", at(&folder), by_hand.to_str().unwrap()]));
    well(&run(["webfeed", "add", at(&folder), "https://friend.example/a"]));
    let mut command = tidings();
    command.args(["webfeed", "add", at(&folder), "-", "--json"]);
    let piped = feed(command, |input| input.write_all(b"# From a pipe\n"));
    let said: serde_json::Value = serde_json::from_str(&well(&piped)).unwrap();
    assert_eq!(said["added"][0]["line"], "from-a-pipe.html", "{said}");
    let index = read(folder.path(), "index.txt");
    let posts: Vec<_> =
        index.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert_eq!(
        posts,
        [
            "hello.html",
            "fog-mist.html",
            "whole.html",
            "line.html",
            "by hand.html",
            "https://friend.example/a",
            "from-a-pipe.html"
        ]
    );
    assert_eq!(read(folder.path(), "fog-mist.html").matches("<section>").count(), 3);
    let listed = read(folder.path(), "index.html");
    assert!(listed.contains(">Whole</a>") && listed.contains("data-webfeed-href"), "{listed}");
    well(&run(["webfeed", "check", at(&folder)]));
}

#[test]
fn f1_each_edit_changes_the_length_of_the_index() {
    let folder = made();
    let mut lengths = Vec::new();
    for number in 0..12 {
        let mut command = tidings();
        command.args(["webfeed", "add", at(&folder), "-", "--name", &format!("p{number:02}")]);
        well(&feed(command, |input| input.write_all(b"# Hello\n")));
        lengths.push(read(folder.path(), "index.txt").len());
        let old = format!("p{:02}.html", number - 1);
        if number > 0 {
            well(&run(["webfeed", "remove", at(&folder), &old, "--delete"]));
            lengths.push(read(folder.path(), "index.txt").len());
            assert!(!folder.path().join(&old).exists());
        }
    }
    let mut unique = lengths.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), lengths.len(), "{lengths:?}");
    well(&run(["webfeed", "remove", at(&folder), "--keep", "0"]));
    let index = read(folder.path(), "index.txt");
    assert!(index.lines().all(|line| line.is_empty() || line.starts_with('#')), "{index}");
}

#[test]
fn what_cannot_be_done_says_why() {
    let folder = made();
    let empty = tempfile::tempdir().unwrap();
    for (arguments, why) in [
        (vec!["webfeed", "add", at(&empty), "https://a.example/"], "tidings webfeed init"),
        (vec!["webfeed", "add", at(&folder), "/no/such/file.md"], "/no/such/file.md"),
        (vec!["webfeed", "add", at(&folder), "https://"], "no address"),
        (vec!["webfeed", "remove", at(&folder), "nothing"], "hello.html"),
        (vec!["webfeed", "remove", at(&folder)], "required"),
        (vec!["webfeed", "check", "/no/such/folder"], "not there"),
    ] {
        let output = run(arguments.iter().copied());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stdout(&output));
        assert!(stderr(&output).contains(why), "{arguments:?}: {}", stderr(&output));
    }
    let mut command = tidings();
    command.args(["webfeed", "add", at(&folder), "-", "--name", "../../x"]);
    let output = feed(command, |input| input.write_all(b"# x\n"));
    assert!(stderr(&output).contains("no name for a post"), "{}", stderr(&output));
    let mut command = tidings();
    command.args(["webfeed", "add", at(&folder), "-"]);
    let output = feed(command, |_| Ok(()));
    assert!(stderr(&output).contains("nothing in it"), "{}", stderr(&output));
}

#[test]
fn check_names_what_is_wrong() {
    let folder = made();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("body.html", "<body><section>x</section></body>");
    write("script.html", "<section onclick=x>x</section><script>1</script>");
    write("none.html", "<p>x");
    write("outside.html", "before<section>x</section>");
    write("nested.html", "<div><section>x</section></div>");
    write("picture.png", "x");
    let index = "hello.html\nbody.html\nscript.html\nnone.html\noutside.html\nnested.html\n\
                 picture.png\nmissing.html\njavascript:alert(1)\nhello.html\n";
    write("index.txt", index);
    for command in [vec!["webfeed", "check"], vec!["validate", "--profile", "webfeed"]] {
        let output = run(command.into_iter().chain([at(&folder), "--json"]));
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let said: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        let documents = said["documents"].as_array().unwrap();
        let rules: Vec<&str> = documents
            .iter()
            .flat_map(|one| one["findings"].as_array().unwrap())
            .map(|finding| finding["rule"].as_str().unwrap())
            .collect();
        for rule in [
            "WF-index-address",
            "WF-index-twice",
            "WF-post-body",
            "WF-post-ignored",
            "WF-post-handler",
            "WF-post-section",
            "WF-post-outside",
            "WF-post-nested",
            "WF-post-type",
            "WF-post-unreachable",
        ] {
            assert!(rules.contains(&rule), "{rule}: {rules:?}");
        }
    }
    let nothing = tempfile::tempdir().unwrap();
    let output = run(["webfeed", "check", at(&nothing)]);
    assert!(stdout(&output).contains("WF-index-none"), "{}", stdout(&output));
    write("index.txt", "<html>");
    let output = run(["webfeed", "check", at(&folder)]);
    assert!(stdout(&output).contains("WF-index-html"), "{}", stdout(&output));
}

#[test]
fn with_a_base_there_is_an_atom_feed_and_it_remembers_when_posts_came() {
    let folder = tempfile::tempdir().unwrap();
    let base = "https://ada.example/feed";
    well(&run(["webfeed", "init", at(&folder), "--author", "Ada", "--base", base]));
    let taken = || {
        let bytes = fs::read(folder.path().join("feed.atom")).unwrap();
        let url = url::Url::parse("https://ada.example/feed/feed.atom").unwrap();
        tidings_feed::TakenFeed::read(&bytes, None, &url).unwrap()
    };
    let first = taken();
    assert_eq!(first.author.as_deref(), Some("Ada"));
    assert_eq!(first.entries[0].id, "https://ada.example/feed/hello.html");
    let mut command = tidings();
    command.args(["webfeed", "add", at(&folder), "-", "https://friend.example/a"]);
    well(&feed(command, |input| input.write_all(b"# Fog\n\nQuiet.\n")));
    let second = taken();
    let ids: Vec<_> = second.entries.iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "https://friend.example/a",
            "https://ada.example/feed/fog.html",
            "https://ada.example/feed/hello.html"
        ]
    );
    assert_eq!(second.entries[1].title.as_deref(), Some("Fog"));
    assert_eq!(second.entries[2].published, first.entries[0].published);
    let index = read(folder.path(), "index.html");
    assert!(index.contains("application/atom+xml"), "{index}");
}

#[test]
fn a_published_folder_has_its_posts_in_a_set_of_their_own() {
    let site = tempfile::tempdir().unwrap();
    let path = |name: &str| site.path().join(name);
    fs::write(path("page.html"), "<title>A page</title>").unwrap();
    let config = path("tidings.toml");
    fs::write(
        &config,
        "[[publish.set]]\nname = \"feed\"\nprefix = \"feed/\"\n[[publish.set]]\nname = \"rest\"\n",
    )
    .unwrap();
    let public = path("public");
    fs::create_dir(&public).unwrap();
    let feed = public.join("feed");
    well(&run(["webfeed", "init", feed.to_str().unwrap(), "--author", "Ada"]));
    let publish = || {
        well(&run([
            "publish",
            public.to_str().unwrap(),
            "--base",
            "https://ada.example/",
            "--config",
            config.to_str().unwrap(),
        ]))
    };
    publish();
    let note = path("fog.md");
    fs::write(&note, "# Fog\n").unwrap();
    well(&run(["webfeed", "add", feed.to_str().unwrap(), note.to_str().unwrap()]));
    publish();
    let list = read(&public, "resourcesync/feed/resourcelist.xml");
    assert!(list.contains("<loc>https://ada.example/feed/fog.html</loc>"), "{list}");
    let changes = read(&public, "resourcesync/feed/changelist.xml");
    assert!(changes.contains("feed/fog.html") && changes.contains("created"), "{changes}");
    assert!(read(&public, "sitemap.xml").contains("feed/hello.html"));
}

#[test]
fn odd_names_of_files_are_lines_that_lead_to_them() {
    let folder = made();
    for (name, line) in [
        ("#1.html", "%231.html"),
        ("what?.html", "what%3F.html"),
        ("50%25.html", "50%2525.html"),
        ("Note: today.html", "Note%3A today.html"),
        (" lead.html", "%20lead.html"),
        ("back\\slash.html", "back%5Cslash.html"),
        ("tab\tand\nline.html", "tab%09and%0Aline.html"),
    ] {
        let file = folder.path().join(name);
        fs::write(&file, "<section>x</section>").unwrap();
        well(&run(["webfeed", "add", at(&folder), file.to_str().unwrap()]));
        let index = read(folder.path(), "index.txt");
        assert!(index.ends_with(&format!("\n{line}\n")), "{index}");
    }
    let checked = well(&run(["webfeed", "check", at(&folder)]));
    assert!(!checked.contains("error") && checked.contains("back%5Cslash.html"), "{checked}");
    let removed = well(&run(["webfeed", "remove", at(&folder), "what%3F.html", "--delete"]));
    assert!(removed.contains("removed what%3F.html\ndeleted "), "{removed}");
    assert!(!folder.path().join("what?.html").exists());
}

#[test]
fn a_page_in_an_old_encoding_is_taken_byte_for_byte() {
    let folder = made();
    let notes = tempfile::tempdir().unwrap();
    let file = notes.path().join("cafe.html");
    let page = b"<meta charset=\"iso-8859-1\"><title>Caf\xe9</title><section>Caf\xe9</section>";
    fs::write(&file, page).unwrap();
    well(&run(["webfeed", "add", at(&folder), file.to_str().unwrap(), "--name", "cafe"]));
    assert_eq!(fs::read(folder.path().join("cafe.html")).unwrap(), page);
    let listed = read(folder.path(), "index.html");
    assert!(listed.contains(">Café</a>"), "{listed}");
}

#[test]
fn what_stays_listed_keeps_its_file() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.html", "b.html", "c.html"] {
        fs::write(folder.path().join(name), "<section>x</section>").unwrap();
    }
    let index = "a.html\nb.html\nc.html?lang=de\nc.html#top\na.html\n";
    fs::write(folder.path().join("index.txt"), index).unwrap();
    let said = well(&run(["webfeed", "remove", at(&folder), "c.html?lang=de", "--delete"]));
    assert!(said.contains("removed c.html?lang=de\n4 posts left"), "{said}");
    let said = well(&run(["webfeed", "remove", at(&folder), "--keep", "2", "--delete"]));
    assert!(said.starts_with("removed b.html\ndeleted "), "{said}");
    assert!(said.contains("2 posts left"), "{said}");
    assert!(read(folder.path(), "index.txt").ends_with("\nc.html#top\na.html\n"));
    let exist = ["a.html", "b.html", "c.html"].map(|name| folder.path().join(name).exists());
    assert_eq!(exist, [true, false, true]);
    let said = well(&run(["webfeed", "remove", at(&folder), "c.html", "--delete"]));
    assert!(said.starts_with("removed c.html#top\ndeleted "), "{said}");
}

#[test]
fn two_who_edit_at_once_lose_nothing() {
    let folder = made();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let at = at(&folder);
            scope.spawn(move || {
                let url = format!("https://friend.example/{number}");
                well(&run(["webfeed", "add", at, &url]));
            });
        }
    });
    let index = read(folder.path(), "index.txt");
    assert_eq!(index.matches("https://friend.example/").count(), 8, "{index}");
}

#[test]
fn an_edit_by_hand_is_not_hidden_by_the_next() {
    let folder = made();
    for round in 0..70 {
        let text = read(folder.path(), "index.txt");
        // Somebody adds a comment of any length.
        fs::write(folder.path().join("index.txt"), format!("{text}# {}\n", "x".repeat(round)))
            .unwrap();
        let before = read(folder.path(), "index.txt").len();
        well(&run(["webfeed", "add", at(&folder), &format!("https://a.example/{round}")]));
        assert_ne!(read(folder.path(), "index.txt").len(), before);
    }
}

/// That nothing was done, and that it is said why.
#[track_caller]
fn refused(arguments: &[&str], why: &str) {
    let output = run(arguments.iter().copied());
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stdout(&output));
    assert!(stderr(&output).contains(why), "{arguments:?}: {}", stderr(&output));
}

#[test]
fn all_posts_are_added_or_none() {
    let folder = made();
    let notes = tempfile::tempdir().unwrap();
    let path = |name: &str| notes.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("good.md"), "# Good\n").unwrap();
    fs::write(path("empty.md"), "\n").unwrap();
    let before = read(folder.path(), "index.txt");
    for (wrong, why) in [
        (path("missing.md"), "missing.md"),
        (path("empty.md"), "empty.md has nothing in it"),
        ("ftp://a.example/x".to_owned(), "ftp://a.example/x: only http and https"),
    ] {
        refused(&["webfeed", "add", at(&folder), &path("good.md"), &wrong], why);
        assert_eq!(read(folder.path(), "index.txt"), before);
        assert!(!folder.path().join("good.html").exists());
    }
    let friend = "https://friend.example/a";
    let said = well(&run(["webfeed", "add", at(&folder), &path("good.md"), friend]));
    assert!(said.contains("added good.html: 1 section") && said.contains("repost"), "{said}");
    assert!(read(folder.path(), "index.txt").ends_with(&format!("\ngood.html\n{friend}\n")));
}

/// All files of a folder, with what is in them.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

#[test]
fn a_dry_run_names_the_files_that_the_run_writes_and_deletes() {
    let home = tempfile::tempdir().unwrap();
    write_all(home.path(), &[("fog.md", "# Fog\n\n![A boat](boat.gif)\n"), ("boat.gif", "GIF89a")]);
    let feed = home.path().join("feed");
    let (folder, fog) = (feed.to_str().unwrap(), home.path().join("fog.md"));
    let fog = fog.to_str().unwrap();
    for arguments in [
        &["init", folder, "--author", "Ada", "--base", "https://ada.example/"][..],
        &["add", folder, fog],
        &["add", folder, "https://b.example/post"],
        &["edit", folder, "hello.html", fog],
        &["remove", folder, "fog.html", "--delete"],
        &["remove", folder, "--keep", "1", "--delete"],
        &["remove", folder, "--keep", "9"],
    ] {
        let before = files(&feed);
        let run = |more: &[&str]| {
            let output = run([&["webfeed"], arguments, more].concat());
            assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
            output
        };
        let planned = stdout(&run(&["--dry-run"]));
        let json: Value = serde_json::from_str(&stdout(&run(&["--dry-run", "--json"]))).unwrap();
        assert_eq!(files(&feed), before, "{arguments:?}: nothing is done");
        assert_eq!(feed.exists(), !before.is_empty());
        run(&[]);
        let after = files(&feed);
        let paths = |name: &str| -> BTreeSet<PathBuf> {
            json[name].as_array().unwrap().iter().map(|it| it.as_str().unwrap().into()).collect()
        };
        // What is written may come out as it was, as the page of the folder does.
        let changed: BTreeSet<PathBuf> = after
            .iter()
            .filter(|one| before.get(one.0) != Some(one.1))
            .map(|one| one.0.clone())
            .collect();
        assert!(changed.is_subset(&paths("writes")), "{arguments:?}: {changed:?}, {planned}");
        assert!(
            paths("writes").iter().all(|path| after.contains_key(path)),
            "{arguments:?}: {planned}"
        );
        let gone: BTreeSet<PathBuf> =
            before.keys().filter(|path| !after.contains_key(*path)).cloned().collect();
        assert_eq!(paths("deletes"), gone, "{arguments:?}: {planned}");
        for path in paths("writes") {
            assert!(planned.contains(&format!("would write {}\n", path.display())), "{planned}");
        }
        for path in &gone {
            assert!(planned.contains(&format!("would delete {}\n", path.display())), "{planned}");
        }
        if let Some(bytes) = json["index"]["bytes"].as_u64() {
            assert_eq!(after[&feed.join("index.txt")].len() as u64, bytes, "{arguments:?}");
        }
    }
}

#[test]
fn all_posts_are_removed_or_none() {
    let folder = made();
    let friend = "https://friend.example/a";
    well(&run(["webfeed", "add", at(&folder), friend]));
    let before = read(folder.path(), "index.txt");
    refused(&["webfeed", "remove", at(&folder), "hello.html", "nothing", "--delete"], "nothing is");
    assert_eq!(read(folder.path(), "index.txt"), before);
    assert!(folder.path().join("hello.html").exists());
    let said = well(&run([
        "webfeed",
        "remove",
        at(&folder),
        "hello.html",
        friend,
        "hello.html",
        "--delete",
    ]));
    assert!(said.starts_with(&format!("removed hello.html\nremoved {friend}\ndeleted ")), "{said}");
    assert!(said.contains(&format!("there is no file of {friend} here to delete\n")), "{said}");
    assert!(said.contains("0 posts left") && !said.contains("no file of hello"), "{said}");
    assert!(!folder.path().join("hello.html").exists());
}

#[test]
fn only_what_readers_take_is_published() {
    let folder = made();
    let notes = tempfile::tempdir().unwrap();
    let path = |name: &str| notes.path().join(name).to_str().unwrap().to_owned();
    let before = read(folder.path(), "index.txt");
    let picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    let large = "x".repeat((1 << 20) + 1);
    for (name, bytes, why) in [
        ("p.png", &picture[..], "cannot be added: only Markdown"),
        ("p.pdf", b"# text", ".html"),
        ("program", picture, "program is no text"),
        ("p.html", picture, "p.html is no text"),
        ("p.MD", b"caf\xe9", "p.MD is no text"),
        ("large.txt", large.as_bytes(), "large.txt makes a post of more than 1 MiB"),
        ("large.htm", large.as_bytes(), "readers take no more"),
    ] {
        fs::write(path(name), bytes).unwrap();
        refused(&["webfeed", "add", at(&folder), &path(name)], why);
    }
    for (bytes, why) in
        [(large.into_bytes(), "standard input makes"), (vec![0], "standard input is no")]
    {
        let mut command = tidings();
        command.args(["webfeed", "add", at(&folder), "-"]);
        let output = feed(command, move |input| input.write_all(&bytes));
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
    assert_eq!(read(folder.path(), "index.txt"), before);
    for (name, text) in [("plain", "Just text"), ("p.Markdown", "# A\n"), ("x.XHTML", "<p>B")] {
        fs::write(path(name), text).unwrap();
        well(&run(["webfeed", "add", at(&folder), &path(name)]));
    }
}

#[test]
fn front_matter_is_not_published() {
    let folder = made();
    let mut command = tidings();
    command.args(["webfeed", "add", at(&folder), "-"]);
    let text = b"---\ntitle: Front\ndate: 2020\n---\nText\n";
    well(&feed(command, |input| input.write_all(text)));
    let post = read(folder.path(), "front.html");
    assert!(post.contains("<title>Front</title>") && !post.contains("2020"), "{post}");
    assert_eq!(post.matches("<section>").count(), 1, "{post}");
}

#[test]
fn a_folder_is_not_on_the_web() {
    for address in ["https://a.example/feed/", "HTTP://a.example"] {
        for verb in ["init", "add", "remove"] {
            let arguments = ["webfeed", verb, address, "x.md"];
            let arguments = &arguments[..if verb == "init" { 3 } else { 4 }];
            refused(arguments, "DIR is a folder on this computer");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    for base in ["https://a.example/?x", "https://a.example/#x", "https://a.example/x?"] {
        refused(&["webfeed", "init", at(&folder), "--base", base], "? or #");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_webfeed_comes_to_say_where_it_is_served() {
    let by_hand = made();
    refused(&["webfeed", "init", at(&by_hand)], "`# served at URL`");
    let index = read(by_hand.path(), "index.txt");
    let served = format!("{index}# served at https://ada.example/feed\n");
    fs::write(by_hand.path().join("index.txt"), served).unwrap();
    let friend = "https://friend.example/a";
    well(&run(["webfeed", "add", at(&by_hand), friend]));
    let atom = read(by_hand.path(), "feed.atom");
    assert!(atom.contains("https://ada.example/feed/hello.html"), "{atom}");

    let folder = made();
    let base = ["--base", "https://ada.example/feed"];
    let init: Vec<&str> = ["webfeed", "init", at(&folder)].into_iter().chain(base).collect();
    let said = well(&run(init.iter().copied()));
    assert!(said.contains("index.txt\n") && said.contains("feed.atom\n"), "{said}");
    let index = read(folder.path(), "index.txt");
    assert!(index.contains(".\n# served at https://ada.example/feed/\n\nhello.html\n"), "{index}");
    let atom = read(folder.path(), "feed.atom");
    assert!(atom.contains("https://ada.example/feed/hello.html"), "{atom}");
    refused(&init, "is there already");
    assert_eq!(read(folder.path(), "index.txt"), index);
}

#[test]
fn the_name_of_an_author_is_text() {
    let folder = tempfile::tempdir().unwrap();
    well(&run(["webfeed", "init", at(&folder), "--author", "A *B*\"<x>"]));
    let post = read(folder.path(), "hello.html");
    assert!(post.contains("of A *B*\"&lt;x&gt;.") && !post.contains("<x>"), "{post}");
}

#[test]
fn addresses_are_listed_only_if_others_can_open_them() {
    let folder = made();
    let add = |post: &'static str| ["webfeed", "add", at(&folder), post];
    refused(&add("ftp://a.example/x"), "only http and https addresses");
    for address in ["https://u:secret@friend.example/x", "https://u@friend.example/x"] {
        let output = run(add(address));
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2));
        assert!(said.contains("https://friend.example/x was given with"), "{said}");
        assert!(!said.contains("secret"), "{said}");
    }
    assert!(!read(folder.path(), "index.txt").contains("friend"));
}

#[test]
fn the_address_of_a_file_of_the_folder_is_no_repost() {
    let folder = tempfile::tempdir().unwrap();
    let base = "https://a.example/";
    well(&run(["webfeed", "init", at(&folder), "--author", "Ada", "--base", base]));
    fs::write(folder.path().join("b c.html"), "<section>x</section>").unwrap();
    let add = |post: &str| well(&run(["webfeed", "add", at(&folder), post]));
    let said = add("https://a.example/b%20c.html");
    assert!(said.contains("added b c.html: 1 section"), "{said}");
    let said = add("https://a.example/hello.html#top");
    assert!(said.contains("updated hello.html: 2 sections"), "{said}");
    // What is not here may be there all the same.
    let elsewhere = add("https://a.example/elsewhere.html");
    assert!(elsewhere.contains("added https://a.example/elsewhere.html: repost"), "{elsewhere}");
    let index = read(folder.path(), "index.txt");
    assert!(
        index.ends_with("\nhello.html\nb c.html\nhttps://a.example/elsewhere.html\n"),
        "{index}"
    );
}

#[test]
fn only_a_file_that_is_made_is_named() {
    let folder = made();
    let page = folder.path().join("hello.html");
    let add = |post| ["webfeed", "add", at(&folder), post, "--name", "x"];
    refused(&add("https://friend.example/a"), "none is made of an address");
    refused(&add(page.to_str().unwrap()), "is in the folder already, and keeps its name");
}
