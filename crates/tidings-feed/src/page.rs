//! A page, as far as its followers are told about it.

use url::Url;

use crate::html::{self, Piece, Text};
use crate::{decode, language, plain, uri};

/// How much of a page's text is kept, in bytes.
const MOST_TEXT: usize = 64 << 10;

/// How much of the text of an `<h1>` is read, in bytes.
const MAX_HEADING_BYTES: usize = 4 << 10;

/// What feeds are sent as. Not `application/json`: there are far more other things behind that.
const FEEDS: [&str; 4] = [
    "application/atom+xml",
    "application/rss+xml",
    "application/feed+json",
    // RSS 0.90 and 1.0.
    "application/rdf+xml",
];

/// A page, as far as its followers are told about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// What it is called, in one line of at most 300 characters.
    pub title: Option<String>,
    /// Of its text: a language tag.
    pub language: Option<String>,
    /// The feeds that it names, each with its title.
    pub feeds: Vec<(Url, Option<String>)>,
    /// What a person would read: one block per line, at most 64 KiB.
    pub text: String,
}

impl Page {
    /// Reads HTML, or plain text if the `Content-Type` says so. Of what is neither nothing is known.
    #[must_use]
    pub fn read(bytes: &[u8], content_type: Option<&str>, url: &Url) -> Self {
        let media_type = decode::media_type(content_type).unwrap_or_default();
        let is_markup =
            media_type.is_empty() || ["html", "xml"].iter().any(|n| media_type.contains(n));
        let is_text = media_type.starts_with("text/") || media_type.contains("json");
        if !is_markup && !is_text {
            return Self::default();
        }
        let text = decode::decode(bytes, content_type);
        if is_markup { page(&text, url) } else { Self { text: lines(&text), ..Self::default() } }
    }
}

fn page(html: &str, url: &Url) -> Page {
    let mut page = Page::default();
    let mut text = Text::new(MOST_TEXT);
    let (mut title, mut tags, mut in_body) = (None::<String>, Vec::new(), false);
    let mut fallback = FallbackTitle::default();
    for piece in html::pieces(html.as_bytes()) {
        text.push(&piece);
        fallback.read(&piece);
        match piece {
            Piece::Start(tag) if tag.is("title") && page.title.is_none() => {
                title = Some(String::new());
            }
            Piece::Text(text) => {
                if let Some(title) = &mut title {
                    title.push_str(&text);
                }
            }
            Piece::End(name) if name == "title" => {
                page.title = page.title.or_else(|| plain::line(&title.take()?));
            }
            Piece::Start(tag) if tag.is("body") => in_body = true,
            // What people have written into a page names none of its feeds.
            Piece::Start(tag) if !in_body && ["html", "base", "link"].iter().any(|n| tag.is(n)) => {
                tags.push(tag);
            }
            _ => {}
        }
        if text.is_full() {
            break;
        }
    }
    page.title = page.title.or_else(|| fallback.finish());
    page.text = text.finish();
    let lang = tags.iter().find(|tag| tag.is("html")).and_then(|tag| tag.attribute("lang"));
    page.language = lang.and_then(|tag| language::tag(&tag));
    page.feeds = feeds(&tags, url);
    page
}

/// Collects the titles of a page that has no `<title>`: its `og:title`, else its first `<h1>` with text.
#[derive(Default)]
struct FallbackTitle {
    og_title: Option<String>,
    heading: Option<String>,
    /// The text of the `<h1>` that is open.
    open_heading: Option<Text>,
}

impl FallbackTitle {
    fn read(&mut self, piece: &Piece) {
        if let Some(text) = &mut self.open_heading {
            text.push(piece);
        }
        match piece {
            Piece::Start(tag) if tag.is("meta") && self.og_title.is_none() => {
                let name = tag.attribute("property").or_else(|| tag.attribute("name"));
                if name.is_some_and(|name| name.trim().eq_ignore_ascii_case("og:title")) {
                    self.og_title = tag.attribute("content").and_then(|text| plain::line(&text));
                }
            }
            Piece::Start(tag) if tag.is("h1") && self.heading.is_none() => {
                self.open_heading.get_or_insert_with(|| Text::new(MAX_HEADING_BYTES));
            }
            Piece::End(name) if name == "h1" => self.close_heading(),
            _ => {}
        }
    }

    fn close_heading(&mut self) {
        let text = self.open_heading.take().map(Text::finish);
        self.heading = self.heading.take().or_else(|| plain::line(&text?));
    }

    fn finish(mut self) -> Option<String> {
        self.close_heading();
        self.og_title.or(self.heading)
    }
}

fn feeds(tags: &[html::Tag], url: &Url) -> Vec<(Url, Option<String>)> {
    let base = html::base(tags, url);
    let mut feeds: Vec<(Url, Option<String>)> = Vec::new();
    for tag in tags.iter().filter(|tag| tag.is("link") && tag.has_rel("alternate")) {
        let media_type = decode::media_type(tag.attribute("type").as_deref());
        if !media_type.is_some_and(|name| FEEDS.contains(&&name[..])) {
            continue;
        }
        let Some(feed) = tag.attribute("href").and_then(|href| uri::resolve(&base, &href)) else {
            continue;
        };
        if feeds.iter().all(|(known, _)| *known != feed) {
            feeds.push((feed, tag.attribute("title").and_then(|title| plain::line(&title))));
        }
    }
    feeds
}

/// Plain text, with the white space within its lines collapsed.
fn lines(plain: &str) -> String {
    let mut text = Text::new(MOST_TEXT);
    for line in plain.lines() {
        if text.is_full() {
            break;
        }
        text.push(&Piece::Text(line.to_owned()));
        text.break_line();
    }
    text.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str, content_type: Option<&str>) -> Page {
        Page::read(html.as_bytes(), content_type, &Url::parse("http://e.example/a/b").unwrap())
    }

    #[test]
    fn a_page_is_read_as_a_person_would() {
        let page = read(
            "<!doctype html><html lang=en><head><title>A &amp; B</title>\
             <link rel=alternate type=application/atom+xml href=f.atom title='The feed'>\
             <link rel='Alternate home' type='Application/RSS+XML; charset=utf-8' href=/f.rss>\
             <link rel=alternate type=application/json href=/wp-json>\
             <link rel=alternate type=application/rdf+xml href=/f.rdf>\
             <link rel=alternate type=application/rss+xml href=javascript:x>\
             <link rel=alternate type=application/feed+json href=/f.rss>\
             <style>p {}</style></head><body><nav><a href=x>Home</a></nav>\n\
             <p>One  <b>bold</b>\nword<br>two<script>alert(1)</script>\n\
             <table><tr><td>a<td>b<tr><td>c</table>\
             <pre>x\n  y</pre><noscript>n</noscript><template><p>t</template>end\0\
             <link rel=alternate type=application/atom+xml href=comment>",
            None,
        );
        assert_eq!(page.title.as_deref(), Some("A & B"));
        assert_eq!(page.language.as_deref(), Some("en"));
        assert_eq!(page.text, "Home\nOne bold word\ntwo\na b\nc\nx\ny\nend");
        let feeds: Vec<(&str, Option<&str>)> =
            page.feeds.iter().map(|(url, title)| (url.as_str(), title.as_deref())).collect();
        assert_eq!(
            feeds,
            [
                ("http://e.example/a/f.atom", Some("The feed")),
                ("http://e.example/f.rss", None),
                ("http://e.example/f.rdf", None)
            ]
        );
    }

    #[test]
    fn a_page_without_a_title_has_that_of_its_card_or_its_heading() {
        let heading =
            "<h1><img alt=logo></h1><h1>Fog <em>over</em>\nthe harbour</h1><h1>Other</h1>";
        let card = "<meta property='og:title' content=' Fog &amp; rain '>";
        let title = |html: &str| read(html, None).title;
        assert_eq!(title(heading).as_deref(), Some("Fog over the harbour"));
        assert_eq!(title(&format!("{card}{heading}")).as_deref(), Some("Fog & rain"));
        assert_eq!(title(&format!("<title> </title>{card}")).as_deref(), Some("Fog & rain"));
        assert_eq!(title(&format!("{card}{heading}<title>T</title>")).as_deref(), Some("T"));
        assert_eq!(title("<h1>open <b>heading").as_deref(), Some("open heading"));
        assert_eq!(title("<meta property=og:title content=''><p>x"), None);
    }

    #[test]
    fn other_kinds_of_documents_are_survived() {
        assert_eq!(read("a <b>\n\n c", Some("text/plain")).text, "a <b>\nc");
        assert_eq!(read("<p>x", Some("image/png")), Page::default());
        assert_eq!(read("", None), Page::default());
        assert_eq!(read("<title>open", None), Page::default());
        assert_eq!(read("<template>".repeat(100_000).as_str(), None).text, "");
    }

    #[test]
    fn long_pages_are_cut() {
        let page = read(&format!("<p>{}", "ü".repeat(1 << 20)), None);
        assert!(page.text.len() <= MOST_TEXT && page.text.len() > MOST_TEXT - 4);
        let title = read(&format!("<title>{}</title>", "ü".repeat(1 << 20)), None).title.unwrap();
        assert_eq!(title.chars().count(), 300);
    }
}
