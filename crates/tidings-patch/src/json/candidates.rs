//! The texts a value may have.

use super::value::Value;
use super::write::{Style, write};
use crate::PatchError;

/// How a value may be written, in the order in which it is tried. The order is part of what
/// [`apply`](crate::apply()) promises: new ones come last.
const STYLES: [Style; 5] = [
    Style::Compact,
    Style::Indented("  "),
    Style::Indented("    "),
    Style::Indented("\t"),
    Style::Spaced,
];

/// The first text of `value`, of at most `limit` bytes, that is accepted.
pub(super) fn choose(
    value: &Value<'_>,
    limit: usize,
    mut accept: impl FnMut(&[u8]) -> bool,
) -> Result<Vec<u8>, PatchError> {
    let mut candidates = 0;
    let mut out = Vec::new();
    for style in STYLES {
        out.clear();
        if write(value, style, limit, &mut out).is_none() {
            continue;
        }
        for _ in 0..2 {
            if out.len() <= limit {
                candidates += 1;
                if accept(&out) {
                    return Ok(out);
                }
            }
            out.push(b'\n');
        }
    }
    // Compact is the shortest: if it is too long, so are all.
    if candidates == 0 {
        return Err(PatchError::TooLarge { limit });
    }
    Err(PatchError::NotAccepted { candidates })
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    fn texts(text: &str, limit: usize) -> (Vec<String>, Result<Vec<u8>, PatchError>) {
        let mut texts = Vec::new();
        let result = choose(&parse(text.as_bytes()).unwrap(), limit, |candidate| {
            texts.push(String::from_utf8(candidate.to_vec()).unwrap());
            false
        });
        (texts, result)
    }

    #[test]
    fn candidates_are_tried_in_order() {
        let (texts, result) = texts(r#" {"b":[1.0,{}],"a":"\u00e9/\/"} "#, 1000);
        assert_eq!(
            texts,
            [
                r#"{"b":[1.0,{}],"a":"\u00e9/\/"}"#,
                "{\n  \"b\": [\n    1.0,\n    {}\n  ],\n  \"a\": \"\\u00e9/\\/\"\n}",
                "{\n    \"b\": [\n        1.0,\n        {}\n    ],\n    \"a\": \"\\u00e9/\\/\"\n}",
                "{\n\t\"b\": [\n\t\t1.0,\n\t\t{}\n\t],\n\t\"a\": \"\\u00e9/\\/\"\n}",
                r#"{"b": [1.0, {}], "a": "\u00e9/\/"}"#,
            ]
            .into_iter()
            .flat_map(|text| [text.to_owned(), format!("{text}\n")])
            .collect::<Vec<_>>()
        );
        assert_eq!(result, Err(PatchError::NotAccepted { candidates: 10 }));
    }

    #[test]
    fn what_is_too_long_is_not_offered() {
        let (offered, result) = texts("[1,2]", 6);
        assert_eq!(offered, ["[1,2]", "[1,2]\n", "[1, 2]"]);
        assert_eq!(result, Err(PatchError::NotAccepted { candidates: 3 }));
        assert_eq!(texts("[1,2]", 4), (vec![], Err(PatchError::TooLarge { limit: 4 })));
    }
}
