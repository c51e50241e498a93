//! How YAML of others is read: small, and never more than it looks.

use serde::de::DeserializeOwned;
use serde_saphyr::Options;

/// Where a text is not what it should be. Lines and columns are from 1; 0 if the place is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) line: u64,
    pub(crate) column: u64,
    pub(crate) reason: String,
}

/// What reading may take. Aliases repeat what they stand for: a few lines of them could be gigabytes.
fn options(longest: usize) -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: longest,
            max_nodes: longest,
            max_depth: 32,
            max_aliases: 200,
            max_anchors: 100,
            max_documents: 1,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 10_000,
            max_replay_stack_depth: 8,
            max_alias_expansions_per_anchor: 100,
        },
        with_snippet: false,
    }
}

/// Reads a document of at most that many bytes.
pub(crate) fn read<T: DeserializeOwned>(text: &str, longest: usize) -> Result<T, Problem> {
    if text.len() > longest {
        let reason = format!("it has {} bytes, and more than {longest} are not read", text.len());
        return Err(Problem { line: 0, column: 0, reason });
    }
    serde_saphyr::from_str_with_options(text, options(longest)).map_err(|error| {
        let place = error.location();
        let line = place.map_or(0, |place| place.line());
        let column = place.map_or(0, |place| place.column());
        Problem { line, column, reason: error.without_snippet().to_string() }
    })
}
