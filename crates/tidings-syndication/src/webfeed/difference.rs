//! What is different between two readings of an index.

use std::collections::HashSet;

use tidings_store::NewPost;
use tidings_webfeed::Index;

/// How many posts may be gone at once without a doubt, if they are not more than a tenth.
const MANY: usize = 20;
/// So many of the newest posts are not taken back at once: the file may have been cut off.
const CUT: usize = 3;

/// What is different.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Difference {
    /// Posts that are new, in the order of the index.
    pub(super) added: Vec<NewPost>,
    /// A new post at the end that may be the beginning of one that was there: it counts once the doubt does
    /// not.
    pub(super) cut: Option<NewPost>,
    /// Posts that are gone: their numbers and addresses.
    pub(super) removed: Vec<(i64, String)>,
    /// The numbers of those that are in the index, and that there is no room for any more.
    pub(super) overflow: Vec<i64>,
    /// Why this may be a mistake.
    pub(super) doubt: Option<String>,
    /// Whether nothing of it may be true, not even what is new.
    pub(super) is_suspect: bool,
}

/// Compares an index with the posts that are known, in the order in which they were discovered. If it is,
/// or was, longer than what is kept of it (`is_full`), what comes before all that is known is not new.
pub(super) fn difference(known: &[(i64, String)], index: &Index, is_full: bool) -> Difference {
    let listed: HashSet<&str> = index.lines.iter().map(|line| line.url.as_str()).collect();
    let before: HashSet<&str> = known.iter().map(|(_, url)| url.as_str()).collect();
    let first = index.lines.iter().position(|line| before.contains(line.url.as_str()));
    let is_gone = |(_, url): &&(i64, String)| !listed.contains(url.as_str());
    let oldest = known.iter().take_while(is_gone).count();
    let overflow = if index.left_out > 0 && first.is_some() { oldest } else { 0 };
    let (overflow, rest) = known.split_at(overflow);
    let removed: Vec<(i64, String)> = rest.iter().filter(is_gone).cloned().collect();
    let mut added: Vec<NewPost> = index
        .lines
        .iter()
        .skip(first.filter(|_| is_full).unwrap_or(0))
        .filter(|line| !before.contains(line.url.as_str()))
        .map(|line| NewPost {
            url: line.url.to_string(),
            place: line.number as i64,
            is_repost: line.is_repost,
        })
        .collect();
    // A line that breaks off in the middle is no post, but the beginning of one that was there.
    let is_cut_off = added.last().is_some_and(|last| {
        let is_last = index.lines.last().is_some_and(|line| line.url.as_str() == last.url);
        is_last && removed.iter().any(|(_, gone)| gone.starts_with(&last.url))
    });
    let cut = if is_cut_off { added.pop() } else { None };
    let doubt = doubt(known, &removed, index, added.is_empty(), is_cut_off);
    let is_suspect = is_cut_off || removed.len() == known.len();
    let overflow = overflow.iter().map(|(id, _)| *id).collect();
    Difference { added, cut, removed, overflow, doubt, is_suspect }
}

fn doubt(
    known: &[(i64, String)],
    removed: &[(i64, String)],
    index: &Index,
    nothing_is_new: bool,
    is_cut_off: bool,
) -> Option<String> {
    if removed.is_empty() {
        return None;
    }
    let what = if index.lines.is_empty() {
        "its index is empty".to_owned()
    } else if is_cut_off {
        "its index breaks off in the middle of a line".to_owned()
    } else if removed.len() == known.len() && removed.len() >= CUT {
        // A sentence of a server that has lost something looks like an address, too.
        "all posts are gone from its index".to_owned()
    } else if removed.len() > MANY && removed.len() * 10 > known.len() {
        format!("{} of {} posts are gone from its index at once", removed.len(), known.len())
    } else if nothing_is_new && removed.len() >= CUT && is_end(known, removed) {
        format!("the newest {} posts are gone from its index", removed.len())
    } else {
        return None;
    };
    Some(format!("{what}, which may be a mistake: no post is removed unless it is so later, too"))
}

/// Whether what is gone is the end of what there was.
fn is_end(known: &[(i64, String)], removed: &[(i64, String)]) -> bool {
    known.ends_with(removed)
}

#[cfg(test)]
mod tests {
    use tidings_web::Url;

    use super::*;

    fn known(numbers: std::ops::Range<i64>) -> Vec<(i64, String)> {
        numbers.map(|number| (number, format!("https://a.example/post-{number}.html"))).collect()
    }

    fn index(text: &str) -> Index {
        let at = Url::parse("https://a.example/index.txt").unwrap();
        Index::parse(text.as_bytes(), &at).unwrap()
    }

    fn lines(numbers: impl IntoIterator<Item = i64>) -> String {
        numbers.into_iter().map(|number| format!("post-{number}.html\n")).collect()
    }

    #[test]
    fn lines_that_are_new_are_added_and_those_that_are_gone_removed() {
        let found = difference(&known(0..4), &index(&lines([0, 2, 3, 9])), false);
        assert_eq!(found.added.len(), 1);
        assert_eq!(
            (found.added[0].url.as_str(), found.added[0].place),
            ("https://a.example/post-9.html", 4)
        );
        assert_eq!(found.removed, known(1..2));
        assert_eq!(found.doubt, None);
        assert_eq!(difference(&known(0..4), &index(&lines(0..4)), true), Difference::default());
    }

    #[test]
    fn f5_what_there_is_no_room_for_is_neither_gone_nor_new() {
        let most = Index::MOST_LINES as i64;
        // One is appended, and one is taken back that stood in the middle.
        let text = lines((0..most + 3).filter(|number| *number != 100));
        let found = difference(&known(1..most + 1), &index(&text), true);
        assert_eq!((&found.overflow[..], &found.removed[..]), (&[1][..], &known(100..101)[..]));
        assert_eq!((found.added.len(), found.doubt), (2, None));
        // The newest two are taken back: there is room again for older ones, which are not new.
        let found = difference(&known(3..most + 3), &index(&lines(0..most + 1)), true);
        assert_eq!((found.overflow.len(), found.added.len(), found.removed.len()), (0, 0, 2));
        let found = difference(&known(0..3), &index(&lines([9, 0, 1, 2])), false);
        assert_eq!(found.added.len(), 1, "whoever writes above what there is may do so");
    }

    #[test]
    fn f2_what_looks_like_a_mistake_is_doubted() {
        let doubted =
            |before: i64, text: &str| difference(&known(0..before), &index(text), false).doubt;
        assert!(doubted(2, "# nothing").unwrap().contains("is empty"));
        assert!(doubted(300, &lines(0..200)).unwrap().contains("100 of 300"));
        assert!(doubted(10, &lines(0..5)).unwrap().contains("the newest 5"));
        let cut = lines(0..5);
        let cut = difference(&known(0..8), &index(&cut[..cut.len() - 4]), false);
        assert!(cut.doubt.unwrap().contains("middle of a line"));
        assert_eq!(cut.added, [], "the beginning of an address is none");
        assert!(cut.cut.unwrap().url.ends_with("/post-4.h"));
        assert!(doubted(6, "We will be back soon").unwrap().contains("all posts"));
        assert_eq!(doubted(2, "another-one.html"), None, "who shows one at a time means it");
        // Old ones that go, one that is taken back and a few among many are what authors do.
        for (before, after) in [(10, lines(5..10)), (10, lines(0..9)), (1_000, lines(50..1_000))] {
            assert_eq!(doubted(before, &after), None);
        }
        assert_eq!(doubted(0, ""), None);
    }
}
