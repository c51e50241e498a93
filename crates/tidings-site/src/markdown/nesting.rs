//! How deep the HTML of a page goes.
//!
//! A parser of HTML goes through all open elements for each that follows, and through all attributes
//! for each of the same tag: a page can be made that keeps it busy for hours. Nothing here has to be
//! exact, but nothing may be counted as less than the parser sees.

/// More than anybody writes by hand.
const MOST_OPEN: usize = 200;
const MOST_ATTRIBUTES: usize = 10_000;

/// Those without an end, and those that end by themselves within what is around them.
const UNCOUNTED: [&str; 20] = [
    "area", "base", "br", "col", "dd", "dt", "hr", "img", "input", "li", "link", "meta", "p",
    "source", "td", "th", "tr", "track", "wbr", "embed",
];

/// What is open.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    elements: Vec<String>,
    /// Of Markdown.
    containers: usize,
    attributes: usize,
    /// Something was met that a parser may read in another way: from here on, nothing is closed.
    is_doubtful: bool,
    is_too_deep: bool,
}

impl Nesting {
    pub(super) fn is_too_deep(&self) -> bool {
        self.is_too_deep
    }

    pub(super) fn open_container(&mut self) {
        self.containers += 1;
        self.is_too_deep |= self.containers > MOST_OPEN;
    }

    pub(super) fn close_container(&mut self) {
        self.containers = self.containers.saturating_sub(1);
    }

    /// A piece of HTML, as its author wrote it.
    pub(super) fn html(&mut self, html: &str) {
        for piece in html.split_inclusive('<') {
            self.attributes +=
                piece.bytes().filter(|byte| b" \t\r\n/\x0c\"'".contains(byte)).count();
            self.is_too_deep |= self.attributes > MOST_ATTRIBUTES;
            if piece.ends_with('<') && !self.is_doubtful {
                self.attributes = 0;
            }
        }
        for piece in html.split('<').skip(1) {
            self.is_doubtful |= !piece.contains('>') || piece.starts_with(['!', '?']);
            let is_end = piece.starts_with('/');
            let name = piece.trim_start_matches('/');
            let end =
                name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(name.len());
            let name = name[..end].to_ascii_lowercase();
            if name.is_empty() || UNCOUNTED.contains(&name.as_str()) {
                continue;
            }
            if !is_end {
                self.elements.push(name);
                self.is_too_deep |= self.elements.len() > MOST_OPEN;
            } else if !self.is_doubtful && self.elements.last() == Some(&name) {
                self.elements.pop();
            }
        }
    }
}
