//! What a server or worker says while it runs.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::cli::{Global, LogForm};

/// Logs to standard error: what `RUST_LOG` asks for, else what a person would want to know.
pub(crate) fn begin(form: LogForm, global: &Global) {
    let usual = match (global.quiet, global.verbose) {
        (true, _) => "error",
        (_, true) => {
            "info,tidings=debug,tidings_syndication=debug,tidings_serve=debug,tidings_http=debug,tidings_site_serve=debug"
        }
        _ => "info,tidings_syndication=warn",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(usual));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .with_span_events(FmtSpan::NONE);
    // There is one already only in tests.
    let _ = match form {
        LogForm::Text => log.try_init(),
        LogForm::Json => log.json().flatten_event(true).try_init(),
    };
}
