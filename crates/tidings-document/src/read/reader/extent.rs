//! Where usual entries end.

use memchr::{memchr2_iter, memmem};

use crate::Form;

/// Finds where usual entries end.
pub(super) struct Finders {
    start: memmem::Finder<'static>,
    end: memmem::Finder<'static>,
}

impl Finders {
    pub(super) fn new(form: Form) -> Self {
        match form {
            Form::List => {
                Self { start: memmem::Finder::new("<url"), end: memmem::Finder::new("</url>") }
            }
            Form::Index => Self {
                start: memmem::Finder::new("<sitemap"),
                end: memmem::Finder::new("</sitemap>"),
            },
        }
    }

    /// The length of the entry at the beginning of `rest`, if it is whole and has no comment, CDATA
    /// section, instruction or element of the same name in it: then the first end tag of that name
    /// is its own.
    #[inline]
    pub(super) fn extent(&self, rest: &[u8]) -> Option<usize> {
        let end = self.end.find(rest)?;
        let inside = &rest[1..end];
        let declaration = |at: usize| at > 0 && inside[at - 1] == b'<';
        if memchr2_iter(b'!', b'?', inside).any(declaration) || self.start.find(inside).is_some() {
            return None;
        }
        Some(end + self.end.needle().len())
    }
}
