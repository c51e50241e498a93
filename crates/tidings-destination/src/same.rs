//! Whether the copy has what an entry speaks of.

use tidings_document::{Algorithm, Digest, Entry, Hash};

use crate::moments::instant;
use crate::state::Row;

/// What can be told without asking the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Same {
    Yes,
    No,
    /// Only the server knows.
    Unknown,
}

/// Compares what the Source says now with what was recorded. A digest decides, whatever the times
/// say; without one, length and time do.
pub(crate) fn same(entry: &Entry<'_>, row: &Row) -> Same {
    if let Some(hash) = &entry.metadata.hash {
        match by_digest(hash, row) {
            Same::Unknown => {}
            verdict => return verdict,
        }
    }
    if entry.metadata.length.is_some_and(|length| length != row.length) {
        return Same::No;
    }
    match (entry.lastmod.map(instant), row.lastmod) {
        (Some(now), Some(then)) if now == then => Same::Yes,
        (Some(_), _) => Same::No,
        (None, _) => Same::Unknown,
    }
}

fn by_digest(hash: &Hash<'_>, row: &Row) -> Same {
    if row.hash.as_deref() == Some(hash.as_str()) {
        return Same::Yes;
    }
    let mut usable = false;
    for token in hash.tokens() {
        let Ok(digest) = Digest::parse(token) else { continue };
        if digest.algorithm() == Algorithm::Sha256 {
            return if digest.bytes() == row.sha256 { Same::Yes } else { Same::No };
        }
        usable = true;
    }
    if usable { Same::No } else { Same::Unknown }
}
