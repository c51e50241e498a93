//! A file to be checked: taken in piece by piece, and never further than it may go.

use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, Write as _};
use std::time::Duration;

use axum::body::Body;
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Multipart, Path, Query, Request, State};
use axum::http::header::CONTENT_LENGTH;
use axum::http::{Response, StatusCode};
use serde::Deserialize;
use tidings_base::text::visible_on_page;
use tidings_document::{CheckOptions, check};

use super::asked::Asked;
use super::check::{Page, shown};
use super::check_error::CheckError;
use super::checked::{Against, Checked, Choice};
use super::{MOST_BYTES, check_webfeed, settle};
use crate::api::Problem;
use crate::frame::go;
use crate::parts::short;
use crate::state::Shared;

/// How many bytes the whole form may have.
pub(super) const MOST_FORM: u64 = MOST_BYTES + (64 << 10);
/// How long a file may take to come in: others wait for its room.
const LONGEST: Duration = Duration::from_secs(3 * 60);
/// How many a field may have that is no file.
const MOST_FIELD: usize = 200;

/// What a form with a file carries.
struct Sent {
    file: File,
    name: String,
    choice: Choice,
}

pub(super) async fn take(
    State(state): State<Shared>,
    asked: Asked,
    request: Request,
) -> Result<Response<Body>, Problem> {
    let (parts, body) = request.into_parts();
    let guard = state.form_guard(&asked.visitor);
    guard.verify_origin(&parts.headers)?;
    let length = parts.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if length.and_then(|it| it.parse().ok()).is_some_and(|length: u64| length > MOST_FORM) {
        return Err(too_large());
    }
    asked.take(&state)?;
    let room = state.tools.uploads.try_acquire().map_err(|_| {
        let message = "too many files are coming in already: try again in a moment";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, message)
    })?;
    let limit = usize::try_from(MOST_FORM).unwrap_or(usize::MAX);
    let sent = tokio::time::timeout(LONGEST, async {
        read(guard.open_multipart(&parts.headers, body, limit).await?).await
    });
    let sent = sent.await;
    let slow = || Problem::new(StatusCode::REQUEST_TIMEOUT, "the file came in too slowly");
    let sent = sent.map_err(|_| slow())??;
    drop(room);
    let Some(Sent { file, name, choice }) = sent else {
        let f = asked.frame(&state, "check", "Check", true);
        let reason = "Choose a file that is not empty, or name an address.";
        return Page::refused(f, String::new(), Choice::of("", ""), reason);
    };
    let job = state.tools.checks.begin(format!("file {name}"), |teller| async move {
        teller.say(format!("Checking {name}"));
        tokio::task::spawn_blocking(move || checked(file, name, choice))
            .await
            .map_err(|_| CheckError::Broken)?
    })?;
    Ok(go(&state, &format!("check/{}", job.id)))
}

fn checked(file: File, name: String, choice: Choice) -> Result<Checked, CheckError> {
    match choice.against {
        Against::Sitemaps(profile) => {
            let options = CheckOptions { spec: choice.spec, profile, ..CheckOptions::default() };
            let report = check(BufReader::new(file), &options).map_err(CheckError::File)?;
            Ok(Checked::new(name, choice, report))
        }
        Against::Webfeeds => {
            let mut bytes = Vec::new();
            // One byte more says that there are more.
            file.take(check_webfeed::MOST_BYTES + 1)
                .read_to_end(&mut bytes)
                .map_err(CheckError::File)?;
            check_webfeed::sent(name, choice, &bytes)
        }
    }
}

/// The fields in their order, and the file, which comes last.
async fn read(mut form: Multipart) -> Result<Option<Sent>, Problem> {
    let (mut spec, mut profile) = (String::new(), String::new());
    while let Some(mut field) = form.next_field().await.map_err(broken)? {
        let name = field.name().unwrap_or_default().to_owned();
        match name.as_str() {
            "spec" => spec = text(&mut field).await?,
            "profile" => profile = text(&mut field).await?,
            "file" => {
                let name = short(&visible_on_page(field.file_name().unwrap_or_default()), 200);
                let file = spool(&mut field).await?;
                let name = if name.is_empty() { "the file".to_owned() } else { name };
                let choice = Choice::of(&spec, &profile);
                return Ok(file.map(|file| Sent { file, name, choice }));
            }
            _ => {}
        }
    }
    Ok(None)
}

/// The value of a field that is no file.
async fn text(field: &mut Field<'_>) -> Result<String, Problem> {
    let mut bytes = Vec::new();
    while let Some(piece) = field.chunk().await.map_err(broken)? {
        bytes.extend_from_slice(&piece);
        if bytes.len() > MOST_FIELD {
            return Err(Problem::bad("a field of the form is too long"));
        }
    }
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

/// The bytes of a file, in a file without a name that is gone when it is closed; none if there are none.
async fn spool(field: &mut Field<'_>) -> Result<Option<File>, Problem> {
    let mut file = tempfile::tempfile().map_err(Problem::ours)?;
    let mut length = 0;
    while let Some(piece) = field.chunk().await.map_err(broken)? {
        length += piece.len() as u64;
        if length > MOST_BYTES {
            return Err(too_large());
        }
        // No longer than a copy into the page cache: pieces are as large as a socket read.
        file.write_all(&piece).map_err(Problem::ours)?;
    }
    file.rewind().map_err(Problem::ours)?;
    Ok((length > 0).then_some(file))
}

fn too_large() -> Problem {
    let most = MOST_BYTES >> 20;
    let message =
        format!("the file is larger than {most} MiB; no document may have more than 50 MB");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, message)
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn broken(error: MultipartError) -> Problem {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        status => Problem::new(status, "the form broke off; send it once more"),
    }
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Wanted {
    #[serde(default)]
    severity: String,
}

pub(super) async fn page(
    State(state): State<Shared>,
    asked: Asked,
    Path(id): Path<String>,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Response<Body>, Problem> {
    let Query(wanted) = wanted?;
    let gone = "what was found is kept for a day at the most, and this is not known any more: send the file again";
    let job = state.tools.checks.get(&id).filter(|job| job.about.starts_with("file "));
    let job = job.ok_or_else(|| Problem::not_found(gone))?;
    settle(&job).await;
    let choice = match job.outcome() {
        Some(Ok(checked)) => checked.choice,
        _ => Choice::of("", ""),
    };
    let here = format!("check/{id}");
    shown(&state, &asked, &job, (String::new(), choice), here, &wanted.severity)
}
