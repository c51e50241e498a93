//! What is left out.

use super::element::{Element, Fate};

/// An element that goes with all that is in it.
pub(super) struct Dropping {
    element: Element,
    /// How many of its name are open.
    depth: usize,
    /// How many sections were opened within.
    sections: usize,
}

impl Dropping {
    pub(super) fn new(element: Element) -> Self {
        Self { element, depth: 1, sections: 0 }
    }

    pub(super) fn element(&self) -> Element {
        self.element
    }

    pub(super) fn is_foreign(&self) -> bool {
        self.element.fate() == Fate::Foreign
    }

    pub(super) fn start(&mut self, element: Option<Element>, is_self_closing: bool) {
        if element == Some(self.element) {
            let is_over = is_self_closing && self.is_foreign();
            self.depth += usize::from(!is_over);
        } else if element.is_some_and(Element::is_section) {
            self.sections += 1;
        }
    }

    /// Whether the end tag ends it: its own, or that of the section that it is in, as nothing of a
    /// section goes on in the next.
    pub(super) fn end(&mut self, element: Option<Element>) -> bool {
        if element == Some(self.element) {
            self.depth -= 1;
            return self.depth == 0;
        }
        if !element.is_some_and(Element::is_section) {
            return false;
        }
        match self.sections.checked_sub(1) {
            Some(sections) => {
                self.sections = sections;
                false
            }
            None => true,
        }
    }
}
