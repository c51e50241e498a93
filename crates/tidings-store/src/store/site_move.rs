//! Records that a site is followed by other means from now on.

use super::{digest, retired};
use crate::engine::{Session, params};
use crate::error::Result;
use crate::{Millis, SiteMove};

/// Changes the site and its collections in place: keys, numbers, batches and changes stay.
pub(super) async fn apply(
    session: &mut Session<'_>,
    site_id: i64,
    moved: &SiteMove,
    now: Millis,
) -> Result<()> {
    const VIA: &str = "UPDATE sites SET via = $2 WHERE id = $1";
    const TAKEN: &str = "SELECT id FROM sites WHERE url_digest = $2 AND id <> $1";
    const URL: &str = "UPDATE sites SET url = $2, url_digest = $3 WHERE id = $1";
    const IDENTITY: &str = "UPDATE collections SET identity = $3, identity_digest = $4, is_gone = 0
        WHERE id = $2 AND site_id = $1";
    const END: &str = "UPDATE collections SET is_gone = 1, reason = $3
        WHERE id = $2 AND site_id = $1";
    session.execute(VIA, &params![site_id, moved.via.name()]).await?;
    let url = digest(&moved.url);
    if session.query_opt(TAKEN, &params![site_id, url]).await?.is_none() {
        session.execute(URL, &params![site_id, &moved.url, url]).await?;
    }
    for (id, identity) in &moved.identities {
        let params = params![site_id, *id, identity, digest(identity)];
        session.execute(IDENTITY, &params).await?;
    }
    for id in &moved.ended {
        let reason = "the feed of the whole site goes on with it";
        if session.execute(END, &params![site_id, *id, reason]).await? > 0 {
            retired::retire_collection(session, *id, now).await?;
        }
    }
    Ok(())
}
