//! What PostgreSQL complains about.

use std::error::Error as _;
use std::io;
use std::sync::Arc;

use tokio_postgres::Error;

use crate::StoreError;

/// Two transactions got in each other's way, and one had to yield.
pub(super) const CONFLICT: &str = "others changed the same rows at the same time";

/// What an error of the server, or of the connection to it, means.
pub(crate) fn problem(place: &Arc<str>) -> impl Fn(Error) -> StoreError {
    move |error| {
        let place = place.to_string();
        let detail = said(&error);
        let busy =
            |detail: &str| StoreError::Busy { place: place.clone(), detail: detail.to_owned() };
        let Some(code) = error.code() else {
            return if is_about_the_connection(&error) {
                StoreError::Unreachable { place, detail }
            } else {
                StoreError::Failed { place, detail }
            };
        };
        match code.code() {
            "40001" | "40P01" => busy(CONFLICT),
            "55P03" => busy("others kept rows locked for 10 seconds"),
            "57014" => busy("a statement took more than 30 seconds"),
            "53300" => busy("the server has no connection left"),
            "25006" => StoreError::ReadOnly { place },
            "53100" => StoreError::Full { place },
            "XX001" | "XX002" => StoreError::Damaged { place, detail },
            "3D000" | "42501" => StoreError::Refused { place, detail },
            code if code.starts_with("28") => StoreError::Refused { place, detail },
            code if code.starts_with("08") || code.starts_with("57P") => {
                StoreError::Unreachable { place, detail }
            }
            _ => StoreError::Failed { place, detail },
        }
    }
}

fn is_about_the_connection(error: &Error) -> bool {
    error.is_closed() || error.source().is_some_and(|source| source.is::<io::Error>())
}

/// All that it says: the library's errors say the cause only when they are asked for it.
fn said(error: &Error) -> String {
    if let Some(error) = error.as_db_error() {
        return error.message().to_owned();
    }
    let mut said = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        said = format!("{said}: {cause}");
        source = cause.source();
    }
    said
}
