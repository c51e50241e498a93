//! How far the copy has come in the history of each set.

use rusqlite::{OptionalExtension, params};
use tidings_document::Moment;
use tidings_web::Validators;

use super::State;
use crate::SyncError;
use crate::coverage::Edge;

/// A set of the Source, as the copy knows it.
#[derive(Debug, Clone)]
pub(crate) struct SetRow {
    pub(crate) id: i64,
    pub(crate) name: String,
    /// Its Capability List, or what stands for it.
    pub(crate) url: String,
    /// Since when changes are wanted, by the Source's clock.
    pub(crate) at: Option<Moment>,
    /// Up to when they were taken in.
    pub(crate) reached: Option<Moment>,
    /// True if a baseline was finished.
    pub(crate) complete: bool,
    /// Set while changes up to that time may be in the copy without all those before them.
    pub(crate) unsettled_until: Option<Unsettled>,
}

/// The time up to which changes may have been applied that are not all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unsettled {
    /// A time of the Source.
    Until(Moment),
    /// No document says when: an open one was applied.
    Now,
}

impl Unsettled {
    const NOW: &str = "now";

    fn to_text(self) -> String {
        match self {
            Self::Until(moment) => moment.to_string(),
            Self::Now => Self::NOW.to_owned(),
        }
    }

    /// What cannot be read is as uncertain as can be.
    fn from_text(text: &str) -> Self {
        Moment::parse(text).map_or(Self::Now, Self::Until)
    }

    pub(crate) fn edge(self) -> Edge {
        match self {
            Self::Until(moment) => Edge::at(moment),
            Self::Now => Edge::NOW,
        }
    }
}

/// What a document is to those who keep up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Role {
    /// The Change List, or the index of all of them: asked at each poll.
    #[default]
    Top,
    /// An open part of that index: asked, too.
    Open,
    /// A closed one: asked only where the index changed, and does not show that the part is the same.
    Closed,
    /// A Resource List or Sitemap.
    List,
    /// An index of Change Lists.
    Index,
    /// The document of a Change Dump.
    Dump,
    /// A package of a Change Dump.
    Package,
    /// The Capability List, where it has to be asked whether there are other documents by now.
    Capability,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::Top => "top",
            Self::Open => "open",
            Self::Closed => "closed",
            Self::List => "list",
            Self::Index => "index",
            Self::Dump => "dump",
            Self::Package => "package",
            Self::Capability => "capability",
        }
    }

    fn by_name(name: &str) -> Self {
        let all = [
            Self::Top,
            Self::Open,
            Self::Closed,
            Self::List,
            Self::Index,
            Self::Dump,
            Self::Package,
            Self::Capability,
        ];
        all.into_iter().find(|role| role.name() == name).unwrap_or_default()
    }
}

/// A document that was read, and how far: progress is a place in a document, and never a time alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct History {
    pub(crate) url: String,
    pub(crate) role: Role,
    pub(crate) validators: Validators,
    /// How many entries were taken in.
    pub(crate) place: u64,
    /// A running hash over these, to see that they are still the same. Of an index, a hash of its bytes.
    pub(crate) mark: u64,
    /// A hash of what the index said of this part when it was read; 0 if that is not known.
    pub(crate) identity: u64,
    /// Set if the document is closed, and never changes again.
    pub(crate) until: Option<Moment>,
    /// Since when it has changes; of a Resource List, the time that it is of.
    pub(crate) from: Option<Moment>,
    /// A hash of the last entry that was taken in, by which another document that must have it, too, is
    /// known to contradict this one.
    pub(crate) tail: u64,
    /// The time of that change, if the entry gives it (`datetime`).
    pub(crate) tail_time: Option<Moment>,
}

impl State {
    /// The sets that the copy knows.
    pub(crate) fn sets(&self) -> Result<Vec<SetRow>, SyncError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, name, url, at, reached, complete, unsettled_until FROM resource_set
             ORDER BY id",
        )?;
        let rows = statement.query_map([], |row| {
            let moment = |text: Option<String>| text.and_then(|text| Moment::parse(&text).ok());
            Ok(SetRow {
                id: row.get(0)?,
                name: row.get(1)?,
                url: row.get(2)?,
                at: moment(row.get(3)?),
                reached: moment(row.get(4)?),
                complete: row.get(5)?,
                unsettled_until: row
                    .get::<_, Option<String>>(6)?
                    .map(|text| Unsettled::from_text(&text)),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The set of that name, which is made if it is not known.
    pub(crate) fn set(&mut self, name: &str, url: &str) -> Result<SetRow, SyncError> {
        // A set is known by its URL: its name may be another when the Source has more of them.
        self.connection.execute(
            "UPDATE OR IGNORE resource_set SET name = ?1 WHERE url = ?2 AND name <> ?1",
            [name, url],
        )?;
        self.connection.execute(
            "INSERT INTO resource_set (name, url) VALUES (?1, ?2)
             ON CONFLICT (name) DO UPDATE SET url = ?2",
            [name, url],
        )?;
        let found = self.sets()?.into_iter().find(|set| set.name == name);
        found.ok_or_else(|| rusqlite::Error::QueryReturnedNoRows.into())
    }

    /// A baseline was finished: the copy has all that the set had at that time.
    pub(crate) fn finish_baseline(
        &mut self,
        set: i64,
        at: Option<Moment>,
    ) -> Result<(), SyncError> {
        self.connection.execute(
            "UPDATE resource_set
             SET at = ?2, reached = ?2, complete = 1, unsettled_until = NULL
             WHERE id = ?1",
            params![set, at.map(|at| at.to_string())],
        )?;
        Ok(())
    }

    /// Changes were taken in up to that time.
    pub(crate) fn reach(&mut self, set: i64, reached: Moment) -> Result<(), SyncError> {
        self.connection.execute(
            "UPDATE resource_set SET reached = ?2 WHERE id = ?1",
            params![set, reached.to_string()],
        )?;
        Ok(())
    }

    /// Changes up to that time may be in the copy, not all of them; none once all of them are.
    pub(crate) fn set_unsettled(
        &mut self,
        set: i64,
        until: Option<Unsettled>,
    ) -> Result<(), SyncError> {
        self.connection.execute(
            "UPDATE resource_set SET unsettled_until = ?2 WHERE id = ?1",
            params![set, until.map(Unsettled::to_text)],
        )?;
        Ok(())
    }

    /// The documents of a set that were read, in the order in which they were.
    pub(crate) fn documents(&self, set: i64) -> Result<Vec<History>, SyncError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT url, role, etag, modified, place, mark, until_text, from_text, tail, tail_text,
                    identity
             FROM document
             WHERE set_id = ?1 ORDER BY sequence",
        )?;
        let rows = statement.query_map([set], |row| {
            let moment = |text: Option<String>| text.and_then(|text| Moment::parse(&text).ok());
            Ok(History {
                url: row.get(0)?,
                role: Role::by_name(&row.get::<_, String>(1)?),
                validators: Validators { etag: row.get(2)?, last_modified: row.get(3)? },
                place: row.get::<_, i64>(4)?.cast_unsigned(),
                mark: row.get::<_, i64>(5)?.cast_unsigned(),
                until: moment(row.get(6)?),
                from: moment(row.get(7)?),
                tail: row.get::<_, i64>(8)?.cast_unsigned(),
                tail_time: moment(row.get(9)?),
                identity: row.get::<_, i64>(10)?.cast_unsigned(),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Remembers how far a document was read.
    pub(crate) fn remember(&mut self, set: i64, document: &History) -> Result<(), SyncError> {
        let last: Option<i64> = self
            .connection
            .query_row("SELECT max(sequence) FROM document WHERE set_id = ?1", [set], |row| {
                row.get(0)
            })
            .optional()?
            .flatten();
        self.connection.execute(
            "INSERT OR REPLACE INTO document
                (set_id, url, role, etag, modified, place, mark, until_text, sequence,
                 from_text, tail, tail_text, identity)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            params![
                set,
                document.url,
                document.role.name(),
                document.validators.etag,
                document.validators.last_modified,
                document.place.cast_signed(),
                document.mark.cast_signed(),
                document.until.map(|until| until.to_string()),
                last.unwrap_or_default() + 1,
                document.from.map(|from| from.to_string()),
                document.tail.cast_signed(),
                document.tail_time.map(|time| time.to_string()),
                document.identity.cast_signed(),
            ],
        )?;
        Ok(())
    }

    /// Forgets a document of a set.
    pub(crate) fn forget_document(&mut self, set: i64, url: &str) -> Result<(), SyncError> {
        self.connection
            .execute("DELETE FROM document WHERE set_id = ?1 AND url = ?2", params![set, url])?;
        Ok(())
    }

    /// Forgets a set, with what it owes and what was read of it.
    pub(crate) fn forget_set(&mut self, set: i64) -> Result<(), SyncError> {
        self.forget_documents(set)?;
        self.connection.execute("DELETE FROM owed WHERE set_id = ?1", [set])?;
        self.connection.execute("DELETE FROM resource_set WHERE id = ?1", [set])?;
        Ok(())
    }

    /// Forgets the documents of a set.
    pub(crate) fn forget_documents(&mut self, set: i64) -> Result<(), SyncError> {
        self.connection.execute("DELETE FROM document WHERE set_id = ?1", [set])?;
        Ok(())
    }
}
