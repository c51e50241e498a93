//! What a check found, kept and shown.

use tidings_base::text::{counted, grouped, size, visible_on_page};
use tidings_document::{BrokenRule, Finding, Findings, Profile, Report, Severity, Spec};
use tidings_http::text_format::{Time, now};
use tidings_store::Millis;

use crate::parts::{encoded, short};

/// By what a document is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) spec: Spec,
    pub(super) against: Against,
}

/// The rules that it is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Against {
    /// Those of Sitemaps and ResourceSync, for that use.
    Sitemaps(Profile),
    /// Those of webfeeds.
    Webfeeds,
}

impl Default for Against {
    fn default() -> Self {
        Self::Sitemaps(Profile::Auto)
    }
}

/// The versions by their names in forms.
pub(super) const SPECS: [(&str, &str, Spec); 3] = [
    ("auto", "Either version", Spec::Auto),
    ("1.0", "1.0 (2014)", Spec::V1_0),
    ("1.1", "1.1 (2017)", Spec::V1_1),
];

/// The uses by their names in forms.
pub(super) const PROFILES: [(&str, &str, Against); 5] = [
    ("auto", "What it says it is", Against::Sitemaps(Profile::Auto)),
    ("resourcesync", "ResourceSync", Against::Sitemaps(Profile::ResourceSync)),
    ("ifcc", "ResourceSync for followers (IFCC-0001)", Against::Sitemaps(Profile::Ifcc)),
    ("sitemap", "Plain Sitemap", Against::Sitemaps(Profile::Sitemap)),
    ("webfeed", "Webfeed: its index, or a post", Against::Webfeeds),
];

impl Choice {
    /// By names; what is not known is found out by the check itself.
    pub(super) fn of(spec: &str, profile: &str) -> Self {
        let spec = SPECS.iter().find(|(name, ..)| *name == spec).map(|(.., spec)| *spec);
        let against = PROFILES.iter().find(|(name, ..)| *name == profile).map(|(.., it)| *it);
        Self { spec: spec.unwrap_or_default(), against: against.unwrap_or_default() }
    }

    pub(super) fn spec_name(self) -> &'static str {
        SPECS.iter().find(|(.., spec)| *spec == self.spec).map_or("auto", |(name, ..)| name)
    }

    pub(super) fn profile_name(self) -> &'static str {
        let found = PROFILES.iter().find(|(.., against)| *against == self.against);
        found.map_or("auto", |(name, ..)| name)
    }

    /// What goes behind a URL in a query.
    pub(super) fn query(self) -> String {
        let mut query = String::new();
        if self.spec != Spec::Auto {
            query += &format!("&spec={}", self.spec_name());
        }
        if self.against != Against::default() {
            query += &format!("&profile={}", self.profile_name());
        }
        query
    }
}

/// What a check found.
#[derive(Debug)]
pub(super) struct Checked {
    /// The URL, or the name of the file.
    pub(super) name: String,
    pub(super) choice: Choice,
    /// What it is and how much is in it; none if it could not be read at all.
    what: Option<String>,
    bytes: u64,
    is_complete: bool,
    findings: Findings,
    pub(super) at: Millis,
}

impl Checked {
    pub(super) fn new(name: String, choice: Choice, report: Report) -> Self {
        let entries = counted(report.entries, "entry", "entries");
        let what = report.head.as_ref().map(|head| format!("{}, {entries}", head.title()));
        Self::of(name, choice, what, report)
    }

    /// Something else than a document of a kind that reports know.
    pub(super) fn of(name: String, choice: Choice, what: Option<String>, report: Report) -> Self {
        Self {
            name,
            choice,
            what,
            bytes: report.bytes,
            is_complete: report.complete,
            findings: report.findings,
            at: now(),
        }
    }
}

/// All of it, as a page shows it.
pub(super) struct View {
    pub(super) name: String,
    /// Kind, entries, bytes.
    pub(super) summary: String,
    /// Nothing is wrong with it.
    pub(super) is_clean: bool,
    /// Nothing but notes.
    pub(super) is_sound: bool,
    pub(super) is_complete: bool,
    pub(super) chips: Vec<Chip>,
    /// Rules that are broken, if they are many.
    pub(super) rules: Vec<Broken>,
    pub(super) groups: Vec<Group>,
    pub(super) time: Time,
}

/// A choice of severity.
pub(super) struct Chip {
    pub(super) name: &'static str,
    pub(super) words: String,
    pub(super) is_on: bool,
}

/// The rules of a severity.
pub(super) struct Group {
    pub(super) heading: String,
    pub(super) rules: Vec<Broken>,
}

/// A rule that is broken, and where.
#[derive(Clone)]
pub(super) struct Broken {
    pub(super) id: &'static str,
    pub(super) severity: &'static str,
    pub(super) clause: &'static str,
    pub(super) wants: &'static str,
    pub(super) remedy: &'static str,
    pub(super) count: String,
    pub(super) places: Vec<Spot>,
    /// How many more there are; empty if none.
    pub(super) more: String,
}

/// Where a rule is broken.
#[derive(Clone)]
pub(super) struct Spot {
    /// Empty if no line can be named.
    pub(super) line: String,
    /// Where the line can be seen, below the root.
    pub(super) href: Option<String>,
    pub(super) entry: Option<String>,
    pub(super) detail: String,
    pub(super) excerpt: String,
}

/// How many rules are seen at a glance.
const FEW: usize = 3;

impl View {
    /// Of the severity of that name, or of all. With a URL, lines can be looked at.
    pub(super) fn of(checked: &Checked, url: Option<&str>, severity: &str) -> Self {
        let findings = &checked.findings;
        let wanted = Severity::ALL.into_iter().find(|one| one.name() == severity);
        let broken = findings.broken_rules();
        let of = |severity: Severity| {
            let rules = broken.iter().filter(move |broken| broken.rule.severity == severity);
            rules.map(|broken| Broken::of(broken, url)).collect()
        };
        let all: Vec<Group> = findings
            .by_severity()
            .filter(|(severity, _)| wanted.is_none_or(|wanted| wanted == *severity))
            .map(|(severity, number)| Group {
                heading: counted(number, severity.name(), severity.plural()),
                rules: of(severity),
            })
            .collect();
        let rules: Vec<Broken> = all.iter().flat_map(|group| &group.rules).cloned().collect();
        let is_read = checked.what.is_some() && checked.is_complete;
        Self {
            name: short(&visible_on_page(&checked.name), 300),
            summary: summary(checked),
            is_clean: is_read && findings.is_empty(),
            is_sound: is_read && findings.of(Severity::Error) + findings.of(Severity::Warning) == 0,
            is_complete: checked.is_complete,
            chips: chips(findings, wanted),
            rules: if rules.len() > FEW { rules } else { Vec::new() },
            groups: all,
            time: Time::of(checked.at, now()),
        }
    }
}

fn summary(checked: &Checked) -> String {
    let Some(what) = &checked.what else {
        return format!("not a document that can be read, {}", size(checked.bytes));
    };
    let end = if checked.is_complete { "read to its end" } else { "not read to its end" };
    format!("{what}, {}, {end}", size(checked.bytes))
}

fn chips(findings: &Findings, on: Option<Severity>) -> Vec<Chip> {
    let total: u64 = findings.by_severity().map(|(_, number)| number).sum();
    let all = Chip { name: "", words: format!("All {}", grouped(total)), is_on: on.is_none() };
    let chip = |(severity, number): (Severity, u64)| Chip {
        name: severity.name(),
        words: counted(number, severity.name(), severity.plural()),
        is_on: on == Some(severity),
    };
    std::iter::once(all).chain(findings.by_severity().map(chip)).collect()
}

impl Broken {
    fn of(broken: &BrokenRule<'_>, url: Option<&str>) -> Self {
        let rule = broken.rule;
        Self {
            id: rule.id,
            severity: rule.severity.name(),
            clause: rule.clause,
            wants: rule.wants,
            remedy: rule.remedy,
            count: grouped(broken.count),
            places: broken.findings.iter().map(|finding| spot(finding, url)).collect(),
            more: match broken.left_out(usize::MAX) {
                0 => String::new(),
                more => grouped(more),
            },
        }
    }
}

fn spot(finding: &Finding, url: Option<&str>) -> Spot {
    let line = finding.place.line;
    Spot {
        line: if line > 0 { grouped(line) } else { String::new() },
        href: url.filter(|_| line > 0).map(|url| at_line(url, line)),
        entry: finding.place.entry.map(grouped),
        detail: short(&visible_on_page(&finding.detail), 1_000),
        excerpt: short(&visible_on_page(&finding.excerpt), 500),
    }
}

/// Where a line of a document can be seen, with a few before it.
pub(super) fn at_line(url: &str, line: u64) -> String {
    let from = match line {
        0..=40 => String::new(),
        line => format!("&from={}", line - 20),
    };
    format!("document?url={}{from}#L{line}", encoded(url))
}

#[cfg(test)]
mod tests {
    use tidings_document::{CheckOptions, check};

    use super::*;

    fn checked(text: &str) -> Checked {
        let report = check(text.as_bytes(), &CheckOptions::default()).unwrap();
        Checked::new("x.xml".to_owned(), Choice::of("", ""), report)
    }

    #[test]
    fn choices_are_known_by_their_names() {
        let choice = Choice::of("1.1", "ifcc");
        assert_eq!(choice, Choice { spec: Spec::V1_1, against: Against::Sitemaps(Profile::Ifcc) });
        assert_eq!(choice.query(), "&spec=1.1&profile=ifcc");
        assert_eq!(Choice::of("<script>", "2").query(), "");
    }

    #[test]
    fn findings_are_together_by_rule_and_the_worst_comes_first() {
        let entries: String = (0..30)
            .map(|number| format!("<url><loc>/{number}</loc><lastmod>x</lastmod></url>\n"))
            .collect();
        let text = format!(
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{entries}</urlset>"
        );
        let checked = checked(&text);
        let view = View::of(&checked, Some("https://example.com/s.xml"), "");
        assert!(!view.is_clean && !view.is_sound, "{}", view.summary);
        assert!(view.summary.starts_with("Sitemap, 30 entries, "), "{}", view.summary);
        let first = &view.groups[0];
        assert!(first.heading.ends_with("errors"), "{}", first.heading);
        let rule = &first.rules[0];
        assert_eq!((rule.places.len(), rule.more.as_str(), rule.count.as_str()), (20, "10", "30"));
        let spot = &rule.places[0];
        let href = spot.href.as_deref().unwrap();
        assert_eq!(href, "document?url=https%3A%2F%2Fexample.com%2Fs.xml#L2");
        let only = View::of(&checked, None, "note");
        assert!(only.groups.iter().all(|group| group.heading.contains("note")));
    }

    #[test]
    fn a_document_that_cannot_be_read_is_not_clean() {
        let view = View::of(&checked("\u{1}no document"), None, "");
        assert!(!view.is_clean && !view.is_sound && !view.groups.is_empty());
        assert_eq!(at_line("http://a/", 1_000), "document?url=http%3A%2F%2Fa%2F&from=980#L1000");
    }
}
