//! The rules of a robots.txt, group by group.

use std::time::Duration;

use super::line::{Agent, Line, product};
use super::pattern::Pattern;
use super::verdict::{Reason, RuleLine, Verdict};

/// How much is read of a robots.txt: what RFC 9309, section 2.5, asks for at the least.
const MOST_BYTES: usize = 500 << 10;

/// What a robots.txt says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Rules {
    groups: Vec<Group>,
    pub(super) sitemaps: Vec<String>,
}

/// Rules, and whom they are for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Group {
    /// With the number of the line that names each.
    agents: Vec<(usize, Agent)>,
    rules: Vec<Rule>,
    delay: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    allows: bool,
    pattern: Pattern,
    /// For the index page of a folder: the folder, if the page itself does not match.
    folder: Option<Pattern>,
    line: usize,
    text: String,
}

impl Rules {
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let bytes = &bytes[..bytes.len().min(MOST_BYTES)];
        let mut rules = Self::default();
        // Whether the group has begun to say something, so that the next agent begins another.
        let mut told = false;
        for (number, text) in lines(without_mark(bytes)) {
            match Line::parse(text) {
                Line::UserAgent(name) => {
                    if rules.groups.is_empty() || told {
                        rules.groups.push(Group::default());
                        told = false;
                    }
                    if let Some(group) = rules.groups.last_mut() {
                        group.agents.push((number, Agent::parse(name)));
                    }
                }
                Line::Allow(path) => told |= rules.add(true, path, number, text),
                Line::Disallow(path) => told |= rules.add(false, path, number, text),
                Line::CrawlDelay(value) => {
                    if let Some(group) = rules.groups.last_mut() {
                        group.delay = group.delay.max(seconds(value));
                    }
                }
                // These are for everybody, wherever they stand, and end no group (section 2.2.4).
                Line::Sitemap(url) => rules.sitemaps.push(lossy(url)),
                Line::Other => {}
            }
        }
        rules
    }

    /// Adds a rule to the group that is open. Before the first group rules are for nobody.
    fn add(&mut self, allows: bool, path: &[u8], line: usize, text: &[u8]) -> bool {
        let Some(group) = self.groups.last_mut() else { return false };
        let folder = if allows { Pattern::of_folder(path) } else { None };
        let (pattern, text) = (Pattern::new(path), lossy(text));
        group.rules.push(Rule { allows, pattern, folder, line, text });
        true
    }

    /// The verdict over a path, which is known under one or more spellings.
    pub(super) fn verdict(&self, agent: &str, spellings: &[impl AsRef<[u8]>]) -> Verdict {
        let Some(groups) = self.groups_for(agent) else {
            return Verdict { allowed: true, reason: Reason::NoGroup };
        };
        let mut best: Option<(usize, &Rule, usize)> = None;
        for (named_at, group) in groups {
            for rule in &group.rules {
                let Some(weight) = rule.weight_for(spellings).filter(|weight| *weight > 0) else {
                    continue;
                };
                // The most specific rule wins; of two that are equal, the one that allows.
                let stronger = best.is_none_or(|(most, other, _)| {
                    weight > most || weight == most && rule.allows && !other.allows
                });
                if stronger {
                    best = Some((weight, rule, named_at));
                }
            }
        }
        match best {
            Some((_, rule, group)) => Verdict {
                allowed: rule.allows,
                reason: Reason::Rule(RuleLine { line: rule.line, text: rule.text.clone(), group }),
            },
            None => Verdict { allowed: true, reason: Reason::NoRule },
        }
    }

    /// All lines that are for an agent.
    pub(super) fn lines_for(&self, agent: &str) -> Vec<RuleLine> {
        let groups = self.groups_for(agent).unwrap_or_default();
        let lines = groups.into_iter().flat_map(|(group, rules)| {
            let line =
                move |rule: &Rule| RuleLine { line: rule.line, text: rule.text.clone(), group };
            rules.rules.iter().map(line)
        });
        lines.collect()
    }

    pub(super) fn crawl_delay(&self, agent: &str) -> Option<Duration> {
        self.groups_for(agent)?.iter().filter_map(|(_, group)| group.delay).max()
    }

    /// All groups for an agent together, each with the line that names it; else those for anybody;
    /// none where there are neither (section 2.2.1).
    fn groups_for(&self, agent: &str) -> Option<Vec<(usize, &Group)>> {
        let named = |wanted: &Agent| -> Vec<(usize, &Group)> {
            let line = |group: &Group| {
                group.agents.iter().find(|(_, agent)| agent == wanted).map(|(line, _)| *line)
            };
            self.groups.iter().filter_map(|group| Some((line(group)?, group))).collect()
        };
        let product = product(agent.as_bytes());
        let own = if product.is_empty() { vec![] } else { named(&Agent::Product(product)) };
        let groups = if own.is_empty() { named(&Agent::Anybody) } else { own };
        (!groups.is_empty()).then_some(groups)
    }
}

impl Rule {
    /// How specific the rule is for a path; none where it is about another.
    fn weight_for(&self, spellings: &[impl AsRef<[u8]>]) -> Option<usize> {
        let matches =
            |pattern: &Pattern| spellings.iter().any(|path| pattern.matches(path.as_ref()));
        [Some(&self.pattern), self.folder.as_ref()]
            .into_iter()
            .flatten()
            .find(|pattern| matches(pattern))
            .map(Pattern::weight)
    }
}

/// The lines with their numbers. A line ends with LF, CR, or both.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut rest = Some(bytes);
    let lines = std::iter::from_fn(move || {
        let bytes = rest?;
        let Some(end) = memchr::memchr2(b'\n', b'\r', bytes) else {
            rest = None;
            return Some(bytes);
        };
        let behind = if bytes[end..].starts_with(b"\r\n") { end + 2 } else { end + 1 };
        rest = Some(&bytes[behind..]);
        Some(&bytes[..end])
    });
    lines.enumerate().map(|(number, line)| (number + 1, line))
}

/// The bytes without a byte order mark, or without as much as there is of one.
fn without_mark(bytes: &[u8]) -> &[u8] {
    let mark = b"\xEF\xBB\xBF";
    let length = bytes.iter().zip(mark).take_while(|(byte, mark)| byte == mark).count();
    &bytes[length..]
}

/// A time in seconds, which may have a fraction.
fn seconds(value: &[u8]) -> Option<Duration> {
    let seconds: f64 = std::str::from_utf8(value).ok()?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.trim_ascii()).into_owned()
}
