//! What was fetched and is kept.

use std::fs;

use tidings_document::Moment;
use tidings_web::Fetched;

use super::follow::{Found, follow};
use super::role::Role;
use super::site::Site;
use super::store::{Unkept, store};
use super::want::Want;
use super::{FileMismatch, RestoreError};
use crate::PublishError;
use crate::layout::Layout;
use crate::publication::is_ours;

/// A file that was gathered, and is what it should be.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) bytes: u64,
    /// The latest time in it, if it is a list.
    pub(super) latest: Option<Moment>,
}

/// Stores one file, and reads it if it is a document; none if it is somebody else's.
pub(super) fn keep(
    fetched: Fetched,
    want: Want,
    site: &Site,
    staged: &Layout,
) -> Result<Option<(Held, Vec<Want>)>, RestoreError> {
    let path = staged.path(&want.name);
    let url = || site.shown(&want.name);
    let bytes = store(fetched, &want, &path).map_err(|unkept| match unkept {
        Unkept::Page if want.role == Role::Description => RestoreError::Page { url: url() },
        Unkept::Page => RestoreError::Mismatch { url: url(), reason: FileMismatch::Page },
        Unkept::Wrong(reason) => RestoreError::Mismatch { url: url(), reason },
        Unkept::Local(error) => error.into(),
    })?;
    if want.role.is_optional() && !is_ours(staged, &want.name) {
        fs::remove_file(&path).map_err(PublishError::io("could not remove", &path))?;
        return Ok(None);
    }
    let Found { wants, latest } = match want.role.is_document() {
        true => follow(&want, site, staged)?,
        false => Found::default(),
    };
    Ok(Some((Held { name: want.name, role: want.role, bytes, latest }, wants)))
}
