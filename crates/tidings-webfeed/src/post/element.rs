//! Which elements there are, and what becomes of each.

/// What becomes of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is shown.
    Shown(Shape),
    /// It is shown, and has neither content nor end tag.
    Empty,
    /// It goes with all that is in it.
    Dropped,
    /// The same; what is in it is neither HTML nor read as such.
    Foreign,
    /// It goes, and had no content.
    Gone,
    /// It is part of every page, and nothing is in it that is not in the page.
    Page,
    /// A `<style>`.
    Style,
    /// A `<title>`.
    Title,
    /// Media: their poster, or nothing.
    Media,
}

/// How an element stands among others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Inline,
    /// Ends a paragraph that is open.
    Block,
    Paragraph,
    Heading,
    Section,
    /// Holds items.
    List,
    /// `li`.
    Item,
    /// `dt` and `dd`.
    Term,
    Table,
    /// `thead`, `tbody`, `tfoot`, `colgroup`.
    Rows,
    Caption,
    Row,
    Cell,
}

/// An element by its place in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Element(u8);

impl Element {
    /// The element of that name (in lower case), unless it is one that nobody knows.
    pub(super) fn of(name: &[u8]) -> Option<Self> {
        let mut slot = hash(name);
        loop {
            let at = SLOTS[slot];
            if at == FREE {
                return None;
            }
            if TABLE[at as usize].0.as_bytes() == name {
                return Some(Self(at));
            }
            slot = (slot + 1) % SLOTS.len();
        }
    }

    pub(super) fn name(self) -> &'static str {
        TABLE[self.0 as usize].0
    }

    pub(super) fn fate(self) -> Fate {
        TABLE[self.0 as usize].1
    }

    pub(super) fn is_section(self) -> bool {
        self.fate() == Fate::Shown(Shape::Section)
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

const FREE: u8 = u8::MAX;

/// For each hash the place in the table, so that a name is found by looking at one or two.
static SLOTS: [u8; 512] = slots();

const fn slots() -> [u8; 512] {
    let mut slots = [FREE; 512];
    let mut at = 0;
    while at < TABLE.len() {
        let mut slot = hash(TABLE[at].0.as_bytes());
        while slots[slot] != FREE {
            slot = (slot + 1) % slots.len();
        }
        slots[slot] = at as u8;
        at += 1;
    }
    slots
}

const fn hash(name: &[u8]) -> usize {
    let Some(&first) = name.first() else { return 0 };
    let last = name[name.len() - 1];
    let middle = name[name.len() / 2];
    (first as usize * 31 + last as usize * 7 + middle as usize * 13 + name.len() * 57) % 512
}

use Fate::{Dropped, Empty, Foreign, Gone, Media, Page, Shown, Style, Title};
use Shape::{
    Block, Caption, Cell, Heading, Inline, Item, List, Paragraph, Row, Rows, Section, Table, Term,
};

/// All others are taken off, and what is in them stays.
pub(super) const TABLE: [(&str, Fate); 122] = [
    ("a", Shown(Inline)),
    ("abbr", Shown(Inline)),
    ("address", Shown(Block)),
    ("article", Shown(Block)),
    ("aside", Shown(Block)),
    ("b", Shown(Inline)),
    ("bdi", Shown(Inline)),
    ("bdo", Shown(Inline)),
    ("big", Shown(Inline)),
    ("blockquote", Shown(Block)),
    ("br", Empty),
    ("caption", Shown(Caption)),
    ("center", Shown(Block)),
    ("cite", Shown(Inline)),
    ("code", Shown(Inline)),
    ("col", Empty),
    ("colgroup", Shown(Rows)),
    ("data", Shown(Inline)),
    ("dd", Shown(Term)),
    ("del", Shown(Inline)),
    ("details", Shown(Block)),
    ("dfn", Shown(Inline)),
    ("div", Shown(Block)),
    ("dl", Shown(List)),
    ("dt", Shown(Term)),
    ("em", Shown(Inline)),
    ("figcaption", Shown(Block)),
    ("figure", Shown(Block)),
    ("footer", Shown(Block)),
    ("h1", Shown(Heading)),
    ("h2", Shown(Heading)),
    ("h3", Shown(Heading)),
    ("h4", Shown(Heading)),
    ("h5", Shown(Heading)),
    ("h6", Shown(Heading)),
    ("header", Shown(Block)),
    ("hgroup", Shown(Block)),
    ("hr", Empty),
    ("i", Shown(Inline)),
    ("img", Empty),
    ("ins", Shown(Inline)),
    ("kbd", Shown(Inline)),
    ("li", Shown(Item)),
    ("main", Shown(Block)),
    ("mark", Shown(Inline)),
    ("menu", Shown(List)),
    ("nav", Shown(Block)),
    ("ol", Shown(List)),
    ("p", Shown(Paragraph)),
    ("pre", Shown(Block)),
    ("q", Shown(Inline)),
    ("rp", Shown(Inline)),
    ("rt", Shown(Inline)),
    ("ruby", Shown(Inline)),
    ("s", Shown(Inline)),
    ("samp", Shown(Inline)),
    ("section", Shown(Section)),
    ("small", Shown(Inline)),
    ("span", Shown(Inline)),
    ("strike", Shown(Inline)),
    ("strong", Shown(Inline)),
    ("sub", Shown(Inline)),
    ("summary", Shown(Block)),
    ("sup", Shown(Inline)),
    ("table", Shown(Table)),
    ("tbody", Shown(Rows)),
    ("td", Shown(Cell)),
    ("tfoot", Shown(Rows)),
    ("th", Shown(Cell)),
    ("thead", Shown(Rows)),
    ("time", Shown(Inline)),
    ("tr", Shown(Row)),
    ("tt", Shown(Inline)),
    ("u", Shown(Inline)),
    ("ul", Shown(List)),
    ("var", Shown(Inline)),
    ("wbr", Empty),
    ("applet", Dropped),
    ("datalist", Dropped),
    ("fencedframe", Dropped),
    ("frameset", Dropped),
    ("iframe", Dropped),
    ("math", Foreign),
    ("noembed", Dropped),
    ("noframes", Dropped),
    ("noscript", Dropped),
    ("object", Dropped),
    ("optgroup", Dropped),
    ("option", Dropped),
    ("plaintext", Dropped),
    ("portal", Dropped),
    ("script", Dropped),
    ("select", Dropped),
    ("svg", Foreign),
    ("template", Dropped),
    ("textarea", Dropped),
    ("xmp", Dropped),
    ("area", Gone),
    ("base", Gone),
    ("basefont", Gone),
    ("bgsound", Gone),
    ("command", Gone),
    ("embed", Gone),
    ("frame", Gone),
    ("image", Gone),
    ("input", Gone),
    ("isindex", Gone),
    ("keygen", Gone),
    ("link", Gone),
    ("meta", Gone),
    ("nextid", Gone),
    ("param", Gone),
    ("source", Gone),
    ("spacer", Gone),
    ("track", Gone),
    ("body", Page),
    ("head", Page),
    ("html", Page),
    ("audio", Media),
    ("video", Media),
    ("style", Style),
    ("title", Title),
];
