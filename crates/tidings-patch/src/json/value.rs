//! A JSON value as it is written.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{number, string};

/// A value. `==` and the hash are of what is written, so that `1` and `1.0` differ; [`Value::same`]
/// is of what is meant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Value<'a> {
    /// A string with its quotes and escapes, a number, `true`, `false` or `null`.
    Scalar(&'a str),
    Array(Vec<Value<'a>>),
    /// The members in their order.
    Object(Vec<Member<'a>>),
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Member<'a> {
    pub(super) key: Key<'a>,
    pub(super) value: Value<'a>,
}

/// The name of a member.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key<'a> {
    /// With quotes and escapes.
    pub(super) written: Cow<'a, str>,
    /// What it means.
    pub(super) text: Cow<'a, str>,
}

impl Key<'_> {
    /// A name that comes from a pointer: escaped only where it must be.
    pub(super) fn of_text(text: String) -> Self {
        let mut written = String::with_capacity(text.len() + 2);
        written.push('"');
        string::encode(&text, &mut written);
        written.push('"');
        Self { written: Cow::Owned(written), text: Cow::Owned(text) }
    }
}

impl Value<'_> {
    /// How long it is when written without white space.
    pub(super) fn len(&self) -> usize {
        let separated = |count: usize| count.saturating_sub(1) + 2;
        match self {
            Self::Scalar(written) => written.len(),
            Self::Array(elements) => {
                separated(elements.len()) + elements.iter().map(Self::len).sum::<usize>()
            }
            Self::Object(members) => {
                separated(members.len()) + members.iter().map(Member::len).sum::<usize>()
            }
        }
    }

    /// How many arrays and objects are within one another.
    pub(super) fn depth(&self) -> usize {
        match self {
            Self::Scalar(_) => 0,
            Self::Array(elements) => 1 + elements.iter().map(Self::depth).max().unwrap_or(0),
            Self::Object(members) => {
                1 + members.iter().map(|member| member.value.depth()).max().unwrap_or(0)
            }
        }
    }

    /// Equality as the operation `test` has it (RFC 6902, section 4.6): numbers by their value,
    /// strings by their characters, objects in any order.
    pub(super) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Scalar(a), Self::Scalar(b)) => a == b || same_scalar(a, b),
            (Self::Array(a), Self::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
            }
            (Self::Object(a), Self::Object(b)) => a.len() == b.len() && same_members(a, b),
            _ => false,
        }
    }
}

impl Member<'_> {
    /// How long it is with its colon.
    pub(super) fn len(&self) -> usize {
        self.key.written.len() + 1 + self.value.len()
    }
}

fn same_scalar(a: &str, b: &str) -> bool {
    if a.starts_with('"') && b.starts_with('"') {
        return string::decode(a).is_some_and(|a| string::decode(b) == Some(a));
    }
    number::same(a, b)
}

fn same_members(a: &[Member<'_>], b: &[Member<'_>]) -> bool {
    let values: HashMap<&str, &Value<'_>> =
        b.iter().map(|member| (&*member.key.text, &member.value)).collect();
    // Of a name that is there twice nobody can say which value counts.
    values.len() == a.len()
        && a.iter().all(|member| {
            values.get(&*member.key.text).is_some_and(|value| member.value.same(value))
        })
}
