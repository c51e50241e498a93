//! An index that is being edited by hand and by program alike.
//!
//! Readers see that an index changed by its length alone. So each edit has a number, and the index is
//! filled up so that its length, divided by 64, leaves that number: two versions that are fewer than 64
//! edits apart never have the same length.

use std::collections::HashSet;

use url::Url;

use crate::Index;

/// The lengths of so many edits in a row are different.
const APART: usize = 64;
const MARK: &str = "# edit ";
const BASE: &str = "# served at ";

/// The lines of an index, with all comments and blanks where they were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    lines: Vec<String>,
    number: usize,
    /// The lines of posts before it was edited.
    before: Vec<String>,
}

impl Edit {
    /// Of an index that is there.
    pub(super) fn of(text: &str) -> Self {
        let mut lines: Vec<String> =
            text.trim_start_matches('\u{feff}').lines().map(str::to_owned).collect();
        // Only the first is ours: it is written above all else.
        let mark = lines.iter().position(|line| number(line).is_some());
        let mark = mark.and_then(|at| number(&lines.remove(at)));
        // One that was never edited by us may be of any length: the first of ours is another.
        let number = mark.unwrap_or(text.len() % APART);
        let before = posts(&lines);
        Self { lines, number, before }
    }

    /// A new one with these comments.
    pub(super) fn begun(comments: &[&str]) -> Self {
        let lines = comments.iter().map(|line| format!("# {line}").trim_end().to_owned());
        Self { lines: lines.chain([String::new()]).collect(), number: 0, before: Vec::new() }
    }

    /// The URL under which the folder is served, if a comment says so.
    pub(super) fn base(&self) -> Option<Url> {
        let said = self.lines.iter().find_map(|line| line.strip_prefix(BASE));
        let mut base = said.and_then(|said| Url::parse(said.trim()).ok())?;
        // It is a folder, also where somebody wrote it without the slash.
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", base.path()));
        }
        Some(base)
    }

    /// Says under which URL the folder is served, below the comments that it begins with.
    pub(super) fn serve(&mut self, base: &Url) {
        self.lines.retain(|line| !line.starts_with(BASE));
        let at = self.lines.iter().position(|line| !line.starts_with('#'));
        self.lines.insert(at.unwrap_or(self.lines.len()), format!("{BASE}{base}"));
    }

    /// Whether a post is listed, however it is written.
    pub(super) fn has(&self, line: &str, at: &Url) -> bool {
        !self.clone().remove(line, at).is_empty()
    }

    /// Adds a post at the end, where the newest is; a line that says the same goes.
    pub(super) fn add(&mut self, line: &str, at: &Url) {
        self.remove(line, at);
        while self.lines.last().is_some_and(|last| last.trim().is_empty())
            && self.lines.iter().rev().nth(1).is_some_and(|line| is_post(line))
        {
            self.lines.pop();
        }
        self.lines.push(line.to_owned());
    }

    /// Removes a post, however it is written; says which lines are gone.
    pub(super) fn remove(&mut self, line: &str, at: &Url) -> Vec<String> {
        let folder = Index::folder(at);
        let Some(wanted) = meant(line, &folder) else { return Vec::new() };
        let is_it = |line: &mut String| {
            is_post(line) && meant(line, &folder).is_some_and(|url| url == wanted)
        };
        self.lines.extract_if(.., is_it).map(|line| line.trim().to_owned()).collect()
    }

    /// Removes all posts but so many of the newest; says which lines are gone.
    ///
    /// As for readers, of lines that name the same post the last counts. Where anything goes, the others
    /// go, too, but nobody is told: their post stays.
    pub(super) fn keep(&mut self, most: usize, at: &Url) -> Vec<String> {
        let folder = Index::folder(at);
        let mut kept = HashSet::new();
        let (mut lines, mut gone) = (Vec::new(), Vec::new());
        for line in self.lines.iter().rev() {
            let url = meant(line, &folder);
            let is_full = kept.len() >= most;
            if !is_post(line) {
                lines.push(line.clone());
            } else if url.as_ref().is_some_and(|url| kept.contains(url)) {
                // The post has its line already.
            } else if is_full {
                gone.push(line.trim().to_owned());
            } else {
                lines.push(line.clone());
                // What is no address is no post, and takes no place of one.
                kept.extend(url.filter(|url| matches!(url.scheme(), "http" | "https")));
            }
        }
        if !gone.is_empty() {
            lines.reverse();
            gone.reverse();
            self.lines = lines;
        }
        gone
    }

    /// The lines of posts, the newest last.
    pub(super) fn posts(&self) -> Vec<String> {
        posts(&self.lines)
    }

    /// Whether the line came by this edit.
    pub(super) fn is_new(&self, line: &str) -> bool {
        !self.before.iter().any(|one| one == line)
    }

    /// The text of the next version: of another length than what is there now, whoever wrote that.
    pub(super) fn written(&self, before: u64) -> String {
        let next = self.version(self.number + 1);
        if next.len() as u64 == before { self.version(self.number + 2) } else { next }
    }

    fn version(&self, number: usize) -> String {
        let mut text = self.lines.join("\n");
        text.push('\n');
        let mark = format!("{MARK}{number} ");
        let bare = text.len() + mark.len() + 1;
        let fill = (number + APART - bare % APART) % APART;
        format!("{mark}{}\n{text}", ".".repeat(fill))
    }
}

fn posts(lines: &[String]) -> Vec<String> {
    lines.iter().filter(|line| is_post(line)).map(|line| line.trim().to_owned()).collect()
}

/// The post that a line names: wherever on its page the line leads, as [`Index`] has it.
fn meant(line: &str, folder: &Url) -> Option<Url> {
    let mut url = folder.join(line.trim()).ok()?;
    url.set_fragment(None);
    Some(url)
}

fn is_post(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with('#')
}

/// The number of the edit, if the line says it exactly as we write it: there are comments of others that
/// begin alike.
fn number(line: &str) -> Option<usize> {
    let (digits, fill) = line.strip_prefix(MARK)?.split_once(' ')?;
    let number: usize = digits.parse().ok()?;
    // There must be room for the numbers that follow.
    number.checked_add(2 * APART)?;
    let is_fill = fill.len() < APART && fill.bytes().all(|byte| byte == b'.');
    (is_fill && number.to_string() == digits).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f1_no_two_versions_close_to_each_other_have_the_same_length() {
        let at = Url::parse("https://a.example/index.txt").unwrap();
        let mut text = "# mine\n\npost-1\npost-2\npost-3\n".to_owned();
        let mut lengths = vec![text.len()];
        for edit in 0..200 {
            let mut index = Edit::of(&text);
            // The edit that no length tells: one goes, one as long comes.
            assert_eq!(index.remove(&index.posts()[0].clone(), &at).len(), 1);
            index.add(&format!("post-{}", edit % 7), &at);
            text = index.written(text.len() as u64);
            assert!(!lengths.iter().rev().take(63).any(|one| *one == text.len()), "{edit}");
            lengths.push(text.len());
        }
        assert!(text.starts_with("# edit ") && text.contains("\n# mine\n"), "{text}");
    }

    #[test]
    fn comments_stay_and_a_post_is_there_once() {
        let at = Url::parse("https://a.example/feed/index.txt").unwrap();
        let mut index = Edit::of("# one\na.html\n\n# two\nb c.html\n");
        index.add("a.html", &at);
        assert_eq!(index.posts(), ["b c.html", "a.html"]);
        assert_eq!(index.remove("b%20c.html", &at), ["b c.html"], "as it is written there");
        assert_eq!(index.remove("nothing", &at), Vec::<String>::new());
        let written = index.written(0);
        assert!(written.ends_with("# one\n\n# two\na.html\n"), "{written}");
        assert_ne!(index.written(written.len() as u64).len(), written.len());
    }

    #[test]
    fn of_lines_that_name_the_same_post_the_last_counts() {
        let at = Url::parse("https://a.example/index.txt").unwrap();
        for (text, most, kept, gone) in [
            ("a\nb\na\n", 1, &["a"][..], &["b"][..]),
            ("a\nb\na\n", 2, &["a", "b", "a"], &[]),
            ("a\nb#x\nb\nc\n", 2, &["b", "c"], &["a"]),
            ("a\nb\na#top\n", 1, &["a#top"], &["b"]),
            ("a\nb\na\n", 0, &[], &["a", "b", "a"]),
            ("mailto:x\na\nb\nmailto:y\n", 1, &["b", "mailto:y"], &["mailto:x", "a"]),
        ] {
            let mut index = Edit::of(text);
            assert_eq!(index.keep(most, &at), gone, "{text:?}, {most}");
            assert_eq!(index.posts(), kept, "{text:?}, {most}");
        }
    }

    #[test]
    fn where_on_a_page_a_line_leads_makes_no_other_post() {
        let at = Url::parse("https://a.example/index.txt").unwrap();
        let mut index = Edit::of("x.html#top\n");
        index.add("x.html", &at);
        assert_eq!(index.posts(), ["x.html"]);
        assert!(index.is_new("x.html") && !index.is_new("x.html#top"));
        assert_eq!(Edit::of("x.html#top\n").remove("x.html", &at), ["x.html#top"]);
        assert_eq!(Edit::of("x.html\n").remove("x.html#end", &at), ["x.html"]);
        assert!(Edit::of("x.html?a\n").remove("x.html", &at).is_empty());
    }

    #[test]
    fn comments_that_look_like_the_mark_stay() {
        for comment in [
            "# edit 2024",
            "# edit 2024 by Ada",
            "# edit +7 ",
            "# edit 007 ..",
            " # edit 7 ..",
            "# edit 18446744073709551615 ",
            "# edit 99999999999999999999 .",
        ] {
            let text = Edit::of(&format!("{comment}\nx.html\n")).written(0);
            assert!(text.starts_with(MARK), "{text}");
            assert!(text.ends_with(&format!("\n{comment}\nx.html\n")), "{text}");
            let again = Edit::of(&text).written(text.len() as u64);
            assert!(again.ends_with(&format!("\n{comment}\nx.html\n")), "{again}");
            assert_eq!(again.matches(MARK).count(), 2, "{again}");
        }
        // As it is written, also where nothing had to be filled up.
        assert_eq!((number("# edit 64 "), number("# edit 7 ...")), (Some(64), Some(7)));
        assert_eq!(Edit::of("# mine\n# edit 7 ...\n# edit 8 .\n").lines, ["# mine", "# edit 8 ."]);
    }
}
