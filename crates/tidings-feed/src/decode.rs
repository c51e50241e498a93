//! From bytes to text.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::html;

/// How far into a document its encoding is looked for (HTML, 13.2.3.2).
const LOOKED_AT: usize = 1024;

/// The text of a document, without a byte order mark. Bytes that make no sense become U+FFFD.
///
/// The encoding is what the mark says, else the `Content-Type`, else the document itself, in an XML
/// declaration or a `<meta>` (RFC 7303, 3; HTML, 13.2.3), else UTF-8.
pub(crate) fn decode<'b>(bytes: &'b [u8], content_type: Option<&str>) -> Cow<'b, str> {
    text(bytes, said(bytes, content_type).unwrap_or(UTF_8))
}

/// The text of a page. It is read as [a feed](crate::TakenFeed) is, but where nobody says an encoding and
/// it is not UTF-8, it is what old editors wrote: windows-1252, as browsers have it (HTML, 13.2.3.2).
#[must_use]
pub fn decode_page<'b>(bytes: &'b [u8], content_type: Option<&str>) -> Cow<'b, str> {
    let encoding = said(bytes, content_type)
        .unwrap_or_else(|| if std::str::from_utf8(bytes).is_ok() { UTF_8 } else { WINDOWS_1252 });
    text(bytes, encoding)
}

fn text<'b>(bytes: &'b [u8], encoding: &'static Encoding) -> Cow<'b, str> {
    let mark = Encoding::for_bom(bytes).map_or(0, |(_, mark)| mark);
    encoding.decode_without_bom_handling(&bytes[mark..]).0
}

/// The encoding, as far as anybody says it.
fn said(bytes: &[u8], content_type: Option<&str>) -> Option<&'static Encoding> {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return Some(encoding);
    }
    match bytes {
        // UTF-16 whose mark has been lost still shows by its first characters.
        [0, b'<' | b'{', 0, _, ..] => Some(UTF_16BE),
        [b'<' | b'{', 0, _, 0, ..] => Some(UTF_16LE),
        _ => narrow(content_type.and_then(charset)).or_else(|| narrow(declared(bytes))),
    }
}

/// What `Content-Type` is in the way of media types, in lower case, without parameters.
pub(crate) fn media_type(content_type: Option<&str>) -> Option<String> {
    let name = content_type?.split(';').next().unwrap_or_default().trim();
    (!name.is_empty()).then(|| name.to_ascii_lowercase())
}

/// A document whose ASCII can be read as such is not in UTF-16, whatever it says.
fn narrow(encoding: Option<&'static Encoding>) -> Option<&'static Encoding> {
    encoding.filter(|one| *one != UTF_16BE && *one != UTF_16LE)
}

/// The encoding that a `Content-Type` names, in a header or in a `<meta>`.
fn charset(content_type: &str) -> Option<&'static Encoding> {
    content_type.split([';', ',']).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']);
        let is_charset = name.trim().eq_ignore_ascii_case("charset");
        is_charset.then(|| Encoding::for_label(value.as_bytes())).flatten()
    })
}

/// The encoding that the beginning of a document declares.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes[..bytes.len().min(LOOKED_AT)].trim_ascii_start();
    if let Some(declaration) = start.strip_prefix(b"<?xml") {
        let end = declaration.iter().position(|byte| *byte == b'>')?;
        return in_declaration(&String::from_utf8_lossy(&declaration[..end]));
    }
    if !start.starts_with(b"<") {
        return None;
    }
    html::tags(start).filter(|tag| tag.is("meta")).find_map(|tag| {
        let label = tag.attribute("charset");
        let named = label.and_then(|label| Encoding::for_label(label.as_bytes()));
        named.or_else(|| {
            let is_type = tag.attribute("http-equiv")?.trim().eq_ignore_ascii_case("content-type");
            is_type.then(|| charset(&tag.attribute("content")?)).flatten()
        })
    })
}

/// `encoding="…"` (XML 1.0, 4.3.3).
fn in_declaration(declaration: &str) -> Option<&'static Encoding> {
    let (_, rest) = declaration.split_once("encoding")?;
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|quote| "\"'".contains(*quote))?;
    let label = rest[1..].split(quote).next()?;
    Encoding::for_label(label.trim().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_found() {
        let utf16 = |bytes: fn(u16) -> [u8; 2], text: &str| -> Vec<u8> {
            text.encode_utf16().flat_map(bytes).collect()
        };
        for (bytes, content_type, expected) in [
            ("ü".as_bytes().to_vec(), None, "ü"),
            (b"\xef\xbb\xbf\xc3\xbc".to_vec(), Some("text/html; charset=latin1"), "ü"),
            (b"\xfc".to_vec(), Some("text/html; Charset=\"ISO-8859-1\""), "ü"),
            (b"\xfc".to_vec(), Some("text/html; charset=nonsense"), "\u{FFFD}"),
            (b"\xc3\xbc".to_vec(), Some("text/html; charset=utf-16"), "ü"),
            (utf16(u16::to_le_bytes, "\u{FEFF}<ü>"), None, "<ü>"),
            (utf16(u16::to_be_bytes, "\u{FEFF}<ü>"), None, "<ü>"),
            (utf16(u16::to_le_bytes, "<ü>"), None, "<ü>"),
            (utf16(u16::to_be_bytes, "<ü>"), None, "<ü>"),
            (
                b"<?xml version='1.0' encoding = 'ISO-8859-1'?>\xfc".to_vec(),
                None,
                "<?xml version='1.0' encoding = 'ISO-8859-1'?>ü",
            ),
            (b"<meta charset=latin1>\xfc".to_vec(), None, "<meta charset=latin1>ü"),
            (
                b"<META HTTP-EQUIV=content-type CONTENT='text/html; charset=latin1'>\xfc".to_vec(),
                None,
                "<META HTTP-EQUIV=content-type CONTENT='text/html; charset=latin1'>ü",
            ),
            (
                b"<!--<meta charset=latin1>-->\xc3\xbc".to_vec(),
                None,
                "<!--<meta charset=latin1>-->ü",
            ),
        ] {
            assert_eq!(decode(&bytes, content_type), expected, "{content_type:?}");
        }
    }

    #[test]
    fn a_page_without_an_encoding_is_what_old_editors_wrote() {
        assert_eq!(decode_page(b"\xfc", None), "ü");
        assert_eq!(decode_page("ü".as_bytes(), Some("text/html")), "ü");
        assert_eq!(decode_page(b"\xfc", Some("text/html; charset=utf-8")), "\u{FFFD}");
        assert_eq!(decode_page(b"<meta charset=latin1>\xfc", None), "<meta charset=latin1>ü");
    }

    #[test]
    fn media_types_lose_their_parameters() {
        assert_eq!(media_type(Some("Text/HTML ; charset=x")).as_deref(), Some("text/html"));
        assert_eq!(media_type(Some(";")), None);
        assert_eq!(media_type(None), None);
    }
}
