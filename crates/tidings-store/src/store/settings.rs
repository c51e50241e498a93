//! What a person changes about a site.

use super::{Store, follow, hosts, posts, sites};
use crate::Settings;
use crate::engine::{Operation, Session, params};
use crate::error::Result;

impl Store {
    /// Changes what a person set; false if the site is not known.
    pub async fn set_settings(&self, key: &str, settings: Settings) -> Result<bool> {
        self.engine().write(Set { key: key.to_owned(), new: move |_| settings.clone() }).await
    }

    /// Changes how many tiles a day a webfeed has in the grid; what there is more shares one. False if
    /// it is not known.
    pub async fn set_tiles(&self, key: &str, tiles: u32) -> Result<bool> {
        let new = move |settings| Settings { tiles, ..settings };
        self.engine().write(Set { key: key.to_owned(), new }).await
    }

    /// Changes what a person set if it is still what they saw; none if the site is not known. False
    /// if somebody else was faster: then nothing is changed.
    pub async fn replace_settings(
        &self,
        key: &str,
        expected: &Settings,
        new: Settings,
    ) -> Result<Option<bool>> {
        let expected = expected.clone();
        self.engine().write(Replace { key: key.to_owned(), expected, new }).await
    }

    /// Pauses a site, or goes on with it at once; false if the site is not known. One that is not
    /// paused is left as it is.
    pub async fn set_paused(&self, key: &str, paused: bool) -> Result<bool> {
        let turn = if paused { Turn::Pause } else { Turn::GoOn };
        self.engine().write(Change { key: key.to_owned(), turn }).await
    }

    /// Makes a site due now, whatever its state; false if it is not known. It is polled as soon as
    /// it is not paused.
    pub async fn make_due(&self, key: &str) -> Result<bool> {
        self.engine().write(Change { key: key.to_owned(), turn: Turn::Due }).await
    }
}

/// Settings made from what they were.
struct Set<F> {
    key: String,
    new: F,
}

impl<F: Fn(Settings) -> Settings + Send + Sync + 'static> Operation for Set<F> {
    type Output = bool;

    async fn run(&self, session: &mut Session<'_>) -> Result<bool> {
        const FIND: &str = "SELECT id, settings FROM sites WHERE key = $1 FOR UPDATE";
        const SET: &str = "UPDATE sites SET settings = $2 WHERE id = $1";
        let Some(mut row) = session.query_opt(FIND, &params![&self.key]).await? else {
            return Ok(false);
        };
        let (id, old) = (row.int()?, row.json::<Settings>()?);
        let tiles = old.tiles;
        let new = (self.new)(old);
        session.execute(SET, &params![id, &follow::settings(&new)]).await?;
        if new.tiles != tiles {
            posts::share_all(session, id, new.tiles).await?;
        }
        Ok(true)
    }
}

struct Replace {
    key: String,
    expected: Settings,
    new: Settings,
}

impl Operation for Replace {
    type Output = Option<bool>;

    async fn run(&self, session: &mut Session<'_>) -> Result<Option<bool>> {
        const FIND: &str = "SELECT settings FROM sites WHERE key = $1 FOR UPDATE";
        const SET: &str = "UPDATE sites SET settings = $2 WHERE key = $1";
        let Some(mut row) = session.query_opt(FIND, &params![&self.key]).await? else {
            return Ok(None);
        };
        // By what it says, not by how it is written: an older version wrote less.
        if row.json::<Settings>()? != self.expected {
            return Ok(Some(false));
        }
        session.execute(SET, &params![&self.key, &follow::settings(&self.new)]).await?;
        Ok(Some(true))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Pause,
    GoOn,
    Due,
}

struct Change {
    key: String,
    turn: Turn,
}

impl Operation for Change {
    type Output = bool;

    async fn run(&self, session: &mut Session<'_>) -> Result<bool> {
        const PAUSE: &str = "UPDATE sites SET state = 'paused' WHERE id = $1";
        const GO_ON: &str = "UPDATE sites SET next_due = $2, state = CASE \
            WHEN polled_at IS NULL THEN 'new' WHEN failures > 0 THEN 'failing' ELSE 'well' END
            WHERE id = $1 AND state = 'paused'";
        const DUE: &str = "UPDATE sites SET next_due = $2 WHERE id = $1";
        let Some((id, host)) = sites::by_key(session, &self.key).await? else {
            return Ok(false);
        };
        let now = session.now().await?;
        hosts::lock(session, &host).await?;
        let changed = match self.turn {
            Turn::Pause => session.execute(PAUSE, &params![id]).await?,
            Turn::GoOn => session.execute(GO_ON, &params![id, now]).await?,
            Turn::Due => session.execute(DUE, &params![id, now]).await?,
        };
        if changed > 0 && self.turn != Turn::Pause {
            hosts::due_by(session, &host, now, now).await?;
        }
        Ok(true)
    }
}
