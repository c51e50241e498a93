use std::time::{Duration, SystemTime};

use tempfile::TempDir;
use tidings_feed::TakenFeed;

use super::draft::Ready;
use super::*;

/// A folder with this index, and with a post in each of these files.
fn made(index: &str, files: &[&str]) -> (TempDir, Publisher) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("index.txt"), index).unwrap();
    for file in files {
        fs::write(folder.path().join(file), "<title>x</title><section>x</section>").unwrap();
    }
    let publisher = Publisher::new(folder.path());
    (folder, publisher)
}

/// One post at a time.
impl Publisher {
    fn add_one(&self, material: Material, name: Option<&str>) -> Result<Added> {
        let name = name.map(str::to_owned);
        let draft = Draft { called: "it".to_owned(), name, material, source: None };
        let mut added = self.add(&[draft], &AddOptions::default())?;
        Ok(added.remove(0))
    }

    fn add_markdown(&self, text: &str, name: Option<&str>) -> Result<Added> {
        self.add_one(Material::Markdown(text.into()), name)
    }

    fn add_html(&self, html: &[u8], name: Option<&str>) -> Result<Added> {
        self.add_one(Material::Html(html.into()), name)
    }

    fn add_file(&self, file: &Path) -> Result<Added> {
        self.add_one(Material::File(file.to_owned()), None)
    }

    fn repost(&self, url: &str) -> Result<Added> {
        self.add_one(Material::Address(Url::parse(url).unwrap()), None)
    }
}

fn profile(icon: &str) -> Profile {
    Profile { author: "Ada".to_owned(), icon: icon.to_owned(), ..Profile::default() }
}

#[test]
fn a_post_that_is_listed_twice_is_kept_with_its_file() {
    let (folder, publisher) = made("a.html\nb.html\na.html\n", &["a.html", "b.html"]);
    let removed = publisher.keep(1, true).unwrap();
    assert_eq!(
        (removed.lines, removed.index.posts),
        (vec!["b.html".into()], vec!["a.html".into()])
    );
    assert_eq!(removed.files, [folder.path().join("b.html")]);
    assert!(folder.path().join("a.html").exists());
    let again = publisher.keep(1, true).unwrap();
    assert_eq!((again.lines.len(), again.index.lengths.0), (0, again.index.lengths.1));
}

#[test]
fn a_file_stays_while_a_line_leads_to_it() {
    let (folder, publisher) = made("x.html\nx.html?lang=de\n./y.html\n", &["x.html", "y.html"]);
    let removed = publisher.remove(&["x.html?lang=de"], true).unwrap();
    assert_eq!((removed.files.len(), removed.index.posts.len()), (0, 2));
    assert!(folder.path().join("x.html").exists());
    let removed = publisher.remove(&["x.html"], true).unwrap();
    assert_eq!(removed.files, [folder.path().join("x.html")]);
    assert!(!folder.path().join("x.html").exists() && folder.path().join("y.html").exists());
}

#[test]
fn a_page_in_another_encoding_stays_as_it_is() {
    let (folder, publisher) = made("", &[]);
    let page = b"<meta charset=\"iso-8859-1\"><title>Caf\xe9</title><section>Caf\xe9</section>";
    let added = publisher.add_html(page, None).unwrap();
    assert_eq!(fs::read(added.file.unwrap()).unwrap(), page);
    // What becomes a section of a page of ours is in its encoding.
    let added = publisher.add_html(b"<p>Caf\xe9", Some("part")).unwrap();
    let text = fs::read_to_string(added.file.unwrap()).unwrap();
    assert!(text.contains("<meta charset=\"utf-8\">") && text.contains("<p>Café"), "{text}");
    assert!(folder.path().join("part.html").exists());
}

#[test]
fn odd_files_are_found_by_their_lines() {
    let names =
        ["Note: today.html", " lead.html", "tab\t.html", "?#%41.html", "<b>.html", "by hand.html"];
    let (folder, publisher) = made("", &names);
    for name in names {
        let path = folder.path().join(name);
        let added = publisher.add_file(&path).unwrap();
        assert_eq!(added.file, Some(path), "{}", added.line);
        assert_eq!(added.index.posts.last(), Some(&added.line));
    }
    let lines = publisher.index().unwrap().posts();
    assert_eq!(lines.len(), names.len());
    for line in lines {
        assert_eq!(publisher.remove(&[&line], true).unwrap().files.len(), 1, "{line}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "only the index is left");
}

#[test]
fn old_posts_come_back_to_the_atom_feed_with_an_old_date() {
    let names: Vec<String> = (0..60).map(|number| format!("p{number}.html")).collect();
    let files: Vec<&str> = names.iter().map(String::as_str).collect();
    let lines = format!("https://friend.example/old\n{}", names.join("\n"));
    let (folder, publisher) = made(&format!("# served at https://a.example/\n{lines}\n"), &files);
    let old = SystemTime::now() - Duration::from_secs(1_000_000);
    for name in &names[..20] {
        let file = fs::File::options().write(true).open(folder.path().join(name)).unwrap();
        file.set_modified(old).unwrap();
    }
    let begun = Timestamp::now();
    publisher.repost("https://friend.example/new").unwrap();
    let published = |id: &str| {
        let bytes = fs::read(folder.path().join("feed.atom")).unwrap();
        let feed = TakenFeed::read(&bytes, None, &here()).unwrap();
        let entry = feed.entries.into_iter().find(|entry| entry.id == id)?;
        entry.published.map(|time| time.as_second())
    };
    let old = Timestamp::try_from(old).unwrap().as_second();
    // One that is new is of now, whatever its file says.
    assert!(published("https://friend.example/new") >= Some(begun.as_second()));
    assert_eq!(published("https://a.example/p10.html"), None);
    for name in &names[20..40] {
        publisher.remove(&[name], false).unwrap();
    }
    assert_eq!(published("https://a.example/p10.html"), Some(old));
    publisher.keep(45, false).unwrap();
    let added = publisher.add_file(Path::new("p10.html")).unwrap();
    assert!(added.is_update && added.index.posts.contains(&"p10.html".to_owned()));
    assert_eq!(published("https://a.example/p10.html"), Some(old), "as the last feed said");
    publisher.remove(&["p10.html"], false).unwrap();
    publisher.add_file(Path::new("p10.html")).unwrap();
    assert!(published("https://a.example/p10.html") >= Some(begun.as_second()));
}

#[test]
fn an_old_repost_is_no_newer_than_what_came_after_it() {
    let index = "# served at https://a.example/\nhttps://friend.example/old\np.html\n";
    let (folder, publisher) = made(index, &["p.html", "q.html"]);
    let old = SystemTime::now() - Duration::from_secs(1_000_000);
    let file = fs::File::options().write(true).open(folder.path().join("p.html")).unwrap();
    file.set_modified(old).unwrap();
    publisher.add_file(Path::new("q.html")).unwrap();
    let bytes = fs::read(folder.path().join("feed.atom")).unwrap();
    let feed = TakenFeed::read(&bytes, None, &here()).unwrap();
    let times: Vec<_> = feed.entries.iter().map(|entry| entry.published.unwrap()).collect();
    assert_eq!(times[2], times[1]);
    assert!(times[1] < times[0], "{times:?}");
}

#[test]
fn an_icon_from_elsewhere_is_in_later_posts() {
    for icon in ["https://pictures.example/ada.png?size=2", "ada.png"] {
        let folder = tempfile::tempdir().unwrap();
        let publisher = Publisher::new(folder.path());
        publisher.init(&profile(icon), None).unwrap();
        for number in 0..2 {
            let added = publisher.add_markdown(&format!("# Post {number}\n"), None).unwrap();
            let page = fs::read_to_string(added.file.unwrap()).unwrap();
            assert!(page.contains(&format!("<link rel=\"icon\" href=\"{icon}\">")), "{page}");
        }
    }
}

#[test]
fn a_page_that_is_there_is_the_first_post_only_if_it_is_one() {
    for (page, posts) in [
        (Some("<h1>Private</h1>"), &[][..]),
        (Some("<title>Mine & yours</title><section>x</section>"), &["hello.html"]),
        (None, &["hello.html"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let publisher = Publisher::new(folder.path());
        if let Some(page) = page {
            fs::write(folder.path().join("hello.html"), page).unwrap();
        }
        let base = Url::parse("https://a.example/").unwrap();
        publisher.init(&profile(""), Some(&base)).unwrap();
        assert_eq!(publisher.index().unwrap().posts(), posts);
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(read("index.html").contains("hello.html"), !posts.is_empty());
        assert_eq!(read("feed.atom").contains("hello.html"), !posts.is_empty());
        assert_eq!(
            read("index.html").contains(">Mine &amp; yours</a>"),
            posts.len() == 1 && page.is_some()
        );
        assert!(page.is_none_or(|page| read("hello.html") == page), "as it was");
    }
}

#[test]
fn a_section_that_is_too_long_is_seen_from_its_beginning() {
    let sheet = include_str!("post.css");
    let shown = crate::css::sanitise(sheet, &here(), &mut |_| None);
    for css in [sheet, &shown] {
        let values: Vec<&str> = css.split("justify-content:").skip(1).collect();
        let values: Vec<&str> =
            values.iter().filter_map(|rest| rest.split([';', '}']).next()).map(str::trim).collect();
        // Whoever does not know what is safe takes the first.
        assert_eq!(values, ["flex-start", "safe center"], "{css}");
    }
}

#[test]
fn what_a_killed_edit_left_is_gone_with_the_next() {
    let (folder, publisher) = made("a.html\n", &["a.html", ".tidings-webfeed-left"]);
    let write = |name: &str| fs::write(folder.path().join(name), "x").unwrap();
    fs::create_dir(folder.path().join(".tidings-webfeed-folder")).unwrap();
    write(".tidings-webfeed-folder/x");
    // Somebody else's: it may be in use.
    write(".tidings-other");
    publisher.repost("https://friend.example/a").unwrap();
    let is_there = |name: &str| folder.path().join(name).exists();
    assert!(!is_there(".tidings-webfeed-left"));
    assert!(is_there(".tidings-webfeed-folder/x") && is_there(".tidings-other"));
}

#[cfg(unix)]
#[test]
fn an_index_behind_a_link_changes_and_the_link_stays() {
    let elsewhere = tempfile::tempdir().unwrap();
    let (folder, publisher) = made("", &["a.html"]);
    let (link, target) = (folder.path().join("index.txt"), elsewhere.path().join("posts.txt"));
    fs::rename(&link, &target).unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    publisher.add_file(Path::new("a.html")).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&target).unwrap().ends_with("\na.html\n"));
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
}

#[test]
fn a_post_that_cannot_be_written_leaves_none_of_the_others() {
    let (folder, publisher) = made("", &[]);
    let page = |line: &str| Ready {
        line: line.to_owned(),
        title: None,
        sections: 1,
        page: Some(b"x".to_vec()),
        is_update: false,
        warnings: Vec::new(),
        source_key: None,
    };
    // What was there before is there again, and a link is still one.
    let (target, link) = (folder.path().join("target"), folder.path().join("b.html"));
    fs::write(&target, "before").unwrap();
    std::os::unix::fs::symlink("target", &link).unwrap();
    let posts = [page("a.html"), page("b.html"), page("no/such/folder.html")];
    publisher.write_pages(&posts, &[]).unwrap_err();
    assert!(!folder.path().join("a.html").exists());
    assert!(link.is_symlink());
    assert_eq!(fs::read(&target).unwrap(), b"before");
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.collect();
    names.sort();
    assert_eq!(names, ["b.html", "index.txt", "target"], "nothing else is left");
}

#[test]
fn posts_of_one_edit_have_names_of_their_own() {
    let (folder, publisher) = made("", &[]);
    let draft = |name: Option<&str>| Draft {
        called: "it".to_owned(),
        name: name.map(str::to_owned),
        material: Material::Markdown(b"# Fog\n".to_vec()),
        source: None,
    };
    let add = |drafts: &[Draft]| publisher.add(drafts, &AddOptions::default());
    let added = add(&[draft(None), draft(None)]).unwrap();
    assert_eq!(added[1].index.posts, ["fog.html", "fog-2.html"]);
    let wrong = add(&[draft(Some("x")), draft(Some("x"))]).unwrap_err();
    assert!(matches!(wrong, PublishError::Taken(_)), "{wrong}");
    assert!(!folder.path().join("x.html").exists());
}

#[test]
fn what_becomes_too_long_is_no_post() {
    let (folder, publisher) = made("", &[]);
    let most = Post::MOST_BYTES as usize;
    // Each sign becomes four or more.
    for (text, is_post) in [("<".repeat(most / 3), false), ("x".repeat(most / 2), true)] {
        let added = publisher.add_markdown(&format!("    {text}"), None);
        assert_eq!(added.is_ok(), is_post, "{}", text.len());
    }
    let whole = format!("<section>{}</section>", "x".repeat(most));
    let wrong = publisher.add_html(whole.as_bytes(), None).unwrap_err();
    assert!(matches!(wrong, PublishError::Large(_)), "{wrong}");
    fs::write(folder.path().join("whole.html"), whole).unwrap();
    let wrong = publisher.add_file(Path::new("whole.html")).unwrap_err();
    assert!(matches!(wrong, PublishError::Large(_)), "{wrong}");
}

#[test]
fn only_text_becomes_a_post() {
    let (_folder, publisher) = made("", &[]);
    for bytes in [&b"# x\0"[..], b"# x\x1b[1m", b"# caf\xe9", b"\x89PNG\r\n\x1a\n"] {
        let wrong = publisher.add_one(Material::Markdown(bytes.into()), None).unwrap_err();
        assert!(matches!(wrong, PublishError::Binary(_)), "{wrong}");
    }
    let wrong = publisher.add_html(b"\x89PNG\r\n\x1a\n", None).unwrap_err();
    assert!(matches!(wrong, PublishError::Binary(_)), "{wrong}");
    for bytes in [&b"\xef\xbb\xbf# x"[..], b"# x\r\n\ty\x0c"] {
        assert_eq!(publisher.add_one(Material::Markdown(bytes.into()), None).unwrap().sections, 1);
    }
    // In UTF-16 every other byte is none of a text, and yet it is one.
    let wide: Vec<u8> =
        "\u{feff}<section>x</section>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(publisher.add_html(&wide, Some("wide")).unwrap().sections, 1);
}
