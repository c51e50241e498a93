//! Writes a sheet.

use cssparser::{TokenSerializationType, serialize_identifier, serialize_string};
use url::Url;

use crate::Pictures;

/// A sheet that is being written.
pub(super) struct Writer<'a> {
    pub(super) css: String,
    /// What the last token was, as far as it matters to the next.
    pub(super) last: TokenSerializationType,
    pub(super) at: &'a Url,
    pub(super) pictures: Pictures<'a>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(at: &'a Url, pictures: Pictures<'a>) -> Self {
        Self { css: String::new(), last: TokenSerializationType::Nothing, at, pictures }
    }

    pub(super) fn mark(&self) -> usize {
        self.css.len()
    }

    pub(super) fn len(&self) -> usize {
        self.css.len()
    }

    pub(super) fn back_to(&mut self, mark: usize) {
        self.css.truncate(mark);
        self.last = TokenSerializationType::Nothing;
    }

    pub(super) fn finish(self) -> String {
        self.css
    }

    pub(super) fn at_keyword(&mut self, name: &'static str) {
        self.sign("@");
        self.css.push_str(name);
        self.css.push(' ');
    }

    pub(super) fn open_block(&mut self) {
        self.sign("{");
    }

    pub(super) fn close_block(&mut self) {
        self.sign("}");
    }

    pub(super) fn end_declaration(&mut self) {
        self.sign(";");
    }

    pub(super) fn property(&mut self, name: &str) {
        self.name(name);
        self.sign(":");
    }

    pub(super) fn sign(&mut self, sign: &str) {
        self.css.push_str(sign);
        self.last = TokenSerializationType::Nothing;
    }

    /// Writes a name.
    pub(super) fn name(&mut self, name: &str) {
        self.escaped("\\<", |css| serialize_identifier(name, css));
    }

    /// Writes a string.
    pub(super) fn string(&mut self, string: &str) {
        self.escaped("<", |css| serialize_string(string, css));
    }

    /// Writes a token, with each `<` as an escape of another kind: no `</style` comes out, whatever goes
    /// in. In names it is escaped already, but as itself.
    pub(super) fn escaped(
        &mut self,
        tag: &str,
        write: impl FnOnce(&mut String) -> std::fmt::Result,
    ) {
        let from = self.css.len();
        // A string takes whatever is written.
        let _ = write(&mut self.css);
        if self.css[from..].contains('<') {
            let safe = self.css[from..].replace(tag, "\\3c ");
            self.css.truncate(from);
            self.css.push_str(&safe);
        }
    }
}
