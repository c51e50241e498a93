//! What is wrong with a document, where, and why.

use std::collections::BTreeMap;
use std::fmt;

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Allowed, but against a recommendation, or likely to surprise somebody.
    Note,
    /// Something that cannot be used or checked, or that others may stumble over.
    Warning,
    /// Against a requirement of a specification.
    Error,
}

impl Severity {
    /// All severities, the gravest first.
    pub const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Note];

    /// `error`, `warning` or `note`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// `errors`, `warnings` or `notes`.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Note => "notes",
            Self::Warning => "warnings",
            Self::Error => "errors",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One rule of a specification that documents can break.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// A stable name: the specification, its section, what is amiss.
    pub id: &'static str,
    /// How grave it is to break it.
    pub severity: Severity,
    /// The specification and clause that it comes from.
    pub clause: &'static str,
    /// One sentence: what the specification wants.
    pub wants: &'static str,
    /// One sentence: what to do.
    pub remedy: &'static str,
}

/// Where in a document something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Place {
    /// The line, counted from 1; 0 where no line can be named.
    pub line: u64,
    /// The entry, counted from 1; none before the first.
    pub entry: Option<u64>,
}

/// A rule that a document breaks, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// What was found there, as a sentence fragment: "`from` is missing".
    pub detail: String,
    /// Where.
    pub place: Place,
    /// The line of the document, shortened; empty where there is none to show.
    pub excerpt: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.line > 0 {
            write!(f, "line {}: ", self.place.line)?;
        }
        write!(f, "{} [{}] {}", self.rule.severity, self.rule.id, self.detail)
    }
}

/// The findings of one document: the first of each rule in full, the rest counted, so that a
/// document of a million broken entries costs no more memory than one of a few.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    kept: Vec<Finding>,
    counts: BTreeMap<&'static str, (&'static Severity, u64)>,
}

impl Findings {
    /// How many findings of one rule are kept in full.
    pub const KEPT_PER_RULE: u64 = 20;

    /// Takes one more.
    pub fn push(&mut self, finding: Finding) {
        let (_, count) = self.counts.entry(finding.rule.id).or_insert((&finding.rule.severity, 0));
        *count += 1;
        if *count <= Self::KEPT_PER_RULE {
            self.kept.push(finding);
        }
    }

    /// Counts one more, if so many of its rule are kept already that it would not be. Then there is
    /// no need to find out where it is.
    pub(crate) fn only_counted(&mut self, rule: &Rule) -> bool {
        match self.counts.get_mut(rule.id) {
            Some((_, count)) if *count >= Self::KEPT_PER_RULE => {
                *count += 1;
                true
            }
            _ => false,
        }
    }

    /// Takes back what was found of a rule.
    pub(crate) fn forget(&mut self, rule: &Rule) {
        self.counts.remove(rule.id);
        self.kept.retain(|finding| finding.rule != rule);
    }

    /// Those kept in full, in the order in which they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.kept.iter()
    }

    /// How many there were of a rule, kept or not.
    pub fn count(&self, id: &str) -> u64 {
        self.counts.get(id).map_or(0, |(_, count)| *count)
    }

    /// The rules that were broken, with how often, by their ids.
    pub fn by_rule(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.counts.iter().map(|(id, (_, count))| (*id, *count))
    }

    /// How many there were of a severity, kept or not.
    pub fn of(&self, severity: Severity) -> u64 {
        self.counts.values().filter(|(of, _)| **of == severity).map(|(_, count)| count).sum()
    }

    /// True where nothing was found.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Puts those kept in the order of their lines.
    pub fn sort(&mut self) {
        self.kept.sort_by_key(|finding| finding.place);
    }
}

impl<'a> IntoIterator for &'a Findings {
    type Item = &'a Finding;
    type IntoIter = std::slice::Iter<'a, Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
