use super::*;

fn url() -> Url {
    Url::parse("http://e.example/feeds/all").unwrap()
}

fn read(text: &str) -> Result<TakenFeed, FeedError> {
    TakenFeed::read(text.as_bytes(), None, &url())
}

#[test]
fn atom_is_taken_over() {
    // The header wins over the declaration.
    let text = r#"<?xml version="1.0" encoding="ISO-8859-1"?>
        <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de">
        <title>Käse &lt;b&gt;</title><subtitle type="html">&lt;i&gt;a&lt;/i&gt; &amp;amp; b</subtitle>
        <author><name>Anna</name></author>
        <link rel="self" href="/feeds/all"/><link href="/"/>
        <entry><id>tag:1</id><title type="html">1 &amp;lt; &lt;b&gt;2&lt;/b&gt;</title>
        <link href="one"/><updated>2026-03-01T01:00:00+01:00</updated>
        <summary>S</summary></entry>
        <entry><id>tag:1</id><title>again</title></entry>
        <entry><title>no id</title><link href="javascript:x"/><updated>2026-03-01T00:00:00Z</updated>
        <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>a</p><p>b</p></div></content>
        </entry></feed>"#;
    let content_type = Some("application/atom+xml; charset=utf-8");
    let feed = TakenFeed::read(text.as_bytes(), content_type, &url()).unwrap();
    assert_eq!(feed.title.as_deref(), Some("Käse <b>"));
    assert_eq!(feed.description.as_deref(), Some("a & b"));
    assert_eq!(feed.author.as_deref(), Some("Anna"));
    assert_eq!(feed.language.as_deref(), Some("de"));
    assert_eq!(feed.home.unwrap().as_str(), "http://e.example/");
    let [one, two] = &feed.entries[..] else { panic!("{:?}", feed.entries) };
    assert_eq!((&one.id[..], one.title.as_deref()), ("tag:1", Some("1 < 2")));
    assert_eq!(one.link.as_ref().unwrap().as_str(), "http://e.example/feeds/one");
    assert_eq!(one.updated.unwrap().to_string(), "2026-03-01T00:00:00Z");
    assert_eq!(one.summary.as_deref(), Some("S"));
    assert_eq!(two.id, "urn:x-tidings:no%20id%202026-03-01T00:00:00Z");
    assert_eq!((two.link.as_ref(), two.summary.as_deref()), (None, Some("a b")));
}

#[test]
fn rss_of_all_ages_is_taken_over() {
    let two = read(
        "<!DOCTYPE rss PUBLIC '-//Netscape//DTD RSS 0.91//EN' 'http://x.example/rss.dtd'>\
         <rss version='2.0'><channel><title>Fish &amp;amp; Chips</title><link>http://e.example/</link>\
         <managingEditor>a@b.example (Anna)</managingEditor><language>en-us</language>\
         <description>1 &lt; 2</description>\
         <item><title>A &lt;b&gt;bold&lt;/b&gt; one</title><link>/1</link>\
         <pubDate>Sun, 01 Mar 2026 00:00:00 GMT</pubDate>\
         <description>&lt;p&gt;x&lt;/p&gt;</description></item>\
         <item><guid>http://e.example/2</guid></item><item></item></channel></rss>",
    )
    .unwrap();
    assert_eq!(two.title.as_deref(), Some("Fish & Chips"));
    assert_eq!(two.description.as_deref(), Some("1 < 2"));
    assert_eq!(two.author.as_deref(), Some("Anna"));
    assert_eq!(two.entries.len(), 2);
    assert_eq!(two.entries[0].id, "http://e.example/1");
    assert_eq!(two.entries[0].title.as_deref(), Some("A bold one"));
    assert_eq!(two.entries[0].published.unwrap().to_string(), "2026-03-01T00:00:00Z");
    assert_eq!(two.entries[1].link.as_ref().unwrap().as_str(), "http://e.example/2");
    for version in ["", " version='0.94'", " version='2.0.1' xmlns:x='http://x.example/'"] {
        let text = format!("<rss{version}><channel><item><title>a</title></item></channel></rss>");
        assert_eq!(read(&text).unwrap().entries[0].title.as_deref(), Some("a"), "{version}");
    }
    let zero = "<rss version='0.91'><channel><title>T</title><item><title>a</title>\
                <link>http://e.example/a</link></item></channel></rss>";
    assert_eq!(read(zero).unwrap().entries[0].id, "http://e.example/a");
    let one = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' \
               xmlns='http://purl.org/rss/1.0/'><channel><title>T</title></channel>\
               <item><title>a</title><link>http://e.example/a</link></item></rdf:RDF>";
    assert_eq!(read(one).unwrap().entries[0].title.as_deref(), Some("a"));
}

#[test]
fn json_feed_is_taken_over() {
    let feed = read(
        r#"{"version":"https://jsonfeed.org/version/1.1","title":"T","feed_url":"http://e.example/feeds/all",
        "home_page_url":"http://e.example/","authors":[{"name":"Anna"}],
        "items":[{"id":"1","content_html":"<p>a</p>","date_published":"2026-03-01T00:00:00Z"}]}"#,
    )
    .unwrap();
    assert_eq!(feed.home.unwrap().as_str(), "http://e.example/");
    assert_eq!(feed.author.as_deref(), Some("Anna"));
    assert_eq!((&feed.entries[0].id[..], feed.entries[0].summary.as_deref()), ("1", Some("a")));
}

#[test]
fn what_is_no_feed_is_named() {
    for (text, expected) in [
        ("", "the document is empty"),
        ("<!doctype html><title>x</title>", "an HTML page"),
        ("<x:html xmlns:x='http://www.w3.org/1999/xhtml'/>", "an HTML page"),
        ("<urlset/>", "XML that begins with <urlset>"),
        ("hello", "neither XML nor JSON"),
        ("{\"a\":1}", "some other JSON"),
        ("{\"a\":\n", "line 2 "),
        ("<rss version='2.0'>\n<channel></rss>", "line 2 "),
        ("<feed xmlns='http://www.w3.org/2005/Atom'>\n\n", "line 3 "),
        ("<!DOCTYPE rss [<!ENTITY a 'b'>]><rss version='2.0'/>", "declares entities"),
        ("<!-- x", "line 1 "),
        (
            "<feed xmlns='http://www.w3.org/2005/Atom'>\n<entry>\n\
             <content type='what'>x</content></entry></feed>",
            "line 3 ",
        ),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn hostile_feeds_are_refused_or_survived() {
    let laughs = (1..10).fold("<!ENTITY a0 'ha'>".to_owned(), |text, n| {
        text + &format!("<!ENTITY a{n} '{}'>", format!("&a{};", n - 1).repeat(10))
    });
    let laughs =
        format!("<!DOCTYPE rss [{laughs}]><rss version='2.0'><channel>&a9;</channel></rss>");
    assert_eq!(read(&laughs), Err(FeedError::Entities));
    assert_eq!(read(&format!("<feed>{}", "<a>".repeat(1 << 20))), Err(FeedError::Deep));
    let deep = format!("{{\"a\":{}", "[".repeat(1 << 20));
    assert!(matches!(read(&deep), Err(FeedError::Broken { .. })));
    // On these `feed-rs` 3.0.0 falls over.
    let item = |inner: &str| {
        format!(
            "<rss version='2.0' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'>\
             <channel><item><guid>1</guid>{inner}</item></channel></rss>"
        )
    };
    for inner in [
        "<author>————a@b.example</author>",
        "<itunes:duration>99999999999999999999999</itunes:duration>",
    ] {
        let error = read(&item(inner)).unwrap_err().to_string();
        assert!(error.contains("cannot be understood"), "{error}");
    }
    // A title of a megabyte, and bare ampersands.
    let long = read(&item(&format!("<title>{} & x</title>", "T".repeat(1 << 20)))).unwrap();
    assert_eq!(long.entries[0].title.as_ref().unwrap().chars().count(), 300);
    let script = read(&item("<title>&lt;script&gt;alert(1)&lt;/script&gt;x</title>")).unwrap();
    assert_eq!(script.entries[0].title.as_deref(), Some("x"));
}

#[test]
fn not_more_than_a_thousand_entries_are_taken() {
    let items: String = (0..1500).map(|n| format!("<item><guid>{n}</guid></item>")).collect();
    let feed = read(&format!("<rss version='2.0'><channel>{items}</channel></rss>")).unwrap();
    assert_eq!(feed.entries.len(), 1000);
}
