//! Forms with files: taken in piece by piece, and never further than they may go.

use std::fs::File;
use std::io::{Seek as _, Write as _};

use axum::body::Body;
use axum::extract::Multipart;
use axum::extract::multipart::{Field, MultipartError};
use axum::http::StatusCode;

use super::frame::{Refused, Visit, failed};
use crate::site_response::form_refused;

/// How much a file may be.
pub(super) const MOST_FILE: u64 = 200 << 20;
/// How much a field may be that is no file.
const MOST_TEXT: usize = 16 << 10;
/// How many parts there may be.
const MOST_PARTS: usize = 1_000;

/// A form with files, of which nothing is read on before it has proved to be ours.
pub(super) struct Parts<'a> {
    visit: &'a Visit<'a>,
    form: Multipart,
    taken: usize,
}

/// One field.
pub(super) enum Part {
    Text(String, String),
    File(Spooled),
    /// A file that is not taken, and why. What comes after it is not read.
    TooLarge(String),
}

/// A file that came in whole, without a name on disk: it is gone when it is closed.
pub(super) struct Spooled {
    /// As the browser calls it.
    pub(super) name: String,
    pub(super) mime: String,
    pub(super) file: File,
}

impl<'a> Parts<'a> {
    /// Begins to read it.
    pub(super) async fn of(visit: &'a Visit<'a>, body: Body) -> Result<Self, Refused> {
        let guard = visit.asked.form_guard();
        // Each part has its own limit.
        let form = guard.open_multipart(&visit.asked.headers, body, usize::MAX).await;
        let form = form.map_err(|error| Box::new(form_refused(error)))?;
        Ok(Self { visit, form, taken: 0 })
    }

    /// The next part; none at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Part>, Refused> {
        loop {
            let field = self.form.next_field().await.map_err(|error| cut(self.visit, &error))?;
            let Some(mut field) = field else { return Ok(None) };
            self.taken += 1;
            if self.taken > MOST_PARTS {
                let message = format!("A form has at most {MOST_PARTS} files and fields.");
                let status = StatusCode::PAYLOAD_TOO_LARGE;
                return Err(self.visit.problem(status, "Too many at once", &message));
            }
            let name = field.name().unwrap_or_default().to_owned();
            let Some(file_name) = field.file_name().map(str::to_owned) else {
                let value = text(self.visit, &mut field).await?;
                return Ok(Some(Part::Text(name, value)));
            };
            let mime = field.content_type().unwrap_or("application/octet-stream").to_owned();
            match spool(self.visit, &mut field).await? {
                None => {
                    let most = MOST_FILE >> 20;
                    return Ok(Some(Part::TooLarge(format!(
                        "{file_name} is larger than {most} MiB, which is all that is taken."
                    ))));
                }
                // A field for a file that none was chosen for.
                Some((_, 0)) if file_name.is_empty() => {}
                Some((file, _)) => {
                    return Ok(Some(Part::File(Spooled { name: file_name, mime, file })));
                }
            }
        }
    }
}

/// The value of a field that is no file.
async fn text(visit: &Visit<'_>, field: &mut Field<'_>) -> Result<String, Refused> {
    let mut bytes = Vec::new();
    while let Some(piece) = field.chunk().await.map_err(|error| cut(visit, &error))? {
        bytes.extend_from_slice(&piece);
        if bytes.len() > MOST_TEXT {
            let message = "A field of the form is too long.";
            return Err(visit.problem(StatusCode::PAYLOAD_TOO_LARGE, "Too long", message));
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The bytes of a file, on the disk of the content, and how many; none if there are too many.
async fn spool(visit: &Visit<'_>, field: &mut Field<'_>) -> Result<Option<(File, u64)>, Refused> {
    let folder = visit.state.cache.root().path().join("state/tidings");
    let mut file = tempfile::tempfile_in(folder).map_err(|error| failed(&error))?;
    let mut length = 0;
    while let Some(piece) = field.chunk().await.map_err(|error| cut(visit, &error))? {
        length += piece.len() as u64;
        if length > MOST_FILE {
            return Ok(None);
        }
        // No longer than a copy into the page cache: pieces are as large as a socket read.
        file.write_all(&piece).map_err(|error| failed(&error))?;
    }
    file.rewind().map_err(|error| failed(&error))?;
    Ok(Some((file, length)))
}

fn cut(visit: &Visit<'_>, error: &MultipartError) -> Refused {
    let message = "The form broke off; send it once more.";
    visit.problem(error.status(), "Not taken", message)
}
