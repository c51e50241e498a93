//! Images: their text is an attribute, so it is gathered before the element can be written.

use pulldown_cmark::CowStr;

use super::escape::{push_href, push_text};
use super::url::{Use, is_safe};

/// An image whose text is being read.
#[derive(Debug)]
pub(super) struct Image<'a> {
    pub(super) url: CowStr<'a>,
    pub(super) title: CowStr<'a>,
    pub(super) text: String,
    /// How many images are within it, in its text: only their texts count.
    pub(super) depth: u32,
}

impl Image<'_> {
    /// One whose address is not let through is shown as its text.
    pub(super) fn write(&self, out: &mut String) {
        if !is_safe(&self.url, Use::Image) {
            push_text(out, &self.text);
            return;
        }
        out.push_str("<img src=\"");
        push_href(out, &self.url);
        out.push_str("\" alt=\"");
        push_text(out, &self.text);
        if !self.title.is_empty() {
            out.push_str("\" title=\"");
            push_text(out, &self.title);
        }
        out.push_str("\" loading=\"lazy\">");
    }
}
