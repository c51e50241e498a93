//! The text file of a webfeed.

use url::Url;

/// The posts of a webfeed, as its index has them: the newest last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Index {
    /// Its lines, each address once, without those that are none.
    pub lines: Vec<Line>,
    /// Lines that are no address, with their numbers and why they are none: the last hundred.
    pub odd: Vec<(usize, String)>,
    /// How many addresses there are before those that are kept.
    pub left_out: usize,
}

/// A line that names a post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its number in the file, from 1.
    pub number: usize,
    /// As it is written.
    pub text: String,
    /// Where the post is.
    pub url: Url,
    /// True if it is on another domain: then somebody else wrote it.
    pub is_repost: bool,
}

/// Why a file is no index.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    /// It is a page.
    #[error("it is an HTML page, and no list of addresses")]
    Html,
    /// It has bytes that no text has.
    #[error("it is no text")]
    Binary,
    /// All that it has are lines that are no addresses.
    #[error("none of its lines is an address; the first is {first:?}")]
    Nothing {
        /// The first of them.
        first: String,
    },
}

impl Index {
    /// How many posts of one webfeed are kept: the newest.
    pub const MOST_LINES: usize = 10_000;
    /// How many bytes of an index are read.
    pub const MOST_BYTES: u64 = 4 << 20;
    /// How many lines are looked at, however many of them name the same.
    pub(crate) const MOST_LOOKED_AT: usize = 100_000;
    /// How many odd lines are told.
    const MOST_ODD: usize = 100;
    /// How long a line may be.
    const LONGEST: usize = 2_000;

    /// Reads the file that is at that address.
    pub fn parse(bytes: &[u8], at: &Url) -> Result<Self, IndexError> {
        let text = text_of(bytes)?;
        if is_html(&text) {
            return Err(IndexError::Html);
        }
        let mut index = Self::default();
        let mut seen = std::collections::HashSet::new();
        let mut first = None;
        let end = end_of_line(&text);
        let mut number = text.split(end).count() + 1;
        let folder = Self::folder(at);
        let mut looked_at = 0;
        // From the end: there are the newest, and of those that are the same the last counts. Whoever
        // names a post again puts it on top.
        for text in text.rsplit(end) {
            number -= 1;
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            looked_at += 1;
            if index.lines.len() == Self::MOST_LINES || looked_at > Self::MOST_LOOKED_AT {
                index.left_out += 1;
                continue;
            }
            match address(text, &folder) {
                Ok(url) if seen.insert(url.clone()) => {
                    let is_repost = is_elsewhere(&url, at);
                    index.lines.push(Line { number, text: text.to_owned(), url, is_repost });
                }
                Ok(_) => {}
                Err(error) => {
                    first = Some(text);
                    if index.odd.len() < Self::MOST_ODD {
                        index.odd.push((number, error.to_string()));
                    }
                }
            }
        }
        if let (true, Some(first)) = (index.lines.is_empty(), first) {
            return Err(IndexError::Nothing { first: first.chars().take(80).collect() });
        }
        index.lines.reverse();
        index.odd.reverse();
        Ok(index)
    }

    /// The folder that relative addresses are relative to: that of the file. An address whose last
    /// segment has no extension is a folder itself.
    #[must_use]
    pub fn folder(at: &Url) -> Url {
        let mut folder = at.clone();
        folder.set_query(None);
        folder.set_fragment(None);
        let path = at.path();
        let last = path.rsplit('/').next().unwrap_or_default();
        let is_file = last.rsplit_once('.').is_some_and(|(_, extension)| {
            !extension.is_empty() && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        if is_file || last.is_empty() {
            folder.set_path(&path[..path.len() - last.len()]);
        } else {
            folder.set_path(&format!("{path}/"));
        }
        folder
    }
}

/// Whether a post is on another domain than the index (Webfeeds Specification, "Example Feed Text
/// File"). `www.` makes no other domain, and neither does the scheme or the port.
fn is_elsewhere(url: &Url, at: &Url) -> bool {
    let host = |url: &Url| {
        let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
        host.strip_prefix("www.").map(str::to_owned).unwrap_or(host)
    };
    host(url) != host(at)
}

/// Why a line of an index names no post.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LineError {
    /// The line is longer than any address.
    #[error("{opening}…: it is longer than {} bytes", Index::LONGEST)]
    TooLong { opening: String },
    /// The line is no address.
    #[error("{opening}: it is no address ({error})")]
    NoAddress { opening: String, error: url::ParseError },
    /// The address is not on the web.
    #[error("{opening}: only http and https addresses are posts")]
    NotWeb { opening: String },
    /// The address has a user name or a password, which is not repeated.
    #[error("{host}: it has a user name in it")]
    UserName { host: String },
}

/// What a line means.
pub(crate) fn address(text: &str, folder: &Url) -> Result<Url, LineError> {
    let opening = || text.chars().take(80).collect::<String>();
    if text.len() > Index::LONGEST {
        return Err(LineError::TooLong { opening: opening() });
    }
    let url = folder.join(text);
    let mut url = url.map_err(|error| LineError::NoAddress { opening: opening(), error })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(LineError::NotWeb { opening: opening() });
    }
    if !url.username().is_empty() || url.password().is_some() {
        let host = url.host_str().unwrap_or_default().to_owned();
        return Err(LineError::UserName { host });
    }
    url.set_fragment(None);
    Ok(url)
}

pub(crate) fn text_of(bytes: &[u8]) -> Result<String, IndexError> {
    // A byte order mark says what it is; else it is UTF-8, or what an old editor wrote.
    if let Some((encoding, _)) = encoding_rs::Encoding::for_bom(bytes) {
        let (text, _, _) = encoding.decode(bytes);
        return Ok(text.into_owned());
    }
    let is_binary = bytes.iter().take(4096).any(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31));
    if is_binary {
        return Err(IndexError::Binary);
    }
    let text = std::str::from_utf8(bytes).map(str::to_owned);
    Ok(text.unwrap_or_else(|_| encoding_rs::WINDOWS_1252.decode(bytes).0.into_owned()))
}

/// What lines end with: old editors know only the one sign.
pub(crate) fn end_of_line(text: &str) -> char {
    if text.contains('\n') { '\n' } else { '\r' }
}

/// Whether a page came where a list should be, as servers send it that have lost something.
fn is_html(text: &str) -> bool {
    let lines = text.lines().map(str::trim_start);
    let first = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).take(1);
    first.into_iter().any(|line| line.starts_with('<'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification, byte for byte.
    const EXAMPLE: &str = "# Lines that start with a # sign are considered comments
# Most lines in this URL list will be relative URIs, which
# are relative to the URL of the folder where the feed text
# file was found.

/post-1
/post-2
/post 3

# If the URL is fully-qualified and points to a URL on a
# different domain, this is interpreted by the reader as
# as a repost, and the reader will indicate this within
# it's user interface.

https://www.myfriendsfeed.com/post-a
https://www.myfriendsfeed.com/post-b
";

    fn at(url: &str) -> Url {
        Url::parse(url).unwrap()
    }

    fn urls(text: &str, from: &str) -> Vec<String> {
        let index = Index::parse(text.as_bytes(), &at(from)).unwrap();
        index.lines.iter().map(|line| line.url.to_string()).collect()
    }

    #[test]
    fn the_example_of_the_specification_is_read() {
        let index = Index::parse(EXAMPLE.as_bytes(), &at("https://a.example/index.txt")).unwrap();
        let found: Vec<_> = index
            .lines
            .iter()
            .map(|line| (line.url.as_str(), line.is_repost, line.number))
            .collect();
        assert_eq!(
            found,
            [
                ("https://a.example/post-1", false, 6),
                ("https://a.example/post-2", false, 7),
                ("https://a.example/post%203", false, 8),
                ("https://www.myfriendsfeed.com/post-a", true, 15),
                ("https://www.myfriendsfeed.com/post-b", true, 16),
            ]
        );
        assert!(index.odd.is_empty());
    }

    #[test]
    fn lines_are_relative_to_the_folder_and_a_slash_means_the_host() {
        for (from, line, url) in [
            ("https://a.example/f/index.txt", "post.html", "https://a.example/f/post.html"),
            ("https://a.example/f/index.txt", "/post.html", "https://a.example/post.html"),
            ("https://a.example/f/index.txt", "../x", "https://a.example/x"),
            ("https://a.example/f", "x", "https://a.example/f/x"),
            ("https://a.example/f/", "x", "https://a.example/f/x"),
            ("https://a.example", "x", "https://a.example/x"),
            ("https://a.example/f/index.txt?v=2", "x?y=1", "https://a.example/f/x?y=1"),
            ("https://a.example/i.txt", "//b.example/x", "https://b.example/x"),
        ] {
            assert_eq!(urls(line, from), [url], "{line} at {from}");
        }
    }

    #[test]
    fn f4_each_odd_line_is_what_the_table_says() {
        let from = "https://a.example/index.txt";
        for (lines, expected) in [
            ("/post 3", &["https://a.example/post%203"][..]),
            ("/one\r\n/two\r\n", &["https://a.example/one", "https://a.example/two"]),
            ("\u{feff}/one", &["https://a.example/one"]),
            ("/one#top\n/two", &["https://a.example/one", "https://a.example/two"]),
            ("javascript:alert(1)\n/one", &["https://a.example/one"]),
            ("data:text/html,x\n/one", &["https://a.example/one"]),
            ("https://user:secret@a.example/x\n/one", &["https://a.example/one"]),
            ("/one\n/two\n/one", &["https://a.example/two", "https://a.example/one"]),
            ("  # not a post\n  /one  ", &["https://a.example/one"]),
        ] {
            assert_eq!(urls(lines, from), expected, "{lines:?}");
        }
        let odd = Index::parse(b"https://user:secret@a.example/x\n/one", &at(from)).unwrap().odd;
        assert!(odd.len() == 1 && !odd[0].1.contains("secret"), "{odd:?}");
    }

    #[test]
    fn another_domain_is_a_repost_and_www_is_not() {
        let is_repost = |line: &str, from: &str| {
            Index::parse(line.as_bytes(), &at(from)).unwrap().lines[0].is_repost
        };
        assert!(!is_repost("https://www.a.example/x", "https://a.example/i.txt"));
        assert!(!is_repost("http://a.example:8080/x", "https://a.example/i.txt"));
        assert!(is_repost("https://b.a.example/x", "https://a.example/i.txt"));
        assert!(is_repost("//b.example/x", "https://a.example/i.txt"));
    }

    #[test]
    fn f2_what_is_no_index_is_not_an_empty_one() {
        let from = at("https://a.example/index.txt");
        let parse = |bytes: &[u8]| Index::parse(bytes, &from).map(|index| index.lines.len());
        assert_eq!(parse(b"<!doctype html><p>Not found"), Err(IndexError::Html));
        assert_eq!(parse(b"# hello\n <html>"), Err(IndexError::Html));
        assert_eq!(parse(b"\x89PNG\r\n\x1a\n\0\0"), Err(IndexError::Binary));
        assert!(matches!(parse(b"javascript:1"), Err(IndexError::Nothing { .. })));
        assert_eq!(parse(b""), Ok(0));
        assert_eq!(parse(b"# nothing today\n\n"), Ok(0));
        assert_eq!(parse(b"/caf\xe9"), Ok(1));
        assert_eq!(parse(b"\xff\xfe/\0a\0"), Ok(1));
    }

    #[test]
    fn f5_of_a_million_lines_the_newest_are_kept() {
        let text: String = (0..1_000_000).map(|number| format!("/{number}\n")).collect();
        let index = Index::parse(text.as_bytes(), &at("https://a.example/index.txt")).unwrap();
        assert_eq!((index.lines.len(), index.left_out), (Index::MOST_LINES, 990_000));
        assert_eq!(index.lines.last().map(|line| line.url.path()), Some("/999999"));
    }
}
