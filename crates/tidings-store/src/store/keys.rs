//! Names that nobody else has.

use crate::engine::{Session, params};
use crate::error::Result;

/// What has keys.
#[derive(Debug, Clone, Copy)]
pub(super) enum Keyed {
    Sites,
    Collections,
}

/// That key, or the same with a number after it: `-2`, `-3` and so on. Where very many have it, the
/// number is searched for in steps that double, and then between the last two.
pub(super) async fn free(session: &mut Session<'_>, keyed: Keyed, key: &str) -> Result<String> {
    if !is_taken(session, keyed, key).await? {
        return Ok(key.to_owned());
    }
    let numbered = |number: u64| format!("{key}-{number}");
    let (mut taken, mut free) = (1, 2);
    while is_taken(session, keyed, &numbered(free)).await? {
        (taken, free) = (free, free.saturating_mul(2));
    }
    while free - taken > 1 {
        let between = taken + (free - taken) / 2;
        if is_taken(session, keyed, &numbered(between)).await? {
            taken = between;
        } else {
            free = between;
        }
    }
    Ok(numbered(free))
}

async fn is_taken(session: &mut Session<'_>, keyed: Keyed, key: &str) -> Result<bool> {
    let sql = match keyed {
        Keyed::Sites => "SELECT id FROM sites WHERE key = $1",
        Keyed::Collections => "SELECT id FROM collections WHERE key = $1",
    };
    Ok(session.query_opt(sql, &params![key]).await?.is_some())
}
