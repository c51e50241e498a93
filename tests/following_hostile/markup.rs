//! What others write, as it stands in feeds and pages: as text, and as nothing else.

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value;

use crate::stage::{CAPABILITIES, CHANGES, FEED, Stage};
use crate::support::documents::Item;
use crate::support::follower::Serving;
use crate::support::server::Reply;

/// Names as nobody should have them, as they stand in XML and HTML.
fn names(longest: usize) -> Vec<String> {
    let mut names: Vec<String> = [
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;",
        "&lt;img src=x onerror=alert(1)&gt;",
        "&lt;![CDATA[x]]&gt;",
        "]]&gt; --&gt; ?&gt;",
        "&amp;lt;script&amp;gt;",
        "&amp;amp; &amp;nbsp; &amp;#60;",
        "\" onmouseover=\"alert(1)",
        "' autofocus onfocus='alert(1)",
        "💐 👩‍👩‍👧 e\u{301}",
        "\u{202E}gnorw si siht\u{202C}",
        "\u{FEFF}\u{200B}\u{FFFE}",
        "a\tb\nc\rd",
        "javascript:alert(1)",
        "${7*7} {{7*7}} %s %n",
        "   ",
    ]
    .map(str::to_owned)
    .to_vec();
    names.push("long &amp; ".repeat(longest / 11));
    names
}

/// The targets of all links, and that it is XML, to a reader that takes no liberties.
#[track_caller]
fn links(xml: &str) -> Vec<String> {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_comments = true;
    let mut links = Vec::new();
    let mut depth = 0;
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("{error}: {xml}")) {
            Event::Start(tag) | Event::Empty(tag) => {
                for attribute in tag.attributes() {
                    let attribute = attribute.unwrap();
                    let value = attribute.value.into_owned();
                    if matches!(attribute.key.as_ref(), "href" | "src" | "xmlUrl" | "htmlUrl") {
                        links.push(quick_xml::escape::unescape(&value).unwrap().into_owned());
                    }
                }
            }
            Event::DocType(_) => panic!("{xml}"),
            Event::Eof => break,
            _ => depth += 1,
        }
    }
    assert!(depth > 0);
    let forbidden =
        |c: char| (c.is_control() && !"\t\n\r".contains(c)) || matches!(c, '\u{FFFE}' | '\u{FFFF}');
    assert!(!xml.contains(forbidden), "what XML cannot hold");
    links
}

/// The links in a piece of HTML that is XML, too.
fn links_of_html(html: &str) -> Vec<String> {
    links(&format!("<div>{html}</div>"))
}

/// The feed in all its forms is valid, has so many entries, and has no link but to the web.
#[track_caller]
fn is_clean(server: &Serving, stage: &Stage, entries: usize) {
    let [atom, rss, json, changes] = stage.feeds();
    let mut all = Vec::new();
    for path in [&atom, &rss, &changes] {
        let answer = server.get(path);
        let text = answer.text();
        assert!(!text.contains("<script"), "{path}: {text}");
        assert!(text.len() < 1 << 20, "{path}: {} bytes", text.len());
        all.extend(links(&text));
        let feed = answer.feed();
        if path != &changes {
            assert_eq!(feed.entries.len(), entries, "{path}");
        }
        for entry in feed.entries {
            assert!(entry.id.starts_with("tag:"), "{}", entry.id);
            all.extend(entry.links.into_iter().map(|link| link.href));
            // In Atom it is markup like the rest; in RSS it is text that readers make markup of.
            if let Some(html) = entry.summary.filter(|_| path == &rss).map(|text| text.content) {
                assert!(!html.contains("<script") && !html.contains("<img"), "{path}: {html}");
                all.extend(links_of_html(&html));
            }
        }
    }
    let feed: Value = server.get(&json).json();
    let items = feed["items"].as_array().unwrap();
    assert_eq!(items.len(), entries);
    for item in items {
        let html = item["content_html"].as_str().unwrap_or_default();
        assert!(!html.contains("<script") && !html.contains("<img"), "{html}");
        all.extend(links_of_html(html));
        all.extend(item["url"].as_str().map(str::to_owned));
    }
    let key = stage.follower.site()["key"].as_str().unwrap().to_owned();
    for path in ["/".to_owned(), format!("/sites/{key}")] {
        let page = server.get(&path).text();
        // The one script is ours, and says so first of all.
        let (own, rest) = page.split_once("defer></script>").unwrap();
        assert!(
            own.matches("<script").eq(["<script"]) && own.contains("<script src=\"/tidings.js?")
        );
        assert!(!rest.contains("<script") && !page.contains("<img"), "{path}: {page}");
        assert!(page.len() < 1 << 20);
        let wrong = ["href=\"javascript", "href=\"data:", "onerror=\"", "onmouseover=\""];
        assert!(wrong.iter().all(|wrong| !page.contains(wrong)), "{path}: {page}");
    }
    all.extend(links(&server.get("/feeds.opml").text()));
    for link in all {
        let is_web = link.starts_with("http://") || link.starts_with("https://");
        assert!(is_web && link.is_ascii() && !link.contains(['<', '>', '"', ' ']), "{link}");
    }
}

#[test]
fn titles_of_pages_are_text() {
    let stage = Stage::garden(&[]);
    let names = names(1 << 20);
    let mut changes = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let title = format!("<html><title>{name}</title><p>x</html>");
        stage.server.put(
            &format!("/garden/{number}"),
            Reply::ok(title).with("Content-Type", "text/html; charset=utf-8"),
        );
        changes.push(stage.change(&number.to_string(), "updated", "2026-01-02T00:00:00Z"));
    }
    stage.put_changes(&changes);
    stage.follow(&["--titles", "100", "--diff"]).exits(0);
    let titles = stage.rows("SELECT title FROM changes WHERE title IS NOT NULL");
    assert!(titles.len() >= names.len() - 2, "{titles:?}");
    for title in titles {
        assert!(title.chars().count() <= 300 && !title.contains(char::is_control), "{title:?}");
        assert!(!title.contains(['\u{202E}', '\u{FEFF}']), "{title:?}");
    }
    stage.is_settled();
    let server = stage.follower.serve(&["--no-poll"]);
    is_clean(&server, &stage, 1);
}

#[test]
fn what_describes_a_collection_is_text() {
    for name in names(300 << 10) {
        let stage = Stage::garden(&[]);
        let list = stage.capabilities(true, CHANGES);
        let about = format!("<rs:ln rel=\"describedby\" href=\"{}\"/><rs:md", stage.url("/about"));
        stage.text(CAPABILITIES, list.replacen("<rs:md", &about, 1));
        stage.text(
            "/about",
            format!(
                "<m xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>{0}</dc:title>\
                 <dc:creator>{0}</dc:creator><dc:description>{0}</dc:description>\
                 <dc:language>{0}</dc:language></m>",
                name.replace('\u{FFFE}', "")
            ),
        );
        stage.put_changes(&[stage.change("a", "updated", "2026-01-02")]);
        stage.follow(&[]).exits(0);
        let server = stage.follower.serve(&["--no-poll"]);
        is_clean(&server, &stage, 1);
    }
}

#[test]
fn titles_and_texts_of_feeds_are_text() {
    let stage = Stage::empty();
    let mut items = String::new();
    for (number, name) in names(300 << 10).iter().enumerate() {
        let name = name.replace('\u{FFFE}', "");
        items += &format!(
            "<item><guid>{number}</guid><title>{name}</title><link>{}</link>\
             <description>{name} &lt;p onclick=x&gt;</description>\
             <pubDate>Sun, 02 Nov 2025 00:00:00 GMT</pubDate></item>",
            ["http://a.example/&lt;&quot;&gt;", "javascript:alert(1)", "data:text/html,x", "/ü x"]
                [number % 4]
        );
    }
    let title = "&lt;script&gt;alert(1)&lt;/script&gt;";
    stage.text(
        FEED,
        format!(
            "<rss version=\"2.0\"><channel><title>{title}</title><link>javascript:alert(1)</link>\
             <description>{title}</description>{items}</channel></rss>"
        ),
    );
    stage.follow_at(FEED, &[]).exits(0);
    stage.is_settled();
    let server = stage.follower.serve(&["--no-poll"]);
    is_clean(&server, &stage, 1);
}

/// Pages are named by URLs; what is none, or leads to a script, is told without a link.
#[test]
fn urls_that_are_none_or_lead_to_scripts_are_no_links() {
    let stage = Stage::garden(&[]);
    let locs = [
        "javascript:alert(1)".to_owned(),
        "JavaScript:alert(1)//http://a.example/".to_owned(),
        " javascript:alert(1)".to_owned(),
        "java&#10;script:alert(1)".to_owned(),
        "data:text/html,&lt;script&gt;alert(1)&lt;/script&gt;".to_owned(),
        "vbscript:x".to_owned(),
        "file:///etc/passwd".to_owned(),
        "mailto:a@example.com".to_owned(),
        "http://".to_owned(),
        "http://[".to_owned(),
        stage.url("/garden/&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"),
        stage.url("/garden/a b"),
        stage.url("/garden/ü?ö=ä&amp;x='y'"),
        stage.url("/garden/\u{202E}x"),
        stage.url(&format!("/garden/{}", "x".repeat(20_000))),
        "//evil.example/x".to_owned(),
        "relative/page".to_owned(),
    ];
    let changes: Vec<Item> = locs
        .iter()
        .flat_map(|loc| {
            ["created", "updated"].map(|kind| Item::new(loc).change(kind).at("2026-01-02"))
        })
        .collect();
    stage.put_changes(&changes);
    let followed = stage.follow(&["--titles", "100"]);
    followed.exits(0);
    stage.is_settled();
    let server = stage.follower.serve(&["--no-poll"]);
    is_clean(&server, &stage, 1);
    // The API says them as they are: it is data, and no page.
    let key = stage.collection()["key"].as_str().unwrap().to_owned();
    let changes = server.get(&format!("/api/collections/{key}/changes"));
    assert_eq!(changes.header("content-type").as_deref(), Some("application/json"));
    assert!(changes.json().as_array().unwrap().len() > 10);
    // One by one: the entry of a single change links to its page, if that is one.
    for (number, loc) in locs.iter().enumerate() {
        let time = format!("2026-02-02T00:{number:02}:00Z");
        stage.put_changes(&[Item::new(loc).change("updated").at(&time)]);
        stage.poll().exits(0);
    }
    let entries = stage.ids().len();
    drop(server);
    let server = stage.follower.serve(&["--no-poll"]);
    is_clean(&server, &stage, entries);
}

/// Control characters of a site do not reach a screen.
#[test]
fn what_goes_wrong_is_said_without_what_could_do_harm() {
    let stage = Stage::followed(&[]);
    for body in ["<a>\u{1b}[2J\u{7}</b>", "<urlset\u{1b}]0;x\u{7}>", "\u{9b}31m<x>"] {
        stage.text(CHANGES, body);
        stage.fails(&[CHANGES]);
        for arguments in [&["sites"][..], &["poll"]] {
            let output = stage.follower.run(arguments);
            let all = [output.stdout, output.stderr].concat();
            let text = String::from_utf8(all).unwrap();
            assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
        }
    }
}
