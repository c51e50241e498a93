//! What is wrong with a theme.

use std::fmt;

/// What is wrong with a theme: the file, the line if there is one, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("theme: {file}{}: {reason}", Line(*line))]
pub struct ThemeError {
    /// Its name within the folder, or that of the folder.
    pub file: String,
    /// Counted from one.
    pub line: Option<usize>,
    /// Why it cannot be used, or shown.
    pub reason: String,
}

struct Line(Option<usize>);

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |line| write!(f, " line {line}"))
    }
}

impl ThemeError {
    pub(super) fn new(file: impl Into<String>, reason: impl fmt::Display) -> Self {
        Self { file: file.into(), line: None, reason: reason.to_string() }
    }
}

impl From<minijinja::Error> for ThemeError {
    fn from(error: minijinja::Error) -> Self {
        // The innermost is the place where it went wrong: those around it say "could not include".
        let mut innermost = &error;
        let mut source = std::error::Error::source(&error);
        while let Some(inner) = source {
            if let Some(inner) = inner.downcast_ref::<minijinja::Error>() {
                innermost = inner;
            }
            source = inner.source();
        }
        let reason = match innermost.detail() {
            Some(detail) => format!("{}: {detail}", innermost.kind()),
            None => innermost.kind().to_string(),
        };
        Self {
            file: innermost.name().unwrap_or(super::PAGE).to_owned(),
            line: innermost.line(),
            reason,
        }
    }
}
