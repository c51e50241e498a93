//! Writing JSON text.

use super::value::{Member, Value};

/// The white space between the parts of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// None.
    Compact,
    /// A line for each element and member, indented by this much for each level; empty arrays and
    /// objects stay on their line.
    Indented(&'static str),
    /// On one line, with a space after each comma and colon.
    Spaced,
}

/// Adds `value` to `out`. `None`, with `out` half written, if it would become longer than `limit`.
pub(super) fn write(
    value: &Value<'_>,
    style: Style,
    limit: usize,
    out: &mut Vec<u8>,
) -> Option<()> {
    Writer { style, limit, out }.value(value, 0)
}

struct Writer<'o> {
    style: Style,
    limit: usize,
    out: &'o mut Vec<u8>,
}

impl Writer<'_> {
    fn push(&mut self, text: &str) -> Option<()> {
        if text.len() > self.limit.saturating_sub(self.out.len()) {
            return None;
        }
        self.out.extend_from_slice(text.as_bytes());
        Some(())
    }

    fn value(&mut self, value: &Value<'_>, level: usize) -> Option<()> {
        match value {
            Value::Scalar(written) => self.push(written),
            Value::Array(elements) => {
                self.push("[")?;
                for (index, element) in elements.iter().enumerate() {
                    self.separate(index, level + 1)?;
                    self.value(element, level + 1)?;
                }
                self.close("]", elements.is_empty(), level)
            }
            Value::Object(members) => {
                self.push("{")?;
                for (index, member) in members.iter().enumerate() {
                    self.separate(index, level + 1)?;
                    self.member(member, level + 1)?;
                }
                self.close("}", members.is_empty(), level)
            }
        }
    }

    fn member(&mut self, member: &Member<'_>, level: usize) -> Option<()> {
        self.push(&member.key.written)?;
        self.push(if self.style == Style::Compact { ":" } else { ": " })?;
        self.value(&member.value, level)
    }

    /// What stands before an element or member.
    fn separate(&mut self, index: usize, level: usize) -> Option<()> {
        if index > 0 {
            self.push(if self.style == Style::Spaced { ", " } else { "," })?;
        }
        self.new_line(level)
    }

    fn close(&mut self, bracket: &str, empty: bool, level: usize) -> Option<()> {
        if !empty {
            self.new_line(level)?;
        }
        self.push(bracket)
    }

    fn new_line(&mut self, level: usize) -> Option<()> {
        if let Style::Indented(indent) = self.style {
            self.push("\n")?;
            for _ in 0..level {
                self.push(indent)?;
            }
        }
        Some(())
    }
}
