//! robots.txt: where a site does not want us.
//!
//! RFC 9309, read as leniently as the most widely used matcher reads it, so that what a site has
//! tried out there holds here, too.

mod cache;
mod line;
mod pattern;
mod rules;
mod verdict;

use std::time::Duration;

use url::Url;

pub use cache::{RobotsAnswer, RobotsCache, ask_robots, robots_of};
pub use verdict::{Absence, Obstacle, Reason, RuleLine, Verdict};

use rules::Rules;

/// The rules of one robots.txt, which hold for the origin that it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Robots(Standing);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Standing {
    Rules(Rules),
    Absent(Absence),
    Unreachable(Obstacle),
}

impl Robots {
    /// The product token under which Tidings is known.
    pub const PRODUCT: &str = "tidings";

    /// Reads the rules. What cannot be understood is passed over, and so is everything behind the
    /// first 500 KiB.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        Self(Standing::Rules(Rules::parse(bytes)))
    }

    /// No rules: everything may be fetched.
    #[must_use]
    pub fn allow_all() -> Self {
        Self(Standing::Absent(Absence::Unasked))
    }

    /// Nothing may be fetched.
    #[must_use]
    pub fn disallow_all() -> Self {
        Self(Standing::Unreachable(Obstacle::Unwanted))
    }

    pub(crate) fn absent(absence: Absence) -> Self {
        Self(Standing::Absent(absence))
    }

    pub(crate) fn unreachable(obstacle: Obstacle) -> Self {
        Self(Standing::Unreachable(obstacle))
    }

    /// Whether an agent may fetch a URL, and what says so. Of the agent's name only the product token
    /// counts: `tidings/1.0` is `tidings`. The URL has to be of the origin of this robots.txt.
    #[must_use]
    pub fn verdict(&self, agent: &str, url: &Url) -> Verdict {
        if url.path() == "/robots.txt" {
            return Verdict { allowed: true, reason: Reason::Itself };
        }
        match &self.0 {
            Standing::Rules(rules) => rules.verdict(agent, &pattern::spellings(url)),
            Standing::Absent(absence) => {
                Verdict { allowed: true, reason: Reason::Absent(absence.clone()) }
            }
            Standing::Unreachable(obstacle) => {
                Verdict { allowed: false, reason: Reason::Unreachable(obstacle.clone()) }
            }
        }
    }

    /// Whether an agent may fetch a URL.
    #[must_use]
    pub fn is_allowed(&self, agent: &str, url: &Url) -> bool {
        self.verdict(agent, url).allowed
    }

    /// All lines that are for an agent, in their order.
    #[must_use]
    pub fn lines_for(&self, agent: &str) -> Vec<RuleLine> {
        self.rules().map(|rules| rules.lines_for(agent)).unwrap_or_default()
    }

    /// How long an agent is asked to wait between two requests. It is not part of the RFC and can be
    /// any length: whoever honours it decides how much is too much.
    #[must_use]
    pub fn crawl_delay(&self, agent: &str) -> Option<Duration> {
        self.rules()?.crawl_delay(agent)
    }

    /// The values of the `Sitemap` lines, as they were written: URLs, mostly whole ones.
    pub fn sitemaps(&self) -> impl Iterator<Item = &str> {
        self.rules().into_iter().flat_map(|rules| rules.sitemaps.iter().map(String::as_str))
    }

    fn rules(&self) -> Option<&Rules> {
        match &self.0 {
            Standing::Rules(rules) => Some(rules),
            Standing::Absent(_) | Standing::Unreachable(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
