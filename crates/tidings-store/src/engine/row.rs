//! A row of an answer.

use std::sync::Arc;

use rusqlite::types::ValueRef;
use tokio_postgres::types::Type;

use super::Value;
use crate::StoreError;
use crate::error::Result;

/// A row, whose columns are taken one after the other.
#[derive(Debug)]
pub(crate) struct Row {
    values: std::vec::IntoIter<Value>,
    place: Arc<str>,
}

impl Row {
    pub(super) fn from_sqlite(
        row: &rusqlite::Row<'_>,
        columns: usize,
        place: &Arc<str>,
    ) -> rusqlite::Result<Self> {
        let mut values = Vec::with_capacity(columns);
        for column in 0..columns {
            values.push(match row.get_ref(column)? {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(number) => Value::Int(number),
                ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
                ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
                // No column has such numbers: what is there was not written by us.
                ValueRef::Real(_) => Value::Null,
            });
        }
        Ok(Self { values: values.into_iter(), place: Arc::clone(place) })
    }

    pub(super) fn from_postgres(
        row: &tokio_postgres::Row,
        place: &Arc<str>,
    ) -> std::result::Result<Self, tokio_postgres::Error> {
        let mut values = Vec::with_capacity(row.len());
        for (column, described) in row.columns().iter().enumerate() {
            let ty = described.type_();
            values.push(if *ty == Type::INT8 {
                row.try_get::<_, Option<i64>>(column)?.map_or(Value::Null, Value::Int)
            } else if *ty == Type::INT4 {
                let number = row.try_get::<_, Option<i32>>(column)?;
                number.map_or(Value::Null, |number| Value::Int(number.into()))
            } else if *ty == Type::BYTEA {
                row.try_get::<_, Option<Vec<u8>>>(column)?.map_or(Value::Null, Value::Bytes)
            } else {
                row.try_get::<_, Option<String>>(column)?.map_or(Value::Null, Value::Text)
            });
        }
        Ok(Self { values: values.into_iter(), place: Arc::clone(place) })
    }

    fn odd<T>(&self, wanted: &str) -> Result<T> {
        Err(StoreError::Damaged {
            place: self.place.to_string(),
            detail: format!("a row has something else where {wanted} should be"),
        })
    }

    /// The next column: a number, if there is one.
    pub(crate) fn maybe_int(&mut self) -> Result<Option<i64>> {
        match self.values.next() {
            Some(Value::Int(number)) => Ok(Some(number)),
            Some(Value::Null) => Ok(None),
            _ => self.odd("a number"),
        }
    }

    /// The next column: a number.
    pub(crate) fn int(&mut self) -> Result<i64> {
        self.maybe_int()?.map_or_else(|| self.odd("a number"), Ok)
    }

    /// The next column: how many.
    pub(crate) fn count(&mut self) -> Result<u64> {
        self.int().map(|number| u64::try_from(number).unwrap_or(0))
    }

    /// The next column: yes or no.
    pub(crate) fn is(&mut self) -> Result<bool> {
        self.int().map(|number| number != 0)
    }

    /// The next column: text, if there is any.
    pub(crate) fn maybe_text(&mut self) -> Result<Option<String>> {
        match self.values.next() {
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(Value::Null) => Ok(None),
            _ => self.odd("text"),
        }
    }

    /// The next column: text.
    pub(crate) fn text(&mut self) -> Result<String> {
        self.maybe_text()?.map_or_else(|| self.odd("text"), Ok)
    }

    /// The next column: one of several names.
    pub(crate) fn named<T>(&mut self, by_name: fn(&str) -> Option<T>) -> Result<T> {
        by_name(&self.text()?).map_or_else(|| self.odd("a known name"), Ok)
    }

    /// The next column: JSON.
    pub(crate) fn json<T: serde::de::DeserializeOwned>(&mut self) -> Result<T> {
        serde_json::from_str(&self.text()?).or_else(|_| self.odd("JSON of ours"))
    }

    /// The next column: bytes, if there are any.
    pub(crate) fn maybe_bytes(&mut self) -> Result<Option<Vec<u8>>> {
        match self.values.next() {
            Some(Value::Bytes(bytes)) => Ok(Some(bytes)),
            Some(Value::Null) => Ok(None),
            _ => self.odd("bytes"),
        }
    }

    /// The next column: so many bytes.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let bytes = self.maybe_bytes()?.and_then(|bytes| bytes.try_into().ok());
        bytes.map_or_else(|| self.odd("a digest"), Ok)
    }
}
