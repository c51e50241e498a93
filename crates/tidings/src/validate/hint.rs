//! What a document might be that is none of those which are checked without a word.

/// How something that begins so is checked, if it may be a part of a webfeed.
pub(super) fn of(beginning: &[u8]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(beginning);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if text.starts_with('<') {
        return is_page(&text.to_ascii_lowercase())
            .then_some("If it is a post of a webfeed, add --profile webfeed.");
    }
    is_list(text).then_some("If it is the index of a webfeed, add --profile webfeed.")
}

/// Whether it is a page with a section; feeds have pages in them, too.
fn is_page(text: &str) -> bool {
    let is_other = ["<?xml", "<rss", "<feed"].iter().any(|start| text.starts_with(start));
    text.contains("<section") && (!is_other || text.contains("<html"))
}

/// Whether all lines look like addresses; the last one may be cut off.
fn is_list(text: &str) -> bool {
    let is_post = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let mut lines = text.lines().map(str::trim).filter(is_post).peekable();
    lines.peek().is_some() && lines.all(is_address)
}

fn is_address(line: &str) -> bool {
    let is_code = line.contains(['{', '}', '<', '>', '"', ';']);
    let is_absolute = ["http://", "https://", "/"].iter().any(|start| line.starts_with(start));
    let is_name = !line.contains(char::is_whitespace) && line.contains(['.', '/', '-']);
    let is_page = line.ends_with(".html");
    !is_code && !line.contains(char::is_control) && (is_absolute || is_name || is_page)
}
