//! A few words about a collection, in Dublin Core.

use tidings_base::{XmlWriter, is_xml_character};

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
    if *about == About::default() && layout.has_own(ABOUT) {
        return Ok(());
    }
    staged.bytes(&layout.own(ABOUT), document(collection, about).as_bytes())
}

fn document(collection: &str, about: &About) -> String {
    let title = about.title.as_deref().unwrap_or(collection);
    let elements = [
        ("dc:title", Some(title)),
        ("dc:creator", about.author.as_deref()),
        ("dc:description", about.description.as_deref()),
        ("dc:language", about.language.as_deref()),
        ("dc:identifier", Some(collection)),
    ];
    let mut out = XmlWriter::document(512);
    out.open("metadata").attribute("xmlns:dc", "http://purl.org/dc/elements/1.1/").end_line();
    for (name, value) in elements {
        if let Some(value) = value {
            // Without the characters that XML cannot hold (XML 1.0, 2.2).
            out.text("  ").element(name, &value.replace(|one| !is_xml_character(one), ""));
        }
    }
    out.close().end_line();
    out.finish()
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
