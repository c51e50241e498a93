//! Markdown's events as HTML.

use std::fmt::Write as _;

use pulldown_cmark::{
    Alignment, BlockQuoteKind, CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, Tag, TagEnd,
};

use super::Heading;
use super::escape::{push_href, push_text};
use super::footnotes::Footnotes;
use super::ids::Ids;
use super::image::Image;
use super::nesting::Nesting;
use super::url::{Use, is_elsewhere, is_safe};

/// A heading that is being written: its tag needs an id, which is made of the text that follows.
#[derive(Debug)]
struct Open<'a> {
    /// Where the tag will stand.
    at: usize,
    id: Option<CowStr<'a>>,
    text: String,
}

/// Whether there is HTML that its author wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HasHtml {
    No,
    Yes,
    TooDeep,
}

/// Writes a page.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    out: String,
    headings: Vec<Heading>,
    heading: Option<Open<'a>>,
    ids: Ids,
    image: Option<Image<'a>>,
    footnotes: Footnotes<'a>,
    /// What is around the footnote that is being written, and the footnote's name.
    around: Vec<(CowStr<'a>, String)>,
    alignments: Vec<Alignment>,
    column: usize,
    is_head: bool,
    /// Where the block of HTML begins.
    block: usize,
    has_html: bool,
    is_html_text: bool,
    nesting: Nesting,
}

impl<'a> Writer<'a> {
    pub(super) fn new(length: usize, is_html_text: bool) -> Self {
        Self {
            out: String::with_capacity(length + length / 2 + 256),
            headings: Vec::new(),
            heading: None,
            ids: Ids::default(),
            image: None,
            footnotes: Footnotes::default(),
            around: Vec::new(),
            alignments: Vec::new(),
            column: 0,
            is_head: false,
            block: 0,
            has_html: false,
            is_html_text,
            nesting: Nesting::default(),
        }
    }

    pub(super) fn run(
        mut self,
        events: impl Iterator<Item = Event<'a>>,
    ) -> (String, Vec<Heading>, HasHtml) {
        for event in events {
            if self.image.is_some() {
                self.in_image(event);
            } else {
                self.event(event);
            }
        }
        self.footnotes.finish(&mut self.out);
        let has_html = match self.has_html {
            false => HasHtml::No,
            true if self.nesting.is_too_deep() => HasHtml::TooDeep,
            true => HasHtml::Yes,
        };
        (self.out, self.headings, has_html)
    }

    fn event(&mut self, event: Event<'a>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(text) => {
                self.out.push_str("<code>");
                self.text(&text);
                self.out.push_str("</code>");
            }
            Event::Html(html) if self.is_html_text => push_text(&mut self.out, &html),
            Event::Html(html) => self.out.push_str(&html),
            Event::InlineHtml(html) => self.inline_html(&html),
            Event::SoftBreak => self.blank("\n"),
            Event::HardBreak => self.blank("<br>\n"),
            Event::Rule => self.out.push_str("<hr>\n"),
            Event::FootnoteReference(name) => self.footnotes.refer(&mut self.out, name),
            Event::TaskListMarker(is_done) => self.out.push_str(if is_done {
                "<input type=\"checkbox\" disabled checked aria-label=\"Done\"> "
            } else {
                "<input type=\"checkbox\" disabled aria-label=\"To do\"> "
            }),
            // Not asked for in the options.
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text),
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(heading) = &mut self.heading {
            heading.text.push_str(text);
        }
        push_text(&mut self.out, text);
    }

    fn blank(&mut self, html: &str) {
        if let Some(heading) = &mut self.heading {
            heading.text.push(' ');
        }
        self.out.push_str(html);
    }

    /// Comments are not shown, and a line break needs no cleaning: with only these, a page keeps
    /// being fast.
    fn inline_html(&mut self, html: &str) {
        match html {
            "<br>" | "<br/>" | "<br />" => self.blank("<br>"),
            "<wbr>" => self.out.push_str("<wbr>"),
            _ if is_comment(html) => {}
            _ if self.is_html_text => push_text(&mut self.out, html),
            _ => {
                self.has_html = true;
                self.nesting.html(html);
                self.out.push_str(html);
            }
        }
    }

    /// Within an image, all counts as its text.
    fn in_image(&mut self, event: Event<'a>) {
        let Some(image) = &mut self.image else { return };
        match event {
            Event::Start(Tag::Image { .. }) => image.depth += 1,
            Event::End(TagEnd::Image) if image.depth > 0 => image.depth -= 1,
            Event::End(TagEnd::Image) => {
                if let Some(heading) = &mut self.heading {
                    heading.text.push_str(&image.text);
                }
                image.write(&mut self.out);
                self.image = None;
            }
            Event::Text(text) | Event::Code(text) => image.text.push_str(&text),
            Event::SoftBreak | Event::HardBreak => image.text.push(' '),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'a>) {
        match tag {
            Tag::Paragraph => self.out.push_str("<p>"),
            Tag::Heading { id, .. } => {
                self.heading = Some(Open { at: self.out.len(), id, text: String::new() });
            }
            Tag::BlockQuote(kind) => {
                self.nesting.open_container();
                self.quote(kind);
            }
            Tag::CodeBlock(kind) => self.code(&kind),
            Tag::HtmlBlock => self.block = self.out.len(),
            Tag::List(None) => self.out.push_str("<ul>\n"),
            Tag::List(Some(1)) => self.out.push_str("<ol>\n"),
            Tag::List(Some(start)) => {
                let _ = writeln!(self.out, "<ol start=\"{start}\">");
            }
            Tag::Item => {
                self.nesting.open_container();
                self.out.push_str("<li>");
            }
            Tag::FootnoteDefinition(name) => {
                self.around.push((name, std::mem::take(&mut self.out)));
            }
            Tag::DefinitionList => self.out.push_str("<dl>\n"),
            Tag::DefinitionListTitle => self.out.push_str("<dt>"),
            Tag::DefinitionListDefinition => {
                self.nesting.open_container();
                self.out.push_str("<dd>");
            }
            Tag::Table(alignments) => {
                self.alignments = alignments;
                // Wider than the window, it scrolls by itself: by keys too.
                self.out.push_str(
                    "<div class=\"table\" role=\"group\" aria-label=\"Table\" tabindex=\"0\">\
                     <table>\n",
                );
            }
            Tag::TableHead => {
                (self.is_head, self.column) = (true, 0);
                self.out.push_str("<thead><tr>");
            }
            Tag::TableRow => {
                self.column = 0;
                self.out.push_str("<tr>");
            }
            Tag::TableCell => self.cell(),
            Tag::Emphasis => self.out.push_str("<em>"),
            Tag::Strong => self.out.push_str("<strong>"),
            Tag::Strikethrough => self.out.push_str("<del>"),
            Tag::Superscript => self.out.push_str("<sup>"),
            Tag::Subscript => self.out.push_str("<sub>"),
            Tag::Link { link_type, dest_url, title, .. } => self.link(link_type, &dest_url, &title),
            Tag::Image { dest_url: url, title, .. } => {
                self.image = Some(Image { url, title, text: String::new(), depth: 0 });
            }
            Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        let html = match tag {
            TagEnd::Paragraph => "</p>\n",
            TagEnd::Heading(level) => return self.end_heading(level),
            TagEnd::BlockQuote(kind) => {
                self.nesting.close_container();
                if kind.is_some() { "</div>\n" } else { "</blockquote>\n" }
            }
            TagEnd::CodeBlock => "</code></pre>\n",
            TagEnd::HtmlBlock => return self.end_html(),
            TagEnd::List(true) => "</ol>\n",
            TagEnd::List(false) => "</ul>\n",
            TagEnd::Item => {
                self.nesting.close_container();
                "</li>\n"
            }
            TagEnd::FootnoteDefinition => return self.end_footnote(),
            TagEnd::DefinitionList => "</dl>\n",
            TagEnd::DefinitionListTitle => "</dt>\n",
            TagEnd::DefinitionListDefinition => {
                self.nesting.close_container();
                "</dd>\n"
            }
            TagEnd::Table => "</tbody></table></div>\n",
            TagEnd::TableHead => {
                self.is_head = false;
                "</tr></thead>\n<tbody>\n"
            }
            TagEnd::TableRow => "</tr>\n",
            TagEnd::TableCell => {
                self.column += 1;
                if self.is_head { "</th>" } else { "</td>" }
            }
            TagEnd::Emphasis => "</em>",
            TagEnd::Strong => "</strong>",
            TagEnd::Strikethrough => "</del>",
            TagEnd::Superscript => "</sup>",
            TagEnd::Subscript => "</sub>",
            TagEnd::Link => "</a>",
            TagEnd::Image | TagEnd::MetadataBlock(_) => "",
        };
        self.out.push_str(html);
    }

    /// Classes and other attributes that Markdown can give a heading are left out: the first are the
    /// theme's, and among the second is `onclick`.
    fn end_heading(&mut self, level: HeadingLevel) {
        let Some(Open { at, id, mut text }) = self.heading.take() else { return };
        let level = level as u8;
        let id = self.ids.take(id.as_deref(), &text);
        let digit = char::from(b'0' + level);
        let mut tag = String::with_capacity(id.len() + 16);
        tag.push_str("<h");
        tag.push(digit);
        tag.push_str(" id=\"");
        push_text(&mut tag, &id);
        tag.push_str("\">");
        self.out.insert_str(at, &tag);
        self.out.push_str(" <a class=\"anchor\" href=\"#");
        push_href(&mut self.out, &id);
        self.out.push_str("\" aria-label=\"Link to this section\"></a></h");
        self.out.push(digit);
        self.out.push_str(">\n");
        text.truncate(text.trim_end().len());
        self.headings.push(Heading { level, id, text });
    }

    fn end_html(&mut self) {
        if is_comment(self.out[self.block..].trim()) {
            self.out.truncate(self.block);
        } else if !self.is_html_text {
            self.nesting.html(&self.out[self.block..]);
            self.has_html = true;
        }
    }

    fn end_footnote(&mut self) {
        let Some((name, around)) = self.around.pop() else { return };
        self.footnotes.define(name, std::mem::replace(&mut self.out, around));
    }

    fn quote(&mut self, kind: Option<BlockQuoteKind>) {
        let (class, title) = match kind {
            None => return self.out.push_str("<blockquote>\n"),
            Some(BlockQuoteKind::Note) => ("note", "Note"),
            Some(BlockQuoteKind::Tip) => ("tip", "Tip"),
            Some(BlockQuoteKind::Important) => ("important", "Important"),
            Some(BlockQuoteKind::Warning) => ("warning", "Warning"),
            Some(BlockQuoteKind::Caution) => ("caution", "Caution"),
        };
        let _ = write!(
            self.out,
            "<div class=\"alert {class}\" role=\"note\">\n<p class=\"alert-title\">{title}</p>\n"
        );
    }

    fn code(&mut self, kind: &CodeBlockKind<'a>) {
        let language = match kind {
            CodeBlockKind::Fenced(info) => info.split([' ', '\t', ',']).next().unwrap_or_default(),
            CodeBlockKind::Indented => "",
        };
        // Long lines scroll: by keys too.
        self.out.push_str("<pre tabindex=\"0\"><code");
        if !language.is_empty() {
            self.out.push_str(" class=\"language-");
            push_text(&mut self.out, language);
            self.out.push('"');
        }
        self.out.push('>');
    }

    /// The alignment is a class: a style attribute would not hold under the policy of the site.
    fn cell(&mut self) {
        self.out.push_str(if self.is_head { "<th" } else { "<td" });
        self.out.push_str(match self.alignments.get(self.column) {
            Some(Alignment::Left) => " class=\"left\">",
            Some(Alignment::Center) => " class=\"center\">",
            Some(Alignment::Right) => " class=\"right\">",
            Some(Alignment::None) | None => ">",
        });
    }

    /// One that leads where it must not is still shown, and leads nowhere.
    fn link(&mut self, kind: LinkType, url: &str, title: &str) {
        self.out.push_str("<a");
        let is_mail = kind == LinkType::Email;
        if is_mail || is_safe(url, Use::Link) {
            self.out.push_str(if is_mail { " href=\"mailto:" } else { " href=\"" });
            push_href(&mut self.out, url);
            self.out.push('"');
            if is_elsewhere(url) {
                self.out.push_str(" rel=\"noopener\"");
            }
        }
        if !title.is_empty() {
            self.out.push_str(" title=\"");
            push_text(&mut self.out, title);
            self.out.push('"');
        }
        self.out.push('>');
    }
}

/// Nothing but a comment: it is not shown, so it need not even be read as HTML would.
fn is_comment(html: &str) -> bool {
    html.len() >= 7
        && html.starts_with("<!--")
        && html.find("-->").is_some_and(|end| end + 3 == html.len())
}
