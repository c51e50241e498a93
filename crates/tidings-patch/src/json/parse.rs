//! Reading JSON text (RFC 8259), strictly.

use std::borrow::Cow;

use super::value::{Key, Member, Value};
use super::{MAX_DEPTH, string};

/// Where a text is no JSON, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed {
    pub(super) at: usize,
    pub(super) reason: &'static str,
}

/// Reads one value that is the whole of `bytes`.
pub(super) fn parse(bytes: &[u8]) -> Result<Value<'_>, Malformed> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| Malformed { at: error.valid_up_to(), reason: "not UTF-8" })?;
    let mut parser = Parser { text, at: 0 };
    parser.pass_space();
    let value = parser.value(0)?;
    parser.pass_space();
    if parser.at < text.len() {
        return Err(parser.malformed("something follows the value"));
    }
    Ok(value)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn malformed(&self, reason: &'static str) -> Malformed {
        Malformed { at: self.at, reason }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn pass_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Passes a byte if it is there, and the white space after it.
    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        if there {
            self.at += 1;
            self.pass_space();
        }
        there
    }

    fn value(&mut self, depth: usize) -> Result<Value<'a>, Malformed> {
        match self.peek() {
            Some(b'{' | b'[') if depth == MAX_DEPTH => {
                Err(self.malformed("nested deeper than 128 levels"))
            }
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'"') => self.string().map(Value::Scalar),
            Some(b'-' | b'0'..=b'9') => self.number().map(Value::Scalar),
            _ => self.word().map(Value::Scalar),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value<'a>, Malformed> {
        let mut elements = Vec::new();
        self.take(b'[');
        if self.take_end(b']') {
            return Ok(Value::Array(elements));
        }
        loop {
            elements.push(self.value(depth)?);
            self.pass_space();
            if self.take_end(b']') {
                return Ok(Value::Array(elements));
            }
            if !self.take(b',') {
                return Err(self.malformed("expected `,` or `]`"));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value<'a>, Malformed> {
        let mut members = Vec::new();
        self.take(b'{');
        if self.take_end(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            members.push(self.member(depth)?);
            self.pass_space();
            if self.take_end(b'}') {
                return Ok(Value::Object(members));
            }
            if !self.take(b',') {
                return Err(self.malformed("expected `,` or `}`"));
            }
        }
    }

    fn member(&mut self, depth: usize) -> Result<Member<'a>, Malformed> {
        if self.peek() != Some(b'"') {
            return Err(self.malformed("expected the name of a member"));
        }
        let written = self.string()?;
        let text = string::decode(written)
            .ok_or_else(|| self.malformed("a name with half a surrogate pair"))?;
        self.pass_space();
        if !self.take(b':') {
            return Err(self.malformed("expected `:`"));
        }
        let key = Key { written: Cow::Borrowed(written), text };
        Ok(Member { key, value: self.value(depth)? })
    }

    /// Passes the end of an array or object, but not what follows it: the caller does.
    fn take_end(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    /// A string with its quotes.
    fn string(&mut self) -> Result<&'a str, Malformed> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.escape()?,
                Some(0x20..) => self.at += 1,
                Some(_) => return Err(self.malformed("a control character in a string")),
                None => return Err(self.malformed("a string without an end")),
            }
        }
        self.at += 1;
        Ok(&self.text[start..self.at])
    }

    fn escape(&mut self) -> Result<(), Malformed> {
        self.at += 1;
        let hex = match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 0,
            Some(b'u') => 4,
            _ => return Err(self.malformed("no such escape")),
        };
        self.at += 1;
        for _ in 0..hex {
            if !self.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                return Err(self.malformed("expected four hexadecimal digits"));
            }
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<&'a str, Malformed> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(&self.text[start..self.at])
    }

    fn digits(&mut self) -> Result<(), Malformed> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { Err(self.malformed("expected a digit")) } else { Ok(()) }
    }

    fn word(&mut self) -> Result<&'a str, Malformed> {
        let rest = &self.text[self.at..];
        let word = ["true", "false", "null"].into_iter().find(|word| rest.starts_with(word));
        let word = word.ok_or_else(|| self.malformed("expected a value"))?;
        self.at += word.len();
        Ok(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_serde_json_reads() {
        let texts = [
            "{}",
            "[]",
            " [ 1 , 2.50e+3 , -0 ] ",
            "{\"a\" : {\"b\":[null,true,false]} }",
            "\"x\\u00e9\"",
            "1",
            "01",
            "-",
            "1.",
            "1e",
            ".5",
            "+1",
            "[1,]",
            "{\"a\":1,}",
            "{a:1}",
            "\"",
            "\"\\x\"",
            "\"\t\"",
            "\"\\u12\"",
            "tru",
            "truefalse",
            "[1 2]",
            "{\"a\" 1}",
            "",
            " ",
            "[",
            "{\"a\"",
            "1 1",
        ];
        for text in texts {
            let expected = serde_json::from_str::<serde_json::Value>(text).is_ok();
            assert_eq!(parse(text.as_bytes()).is_ok(), expected, "{text}");
        }
    }

    #[test]
    fn refuses_what_is_too_deep() {
        let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(parse(nested(MAX_DEPTH).as_bytes()).unwrap().depth(), MAX_DEPTH);
        assert!(parse(nested(MAX_DEPTH + 1).as_bytes()).is_err());
        assert!(parse("[".repeat(1 << 20).as_bytes()).is_err());
    }
}
