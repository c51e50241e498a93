use proptest::prelude::*;

use super::*;

fn read(text: &str) -> (FrontMatter, &str) {
    let (matter, start) = FrontMatter::read(text.as_bytes()).unwrap();
    (matter, &text[start..])
}

fn line_of(text: &str) -> u64 {
    match FrontMatter::read(text.as_bytes()) {
        Err(FrontMatterError::Syntax { line, .. }) => line,
        other => panic!("{other:?}"),
    }
}

#[test]
fn yaml_and_toml_say_the_same() {
    let yaml =
        "---\ntitle: A page\ntags: [one, two]\nroles: a, b\nnav_order: -3\nother: {x: 1}\n---\nB";
    let toml = "+++\ntitle = \"A page\"\ntags = [\"one\", \"two\"]\nroles = \"a, b\"\nnav_order = -3\n\
                [other]\nx = 1\n+++\nB";
    let (matter, body) = read(yaml);
    assert_eq!((matter.title.as_deref(), body), (Some("A page"), "B"));
    assert_eq!(
        (&matter.tags[..], &matter.roles[..]),
        (&["one".into(), "two".into()][..], &["a".into(), "b".into()][..])
    );
    assert_eq!(matter.nav_order, Some(-3));
    assert_eq!(read(toml), (matter.clone(), "B"));
    let other = format!("\u{feff}{}", yaml.replace('\n', "\r\n"));
    assert_eq!(read(&other), (matter, "B"));
}

#[test]
fn values_are_taken_as_they_are_written() {
    let (matter, _) = read(
        "---\ntitle: 1.10\nid: 0012345678901234\nnav_parent_id: 1122334455667788\ntags:\nalias: ~\n\
         theme: ''\nroles:\n- 7\n- yes\n-\ndraft: true\nrobots: noindex # why\n---\n",
    );
    assert_eq!(matter.title.as_deref(), Some("1.10"));
    assert_eq!(matter.id.as_deref(), Some("0012345678901234"));
    assert_eq!(matter.nav_parent.as_deref(), Some("1122334455667788"));
    assert_eq!((matter.tags.len(), matter.alias, matter.theme), (0, None, None));
    assert_eq!(matter.roles, ["7", "yes"]);
    assert_eq!((matter.robots.as_deref(), matter.is_draft), (Some("noindex"), true));
    let (matter, _) = read("+++\ntitle = 2024\ntags = [1, \"b\"]\n+++");
    assert_eq!((matter.title.as_deref(), matter.tags.len()), (Some("2024"), 2));
}

#[test]
fn a_thematic_break_is_no_front_matter() {
    for page in [
        "",
        "# Title\n",
        "---",
        "---\n",
        "---\nSome text.\n",
        "---\nSome text.\n---\nMore: text\n",
        "---\n\nSome text.\n\n---\n\nMore.\n",
        "---\n- a\n- b\n---\n",
        "---\n\nNote: this [is: not] : yaml\n\n---\n",
        "----\ntitle: x\n----\n",
        " ---\ntitle: x\n---\n",
        "---\n> quoted: text\n---\n",
    ] {
        assert_eq!(read(page), (FrontMatter::default(), page), "{page}");
    }
    let long = format!("---\n\n{}", "Text and more: of it.\n".repeat(10_000));
    assert_eq!(read(&long).1.len(), long.len());
    assert_eq!(read("---\n---\nBody").1, "Body");
    assert_eq!(read("---\n# nothing\n---\nBody").1, "Body");
}

#[test]
fn what_says_who_may_see_a_page_is_not_taken_for_its_words() {
    for page in [
        "---\nroles: [board]\n# Secret\n",
        "---\ntitle: x\ndraft: true\n...\nText\n",
        "---\n roles: [board]\n---\nText\n",
        "---\n\nroles: [board\n---\nText\n",
        "---\ntags: board\nText",
        // What restricts it may have been cut off.
        "---\nkey: but no end\n",
    ] {
        let read = FrontMatter::read(page.as_bytes());
        let is_closed = read.is_err() || read.is_ok_and(|(it, _)| !it.roles.is_empty());
        assert!(is_closed, "{page}");
    }
}

#[test]
fn an_error_says_where_in_the_file() {
    assert_eq!(line_of("---\ntitle: x\nnav_order: first\n---\n"), 3);
    assert_eq!(line_of("---\ntitle: [x\n---\n").min(4), line_of("---\ntitle: [x\n---\n"));
    assert_eq!(line_of("+++\ntitle = \"x\"\nnav_order = \"first\"\n+++\n"), 3);
    assert_eq!(line_of("+++\n\ntitle = x\n+++\n"), 3);
    let endless = format!("---\ntitle: x\n{}", "# more\n".repeat(20_000));
    let endless = FrontMatter::read(&endless.as_bytes()[..LONGEST]);
    assert_eq!(endless, Err(FrontMatterError::Endless("---")));
    assert!(FrontMatter::read(b"+++\ntitle = 1\n").is_err());
    assert_eq!(FrontMatter::read(b"---\ntitle: \xff\n---\n"), Err(FrontMatterError::Encoding));
}

#[test]
fn a_bomb_is_refused() {
    let mut bomb = String::from("---\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..9 {
        let many = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{many}]\n"));
    }
    bomb.push_str("tags: *a8\n---\n");
    assert!(FrontMatter::read(bomb.as_bytes()).is_err());
    for (open, close) in [("[", "]"), ("{a: ", "}"), ("- ", "")] {
        let deep =
            format!("---\ntitle: x\nx:\n  {}{}\n---\n", open.repeat(9_000), close.repeat(9_000));
        assert!(FrontMatter::read(deep.as_bytes()).is_err(), "{open}");
    }
    let deep = format!("+++\nx = {}{}\n+++\n", "[".repeat(30_000), "]".repeat(30_000));
    assert!(FrontMatter::read(deep.as_bytes()).is_err());
}

#[test]
fn what_is_not_ours_or_the_same_stays() {
    let original = "---\n# A comment\ntitle: 'Old' # of it\ndate: 2024-01-01\ntags:\n  - one\n  # two\n  - three\n\n\
                    # The end\nweird: |\n  title: not this\nroles: a,b\n---\nBody: x\n";
    let (mut matter, _) = read(original);
    assert_eq!(matter.write(original), original);
    matter.title = Some("New: title".to_owned());
    matter.tags = vec!["four".to_owned()];
    matter.id = Some("1122334455667788".to_owned());
    assert_eq!(
        matter.write(original),
        "---\n# A comment\ntitle: \"New: title\"\ndate: 2024-01-01\ntags: [four]\n\n# The end\nweird: |\n  \
         title: not this\nroles: a,b\nid: \"1122334455667788\"\n---\nBody: x\n"
    );
    matter.tags.clear();
    matter.roles.clear();
    let written = matter.write(original);
    assert!(!written.contains("tags") && !written.contains("roles"), "{written}");

    let original = "+++\r\ntitle = \"Old\"\r\ntags = [ # some\r\n  \"[x]\",\r\n]\r\ntext = \"\"\"\r\ntitle = 3\r\n\"\"\"\r\n\
                    [extra]\r\ntitle = \"other\"\r\n+++\r\nBody";
    let (mut matter, _) = read(original);
    matter.title = Some("New \"title\"".to_owned());
    matter.tags = vec!["a".to_owned()];
    matter.robots = Some("noindex".to_owned());
    assert_eq!(
        matter.write(original),
        "+++\r\ntitle = \"New \\\"title\\\"\"\r\ntags = [\"a\"]\r\ntext = \"\"\"\r\ntitle = 3\r\n\"\"\"\r\n\
         robots = \"noindex\"\r\n[extra]\r\ntitle = \"other\"\r\n+++\r\nBody"
    );
}

#[test]
fn what_cannot_be_replaced_is_kept_as_comments() {
    let matter = FrontMatter { title: Some("New".to_owned()), ..FrontMatter::default() };
    for (original, written) in [
        ("---\ntitle: &t Old\nx: *t\n---\nB", "---\n# title: &t Old\n# x: *t\ntitle: New\n---\nB"),
        ("---\n{title: Old, x: 1}\n---\nB", "---\n# {title: Old, x: 1}\ntitle: New\n---\nB"),
        ("---\ntitle: [\n---\nB", "---\n# title: [\ntitle: New\n---\nB"),
    ] {
        assert_eq!(matter.write(original), written);
    }
}

#[test]
fn front_matter_is_added_where_there_is_none() {
    let matter = FrontMatter { title: Some("no".to_owned()), ..FrontMatter::default() };
    assert_eq!(matter.write("Body"), "---\ntitle: \"no\"\n---\nBody");
    assert_eq!(matter.write("\u{feff}Body"), "\u{feff}---\ntitle: \"no\"\n---\nBody");
    assert_eq!(
        matter.write("---\n\nBody\n\n---\n"),
        "---\ntitle: \"no\"\n---\n---\n\nBody\n\n---\n"
    );
    assert_eq!(FrontMatter::default().write("Body"), "Body");
    assert_eq!(
        FrontMatter::default().write("---\ndraft: false\n---\n"),
        "---\ndraft: false\n---\n"
    );
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        title in prop::option::of("\\PC{1,20}|[a-z:#'\"\\\\ \n\t\r\\[{,-]{1,12}"),
        tags in prop::collection::vec("\\PC{1,9}|[a-z:#,'\" \\]}]{1,9}", 0..3),
        alias in prop::option::of(any::<String>()),
        is_draft: bool,
        is_toml: bool,
    ) {
        let matter = FrontMatter { title, tags, alias, is_draft, ..FrontMatter::default() };
        let original = if is_toml { "+++\ntitle = 'x'\ny = 1\n+++\nB" } else { "---\ntitle: x\ny: 1\n---\nB" };
        for original in [original, "B"] {
            let written = matter.write(original);
            let (read, start) = FrontMatter::read(written.as_bytes()).unwrap();
            prop_assert_eq!(&written[start..], "B");
            prop_assert_eq!(original.contains("y"), written.contains("y: 1") || written.contains("y = 1"));
            prop_assert_eq!(&read, &rewrite::trimmed(&matter), "{}", written);
            prop_assert_eq!(read.write(&written), written);
        }
    }

    #[test]
    fn nothing_crashes_the_reader(text in "[-+a-c:=\\[\\]{}\"'#&*|>! \n\r]{0,60}") {
        for text in [format!("---\n{text}\n---\nB"), format!("+++\n{text}\n+++\nB"), text] {
            let _ = FrontMatter::read(text.as_bytes());
            let matter = FrontMatter { title: Some("x".to_owned()), ..FrontMatter::default() };
            let written = matter.write(&text);
            prop_assert!(FrontMatter::read(written.as_bytes()).is_ok(), "{}", written);
        }
    }
}
