//! Puts an explored Source into words, the same for terminals and pages.

use std::fmt;

use tidings_base::text::{counted, grouped};
use tidings_document::{Finding, Severity};

use super::{Package, Seen, Tree};
use crate::Source;

/// How much of a Source was looked at, as one sentence fragment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeSummary {
    /// Documents that were looked at.
    pub documents: usize,
    /// Those of them that could not be fetched or read to their end.
    pub lost: usize,
    /// Documents that are known and were not looked at.
    pub left: usize,
}

impl Tree {
    /// How much of the Source was looked at.
    #[must_use]
    pub fn summary(&self, source: &Source) -> TreeSummary {
        // A Source Description leads the walk to the documents that discovery left out.
        let unreached = if source.description.is_some() { 0 } else { source.left_out };
        TreeSummary {
            documents: self.nodes.len(),
            lost: self.nodes.iter().filter(|node| !node.is_whole()).count(),
            left: self.left + unreached,
        }
    }
}

impl fmt::Display for TreeSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&counted(self.documents as u64, "document", "documents"))?;
        if self.lost > 0 {
            write!(f, ", {} could not be had", grouped(self.lost as u64))?;
        }
        if self.left > 0 {
            write!(f, ", {} more not looked at", grouped(self.left as u64))?;
        }
        Ok(())
    }
}

/// A document in words. Those that come from elsewhere are as the document has them: reports replace
/// what their readers must not see.
#[derive(Debug)]
pub struct DocumentSummary<'a> {
    /// The kind of the document; none if it is not readable.
    pub kind: Option<String>,
    /// The number of entries.
    pub entries: String,
    /// The number of bytes that were read.
    pub bytes: u64,
    /// Says that a readable document was not read to its end.
    pub truncation: Option<&'static str>,
    /// The times of its head, each with its name.
    pub times: Vec<String>,
    /// Says of a document of changes whether more of them may be added.
    pub state: Option<&'static str>,
    /// How many findings there are of each severity that occurs, the gravest first.
    pub findings: Vec<(Severity, String)>,
    /// The gravest finding of a document that is of no use.
    pub fault: Option<&'a Finding>,
    /// The relation types of its links, with their numbers.
    pub links: Vec<(&'a str, String)>,
}

impl Seen {
    /// The document in words.
    #[must_use]
    pub fn summary(&self) -> DocumentSummary<'_> {
        let report = &self.report;
        let gravest = report.findings.iter().max_by_key(|finding| finding.rule.severity);
        let findings = report.findings.by_severity().map(|(severity, number)| {
            (severity, counted(number, severity.name(), severity.plural()))
        });
        DocumentSummary {
            kind: report.head.as_ref().map(tidings_document::Head::title),
            entries: counted(report.entries, "entry", "entries"),
            bytes: report.bytes,
            truncation: (report.head.is_some() && !report.complete)
                .then_some("not read to its end"),
            times: self.times(),
            state: self.is_open().map(|is_open| if is_open { "open" } else { "closed" }),
            findings: findings.collect(),
            fault: gravest.filter(|_| !self.is_whole()),
            links: self.links.iter().map(|(rel, count)| (rel.as_str(), grouped(*count))).collect(),
        }
    }

    fn times(&self) -> Vec<String> {
        let Some(head) = &self.report.head else { return Vec::new() };
        let metadata = &head.metadata;
        let times = [
            ("at", metadata.at),
            ("completed", metadata.completed),
            ("from", metadata.from),
            ("until", metadata.until),
        ];
        times.into_iter().filter_map(|(name, time)| Some(format!("{name} {}", time?))).collect()
    }

    /// The packages that a report names which names at most `limit`, and how many it leaves out, as text.
    #[must_use]
    pub fn first_packages(&self, limit: usize) -> (&[Package], Option<String>) {
        match self.packages.split_at_checked(limit) {
            Some((named, rest @ [_, ..])) => (named, Some(grouped(rest.len() as u64))),
            _ => (&self.packages, None),
        }
    }
}

impl Package {
    /// The length in the words of `format_size`, if the dump says it.
    #[must_use]
    pub fn length_text(&self, format_size: fn(u64) -> String) -> String {
        self.length.map_or_else(|| "of unknown length".to_owned(), format_size)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tidings_document::{CheckOptions, check};
    use url::Url;

    use super::*;
    use crate::explore::Node;

    fn seen(text: &str) -> Seen {
        let report = check(text.as_bytes(), &CheckOptions::default()).unwrap();
        let packages = (0..3).map(|number| Package {
            url: number.to_string(),
            length: (number > 0).then_some(number),
            media_type: None,
        });
        let links = BTreeMap::from([("up".to_owned(), 1_200)]);
        Seen { report, links, packages: packages.collect(), children: Vec::new() }
    }

    const OPEN: &str = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
        xmlns:rs=\"http://www.openarchives.org/rs/terms/\"><rs:md capability=\"changelist\" \
        from=\"2026-01-01T00:00:00Z\"/></urlset>";

    #[test]
    fn a_document_is_put_into_words() {
        let seen = seen(OPEN);
        let summary = seen.summary();
        assert_eq!(summary.kind.as_deref(), Some("Change List"));
        assert_eq!((summary.entries.as_str(), summary.bytes), ("0 entries", OPEN.len() as u64));
        assert_eq!((summary.truncation, summary.state), (None, Some("open")));
        assert_eq!(summary.times, ["from 2026-01-01T00:00:00Z"]);
        assert_eq!(summary.links, [("up", "1,200".to_owned())]);
        assert!(summary.fault.is_none());
        let (named, more) = seen.first_packages(2);
        let lengths: Vec<_> =
            named.iter().map(|one| one.length_text(|it| it.to_string())).collect();
        assert_eq!(
            (lengths, more.as_deref()),
            (vec!["of unknown length".into(), "1".into()], Some("1"))
        );
        assert_eq!(seen.first_packages(3).1, None);
        assert_eq!(seen.first_packages(usize::MAX).0.len(), 3);
    }

    #[test]
    fn a_document_of_no_use_has_a_fault() {
        let cut = OPEN.replace("</urlset>", "<url><loc>https://example.com/</loc></url><url>");
        for (text, kind, truncation) in [
            (cut.as_str(), Some("Change List"), Some("not read to its end")),
            ("\u{1}", None, None),
        ] {
            let seen = seen(text);
            let summary = seen.summary();
            assert_eq!((summary.kind.as_deref(), summary.truncation), (kind, truncation));
            assert_eq!(summary.fault.unwrap().rule.severity, Severity::Error);
            let (severity, words) = &summary.findings[0];
            assert_eq!(*severity, Severity::Error);
            assert!(words.contains("error"), "{words}");
        }
    }

    #[test]
    fn documents_that_discovery_left_out_count_unless_the_walk_reaches_them() {
        let url = Url::parse("https://example.com/").unwrap();
        let node = |text| Node { url: url.clone(), depth: 0, seen: Ok(seen(text)) };
        let tree = Tree { nodes: vec![node(OPEN), node("\u{1}")], left: 1_000 };
        let source = |description| Source {
            description,
            described_by: None,
            sets: Vec::new(),
            found_by: String::new(),
            tried: Vec::new(),
            left_out: 500,
            unread: Vec::new(),
            documents: Vec::new(),
        };
        let text = |description| tree.summary(&source(description)).to_string();
        assert_eq!(text(None), "2 documents, 1 could not be had, 1,500 more not looked at");
        assert_eq!(
            text(Some(url.clone())),
            "2 documents, 1 could not be had, 1,000 more not looked at"
        );
    }
}
