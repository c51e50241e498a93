//! What a Source has, kept and shown as a tree.

use tidings_base::text::{grouped, size, visible_on_page};
use tidings_document::{Finding, Severity};
use tidings_http::text_format::now;
use tidings_store::Millis;
use tidings_web::Source;
use tidings_web::explore::{Node, Package, Seen, Tree};

use crate::parts::{encoded, short, web};

/// How many packages of a document are listed.
const PACKAGES: usize = 10;
/// How many places in vain are listed.
const TRIED: usize = 10;
/// How many sets are listed.
const SETS: usize = 100;
/// How long an address may be to be followed.
const LONGEST: usize = 2_000;
/// How deep the tree is drawn; what lies deeper stands at the last level.
const DEEPEST: usize = 8;
/// Up to so many documents are all shown at once.
const FEW: usize = 60;

/// What a Source has.
#[derive(Debug)]
pub(super) struct Explored {
    pub(super) found_by: String,
    pub(super) sets: Vec<Set>,
    /// How many more there are; empty if none.
    pub(super) more_sets: String,
    pub(super) rows: Vec<Row>,
    pub(super) summary: String,
    /// Where it was looked in vain.
    pub(super) tried: Vec<String>,
    pub(super) at: Millis,
}

/// A set of resources.
#[derive(Debug)]
pub(super) struct Set {
    pub(super) name: String,
    pub(super) offers: String,
    /// What describes it, if that is on the web.
    pub(super) described_by: Option<String>,
}

/// A document in the tree.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) url: String,
    /// The same in a query; empty if it is too long to be followed.
    pub(super) query: String,
    pub(super) href: Option<String>,
    pub(super) kind: String,
    /// Entries, bytes, times.
    pub(super) facts: String,
    /// Whether changes may still be added.
    pub(super) state: &'static str,
    /// By severity, the worst first: a class and a count.
    pub(super) findings: Vec<(&'static str, String)>,
    pub(super) packages: Vec<(String, String)>,
    pub(super) more_packages: String,
    /// Why it could not be had or read.
    pub(super) reason: Option<String>,
    /// Whether others are below it.
    pub(super) opens: bool,
    /// Whether these are seen at first.
    pub(super) is_open: bool,
    /// How many levels end behind it.
    pub(super) closes: usize,
}

impl Explored {
    pub(super) fn new(source: &Source, tree: &Tree) -> Self {
        let mut rows: Vec<Row> = tree.nodes.iter().map(row).collect();
        let depths: Vec<usize> = tree.nodes.iter().map(|node| node.depth).collect();
        nest(&mut rows, &depths);
        let failed = source.tried.iter().filter_map(|attempt| attempt.result.as_ref().err());
        Self {
            found_by: visible_on_page(&source.found_by),
            sets: source.sets.iter().take(SETS).map(set).collect(),
            more_sets: match source.sets.len().saturating_sub(SETS) {
                0 => String::new(),
                more => grouped(more as u64),
            },
            summary: tree.summary(source).to_string(),
            tried: failed
                .take(TRIED)
                .map(|failure| short(&visible_on_page(&failure.to_string()), 500))
                .collect(),
            rows,
            at: now(),
        }
    }
}

fn set(set: &tidings_web::SourceSet) -> Set {
    let offer = |offer: &tidings_web::Offer| {
        if offer.is_sitemap { "sitemap" } else { offer.capability.name() }
    };
    let mut offers: Vec<&str> = Vec::new();
    for name in set.offers.iter().map(offer) {
        if !offers.contains(&name) {
            offers.push(name);
        }
    }
    let described_by = set.described_by.as_ref().map(|url| url.as_str());
    Set {
        name: short(&visible_on_page(&set.name), 200),
        offers: offers.join(", "),
        described_by: described_by.and_then(web).map(str::to_owned),
    }
}

fn row(node: &Node) -> Row {
    let url = node.url.as_str();
    let is_short = url.len() <= LONGEST;
    let row = Row {
        url: short(&visible_on_page(url), 300),
        query: if is_short { encoded(url) } else { String::new() },
        href: web(url).filter(|_| is_short).map(str::to_owned),
        ..Row::default()
    };
    match &node.seen {
        Ok(seen) => described(row, seen),
        Err(error) => Row {
            kind: "Not to be had".to_owned(),
            reason: Some(short(&visible_on_page(&error.to_string()), 500)),
            ..row
        },
    }
}

fn described(row: Row, seen: &Seen) -> Row {
    let summary = seen.summary();
    let facts = [summary.entries, size(summary.bytes)].into_iter().chain(summary.times);
    let facts: Vec<String> = facts.chain(summary.truncation.map(str::to_owned)).collect();
    let (packages, more) = seen.first_packages(PACKAGES);
    let package =
        |package: &Package| (short(&visible_on_page(&package.url), 300), package.length_text(size));
    let detail = |fault: &Finding| short(&visible_on_page(&fault.detail), 300);
    Row {
        kind: summary.kind.unwrap_or_else(|| "Not readable".to_owned()),
        facts: facts.join(", "),
        state: summary.state.unwrap_or_default(),
        findings: summary
            .findings
            .into_iter()
            .map(|(severity, words)| (class_of(severity), words))
            .collect(),
        reason: summary.fault.map(detail),
        packages: packages.iter().map(package).collect(),
        more_packages: more.unwrap_or_default(),
        ..row
    }
}

fn class_of(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "bad",
        Severity::Warning => "updated",
        Severity::Note => "",
    }
}

/// Says of each row which levels begin and end with it.
fn nest(rows: &mut [Row], depths: &[usize]) {
    let is_short = rows.len() <= FEW;
    let mut depth = 0;
    for (index, row) in rows.iter_mut().enumerate() {
        let next = depths.get(index + 1).map_or(0, |next| (*next).min(DEEPEST));
        row.opens = next > depth;
        row.is_open = is_short || depth == 0;
        // Levels are never passed over, whatever the depths say.
        let next = next.min(depth + 1);
        row.closes = depth.saturating_sub(next);
        depth = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_that_begins_ends() {
        let deep: Vec<usize> = (0..100).collect();
        for depths in [
            &[][..],
            &[0],
            &[0, 0],
            &[0, 1, 2, 1, 2, 2, 0],
            &[0, 1, 2, 3],
            &[0, 5, 5, 2, 0, 1],
            &deep,
        ] {
            let mut rows: Vec<Row> = depths.iter().map(|_| Row::default()).collect();
            nest(&mut rows, depths);
            let opened = rows.iter().filter(|row| row.opens).count();
            let closed: usize = rows.iter().map(|row| row.closes).sum();
            assert_eq!(opened, closed, "{depths:?}");
            let mut level = 0_usize;
            for row in &rows {
                level = (level + usize::from(row.opens)).checked_sub(row.closes).unwrap();
                assert!(level <= DEEPEST);
                assert!(!row.opens || row.closes == 0);
            }
        }
    }
}
