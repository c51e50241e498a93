//! The beginning of an answer, for those who need no more of it.

use url::Url;

use crate::opening::opening_of_part;
use crate::{Client, FetchError, GetOptions, Phase};

/// The beginning of an answer.
#[derive(Debug)]
pub struct Glance {
    /// Where it was in the end.
    pub url: Url,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// The first bytes, with gzip undone; none if they were not wanted.
    pub bytes: Vec<u8>,
}

impl Client {
    /// Gets the first bytes of `url`, at the most so many, if what it is is wanted: `wanted` is asked with
    /// the `Content-Type`. What follows is never fetched.
    pub async fn glance(
        &self,
        url: &Url,
        options: &GetOptions,
        most: u64,
        wanted: impl Fn(Option<&str>) -> bool,
    ) -> Result<Glance, FetchError> {
        let limit = self.time_outs().whole;
        let look = async {
            let mut answer = self.open(url, options).await?;
            let (url, content_type) = (answer.url.clone(), answer.content_type());
            let mut bytes = Vec::new();
            if wanted(content_type.as_deref()) {
                while (bytes.len() as u64) < most
                    && let Some(piece) = answer.chunk().await?
                {
                    bytes.extend_from_slice(&piece);
                }
            }
            Ok(Glance { url, content_type, bytes: opening_of_part(&bytes, most) })
        };
        tokio::time::timeout(limit, look).await.unwrap_or_else(|_| {
            Err(FetchError::TimedOut { url: url.clone(), phase: Phase::Whole, limit })
        })
    }
}
