//! XML in colours: whatever is there is shown, as it is, whether or not it is XML.

use std::ops::Range;

use tidings_base::text::is_hidden_on_page;
use tidings_base::{Quotes, push_html};
use tidings_web::Url;

use super::window::Window;
use crate::parts::{encoded, web};

/// How long a link may be.
const LONGEST: usize = 2_000;

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Brackets, blanks, equals signs.
    Plain,
    Text,
    Name,
    Attribute,
    Value,
    Comment,
}

impl Kind {
    fn class(self) -> Option<char> {
        match self {
            Self::Plain | Self::Text => None,
            Self::Name => Some('n'),
            Self::Attribute => Some('a'),
            Self::Value => Some('v'),
            Self::Comment => Some('c'),
        }
    }
}

/// Where something leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The text of a `loc`.
    Loc,
    /// The `href` of a `ln`.
    Link,
    Elsewhere,
}

/// Takes a text apart. The pieces are all of it, in order; it is read once, from its first byte to its
/// last, whatever is in it.
pub(super) fn pieces(text: &str, mut each: impl FnMut(Range<usize>, Kind, Place)) {
    let bytes = text.as_bytes();
    let mut element = "";
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let place = if element == "loc" { Place::Loc } else { Place::Elsewhere };
        let end = if rest.starts_with(b"<!--") {
            let end = behind(text, at + 4, "-->");
            each(at..end, Kind::Comment, Place::Elsewhere);
            end
        } else if rest.starts_with(b"<![CDATA[") {
            let end = behind(text, at + 9, "]]>");
            each(at..end, Kind::Text, place);
            end
        } else if rest[0] == b'<' {
            tag(text, at, &mut element, &mut each)
        } else {
            let end = until(bytes, at, |byte| byte == b'<');
            each(at..end, Kind::Text, place);
            end
        };
        at = end;
    }
}

/// A tag, up to its end, or to where another begins.
fn tag<'t>(
    text: &'t str,
    start: usize,
    element: &mut &'t str,
    each: &mut impl FnMut(Range<usize>, Kind, Place),
) -> usize {
    let bytes = text.as_bytes();
    let is_mark = |byte: &u8| matches!(byte, b'/' | b'?' | b'!');
    let name = start + 1 + bytes[start + 1..].iter().take_while(|byte| is_mark(byte)).count();
    each(start..name, Kind::Plain, Place::Elsewhere);
    let mut at = until(bytes, name, ends_name);
    if at > name {
        each(name..at, Kind::Name, Place::Elsewhere);
    }
    *element = if name == start + 1 { local(&text[name..at]) } else { "" };
    let mut attribute = "";
    while at < bytes.len() && bytes[at] != b'<' {
        let (end, kind) = match bytes[at] {
            b'>' => {
                each(at..at + 1, Kind::Plain, Place::Elsewhere);
                return at + 1;
            }
            quote @ (b'"' | b'\'') => {
                // No value has a bracket in it: a quote that is not closed ends there.
                let end = until(bytes, at + 1, |byte| byte == quote || byte == b'<');
                let is_closed = bytes.get(end) == Some(&quote);
                (end + usize::from(is_closed), Kind::Value)
            }
            byte if ends_name(byte) => {
                let ends = |byte| !ends_name(byte) || matches!(byte, b'>' | b'"' | b'\'' | b'<');
                (until(bytes, at + 1, ends), Kind::Plain)
            }
            _ => (until(bytes, at, ends_name), Kind::Attribute),
        };
        if kind == Kind::Attribute {
            attribute = local(&text[at..end]);
        }
        let is_link = kind == Kind::Value && *element == "ln" && attribute == "href";
        each(at..end, kind, if is_link { Place::Link } else { Place::Elsewhere });
        at = end;
    }
    at
}

fn ends_name(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>' | b'<' | b'=' | b'"' | b'\'' | b'?')
}

/// A name without its prefix.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

fn until(bytes: &[u8], from: usize, is_end: impl Fn(u8) -> bool) -> usize {
    bytes[from..].iter().position(|byte| is_end(*byte)).map_or(bytes.len(), |at| from + at)
}

fn behind(text: &str, from: usize, end: &str) -> usize {
    text[from..].find(end).map_or(text.len(), |at| from + at + end.len())
}

/// A part of a text as HTML, with its lines numbered and its links to be followed. Where the entries
/// lead to documents, so do their links: to a page like this one.
pub(super) fn html(text: &str, window: &Window, leads_on: bool, root: &str) -> String {
    let mut page = Page {
        text,
        window,
        leads_on,
        root,
        out: String::with_capacity((window.end - window.start) * 2),
        line: window.from.line,
    };
    page.begin();
    pieces(&text[..window.end], |range, kind, place| page.piece(range, kind, place));
    page.out.push_str("</span>");
    page.out
}

struct Page<'t> {
    text: &'t str,
    window: &'t Window,
    leads_on: bool,
    root: &'t str,
    out: String,
    line: usize,
}

impl Page<'_> {
    fn begin(&mut self) {
        let line = self.line;
        self.out += &format!("<span class=\"l\" id=\"L{line}\" data-n=\"{line}\">");
    }

    fn piece(&mut self, range: Range<usize>, kind: Kind, place: Place) {
        let mut start = range.start.max(self.window.start);
        while start < range.end {
            let newline = self.text[start..range.end].find('\n').map(|at| start + at);
            self.run(start..newline.unwrap_or(range.end), kind, place);
            let Some(newline) = newline else { return };
            start = newline + 1;
            if start < self.window.end {
                self.line += 1;
                self.out.push_str("</span>");
                self.begin();
            }
        }
    }

    /// A piece within a line.
    fn run(&mut self, range: Range<usize>, kind: Kind, place: Place) {
        let text = &self.text[range.clone()];
        let text = text.strip_suffix('\r').unwrap_or(text);
        if text.is_empty() {
            return;
        }
        if let Some(class) = kind.class() {
            self.out += &format!("<span class=\"{class}\">");
        }
        if matches!(kind, Kind::Text | Kind::Value) {
            // What is cut off in the middle leads elsewhere than it says.
            let is_cut = self.window.is_cut() && range.end == self.window.end;
            self.linked(text, place, is_cut);
        } else {
            escape(text, &mut self.out);
        }
        if kind.class().is_some() {
            self.out.push_str("</span>");
        }
    }

    fn linked(&mut self, mut text: &str, place: Place, is_cut: bool) {
        while let Some(at) = address(text) {
            let (before, rest) = text.split_at(at);
            escape(before, &mut self.out);
            let ends = |c: char| {
                c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '<' | '>' | ']')
            };
            let length = rest.find(ends).unwrap_or(rest.len());
            let (url, behind) = rest.split_at(length);
            let is_whole = !(is_cut && behind.is_empty());
            match target(url).filter(|_| is_whole) {
                Some(target) => self.link(url, &target, place),
                None => escape(url, &mut self.out),
            }
            text = behind;
        }
        escape(text, &mut self.out);
    }

    fn link(&mut self, shown: &str, target: &str, place: Place) {
        let is_document = place == Place::Link || place == Place::Loc && self.leads_on;
        self.out.push_str("<a href=\"");
        if is_document {
            escape(self.root, &mut self.out);
            self.out.push_str("document?url=");
            self.out.push_str(&encoded(target));
            self.out.push_str("\">");
        } else {
            escape(target, &mut self.out);
            self.out.push_str("\" rel=\"noreferrer nofollow\">");
        }
        escape(shown, &mut self.out);
        self.out.push_str("</a>");
    }
}

/// Where the next address of the web begins.
fn address(text: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = text[from..].find("://").map(|at| from + at) {
        for scheme in ["https", "http"] {
            let start = at.checked_sub(scheme.len());
            let start = start.filter(|start| {
                text.get(*start..at).is_some_and(|it| it.eq_ignore_ascii_case(scheme))
            });
            if start.is_some() {
                return start;
            }
        }
        from = at + 3;
    }
    None
}

/// What an address in XML means, if it can be followed.
fn target(url: &str) -> Option<String> {
    if url.len() > LONGEST {
        return None;
    }
    let plain = unescape(url);
    let parsed = Url::parse(web(&plain)?).ok()?;
    let is_open = parsed.username().is_empty() && parsed.password().is_none();
    (is_open && parsed.host_str().is_some()).then(|| parsed.into())
}

/// The five entities that every reader of XML knows, and numbers.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find(';').filter(|end| *end <= 10);
        let meant = end.and_then(|end| entity(&rest[1..end]));
        match (meant, end) {
            (Some(meant), Some(end)) => {
                out.push(meant);
                rest = &rest[end + 1..];
            }
            _ => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|c| !c.is_control())
        }
    }
}

/// Text within HTML, also within quotes.
pub(super) fn escape(text: &str, out: &mut String) {
    // What would not be seen is seen to be there.
    for piece in text.split_inclusive(is_hidden_on_page) {
        let seen = piece.trim_end_matches(is_hidden_on_page);
        push_html(out, seen, Quotes::Both);
        if seen.len() < piece.len() {
            out.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::window::Start;
    use super::*;

    fn taken_apart(text: &str) -> Vec<(Kind, &str)> {
        let mut all = Vec::new();
        let mut at = 0;
        pieces(text, |range, kind, _| {
            assert_eq!(range.start, at, "{text:?}");
            assert!(range.end > range.start, "{text:?}");
            at = range.end;
            all.push((kind, &text[range]));
        });
        assert_eq!(at, text.len(), "{text:?}");
        all
    }

    fn shown(text: &str, leads_on: bool) -> String {
        html(text, &Window::of(text, Start { line: 1, skip: 0 }), leads_on, "/")
    }

    #[test]
    fn xml_is_taken_apart() {
        use Kind::{Attribute, Comment, Name, Plain, Text, Value};
        assert_eq!(
            taken_apart("<?xml v='1'?><a:b c = \"d\">e</a:b><!-- f -->"),
            [
                (Plain, "<?"),
                (Name, "xml"),
                (Plain, " "),
                (Attribute, "v"),
                (Plain, "="),
                (Value, "'1'"),
                (Plain, "?"),
                (Plain, ">"),
                (Plain, "<"),
                (Name, "a:b"),
                (Plain, " "),
                (Attribute, "c"),
                (Plain, " = "),
                (Value, "\"d\""),
                (Plain, ">"),
                (Text, "e"),
                (Plain, "</"),
                (Name, "a:b"),
                (Plain, ">"),
                (Comment, "<!-- f -->"),
            ]
        );
    }

    #[test]
    fn whatever_is_there_is_shown_whole_and_does_nothing() {
        let hostile = [
            "",
            "<",
            "<<<<",
            "</",
            "<!",
            "<!-",
            "<!--",
            "<!-->",
            "<![CDATA[",
            "<![CDATA[ ]]",
            "<a b='",
            "<a b=\"<c d='>",
            "<a ==='' \"\">",
            "a > b ' \" & &amp; ;",
            "<script>alert(1)</script>",
            "<a href=\"javascript:alert(1)\">x</a>",
            "<rs:ln href=\"https://x/&quot; onclick=&quot;alert(1)\"/>",
            "<loc>https://x/\"onmouseover=alert(1)</loc>",
            "<loc>https://x/'><img src=x></loc>",
            "\u{feff}<é ü='ö'>ß</é>\r\n\n\r\r\n",
            "\u{0}\u{1}\u{1b}\u{202e}",
            "http://",
            "://http://x",
            "é://x https://",
            "&#x110000; &#0; &#xFFFFFFFFFF; &;",
        ];
        for text in hostile {
            taken_apart(text);
            let shown = shown(text, true);
            let visible: String = without_tags(&shown);
            for bad in ["<script", "<img", "onclick=\"", "javascript:alert(1)\">", " onmouseover"] {
                assert!(!shown.contains(bad), "{text:?}: {shown}");
            }
            assert!(!visible.contains(['<', '>']), "{text:?}: {shown}");
        }
        // Mixed at random, from pieces that mean something.
        let parts =
            ["<", ">", "'", "\"", "<!--", "-->", "<![CDATA[", "]]>", "=", "/", "a", " ", "\n", "é"];
        let mut seed: u32 = 7;
        for _ in 0..2_000 {
            let mut text = String::new();
            for _ in 0..12 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                text += parts[(seed >> 16) as usize % parts.len()];
            }
            taken_apart(&text);
            let shown = shown(&text, false);
            assert_eq!(
                shown.matches("<span").count(),
                shown.matches("</span>").count(),
                "{text:?}"
            );
        }
    }

    fn without_tags(html: &str) -> String {
        let mut out = String::new();
        let mut rest = html;
        while let Some(at) = rest.find('<') {
            out += &rest[..at];
            let end = rest[at..].find('>').unwrap();
            let tag = &rest[at..=at + end];
            let is_ours = ["<span class=\"", "</span>", "<a href=\"", "</a>"];
            assert!(is_ours.iter().any(|ours| tag.starts_with(ours)), "{tag}");
            rest = &rest[at + end + 1..];
        }
        out + rest
    }

    #[test]
    fn links_lead_to_documents_or_to_the_web() {
        let link = shown("<loc>https://x.example/?a=1&amp;b=2</loc>", true);
        let inner = "https://x.example/?a=1&amp;amp;b=2";
        let href = "/document?url=https%3A%2F%2Fx.example%2F%3Fa%3D1%26b%3D2";
        assert!(link.contains(&format!("<a href=\"{href}\">{inner}</a>")), "{link}");
        let link = shown("<loc>https://x.example/?a=1&amp;b=2</loc>", false);
        let href = "https://x.example/?a=1&amp;b=2";
        let rel = "rel=\"noreferrer nofollow\"";
        assert!(link.contains(&format!("<a href=\"{href}\" {rel}>{inner}</a>")), "{link}");
        let link = shown("<rs:ln rel='up' href='http://x.example/c.xml'/>", false);
        assert!(
            link.contains("<a href=\"/document?url=http%3A%2F%2Fx.example%2Fc.xml\">"),
            "{link}"
        );
        for none in ["<loc>ftp://x/</loc>", "<loc>https://me:secret@x/</loc>", "<loc>http://</loc>"]
        {
            assert!(!shown(none, true).contains("<a "), "{none}");
        }
    }

    #[test]
    fn lines_have_their_numbers() {
        let text = "<a>\r\n\n<!-- b\nc -->\n</a>\n";
        let all = shown(text, false);
        for line in 1..=5 {
            assert!(all.contains(&format!("id=\"L{line}\" data-n=\"{line}\"")), "{all}");
        }
        assert!(!all.contains("id=\"L6\"") && !all.contains('\r'), "{all}");
        let window = Window::of(text, Start { line: 4, skip: 0 });
        let part = html(text, &window, false, "/");
        assert!(
            part.starts_with("<span class=\"l\" id=\"L4\" data-n=\"4\"><span class=\"c\">c --&gt;"),
            "{part}"
        );
    }

    #[test]
    fn one_long_line_takes_no_longer_than_many_short_ones() {
        for part in ["<", "<a b='", "<!--", "http://", "https://a/ ", "&", "]]>", "'\"<"] {
            let text = part.repeat(400_000 / part.len());
            let window = Window::of(&text, Start { line: 1, skip: 100_000 });
            let begun = std::time::Instant::now();
            let shown = html(&text, &window, true, "/");
            assert!(begun.elapsed().as_secs() < 5, "{part}");
            assert!(shown.len() < 20_000_000, "{part}: {}", shown.len());
        }
    }
}
