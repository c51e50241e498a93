//! JSON Pointer (RFC 6901).

/// The steps from a value to one within it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pointer(Vec<String>);

impl Pointer {
    /// Reads a pointer: empty, or each step after a slash. `None` if it begins otherwise, or has a
    /// tilde that escapes nothing.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self(Vec::new()));
        }
        text.strip_prefix('/')?.split('/').map(unescape).collect::<Option<_>>().map(Self)
    }

    /// The steps to what holds the target, and the last one. `None` for the whole value.
    pub(super) fn split(&self) -> Option<(&[String], &str)> {
        self.0.split_last().map(|(last, parents)| (parents, last.as_str()))
    }

    pub(super) fn steps(&self) -> &[String] {
        &self.0
    }

    /// Whether `other` is within what this points to.
    pub(super) fn holds(&self, other: &Self) -> bool {
        self.0.len() < other.0.len() && other.0.starts_with(&self.0)
    }
}

fn unescape(step: &str) -> Option<String> {
    let mut text = String::with_capacity(step.len());
    let mut parts = step.split('~');
    text.push_str(parts.next()?);
    for part in parts {
        let (character, rest) = match part.as_bytes().first()? {
            b'0' => ('~', &part[1..]),
            b'1' => ('/', &part[1..]),
            _ => return None,
        };
        text.push(character);
        text.push_str(rest);
    }
    Some(text)
}

/// Adds a slash and a step.
pub(super) fn push_step(step: &str, pointer: &mut String) {
    pointer.push('/');
    for character in step.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// The index that a step names: digits without leading zeros (section 4).
pub(super) fn index(step: &str) -> Option<usize> {
    let digits = step.bytes().all(|byte| byte.is_ascii_digit());
    let plain = step == "0" || !step.starts_with('0');
    if digits && plain { step.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_read() {
        let cases: [(&str, Option<&[&str]>); 8] = [
            ("", Some(&[])),
            ("/", Some(&[""])),
            ("/a/0", Some(&["a", "0"])),
            ("/a~1b/m~0n/~01", Some(&["a/b", "m~n", "~1"])),
            ("/~01~10", Some(&["~1/0"])),
            ("a", None),
            ("/a~", None),
            ("/a~2", None),
        ];
        for (text, steps) in cases {
            let pointer = Pointer::parse(text);
            assert_eq!(pointer.is_some(), steps.is_some(), "{text}");
            if let (Some(pointer), Some(steps)) = (pointer, steps) {
                assert_eq!(pointer.steps(), steps);
                let mut written = String::new();
                for step in steps {
                    push_step(step, &mut written);
                }
                assert_eq!(written, text);
            }
        }
    }

    #[test]
    fn indexes_are_plain_digits() {
        let cases = [
            ("0", Some(0)),
            ("10", Some(10)),
            ("", None),
            ("-", None),
            ("01", None),
            ("+1", None),
            ("1e0", None),
            ("99999999999999999999999", None),
        ];
        for (step, expected) in cases {
            assert_eq!(index(step), expected, "{step}");
        }
    }
}
