//! An index that is being edited by hand and by program alike.
//!
//! Readers see that an index changed by its length alone. So each edit has a number, and the index is
//! filled up so that its length, divided by 64, leaves that number: two versions that are fewer than 64
//! edits apart never have the same length.

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
}

impl Edit {
    /// Of an index that is there.
    pub(super) fn of(text: &str) -> Self {
        let mut lines: Vec<String> =
            text.trim_start_matches('\u{feff}').lines().map(str::to_owned).collect();
        let number = lines.iter().find_map(|line| number(line));
        lines.retain(|line| self::number(line).is_none());
        // One that was never edited by us may be of any length: the first of ours is another.
        let number = number.unwrap_or(text.len() % APART);
        Self { lines, number }
    }

    /// A new one with these comments.
    pub(super) fn begun(comments: &[&str]) -> Self {
        let lines = comments.iter().map(|line| format!("# {line}").trim_end().to_owned());
        Self { lines: lines.chain([String::new()]).collect(), number: 0 }
    }

    /// The URL under which the folder is served, if a comment says so.
    pub(super) fn base(&self) -> Option<Url> {
        let said = self.lines.iter().find_map(|line| line.strip_prefix(BASE));
        said.and_then(|said| Url::parse(said.trim()).ok())
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
        let Ok(wanted) = folder.join(line.trim()) else { return Vec::new() };
        let is_it = |line: &mut String| {
            is_post(line) && folder.join(line.trim()).is_ok_and(|url| url == wanted)
        };
        self.lines.extract_if(.., is_it).map(|line| line.trim().to_owned()).collect()
    }

    /// The lines of posts, the newest last.
    pub(super) fn posts(&self) -> Vec<String> {
        self.lines.iter().filter(|line| is_post(line)).map(|line| line.trim().to_owned()).collect()
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

fn is_post(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with('#')
}

/// The number of the edit, if the line says it.
fn number(line: &str) -> Option<usize> {
    let rest = line.trim().strip_prefix(MARK)?;
    let (number, fill) = rest.split_once(' ').unwrap_or((rest, ""));
    number.parse().ok().filter(|_| fill.bytes().all(|byte| byte == b'.'))
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
}
