//! Following a site.

use super::keys::{self, Keyed};
use super::{Store, collections, digest, hosts, retired, sites};
use crate::engine::{Operation, Session, Value, params};
use crate::error::Result;
use crate::{Followed, Millis, NewSite, StoreError};

/// How often a key is looked for that nobody takes in the meantime.
pub(super) const TRIES: usize = 16;

impl Store {
    /// Follows a site. Where its key is another's, it gets one with a number after it.
    pub async fn follow(&self, site: NewSite) -> Result<Followed> {
        let settings = settings(&site.settings);
        self.engine().write(Follow { site, settings }).await
    }
}

/// What a person set, as it is kept.
pub(super) fn settings(settings: &crate::Settings) -> String {
    serde_json::to_string(settings).unwrap_or_else(|_| "{}".to_owned())
}

struct Follow {
    site: NewSite,
    settings: String,
}

impl Operation for Follow {
    type Output = Followed;

    async fn run(&self, session: &mut Session<'_>) -> Result<Followed> {
        let now = session.now().await?;
        for _ in 0..TRIES {
            if let Some(known) = self.known(session).await? {
                return Ok(known);
            }
            let due = self.site.due.unwrap_or(now).clamp(0, hosts::NEVER);
            hosts::due_by(session, &self.site.host, due, now).await?;
            if let Some(id) = self.insert(session, due, now).await? {
                for collection in &self.site.collections {
                    collections::insert(session, id, collection).await?;
                }
                return followed(session, id, true).await;
            }
        }
        Err(taken(session, &self.site.key))
    }
}

impl Follow {
    /// The site if it is followed already, with its new settings.
    async fn known(&self, session: &mut Session<'_>) -> Result<Option<Followed>> {
        const SET: &str = "UPDATE sites SET settings = $2 WHERE url_digest = $1 RETURNING id";
        let url = digest(&self.site.url);
        let Some(mut row) = session.query_opt(SET, &params![url, &self.settings]).await? else {
            return Ok(None);
        };
        followed(session, row.int()?, false).await.map(Some)
    }

    /// Its number; none if somebody was faster with its URL or its key.
    async fn insert(
        &self,
        session: &mut Session<'_>,
        due: Millis,
        now: Millis,
    ) -> Result<Option<i64>> {
        const INSERT: &str =
            "INSERT INTO sites (key, url, url_digest, asked_digest, host, via, title, \
            created_at, next_due, poll_interval, settings, details)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            ON CONFLICT DO NOTHING RETURNING id";
        let site = &self.site;
        let key = keys::free(session, Keyed::Sites, &site.key).await?;
        let url = digest(&site.url);
        let params = params![
            &key,
            &site.url,
            url,
            digest(&site.asked),
            &site.host,
            site.via.name(),
            site.title.as_ref(),
            now,
            due,
            site.interval,
            &self.settings,
            &site.details,
        ];
        retired::forget(session, &format!("sites/{key}")).await?;
        session.query_opt(INSERT, &params).await?.map(|mut row| row.int()).transpose()
    }
}

async fn followed(session: &mut Session<'_>, id: i64, is_new: bool) -> Result<Followed> {
    let site = sites::find(session, "id", Value::from(id)).await?;
    let Some(site) = site else {
        return Err(StoreError::Failed {
            place: session.place(),
            detail: "the site was unfollowed at the same time".to_owned(),
        });
    };
    let collections = collections::of_site(session, id).await?;
    Ok(Followed { site, collections, is_new })
}

/// What is said if the key is taken again and again.
pub(super) fn taken(session: &Session<'_>, key: &str) -> StoreError {
    StoreError::Busy {
        place: session.place(),
        detail: format!("others took each key like {key} first"),
    }
}
