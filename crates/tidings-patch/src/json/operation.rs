//! The operations of a JSON Patch (RFC 6902, section 4).

use super::pointer::Pointer;
use super::string;
use super::value::Value;

/// One operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Operation<'a> {
    Add { path: Pointer, value: Value<'a> },
    Remove { path: Pointer },
    Replace { path: Pointer, value: Value<'a> },
    Move { from: Pointer, path: Pointer },
    Copy { from: Pointer, path: Pointer },
    Test { path: Pointer, value: Value<'a> },
}

impl<'a> Operation<'a> {
    /// Reads an operation; members that it does not have are ignored, as section 4 wants.
    pub(super) fn of(value: Value<'a>) -> Result<Self, &'static str> {
        let mut members = Members::of(value)?;
        let path = pointer(members.path.take().ok_or("it has no `path`")?)?;
        let mut value = || members.value.take().ok_or("it has no `value`");
        let mut from = || pointer(members.from.take().ok_or("it has no `from`")?);
        let name = members.op.take().ok_or("it has no `op`")?;
        match text(&name).ok_or("its `op` is no string")?.as_str() {
            "add" => Ok(Self::Add { path, value: value()? }),
            "remove" => Ok(Self::Remove { path }),
            "replace" => Ok(Self::Replace { path, value: value()? }),
            "move" => Ok(Self::Move { from: from()?, path }),
            "copy" => Ok(Self::Copy { from: from()?, path }),
            "test" => Ok(Self::Test { path, value: value()? }),
            _ => Err("there is no such `op`"),
        }
    }
}

/// The members that mean something.
#[derive(Default)]
struct Members<'a> {
    op: Option<Value<'a>>,
    path: Option<Value<'a>>,
    from: Option<Value<'a>>,
    value: Option<Value<'a>>,
}

impl<'a> Members<'a> {
    fn of(value: Value<'a>) -> Result<Self, &'static str> {
        let Value::Object(list) = value else {
            return Err("an operation is an object");
        };
        let mut members = Self::default();
        for member in list {
            let slot = match &*member.key.text {
                "op" => &mut members.op,
                "path" => &mut members.path,
                "from" => &mut members.from,
                "value" => &mut members.value,
                _ => continue,
            };
            if slot.replace(member.value).is_some() {
                return Err("it has a member twice");
            }
        }
        Ok(members)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "taken out of its slot, and not needed after")]
fn pointer(value: Value<'_>) -> Result<Pointer, &'static str> {
    let text = text(&value).ok_or("its `path` or `from` is no string")?;
    Pointer::parse(&text).ok_or("its `path` or `from` is no JSON Pointer")
}

fn text(value: &Value<'_>) -> Option<String> {
    match value {
        Value::Scalar(written) if written.starts_with('"') => {
            string::decode(written).map(std::borrow::Cow::into_owned)
        }
        _ => None,
    }
}
