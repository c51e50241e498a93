//! The files that a page names.

use std::collections::HashSet;

use percent_encoding::percent_decode_str;

use super::{Look, join};
use crate::front_matter::FrontMatter;
use crate::markdown::linked_files;
use crate::path::normalized;

/// The longest page that is searched for names of files.
const MAX_SEARCHED_BYTES: usize = 8 << 20;

/// The files that a page names.
#[derive(Debug, Default)]
pub(super) struct NamedFiles {
    /// Names without their folders, wherever they could be meant as those of files.
    pub(super) names: HashSet<String>,
    /// Paths from `pages/` that the page links to or shows.
    pub(super) links: HashSet<String>,
}

/// The files that a page names.
pub(super) fn named_in(folder: &str, name: &str, look: &Look<'_>) -> NamedFiles {
    let path = format!("pages/{}", join(folder, name));
    let Ok((bytes, _)) = look.root.read(&path, MAX_SEARCHED_BYTES) else {
        return NamedFiles::default();
    };
    let start = FrontMatter::read(&bytes).map_or(0, |(_, start)| start);
    let links = linked_files(&String::from_utf8_lossy(&bytes[start..]), folder);
    let mut names = names_of_links(&String::from_utf8_lossy(&bytes));
    names.extend(links.iter().map(|path| path.rsplit('/').next().unwrap_or(path).to_owned()));
    NamedFiles { names, links }
}

fn names_of_links(text: &str) -> HashSet<String> {
    let mut names = HashSet::new();
    let is_mark = |letter: char| "()[]<>\"'`=|,;{}\n".contains(letter);
    let words = text.split(is_mark).flat_map(|span| span.split_whitespace().chain([span]));
    // Names may have marks in them, in Obsidian's links and in values of front matter.
    let spans = text.split(['[', ']', '|', '\n', '"']);
    let values = text.lines().filter_map(|line| line.split_once(": ")).map(|(_, value)| value);
    for word in words.chain(spans).chain(values) {
        let word = word.split(['?', '#']).next().unwrap_or_default();
        let last = word.rsplit(['/', '\\']).next().unwrap_or_default();
        // A backslash is one of Windows, or lets the next letter stand for itself.
        let unescaped = word.rsplit('/').next().unwrap_or_default().replace('\\', "");
        for word in [last, &unescaped] {
            let word = word.trim_matches(|letter: char| letter.is_whitespace() || letter == '\'');
            if word.contains('.') && word.len() < 512 {
                names
                    .insert(normalized(&percent_decode_str(word).decode_utf8_lossy()).into_owned());
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_found_in_links() {
        let names = names_of_links(
            "# A\n![x](img/One.png \"title\") [y](<two three.pdf>) <img src=\"./four%20five.jpg?v=1\">\n\
             image: six.webp\n[r]: seven.gif\n![[eight (8).png|200]] a\\nine.png ten\\_10.png\ncover: it's 11.png\n",
        );
        for name in [
            "one.png",
            "two three.pdf",
            "four five.jpg",
            "six.webp",
            "seven.gif",
            "eight (8).png",
            "nine.png",
            "ten_10.png",
            "it's 11.png",
        ] {
            assert!(names.contains(name), "{name} {names:?}");
        }
    }
}
