//! Whether a URL may be fetched, and why.

use std::fmt;

use http::StatusCode;

/// Whether a URL may be fetched, and what says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it may.
    pub allowed: bool,
    /// What says so. Shown, it is a fragment such as `robots.txt line 4: Disallow: /private`.
    pub reason: Reason,
}

impl Verdict {
    /// The line that decided, if one did.
    #[must_use]
    pub fn rule(&self) -> Option<&RuleLine> {
        match &self.reason {
            Reason::Rule(rule) => Some(rule),
            _ => None,
        }
    }
}

/// What decided over a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// A line of the robots.txt.
    Rule(RuleLine),
    /// No line of the group for this agent matches, so it is allowed.
    NoRule,
    /// No group is for this agent, nor for all, so everything is allowed.
    NoGroup,
    /// It is the robots.txt itself, which is always allowed (RFC 9309, section 2.2.2).
    Itself,
    /// There is no robots.txt: the server answered with a status of 4xx, or led away too often. Then
    /// everything is allowed (section 2.3.1.3).
    Absent(Absence),
    /// It cannot be known what the rules are, so nothing is allowed (section 2.3.1.4).
    Unreachable(Obstacle),
}

/// How it is known that there is no robots.txt.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Absence {
    /// Nobody asked for one.
    Unasked,
    /// The server says so.
    Status(StatusCode),
    /// It redirects more often than is followed, or in a circle.
    Redirects,
}

/// Why a robots.txt could not be had.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Obstacle {
    /// The caller wants nothing fetched.
    Unwanted,
    /// The server has trouble, or enough of us: 5xx or 429.
    Status(StatusCode),
    /// There was no whole answer, in words for people.
    NoAnswer(String),
}

/// A line of a robots.txt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleLine {
    /// Its number, counted from 1.
    pub line: usize,
    /// The line as it was written, without the blanks around it.
    pub text: String,
    /// The number of the `User-agent` line above it that brought it to this agent.
    pub group: usize,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(rule) => write!(f, "robots.txt line {}: {}", rule.line, rule.text),
            Self::NoRule => f.write_str("no line of robots.txt is about it"),
            Self::NoGroup => f.write_str("no group of robots.txt is for this agent"),
            Self::Itself => f.write_str("robots.txt itself may always be fetched"),
            Self::Absent(Absence::Unasked) => f.write_str("there are no rules"),
            Self::Absent(Absence::Status(status)) => {
                write!(f, "there is no robots.txt: the server answered {status}")
            }
            Self::Absent(Absence::Redirects) => {
                f.write_str("there is no robots.txt: it redirects too often")
            }
            Self::Unreachable(Obstacle::Unwanted) => f.write_str("nothing may be fetched"),
            Self::Unreachable(Obstacle::Status(status)) => {
                write!(f, "robots.txt could not be had: the server answered {status}")
            }
            Self::Unreachable(Obstacle::NoAnswer(why)) => {
                write!(f, "robots.txt could not be had: {why}")
            }
        }
    }
}
