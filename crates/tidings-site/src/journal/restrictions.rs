//! The journal's memory of who may see what: the last good rules, and the last restriction of each object
//! that had one. It is on the disk before it is used.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension as _, params};

use super::{Journal, JournalError};
use crate::guard::Guard;

impl Journal {
    /// The last text of a file of rules that could be understood.
    pub(crate) fn rules(&self, name: &str) -> Result<Option<Vec<u8>>, JournalError> {
        let pages = self.pages();
        let sql = "SELECT text FROM rule WHERE name = ?1";
        let text = pages.connection.query_row(sql, [name], |row| row.get(0)).optional();
        text.map_err(self.wrong())
    }

    /// Remembers the text of a file of rules.
    pub(crate) fn keep_rules(&self, name: &str, text: &[u8]) -> Result<(), JournalError> {
        let sql = "INSERT OR REPLACE INTO rule VALUES (?1, ?2)";
        let put = self.pages().connection.execute(sql, params![name, text]);
        put.map(drop).map_err(self.wrong())
    }

    /// The last restriction of each object that had one, by its place.
    pub(crate) fn guards(&self) -> Result<BTreeMap<Box<str>, Guard>, JournalError> {
        let pages = self.pages();
        let read = || {
            let mut statement =
                pages.connection.prepare("SELECT place, number, restriction FROM guard")?;
            let rows = statement.query_map([], |row| {
                let (place, number, said): (String, u32, String) =
                    (row.get(0)?, row.get(1)?, row.get(2)?);
                Ok((place.into_boxed_str(), Guard::parse(number, &said)))
            })?;
            rows.collect::<rusqlite::Result<BTreeMap<Box<str>, Guard>>>()
        };
        read().map_err(self.wrong())
    }

    /// Remembers these restrictions; none is forgotten.
    pub(crate) fn keep_guards(
        &self,
        guards: &BTreeMap<Box<str>, Option<Guard>>,
    ) -> Result<(), JournalError> {
        let pages = self.pages();
        let write = || {
            let transaction = pages.connection.unchecked_transaction()?;
            for (place, guard) in guards {
                match guard {
                    Some(guard) => transaction
                        .prepare_cached("INSERT OR REPLACE INTO guard VALUES (?1, ?2, ?3)")?
                        .execute(params![place, guard.number, guard.written()])?,
                    None => transaction
                        .prepare_cached("DELETE FROM guard WHERE place = ?1")?
                        .execute([place])?,
                };
            }
            transaction.commit()
        };
        write().map_err(self.wrong())
    }

    /// The folder of a layout that had objects when it was looked at last, by device and number.
    pub(crate) fn layout(&self, name: &str) -> Result<Option<(u64, u64)>, JournalError> {
        let pages = self.pages();
        let fact = |what: &str| pages.fact(&format!("{name} {what}")).map_err(self.wrong());
        let (device, inode) = (fact("device")?, fact("inode")?);
        Ok(device.zip(inode).map(|(device, inode)| (device.cast_unsigned(), inode.cast_unsigned())))
    }

    /// Remembers the folder of a layout; none if it has no objects.
    pub(crate) fn keep_layout(
        &self,
        name: &str,
        folder: Option<(u64, u64)>,
    ) -> Result<(), JournalError> {
        let pages = self.pages();
        let write = || {
            let transaction = pages.connection.unchecked_transaction()?;
            let [device, inode] = ["device", "inode"].map(|what| format!("{name} {what}"));
            match folder {
                Some((at, number)) => transaction.execute(
                    "INSERT OR REPLACE INTO fact VALUES (?1, ?2), (?3, ?4)",
                    params![device, at.cast_signed(), inode, number.cast_signed()],
                )?,
                None => transaction
                    .execute("DELETE FROM fact WHERE name IN (?1, ?2)", [device, inode])?,
            };
            transaction.commit()
        };
        write().map_err(self.wrong())
    }
}
