//! What authors write, and what becomes of it: corrections, drafts, long texts, other scripts, whole pages.

use std::fs;
use std::process::Output;

use crate::support::{feed, run, stderr, stdout, tidings, write_all};

struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        well(&run(["webfeed", "init", &desk.feed(), "--author", "Ada"]));
        desk
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn feed(&self) -> String {
        self.path("feed")
    }

    fn note(&self, name: &str, text: &str) -> String {
        write_all(self.0.path(), &[(name, text)]);
        self.path(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join("feed").join(name)).unwrap()
    }

    fn lines(&self) -> Vec<String> {
        let index = self.read("index.txt");
        let lines = index.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(str::to_owned).collect()
    }

    #[track_caller]
    fn add(&self, file: &str) -> String {
        well(&run(["webfeed", "add", &self.feed(), file]))
    }
}

#[track_caller]
fn well(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(output), stderr(output));
    stdout(output)
}

#[test]
fn a_file_that_was_added_before_updates_its_post() {
    let desk = Desk::new();
    let (fog, rope) = (desk.note("fog.md", "# Fog\n\nOne\n"), desk.note("rope.md", "# Rope\n"));
    desk.add(&fog);
    desk.add(&rope);
    let (length, page) = (desk.read("index.txt").len(), desk.read("fog.html"));
    desk.note("fog.md", "# Fog, corrected\n\nTwo\n");
    let said = desk.add(&fog);
    assert!(said.contains("updated fog.html: 1 section"), "{said}");
    assert_eq!(desk.lines(), ["hello.html", "fog.html", "rope.html"], "it keeps its place");
    assert!(desk.read("fog.html").contains("Fog, corrected"));
    assert_ne!(desk.read("index.txt").len(), length, "readers look again");
    assert!(desk.read("index.html").contains("Fog, corrected</a>"));
    // A correction that is as long as what it corrects is seen by its length all the same.
    let before = desk.read("fog.html").len();
    desk.note("fog.md", "# Fog, corrected\n\nTen\n");
    desk.add(&fog);
    assert_ne!(desk.read("fog.html").len(), before);
    assert_ne!(page, desk.read("fog.html"));
    // Another file of the same name is another post, and so is what was removed.
    let other = desk.note("other/fog.md", "# Fog\n");
    assert!(desk.add(&other).contains("added fog-2.html"));
    well(&run(["webfeed", "remove", &desk.feed(), "fog-2.html", "--delete"]));
    assert!(desk.add(&other).contains("added fog-2.html"));
    // HTML, taken as it is.
    let html = desk.note("page.html", "<title>Whole</title><section>a</section>");
    assert!(desk.add(&html).contains("added whole.html"));
    desk.note("page.html", "<title>Whole</title><section>b</section>");
    assert!(desk.add(&html).contains("updated whole.html"));
    assert!(desk.read("whole.html").contains("<section>b</section>"));
    assert_eq!(desk.lines().len(), 5);
    // What says which file a post is from tells nobody where that is.
    assert!(!desk.read(".tidings-posts").contains("other"), "{}", desk.read(".tidings-posts"));
}

#[test]
fn edit_replaces_a_post_or_opens_it() {
    let desk = Desk::new();
    let new = desk.note("new.md", "# New\n---\nTwo\n");
    let said = well(&run(["webfeed", "edit", &desk.feed(), "hello.html", &new]));
    assert!(said.contains("updated hello.html: 2 sections"), "{said}");
    assert!(desk.read("hello.html").contains("<h1>New</h1>"));
    let mut command = tidings();
    command.args(["webfeed", "edit", &desk.feed(), "hello.html", "-"]);
    well(&feed(command, |input| input.write_all(b"# Piped\n")));
    assert!(desk.read("hello.html").contains("<h1>Piped</h1>"));
    let length = desk.read("index.txt").len();
    let mut command = tidings();
    command.args(["webfeed", "edit", &desk.feed(), "hello.html"]);
    command.env("VISUAL", "sed -i s/Piped/Edited/");
    let said = well(&command.output().unwrap());
    assert!(said.contains("updated hello.html"), "{said}");
    assert!(desk.read("hello.html").contains("<h1>Edited</h1>"));
    assert_ne!(desk.read("index.txt").len(), length);
    for (post, why) in
        [("none.html", "not in the index"), ("https://a.example/x", "not in the index")]
    {
        let output = run(["webfeed", "edit", &desk.feed(), post, &new]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
    let mut command = tidings();
    command.args(["webfeed", "edit", &desk.feed(), "hello.html"]);
    command.env_remove("VISUAL").env_remove("EDITOR");
    let output = command.output().unwrap();
    assert!(stderr(&output).contains("set $EDITOR"), "{}", stderr(&output));
}

#[test]
fn drafts_and_toml_front_matter() {
    let desk = Desk::new();
    for (name, text, why) in [
        ("a.md", "+++\ndraft = true\n+++\n# No\n", "is a draft"),
        ("b.md", "---\ndraft: true\n---\n# No\n", "is a draft"),
        ("c.md", "---\ntitle: No\ndraft: true # not yet\n---\n# No\n", "is a draft"),
        ("d.md", "---\n# a note\ntitle: No\n\ndraft: true\n---\n# No\n", "is a draft"),
        ("e.md", "\u{feff}---\r\npublished: false # yet\r\n---\r\n# No\r\n", "is a draft"),
        ("f.html", "---\ndraft: true\n---\n<section>No</section>\n", "is a draft"),
        ("g.md", "---\nSome words\ndraft: true\n---\n# No\n", "g.md, line 2 of its front matter"),
        ("h.md", "---\ndraft: perhaps\n---\n# No\n", "neither true nor false"),
        ("i.md", "+++\ntitle =\ndraft = true\n+++\n# No\n", "i.md, line 2 of its front matter"),
    ] {
        let draft = desk.note(name, text);
        let output = run(["webfeed", "add", &desk.feed(), &draft]);
        assert_eq!(output.status.code(), Some(2), "{text:?}: {}", stdout(&output));
        assert!(stderr(&output).contains(why), "{text:?}: {}", stderr(&output));
    }
    assert_eq!(desk.lines(), ["hello.html"]);
    let noted = desk.note(
        "noted.md",
        "---\n# a note\ntitle: \"Noted # down\" # yes\n\ndraft: false # any more\n---\nText\n",
    );
    assert!(desk.add(&noted).contains("added noted-down.html"));
    let page = desk.read("noted-down.html");
    assert!(page.contains("<title>Noted # down</title>") && !page.contains("a note"), "{page}");
    let toml = desk.note(
        "toml.md",
        "+++\ntitle = \"From TOML\"\nlang = \"en\"\ndate = 2026-01-01\n+++\nText\n",
    );
    assert!(desk.add(&toml).contains("added from-toml.html"));
    let page = desk.read("from-toml.html");
    assert!(page.contains("<html lang=\"en\">") && !page.contains("2026"), "{page}");
}

#[test]
fn titles_in_other_scripts_and_posts_without_headings_have_names() {
    let desk = Desk::new();
    let note = desk.note("a.md", "# \u{422}\u{443}\u{43c}\u{430}\u{43d} \u{43d}\u{430}\u{434}!\n");
    assert!(
        desk.add(&note)
            .contains("added \u{442}\u{443}\u{43c}\u{430}\u{43d}-\u{43d}\u{430}\u{434}.html")
    );
    let note = desk.note("b.md", "# \u{6e2f}\u{306e}\u{9727}\n");
    assert!(desk.add(&note).contains("\u{6e2f}\u{306e}\u{9727}.html"));
    let note = desk.note("c.md", "No heading at all, *only* text.\n");
    assert!(desk.add(&note).contains("added no-heading-at-all-only-text.html"));
    assert!(
        desk.read("no-heading-at-all-only-text.html")
            .contains("<title>No heading at all, only text.</title>")
    );
    let checked = run(["webfeed", "check", &desk.feed()]);
    assert!(!well(&checked).contains("WF-post-unreachable"));
}

#[test]
fn a_long_text_is_parted_at_its_headings_and_what_overflows_is_said() {
    let desk = Desk::new();
    let words = "harbour ".repeat(100);
    let long = desk
        .note("long.md", &format!("# Long\n\n{words}\n\n## One\n\n{words}\n\n## Two\n\n{words}\n"));
    assert!(desk.add(&long).contains("added long.html: 3 sections"));
    let full = desk.note("full.md", &format!("# Full\n\n{}\n", words.repeat(4)));
    let output = run(["webfeed", "add", &desk.feed(), &full]);
    well(&output);
    assert!(stderr(&output).contains("may not fit on a screen"), "{}", stderr(&output));
    let checked = stdout(&run(["webfeed", "check", &desk.feed()]));
    assert!(
        checked.contains("WF-post-overflow") && checked.contains("section 1 has about 28"),
        "{checked}"
    );
}

#[test]
fn a_text_from_right_to_left_says_so() {
    let desk = Desk::new();
    let hebrew =
        desk.note("he.md", "# \u{5e9}\u{5dc}\u{5d5}\u{5dd}\n\n\u{5e2}\u{5d5}\u{5dc}\u{5dd}\n");
    desk.add(&hebrew);
    let page = desk.read("\u{5e9}\u{5dc}\u{5d5}\u{5dd}.html");
    assert!(page.starts_with("<!DOCTYPE html>\n<html lang=\"he\" dir=\"rtl\">\n"), "{page}");
}

#[test]
fn a_whole_page_becomes_one_section_with_its_styles() {
    let desk = Desk::new();
    desk.note("whole.css", "p{color:red}");
    let whole = desk.note(
        "whole.html",
        "<!doctype html><html lang=fr dir=ltr><head><meta charset=utf-8><title>La page</title>\
         <link rel=stylesheet href=whole.css><style>b{color:blue}</style></head>\n\
         <body onload=x()><p>Bonjour</p></body></html>",
    );
    assert!(desk.add(&whole).contains("added la-page.html: 1 section"));
    let page = desk.read("la-page.html");
    assert!(page.contains("<html lang=\"fr\" dir=\"ltr\">"), "{page}");
    assert!(page.contains("<section>\n<h1>La page</h1>\n<p>Bonjour</p>\n</section>"), "{page}");
    assert!(
        page.contains("<style>b{color:blue}</style>") && page.contains("href=whole.css"),
        "{page}"
    );
    assert!(!page.contains("<body") && page.matches("<title>").count() == 1, "{page}");
    let checked = stdout(&run(["webfeed", "check", &desk.feed()]));
    assert!(!checked.contains("WF-subresource") && !checked.contains("WF-post-body"), "{checked}");
}
