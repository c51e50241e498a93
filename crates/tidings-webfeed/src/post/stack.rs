//! Which elements are open.
//!
//! Not all that a browser's tree builder does, but enough that markup as people write it comes out as
//! they meant it: paragraphs, items, rows and cells end where the next begins, and an end tag closes
//! what was left open within. Each answer is how many elements are to stay open.

use super::element::{Element, Shape, TABLE};

/// How many elements may be open in a section; what is deeper is taken off, and its text stays.
const DEEPEST: usize = 128;

#[derive(Debug)]
pub(super) struct Stack {
    entries: Vec<Entry>,
    /// How many of each element are open, so that most end tags without start are known at once.
    open: [u16; TABLE.len()],
    sections: usize,
    /// Where the outermost section is.
    base: usize,
    /// How many elements are open beyond the deepest, and how many of them are sections.
    beyond: (usize, usize),
    /// The same, of what is around the outermost section.
    beyond_outside: (usize, usize),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    key: u32,
    element: Option<Element>,
    shape: Shape,
    /// Whether the search for an item before looks beyond it (`div` and `address`).
    is_passed: bool,
    /// Whether its start tag was written.
    is_shown: bool,
    /// Its end tag came while a block in it was open: it ends with that block.
    is_dead: bool,
}

impl Entry {
    pub(super) fn known(element: Element, shape: Shape, is_shown: bool) -> Self {
        let key = element.index() as u32;
        let is_passed = matches!(element.name(), "div" | "address");
        Self { key, element: Some(element), shape, is_passed, is_shown, is_dead: false }
    }

    /// An element that is taken off.
    pub(super) fn unknown(name: &[u8]) -> Self {
        Self {
            key: key_of(name),
            element: None,
            shape: Shape::Inline,
            is_passed: true,
            is_shown: false,
            is_dead: false,
        }
    }

    pub(super) fn shown(&self) -> Option<(Element, Shape)> {
        self.element.filter(|_| self.is_shown).map(|element| (element, self.shape))
    }

    /// What a search for a paragraph or the like does not look beyond.
    fn is_wall(&self) -> bool {
        matches!(self.shape, Shape::Table | Shape::Cell | Shape::Caption)
    }
}

/// A hash: should two names have the same, one closes the other, and nothing else happens.
fn key_of(name: &[u8]) -> u32 {
    let hash = name
        .iter()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    hash | 0x8000_0000
}

impl Default for Stack {
    fn default() -> Self {
        Self {
            entries: Vec::with_capacity(32),
            open: [0; TABLE.len()],
            sections: 0,
            base: 0,
            beyond: (0, 0),
            beyond_outside: (0, 0),
        }
    }
}

impl Stack {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn is_in_section(&self) -> bool {
        self.sections > 0
    }

    /// Whether a link is open.
    pub(super) fn is_in_link(&self) -> bool {
        Element::of(b"a").is_some_and(|element| self.is_open(element))
    }

    /// Opens an element; false if it is too deep.
    pub(super) fn push(&mut self, entry: Entry) -> bool {
        let is_section = entry.shape == Shape::Section;
        if is_section && self.sections == 0 {
            self.base = self.entries.len();
            self.beyond_outside = std::mem::take(&mut self.beyond);
        } else if self.entries.len() >= self.base + DEEPEST {
            self.beyond.0 += 1;
            self.beyond.1 += usize::from(is_section);
            return false;
        }
        self.sections += usize::from(is_section);
        if let Some(element) = entry.element {
            self.open[element.index()] += 1;
        }
        self.entries.push(entry);
        true
    }

    /// Takes the innermost element off, if there are more than so many, or it ended before.
    pub(super) fn pop_above(&mut self, keep: usize) -> Option<Entry> {
        let is_over = self.entries.len() > keep || self.entries.last().is_some_and(|e| e.is_dead);
        let entry = if is_over { self.entries.pop() } else { None }?;
        self.beyond = (0, 0);
        if let Some(element) = entry.element {
            self.open[element.index()] -= 1;
        }
        if entry.shape == Shape::Section {
            self.sections -= 1;
            if self.sections == 0 {
                self.base = 0;
                self.beyond = std::mem::take(&mut self.beyond_outside);
            }
        }
        Some(entry)
    }

    /// Whether an element of that shape can stand where we are.
    pub(super) fn has_place_for(&self, shape: Shape) -> bool {
        let around = self.entries.last().map(|entry| entry.shape);
        match shape {
            Shape::Caption | Shape::Rows => around == Some(Shape::Table),
            Shape::Row => matches!(around, Some(Shape::Table | Shape::Rows)),
            Shape::Cell => matches!(around, Some(Shape::Table | Shape::Rows | Shape::Row)),
            _ => true,
        }
    }

    /// Whether a `<col>` can stand where we are.
    pub(super) fn has_place_for_column(&self) -> bool {
        self.entries.last().is_some_and(|entry| {
            let name = entry.element.map(Element::name);
            entry.shape == Shape::Table || entry.shape == Shape::Rows && name == Some("colgroup")
        })
    }

    /// What a start tag ends.
    pub(super) fn implied(&self, element: Element, shape: Shape) -> Option<usize> {
        let is_around = |is: fn(Shape) -> bool| {
            self.entries.iter().rposition(|entry| is(entry.shape)).map(|at| at + 1)
        };
        match shape {
            // Links are not within links; not even in one whose end tag came too early.
            Shape::Inline if element.name() == "a" && self.is_open(element) => {
                let is_end = |entry: &Entry| entry.element == Some(element) || entry.is_wall();
                let at = self.entries.iter().rposition(is_end)?;
                (!self.entries[at].is_wall()).then_some(at)
            }
            Shape::Inline => None,
            Shape::Block | Shape::Paragraph | Shape::Section | Shape::List => self.paragraph(),
            // A table is in a cell of another, or behind it.
            Shape::Table => {
                let around = self.entries.iter().rposition(Entry::is_wall);
                let table = around.filter(|at| self.entries[*at].shape == Shape::Table);
                least(table, self.paragraph())
            }
            Shape::Heading => {
                let open = self.paragraph();
                let around = &self.entries[..open.unwrap_or(self.entries.len())];
                // What is taken off, or has ended, is not around.
                let is_there = |entry: &Entry| {
                    !entry.is_dead && (entry.is_shown || entry.shape != Shape::Inline)
                };
                let mut end = open;
                let mut rest = around;
                // With one heading an element ends that had its end tag before, and then there may be
                // another heading around.
                while let Some(at) = rest.iter().rposition(is_there)
                    && rest[at].shape == Shape::Heading
                {
                    end = Some(at);
                    rest = &rest[..at];
                }
                end
            }
            Shape::Item | Shape::Term => least(self.item(shape), self.paragraph()),
            Shape::Caption | Shape::Rows => is_around(|shape| shape == Shape::Table),
            Shape::Row => is_around(|shape| matches!(shape, Shape::Table | Shape::Rows)),
            Shape::Cell => {
                is_around(|shape| matches!(shape, Shape::Table | Shape::Rows | Shape::Row))
            }
        }
    }

    /// The paragraph that is open.
    pub(super) fn paragraph(&self) -> Option<usize> {
        let element = Element::of(b"p").filter(|element| self.is_open(*element))?;
        self.find(element.index() as u32, Entry::is_wall)
    }

    /// The item before (HTML Standard, 13.2.6.4.7, at "li").
    fn item(&self, shape: Shape) -> Option<usize> {
        for (at, entry) in self.entries.iter().enumerate().rev() {
            match entry.shape {
                found if found == shape => return Some(at),
                Shape::Inline | Shape::Paragraph => {}
                _ if entry.is_passed => {}
                _ => return None,
            }
        }
        None
    }

    /// What an end tag ends.
    pub(super) fn close(&mut self, element: Element, shape: Shape) -> Option<usize> {
        if self.is_beyond(shape) {
            return None;
        }
        let key = element.index() as u32;
        match shape {
            Shape::Heading => {
                let at = self.entries.iter().rposition(|entry| {
                    entry.shape == Shape::Heading
                        || entry.shape == Shape::Section
                        || entry.is_wall()
                })?;
                (self.entries[at].shape == Shape::Heading).then_some(at)
            }
            _ if !self.is_open(element) => None,
            Shape::Inline => self.close_inline(key),
            Shape::Section | Shape::Table => self.find(key, |_| false),
            Shape::Item => self.find(key, |entry| entry.is_wall() || entry.shape == Shape::List),
            Shape::Rows | Shape::Row | Shape::Cell | Shape::Caption => {
                self.find(key, |entry| entry.shape == Shape::Table)
            }
            Shape::Block | Shape::Paragraph | Shape::List | Shape::Term => {
                self.find(key, Entry::is_wall)
            }
        }
    }

    pub(super) fn close_unknown(&mut self, name: &[u8]) -> Option<usize> {
        if self.is_beyond(Shape::Inline) {
            return None;
        }
        self.close_inline(key_of(name))
    }

    /// If a block is open within, the element ends with it: blocks are not torn apart.
    fn close_inline(&mut self, key: u32) -> Option<usize> {
        let is_wall = |entry: &Entry| entry.is_wall() || entry.shape == Shape::Section;
        let at = self.find(key, is_wall)?;
        if self.entries[at..].iter().all(|entry| entry.shape == Shape::Inline) {
            return Some(at);
        }
        self.entries[at].is_dead = true;
        None
    }

    /// Whether an end tag belongs to an element that was too deep.
    fn is_beyond(&mut self, shape: Shape) -> bool {
        let (all, sections) = &mut self.beyond;
        if *all == 0 || shape == Shape::Section && *sections == 0 {
            return false;
        }
        *all -= 1;
        *sections -= usize::from(shape == Shape::Section);
        true
    }

    fn is_open(&self, element: Element) -> bool {
        self.open[element.index()] > 0
    }

    /// The innermost that is not dead, unless a wall is before it.
    fn find(&self, key: u32, is_wall: impl Fn(&Entry) -> bool) -> Option<usize> {
        for (at, entry) in self.entries.iter().enumerate().rev() {
            if entry.key == key && !entry.is_dead {
                return Some(at);
            }
            if is_wall(entry) {
                return None;
            }
        }
        None
    }
}

fn least(one: Option<usize>, other: Option<usize>) -> Option<usize> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        _ => one.or(other),
    }
}
