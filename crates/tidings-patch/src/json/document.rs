//! The value that operations work on.

use super::MAX_DEPTH;
use super::account::Account;
use super::pointer::{Pointer, index};
use super::value::{Key, Member, Value};

/// Why an operation was not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    Misfit(&'static str),
    TooLarge,
    TooCostly,
}

const NOTHING_THERE: Refusal = Refusal::Misfit("there is nothing at the path");
const NO_SUCH_INDEX: Refusal = Refusal::Misfit("the array has no such index");

pub(super) struct Document<'a> {
    root: Value<'a>,
    account: Account,
}

impl<'a> Document<'a> {
    /// A document that may grow by `growth` bytes, counted without white space.
    pub(super) fn new(root: Value<'a>, growth: usize) -> Self {
        let account = Account::new(root.len(), growth);
        Self { root, account }
    }

    pub(super) fn into_root(self) -> Value<'a> {
        self.root
    }

    pub(super) fn add(&mut self, path: &Pointer, value: Value<'a>) -> Result<(), Refusal> {
        check_depth(path, &value)?;
        let Some((parents, last)) = path.split() else {
            return self.replace(path, value);
        };
        let account = &mut self.account;
        match find_mut(&mut self.root, parents, account)? {
            Value::Array(elements) => {
                let at = if last == "-" { Some(elements.len()) } else { index(last) };
                let at = at.filter(|at| *at <= elements.len()).ok_or(NO_SUCH_INDEX)?;
                account.spend(elements.len() - at)?;
                account.grow(value.len() + 1)?;
                elements.insert(at, value);
            }
            Value::Object(members) => match position(members, last, account)? {
                Some(at) => {
                    account.shrink(members[at].value.len());
                    account.grow(value.len())?;
                    members[at].value = value;
                }
                None => {
                    let member = Member { key: Key::of_text(last.to_owned()), value };
                    account.grow(member.len() + 1)?;
                    members.push(member);
                }
            },
            Value::Scalar(_) => return Err(Refusal::Misfit("the parent is no array or object")),
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, path: &Pointer) -> Result<Value<'a>, Refusal> {
        let (parents, last) =
            path.split().ok_or(Refusal::Misfit("the whole value cannot be removed"))?;
        let account = &mut self.account;
        match find_mut(&mut self.root, parents, account)? {
            Value::Array(elements) => {
                let at = index(last).filter(|at| *at < elements.len()).ok_or(NO_SUCH_INDEX)?;
                account.spend(elements.len() - at)?;
                let removed = elements.remove(at);
                account.shrink(removed.len() + 1);
                Ok(removed)
            }
            Value::Object(members) => {
                let at = position(members, last, account)?.ok_or(NOTHING_THERE)?;
                account.spend(members.len() - at)?;
                let removed = members.remove(at);
                account.shrink(removed.len() + 1);
                Ok(removed.value)
            }
            Value::Scalar(_) => Err(NOTHING_THERE),
        }
    }

    pub(super) fn replace(&mut self, path: &Pointer, value: Value<'a>) -> Result<(), Refusal> {
        check_depth(path, &value)?;
        let target = find_mut(&mut self.root, path.steps(), &mut self.account)?;
        self.account.shrink(target.len());
        self.account.grow(value.len())?;
        *target = value;
        Ok(())
    }

    /// Section 4.4: functionally a removal and an addition. A member that is moved to where it is
    /// comes last therefore; the patches made here order members with it.
    pub(super) fn move_to(&mut self, from: &Pointer, path: &Pointer) -> Result<(), Refusal> {
        if from.holds(path) {
            return Err(Refusal::Misfit("a value cannot be moved into itself"));
        }
        if from == path && from.split().is_none() {
            return Ok(());
        }
        let value = self.remove(from)?;
        self.account.spend(value.len())?;
        self.add(path, value)
    }

    pub(super) fn copy(&mut self, from: &Pointer, path: &Pointer) -> Result<(), Refusal> {
        let source = find(&self.root, from.steps(), &mut self.account)?;
        let size = source.len();
        // Before the copy is made: each may double what there is.
        self.account.spend(size)?;
        self.account.check(size)?;
        let value = source.clone();
        self.add(path, value)
    }

    pub(super) fn test(&mut self, path: &Pointer, value: &Value<'_>) -> Result<(), Refusal> {
        let found = find(&self.root, path.steps(), &mut self.account)?;
        if found.same(value) {
            Ok(())
        } else {
            Err(Refusal::Misfit("the value is another than the one to test for"))
        }
    }
}

fn check_depth(path: &Pointer, value: &Value<'_>) -> Result<(), Refusal> {
    let depth = path.steps().len().saturating_add(value.depth());
    if depth > MAX_DEPTH { Err(Refusal::TooLarge) } else { Ok(()) }
}

fn position(
    members: &[Member<'_>],
    name: &str,
    account: &mut Account,
) -> Result<Option<usize>, Refusal> {
    let found = members.iter().position(|member| member.key.text == name);
    account.spend(found.unwrap_or(members.len()))?;
    Ok(found)
}

/// Where a step leads within `value`.
fn step(value: &Value<'_>, name: &str, account: &mut Account) -> Result<usize, Refusal> {
    match value {
        Value::Array(elements) => {
            index(name).filter(|at| *at < elements.len()).ok_or(NO_SUCH_INDEX)
        }
        Value::Object(members) => position(members, name, account)?.ok_or(NOTHING_THERE),
        Value::Scalar(_) => Err(NOTHING_THERE),
    }
}

fn find<'v, 'a>(
    mut value: &'v Value<'a>,
    steps: &[String],
    account: &mut Account,
) -> Result<&'v Value<'a>, Refusal> {
    for name in steps {
        let at = step(value, name, account)?;
        value = match value {
            Value::Array(elements) => &elements[at],
            Value::Object(members) => &members[at].value,
            Value::Scalar(_) => return Err(NOTHING_THERE),
        };
    }
    Ok(value)
}

fn find_mut<'v, 'a>(
    mut value: &'v mut Value<'a>,
    steps: &[String],
    account: &mut Account,
) -> Result<&'v mut Value<'a>, Refusal> {
    for name in steps {
        let at = step(value, name, account)?;
        value = match value {
            Value::Array(elements) => &mut elements[at],
            Value::Object(members) => &mut members[at].value,
            Value::Scalar(_) => return Err(NOTHING_THERE),
        };
    }
    Ok(value)
}
