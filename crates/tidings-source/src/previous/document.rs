//! Documents that were published before.

use std::path::Path;

use tidings_document::{Entry, Form, Head, Limits, Moment, ReadError, ReadOptions, Reader};

use crate::PublishError;
use crate::document_file::{Bytes, DocumentFile};
use crate::layout::Layout;

pub(super) type DocumentReader = Reader<Bytes>;

/// Opens a document that was published before; none if there is none.
pub(super) fn open(document: &DocumentFile) -> Result<Option<DocumentReader>, PublishError> {
    let bytes = document.open().map_err(PublishError::io("could not read", document.path()))?;
    let options = ReadOptions { limits: Limits::default().of_any_size(), charset: None };
    Ok(bytes.map(|bytes| Reader::with_options(bytes, options)))
}

pub(super) fn damaged(path: &Path) -> impl FnOnce(ReadError) -> PublishError {
    move |error| match error {
        ReadError::Io(source) => PublishError::io("could not read", path)(source),
        error => PublishError::Previous { path: path.to_owned(), reason: error.to_string() },
    }
}

pub(super) fn lacking(path: &Path, what: &str) -> PublishError {
    PublishError::Previous { path: path.to_owned(), reason: format!("it has no {what}") }
}

/// Opens a document that another one lists.
pub(super) fn open_listed(document: &DocumentFile) -> Result<DocumentReader, PublishError> {
    open(document)?.ok_or_else(|| PublishError::Previous {
        path: document.path().to_owned(),
        reason: "it is listed, but not there".into(),
    })
}

/// The head of a document; none if there is no such document.
pub(crate) fn head(document: &DocumentFile) -> Result<Option<Head<'static>>, PublishError> {
    let Some(mut reader) = open(document)? else { return Ok(None) };
    reader.head().map(|head| Some(head.clone())).map_err(damaged(document.path()))
}

/// Shows each entry of a document.
pub(crate) fn each_entry(
    document: &DocumentFile,
    mut each: impl FnMut(&Entry<'_>) -> Result<(), PublishError>,
) -> Result<Head<'static>, PublishError> {
    let (mut reader, path) = (open_listed(document)?, document.path());
    let head = reader.head().map_err(damaged(path))?.clone();
    while let Some(entry) = reader.next_entry().map_err(damaged(path))? {
        each(&entry)?;
    }
    Ok(head)
}

/// Shows the entries of a list whose URIs go before that one.
pub(crate) fn entries_before(
    document: &DocumentFile,
    uri: &str,
    mut each: impl FnMut(&Entry<'_>) -> Result<(), PublishError>,
) -> Result<(), PublishError> {
    let (mut reader, path) = (open_listed(document)?, document.path());
    while let Some(entry) = reader.next_entry().map_err(damaged(path))? {
        if entry.loc.as_ref() >= uri {
            break;
        }
        each(&entry)?;
    }
    Ok(())
}

/// The entries of a document, one after the other.
pub(crate) struct Entries {
    document: DocumentFile,
    reader: DocumentReader,
    next: Option<Entry<'static>>,
}

impl Entries {
    pub(crate) fn open(document: DocumentFile) -> Result<Self, PublishError> {
        let mut entries = Self { reader: open_listed(&document)?, document, next: None };
        entries.advance()?;
        Ok(entries)
    }

    /// The next one, to be looked at.
    pub(crate) fn peek(&self) -> Option<&Entry<'static>> {
        self.next.as_ref()
    }

    /// Takes the next one.
    pub(crate) fn advance(&mut self) -> Result<Option<Entry<'static>>, PublishError> {
        let next = self.reader.next_entry().map_err(damaged(self.document.path()))?;
        Ok(std::mem::replace(&mut self.next, next.map(Entry::into_owned)))
    }
}

/// One document of a list: the only one, or a part of it. It has the URIs from its first one up to
/// that of the next part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// The URI of its first entry; empty if it has none.
    pub(crate) first: String,
    /// The name of the document.
    pub(crate) name: String,
    /// When what it says was so; a Sitemap does not tell.
    pub(crate) at: Option<Moment>,
}

/// The documents of the list of that name, in the order of the URIs in them; none if there is no such
/// list.
pub(crate) fn leaves(layout: &Layout, name: &str) -> Result<Vec<Leaf>, PublishError> {
    let document = layout.document(name);
    let (path, Some(mut reader)) = (document.path(), open(&document)?) else {
        return Ok(Vec::new());
    };
    let head = reader.head().map_err(damaged(path))?.clone();
    let mut names = Vec::new();
    match head.form {
        Form::List => names.push((name.to_owned(), head.metadata.at)),
        Form::Index => {
            while let Some(entry) = reader.next_entry().map_err(damaged(path))? {
                let part = layout.name(&entry.loc);
                let part = part.ok_or_else(|| lacking(path, "part of this publication"))?;
                names.push((part.to_owned(), entry.metadata.at.or(head.metadata.at)));
            }
        }
    }
    let mut leaves = Vec::new();
    for (name, at) in names {
        let document = layout.document(&name);
        let mut reader = open_listed(&document)?;
        let first = reader.next_entry().map_err(damaged(document.path()))?;
        let first = first.map(|entry| entry.loc.into_owned()).unwrap_or_default();
        leaves.push(Leaf { first, name, at });
    }
    Ok(leaves)
}
