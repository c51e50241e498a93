//! `Link` headers.

use url::Url;

use crate::web_link::WebLink;

/// The links in the values of `Link` headers, in their order (RFC 8288, section 3), each resolved
/// against `base`, the URL that answered.
///
/// A link that is written wrongly is passed over, and those behind it are still found. So is one with
/// an `anchor`: it is not about the resource that answered.
#[must_use]
pub fn link_header<'a>(values: impl IntoIterator<Item = &'a str>, base: &Url) -> Vec<WebLink> {
    let mut links = Vec::new();
    for value in values {
        let mut rest = value;
        while let Some((_, behind)) = rest.split_once('<') {
            let Some((target, behind)) = behind.split_once('>') else { break };
            let (parameters, behind) = parameters(behind);
            rest = behind;
            // Of several of a kind, the first counts (section 3.3).
            let find = |wanted: &str| parameters.iter().find(|(name, _)| name == wanted);
            let text = |wanted: &str| find(wanted).map(|(_, value)| value.clone());
            let about_another = find("anchor")
                .is_some_and(|(_, anchor)| base.join(anchor).ok().as_ref() != Some(base));
            if !about_another && let Some(rels) = text("rel") {
                links.extend(WebLink::new(base, target, &rels, text("type")));
            }
        }
    }
    links
}

/// The parameters of a link, up to the comma before the next one, and what is behind that. Names are
/// in lower case.
fn parameters(text: &str) -> (Vec<(String, String)>, &str) {
    let mut parameters = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ';']);
        if rest.is_empty() {
            return (parameters, rest);
        }
        if let Some(behind) = rest.strip_prefix(',') {
            return (parameters, behind);
        }
        let end = rest.find([' ', '\t', ';', ',', '=']).unwrap_or(rest.len());
        let name = rest[..end].to_ascii_lowercase();
        rest = rest[end..].trim_start_matches([' ', '\t']);
        let mut value = String::new();
        if let Some(behind) = rest.strip_prefix('=') {
            let behind = behind.trim_start_matches([' ', '\t']);
            (value, rest) = match behind.strip_prefix('"') {
                Some(quoted) => unquote(quoted),
                None => {
                    let end = behind.find([' ', '\t', ';', ',']).unwrap_or(behind.len());
                    (behind[..end].to_owned(), &behind[end..])
                }
            };
        }
        parameters.push((name, value));
    }
}

/// The text up to the closing quote, escapes undone (RFC 9110, section 5.6.4), and what is behind it.
fn unquote(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (value, &text[at + 1..]),
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(value: &str) -> Vec<String> {
        let base = Url::parse("http://a.example/folder/page").unwrap();
        link_header([value], &base)
            .iter()
            .map(|link| format!("{} {}", link.rels.join("+"), link.target))
            .collect()
    }

    #[test]
    fn rfc8288_3_links_are_found_however_they_are_written() {
        for (value, expected) in [
            (
                "<http://b.example/c.xml>; rel=\"resourcesync\"",
                &["resourcesync http://b.example/c.xml"][..],
            ),
            ("<c.xml>;rel=resourcesync", &["resourcesync http://a.example/folder/c.xml"]),
            ("</c.xml> ; Rel = \"ResourceSync\"", &["resourcesync http://a.example/c.xml"]),
            (
                "<x>; rel=\"up  Index\"; title=\"a, <b>; \\\"c\\\"\" , <y>; rel=next",
                &["up+index http://a.example/folder/x", "next http://a.example/folder/y"],
            ),
            ("<x>; rel=a; rel=b", &["a http://a.example/folder/x"]),
            ("<x>; crossorigin; rel=a", &["a http://a.example/folder/x"]),
            ("<x>; rel=a,", &["a http://a.example/folder/x"]),
            ("<x,y;z>; rel=a", &["a http://a.example/folder/x,y;z"]),
            ("<>; rel=self", &["self http://a.example/folder/page"]),
            ("<x>; rel=a; anchor=\"#part\"", &[]),
            ("<x>; rel=a; anchor=\"page\"", &["a http://a.example/folder/x"]),
            ("<x>; rel=\"a", &["a http://a.example/folder/x"]),
            ("junk <http://[>; rel=a, <y>; rel=b", &["b http://a.example/folder/y"]),
            ("<x>", &[]),
            ("<x", &[]),
            ("", &[]),
        ] {
            assert_eq!(links(value), expected, "{value}");
        }
    }

    #[test]
    fn the_case_of_a_relation_does_not_count() {
        let base = Url::parse("http://a.example/").unwrap();
        let links = link_header(["<x>; rel=\"DescribedBy\"; type=\"text/html\""], &base);
        assert!(links[0].is("describedBy"));
        assert!(!links[0].is("described"));
        assert_eq!(links[0].media_type.as_deref(), Some("text/html"));
    }
}
