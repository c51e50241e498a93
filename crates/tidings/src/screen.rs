//! What a person sees: standard output, errors, progress.

use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use tidings_document::Severity;

use crate::cli::{Color, Global};

/// Where output goes, and how it looks.
pub(crate) struct Screen {
    styled: bool,
    styled_errors: bool,
    /// True where progress may be shown: on a terminal, unless it is not wanted.
    progress: bool,
}

impl Screen {
    pub(crate) fn new(global: &Global) -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let styled = |terminal: bool| match global.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && !plain,
        };
        let errors = io::stderr().is_terminal();
        Self {
            styled: styled(io::stdout().is_terminal()),
            styled_errors: styled(errors),
            progress: errors && !global.quiet && !global.json,
        }
    }

    /// Prints to standard output. An error is that of the output, such as a closed pipe.
    #[expect(clippy::unused_self, reason = "all output goes through the screen")]
    pub(crate) fn print(&self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    /// Says what went wrong.
    pub(crate) fn error(&self, message: &str) {
        self.clear();
        let label = paint("error", AnsiColor::Red.on_default().bold(), self.styled_errors);
        let _ = writeln!(io::stderr(), "{label}: {message}");
    }

    /// Says what may not be meant.
    pub(crate) fn warning(&self, message: &str) {
        self.clear();
        let label = paint("warning", AnsiColor::Yellow.on_default().bold(), self.styled_errors);
        let _ = writeln!(io::stderr(), "{label}: {message}");
    }

    /// Shows how far a long job is, in place of what was shown before.
    pub(crate) fn progress(&self, message: &str) {
        if self.progress {
            let mut out = io::stderr().lock();
            let _ = write!(out, "\r\u{1b}[2K{message}");
            let _ = out.flush();
        }
    }

    /// Takes the progress away again.
    pub(crate) fn clear(&self) {
        if self.progress {
            let _ = write!(io::stderr(), "\r\u{1b}[2K");
        }
    }

    pub(crate) fn severity(&self, severity: Severity) -> String {
        let style = match severity {
            Severity::Error => AnsiColor::Red.on_default().bold(),
            Severity::Warning => AnsiColor::Yellow.on_default().bold(),
            Severity::Note => AnsiColor::Cyan.on_default().bold(),
        };
        paint(severity.name(), style, self.styled)
    }

    pub(crate) fn bold(&self, text: &str) -> String {
        paint(text, Style::new().bold(), self.styled)
    }

    pub(crate) fn dim(&self, text: &str) -> String {
        paint(text, Style::new().dimmed(), self.styled)
    }
}

fn paint(text: &str, style: Style, styled: bool) -> String {
    if styled { format!("{style}{text}{style:#}") } else { text.to_owned() }
}
