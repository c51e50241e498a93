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

/// A number with its thousands set apart, as people read it.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number of bytes as people read it.
pub(crate) fn bytes(number: u64) -> String {
    let mut value = number as f64;
    for unit in ["bytes", "kB", "MB", "GB"] {
        if value < 1000.0 {
            return match unit {
                "bytes" => format!("{number} bytes"),
                unit => format!("{value:.1} {unit}"),
            };
        }
        value /= 1000.0;
    }
    format!("{value:.1} TB")
}

/// A time as people read it: in its largest units.
pub(crate) fn duration(time: std::time::Duration) -> String {
    match time.as_secs() {
        seconds @ 0..=99 => format!("{seconds} s"),
        seconds @ 100..=5_999 => format!("{} min", seconds / 60),
        seconds => format!("{} h {} min", seconds / 3_600, seconds / 60 % 60),
    }
}

/// `3 missing`, `1 extra`: those of which there are any.
pub(crate) fn present(counts: &[(u64, &str)]) -> Vec<String> {
    let some = counts.iter().filter(|(number, _)| *number > 0);
    some.map(|(number, what)| format!("{} {what}", grouped(*number))).collect()
}

/// `1 entry`, `2 entries`.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (number, shown) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678")]
        {
            assert_eq!(grouped(number), shown);
        }
        assert_eq!(counted(1, "entry", "entries"), "1 entry");
        for (number, shown) in [(999, "999 bytes"), (1_000, "1.0 kB"), (52_428_800, "52.4 MB")] {
            assert_eq!(bytes(number), shown);
        }
        for (seconds, shown) in [(59, "59 s"), (600, "10 min"), (7_260, "2 h 1 min")] {
            assert_eq!(duration(std::time::Duration::from_secs(seconds)), shown);
        }
    }
}
