//! Writing a JSON Patch.

use std::collections::HashMap;

use super::parse::parse;
use super::pointer::push_step;
use super::string;
use super::value::{Member, Value};
use super::write::{Style, write};
use crate::align::{Change, ROOM, align};

/// The operations that make the value of `new` of that of `old`, in the order in which `new` has its
/// members. `None` if one is no JSON, or if the patch would not be shorter than `new`.
pub(crate) fn diff(old: &[u8], new: &[u8]) -> Option<Vec<u8>> {
    let (old, most) = (parse(old).ok()?, new.len());
    let new = parse(new).ok()?;
    let mut writer = Writer { out: b"[".to_vec(), path: String::new(), depth: 0, room: ROOM };
    writer.change(&old, &new, most).ok()?;
    writer.out.push(b']');
    Some(writer.out)
}

/// How deep changes are looked for: what changed below is replaced. Each level compares all that is
/// in it anew, and what is nested deeper than this is rare.
const DEEPEST: usize = 32;

/// There is no room for the operation: replacing something larger takes less, or a patch is not
/// worth it.
struct Full;

struct Writer {
    out: Vec<u8>,
    /// Where in the value this is, as a JSON Pointer.
    path: String,
    depth: usize,
    /// What [`align`] may still compare.
    room: usize,
}

impl Writer {
    /// Writes what changed between two values at the same place. `most` is what `out` may become.
    fn change(&mut self, old: &Value<'_>, new: &Value<'_>, most: usize) -> Result<(), Full> {
        if old == new {
            return Ok(());
        }
        let (start, place, depth) = (self.out.len(), self.path.len(), self.depth);
        // To replace the whole is always possible: what takes more is given up on the way.
        let whole =
            start + self.path.len() + new.len() + r#",{"op":"replace","path":"","value":}"#.len();
        let inner = match (old, new) {
            _ if depth == DEEPEST => Err(Full),
            (Value::Array(old), Value::Array(new)) => self.elements(old, new, whole.min(most)),
            (Value::Object(old), Value::Object(new)) => self.members(old, new, whole.min(most)),
            _ => Err(Full),
        };
        inner.or_else(|Full| {
            self.out.truncate(start);
            self.path.truncate(place);
            self.depth = depth;
            self.operation("replace", None, Some(new), most)
        })
    }

    /// From left to right: all before an element is as in `new` already, and so is its index.
    fn elements(&mut self, old: &[Value<'_>], new: &[Value<'_>], most: usize) -> Result<(), Full> {
        for Change { old: gone, new: come } in align(old, new, &mut self.room).ok_or(Full)? {
            let pairs = gone.len().min(come.len());
            for (old, (index, new)) in
                old[gone.clone()].iter().zip((come.start..).zip(&new[come.clone()]))
            {
                self.at(&index.to_string(), |writer| writer.change(old, new, most))?;
            }
            let next = come.start + pairs;
            for _ in pairs..gone.len() {
                self.at(&next.to_string(), |writer| writer.operation("remove", None, None, most))?;
            }
            for (index, new) in (next..).zip(&new[next..come.end]) {
                self.at(&index.to_string(), |writer| {
                    writer.operation("add", None, Some(new), most)
                })?;
            }
        }
        Ok(())
    }

    /// Members that are added come last, and so do those that are moved, even to where they are. Thus
    /// the members of `new` up to the first that is new or comes too early stay; all after it are
    /// added or moved in their order.
    fn members(&mut self, old: &[Member<'_>], new: &[Member<'_>], most: usize) -> Result<(), Full> {
        let (places, names) = (places(old)?, places(new)?);
        for member in old.iter().filter(|member| !names.contains_key(&*member.key.text)) {
            self.at(&member.key.text, |writer| writer.operation("remove", None, None, most))?;
        }
        let mut kept = None;
        let mut in_order = true;
        for member in new {
            let name = &*member.key.text;
            let place = places.get(name).copied();
            in_order &= place.is_some() && place > kept;
            kept = place;
            self.at(name, |writer| {
                let Some(place) = place else {
                    return writer.operation("add", None, Some(&member.value), most);
                };
                if !in_order {
                    let from = writer.path.clone();
                    writer.operation("move", Some(&from), None, most)?;
                }
                writer.change(&old[place].value, &member.value, most)
            })?;
        }
        Ok(())
    }

    /// Goes one step further while `within` writes. After an error the caller goes back.
    fn at(
        &mut self,
        step: &str,
        within: impl FnOnce(&mut Self) -> Result<(), Full>,
    ) -> Result<(), Full> {
        let place = self.path.len();
        push_step(step, &mut self.path);
        self.depth += 1;
        within(self)?;
        self.depth -= 1;
        self.path.truncate(place);
        Ok(())
    }

    fn operation(
        &mut self,
        name: &str,
        from: Option<&str>,
        value: Option<&Value<'_>>,
        most: usize,
    ) -> Result<(), Full> {
        let mut text = String::new();
        if self.out.len() > 1 {
            text.push(',');
        }
        text.push_str("{\"op\":\"");
        text.push_str(name);
        if let Some(from) = from {
            text.push_str("\",\"from\":\"");
            string::encode(from, &mut text);
        }
        text.push_str("\",\"path\":\"");
        string::encode(&self.path, &mut text);
        text.push('"');
        self.out.extend_from_slice(text.as_bytes());
        if let Some(value) = value {
            self.out.extend_from_slice(b",\"value\":");
            write(value, Style::Compact, most, &mut self.out).ok_or(Full)?;
        }
        self.out.push(b'}');
        if self.out.len() > most { Err(Full) } else { Ok(()) }
    }
}

/// Where each member is. A name that is there twice cannot be pointed to.
fn places<'m>(members: &'m [Member<'_>]) -> Result<HashMap<&'m str, usize>, Full> {
    let names = members.iter().map(|member| &*member.key.text);
    let places: HashMap<&str, usize> = names.zip(0..).collect();
    if places.len() == members.len() { Ok(places) } else { Err(Full) }
}

#[cfg(test)]
mod tests {
    use super::super::apply::patched;
    use super::*;

    #[test]
    fn operations_are_few_and_in_order() {
        let filler = format!(r#""filler":"{}""#, "x".repeat(400));
        let cases = [
            (r#""a":1"#, r#""a":1.0"#, r#"[{"op":"replace","path":"/a","value":1.0}]"#),
            (r#""a":{"b":[1,2,3]}"#, r#""a":{"b":[1,3]}"#, r#"[{"op":"remove","path":"/a/b/1"}]"#),
            (r#""a":[1,2]"#, r#""a":[0,1,2]"#, r#"[{"op":"add","path":"/a/0","value":0}]"#),
            (r#""a/~b":1"#, r#""a/~b":2"#, r#"[{"op":"replace","path":"/a~1~0b","value":2}]"#),
            (r#""a":1,"b":2"#, r#""a":1"#, r#"[{"op":"remove","path":"/b"}]"#),
            (r#""a":1,"b":2"#, r#""b":2,"a":1"#, r#"[{"op":"move","from":"/a","path":"/a"}]"#),
            (
                r#""a":1,"b":2"#,
                r#""a":1,"n":"\u00e9","b":2"#,
                r#"[{"op":"add","path":"/n","value":"\u00e9"},{"op":"move","from":"/b","path":"/b"}]"#,
            ),
            (
                r#""a":[{"id":"1","v":"x"},{"id":"2","v":"x"}]"#,
                r#""a":[{"id":"1","v":"x"},{"id":"2","v":"y"}]"#,
                r#"[{"op":"replace","path":"/a/1/v","value":"y"}]"#,
            ),
        ];
        for (old, new, patch) in cases {
            let (old, new) = (format!("{{{filler},{old}}}"), format!("{{{filler},{new}}}"));
            let made = diff(old.as_bytes(), new.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(made.clone()).unwrap(), patch);
            assert_eq!(
                patched(old.as_bytes(), &made, new.len()).unwrap(),
                parse(new.as_bytes()).unwrap()
            );
        }
    }

    #[test]
    fn a_value_that_changed_wholly_is_replaced() {
        let filler = "x".repeat(100);
        let old = format!(r#"{{"filler":"{filler}","a":[1,2,3,4]}}"#);
        let new = format!(r#"{{"filler":"{filler}","a":[5,6,7,8]}}"#);
        let made = diff(old.as_bytes(), new.as_bytes()).unwrap();
        assert_eq!(made, br#"[{"op":"replace","path":"/a","value":[5,6,7,8]}]"#);
    }

    #[test]
    fn what_changed_deep_down_is_replaced() {
        let nested = |value: &str| {
            let (open, close) = ("[".repeat(DEEPEST + 5), "]".repeat(DEEPEST + 5));
            format!(r#"["{}",{open}{value}{close}]"#, "x".repeat(200))
        };
        let made = diff(nested("1").as_bytes(), nested("2").as_bytes()).unwrap();
        let path = format!("/1{}", "/0".repeat(DEEPEST - 1));
        let patch = format!(r#"[{{"op":"replace","path":"{path}","value":[[[[[[2]]]]]]}}]"#);
        assert_eq!(String::from_utf8(made).unwrap(), patch);
    }
}
