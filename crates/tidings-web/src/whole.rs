//! All of something small.

use http::StatusCode;
use url::Url;

use crate::opening::opening;
use crate::redirect::Trail;
use crate::{Client, FetchError, GetOptions, Phase, Validators};

/// All of something that is not too large to be held in memory.
#[derive(Debug)]
pub struct Whole {
    /// Where it was in the end.
    pub url: Url,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// By what it can be known again.
    pub validators: Validators,
    /// How many bytes came over the wire.
    pub length: u64,
    /// Its bytes, with gzip undone.
    pub bytes: Vec<u8>,
}

impl Client {
    /// Gets all of `url` if that is not more than so many bytes, as they come and with gzip undone; none
    /// if the request was conditional, and it is unchanged. A larger one is not fetched to its end.
    pub async fn whole(
        &self,
        url: &Url,
        options: &GetOptions,
        most: u64,
    ) -> Result<Option<Whole>, FetchError> {
        let limit = self.time_outs().whole;
        let get = async {
            let mut answer = self.open(url, options).await?;
            if answer.status == StatusCode::NOT_MODIFIED {
                return Ok(None);
            }
            let too_large = |url: &Url| FetchError::TooLarge { url: url.clone(), limit: most };
            if answer.content_length().is_some_and(|length| length > most) {
                return Err(too_large(&answer.url));
            }
            let mut sent = Vec::new();
            while let Some(piece) = answer.chunk().await? {
                if (sent.len() + piece.len()) as u64 > most {
                    return Err(too_large(&answer.url));
                }
                sent.extend_from_slice(&piece);
            }
            let length = sent.len() as u64;
            let bytes = if sent.starts_with(b"\x1f\x8b") {
                // One byte more says that there are more.
                let undone = opening(&sent[..], most.saturating_add(1));
                undone.map_err(|error| FetchError::Io { url: answer.url.clone(), error })?
            } else {
                sent
            };
            if bytes.len() as u64 > most {
                return Err(too_large(&answer.url));
            }
            let (content_type, validators) = (answer.content_type(), answer.validators());
            Ok(Some(Whole { url: answer.url, content_type, validators, length, bytes }))
        };
        tokio::time::timeout(limit, get).await.unwrap_or_else(|_| {
            // Without credentials that may be in it.
            let url = Trail::start(url, 0).into_parts().0;
            Err(FetchError::TimedOut { url, phase: Phase::Whole, limit })
        })
    }
}
