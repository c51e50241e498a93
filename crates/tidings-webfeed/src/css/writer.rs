//! Writes a sheet.

use cssparser::{TokenSerializationType, serialize_identifier, serialize_string};
use url::Url;

use crate::Pictures;

/// A sheet that is being written.
pub(super) struct Writer<'a> {
    pub(super) css: String,
    /// What the last token was, as far as it matters to the next.
    pub(super) last: TokenSerializationType,
    /// True in a `style` attribute, where nothing is important: it would be so beyond every rule.
    pub(super) is_inline: bool,
    pub(super) at: &'a Url,
    pub(super) pictures: Pictures<'a>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(is_inline: bool, at: &'a Url, pictures: Pictures<'a>) -> Self {
        Self { css: String::new(), last: TokenSerializationType::Nothing, is_inline, at, pictures }
    }

    pub(super) fn mark(&self) -> usize {
        self.css.len()
    }

    /// What was written since then.
    pub(super) fn since(&self, mark: usize) -> &str {
        self.css.get(mark..).unwrap_or_default()
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
        if is_plain(name) {
            return self.css.push_str(name);
        }
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

/// Whether a name is written as it is (CSS Syntax, 4.3.9), which is so of nearly all.
fn is_plain(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let begins = match name.as_bytes() {
        [b'-', b'-', ..] => true,
        [b'-', first, ..] | [first, ..] => !first.is_ascii_digit() && *first != b'-',
        [] => false,
    };
    begins && name.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_are_those_that_are_written_as_they_are() {
        for name in [
            "", "-", "--", "a", "A-1_b", "-a", "-1", "--1", "---", "1", "_", "-_", "a b", "a<",
            "é", "a\\", "-moz-x", "--é", "a.b", "-é",
        ] {
            let mut css = String::new();
            serialize_identifier(name, &mut css).unwrap();
            assert!(!is_plain(name) || css == name, "{name:?} is written as {css:?}");
            let is_ascii_word =
                name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
            assert_eq!(
                is_plain(name),
                css == name && is_ascii_word && !name.is_empty(),
                "{name:?}"
            );
        }
    }
}
