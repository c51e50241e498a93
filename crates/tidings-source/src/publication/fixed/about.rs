//! A few words about a collection, in Dublin Core.

use std::fmt::Write as _;

use super::super::staged::Staged;
use crate::layout::{ABOUT, Layout};
use crate::{About, PublishError};

/// Stages what is said of a collection. If its author says nothing in the options, a form is written
/// once, for the author to fill in.
pub(super) fn stage(
    layout: &Layout,
    collection: &str,
    about: &About,
    staged: &mut Staged,
) -> Result<(), PublishError> {
    if *about == About::default() && layout.own_path(ABOUT).exists() {
        return Ok(());
    }
    staged.bytes(&layout.own(ABOUT), document(collection, about).as_bytes())
}

fn document(collection: &str, about: &About) -> String {
    let title = about.title.as_deref().unwrap_or(collection);
    let elements = [
        ("title", Some(title)),
        ("creator", about.author.as_deref()),
        ("description", about.description.as_deref()),
        ("language", about.language.as_deref()),
        ("identifier", Some(collection)),
    ];
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n",
    );
    for (name, value) in elements {
        if let Some(value) = value {
            let _ = writeln!(text, "  <dc:{name}>{}</dc:{name}>", escaped(value));
        }
    }
    text.push_str("</metadata>\n");
    text
}

/// The text as it stands in XML, without the characters that cannot (XML 1.0, 2.2).
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\u{fffe}' | '\u{ffff}' => {}
            character if character < ' ' && !"\t\n\r".contains(character) => {}
            character => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_author_says_is_said() {
        let about = About {
            title: Some("Fish & Chips <1>".into()),
            author: Some("A\u{0}nna".into()),
            language: Some("en".into()),
            description: None,
        };
        let text = document("http://e.example/", &about);
        assert!(text.contains("<dc:title>Fish &amp; Chips &lt;1&gt;</dc:title>"), "{text}");
        assert!(text.contains("<dc:creator>Anna</dc:creator>"), "{text}");
        assert!(text.contains("<dc:language>en</dc:language>"), "{text}");
        assert!(!text.contains("description"), "{text}");
    }
}
