//! Looks after posts that were read: do they still say what they said?

use tidings_store::{FetchedPost, Millis, PostToCheck, PostValidators, Site, Store};
use tidings_web::{Head, Url};
use tidings_webfeed::Post;

use super::patience::Patience;
use super::posts::{page, read_post, taken_apart};
use crate::PollError;
use crate::fetch::Fetch;

/// How many posts are looked after in a poll.
const MAX_CHECKS: u32 = 10;
/// How many if the index was edited and lists what it listed: that may be to tell of a correction.
const MAX_CHECKS_AFTER_EDIT: u32 = 60;
/// How long a post is not looked after again.
const CHECK_INTERVAL: Millis = 60 * 60 * 1000;

/// What was found out.
#[derive(Default)]
pub(super) struct Corrections {
    /// Posts that are as they were.
    pub(super) unchanged: Vec<(i64, PostValidators)>,
    /// Posts that were fetched again.
    pub(super) fetched: Vec<FetchedPost>,
    /// The style sheets that they name.
    pub(super) sheets: Vec<Url>,
}

/// Asks for the length and the validator of the posts whose turn it is, and fetches those that changed.
pub(super) async fn look_after(
    store: &Store,
    fetch: &Fetch<'_>,
    site: &Site,
    is_edited: bool,
    patience: &mut Patience,
    now: Millis,
) -> Result<Corrections, PollError> {
    let (since, most) =
        if is_edited { (now, MAX_CHECKS_AFTER_EDIT) } else { (now - CHECK_INTERVAL, MAX_CHECKS) };
    let mut corrections = Corrections::default();
    for post in store.posts_to_check(site.id, since, most).await? {
        let Ok(at) = Url::parse(&post.at) else { continue };
        if !patience.lasts(&at) {
            continue;
        }
        match fetch.head(&at).await {
            Ok(head) if is_same(&post.validators, &head) => {
                corrections.unchanged.push((post.id, said(&post.validators, &head)));
            }
            Ok(head) => corrections.fetch(store, fetch, &post, &at, &head, patience).await?,
            // It is shown as it was; whether it is gone, the index says.
            Err(error) => {
                patience.failed(&at, &error);
                corrections.unchanged.push((post.id, post.validators));
            }
        }
    }
    Ok(corrections)
}

impl Corrections {
    async fn fetch(
        &mut self,
        store: &Store,
        fetch: &Fetch<'_>,
        post: &PostToCheck,
        at: &Url,
        head: &Head,
        patience: &mut Patience,
    ) -> Result<(), PollError> {
        let known = said(&post.validators, head);
        let (whole, text) = match page(fetch, at).await {
            Ok(page) => page,
            Err(error) => {
                patience.failed(at, &error);
                self.unchanged.push((post.id, post.validators.clone()));
                return Ok(());
            }
        };
        let (new, text) = taken_apart(text, &whole.url).await;
        let before = store.post_text(post.id).await?;
        let before = before.map(|before| before.text).unwrap_or_default();
        let (old, _) = taken_apart(before, &whole.url).await;
        if shows_the_same(&old, &new) {
            self.unchanged.push((post.id, known));
            return Ok(());
        }
        // A page of an error is no correction.
        if new.sections.is_empty() && !old.sections.is_empty() {
            self.unchanged.push((post.id, post.validators.clone()));
            return Ok(());
        }
        self.sheets.extend(new.styles.iter().filter_map(super::posts::linked));
        let mut read = read_post(&new, &whole, text);
        (read.is_edited, read.validators) = (true, known);
        self.fetched.push(FetchedPost { url: post.url.clone(), result: Ok(read) });
        Ok(())
    }
}

/// Whether a server says the same of a post as before. One that says nothing says that it is another one.
fn is_same(known: &PostValidators, head: &Head) -> bool {
    let length = head.length.and_then(|length| i64::try_from(length).ok());
    let lengths = known.length.zip(length).map(|(one, other)| one == other);
    let tags = known.etag.as_deref().zip(head.validators.etag.as_deref());
    let tags = tags.map(|(one, other)| strong(one) == strong(other));
    !matches!((lengths, tags), (Some(false), _) | (_, Some(false)) | (None, None))
}

/// A tag without what a server adds where it compresses.
fn strong(tag: &str) -> String {
    tag.trim_start_matches("W/").replace("-gzip\"", "\"")
}

/// What a post is known by after this answer.
fn said(known: &PostValidators, head: &Head) -> PostValidators {
    let length = head.length.and_then(|length| i64::try_from(length).ok());
    PostValidators {
        etag: head.validators.etag.clone().or_else(|| known.etag.clone()),
        length: length.or(known.length),
    }
}

/// Whether two versions of a post look alike: what is in no section is not shown.
fn shows_the_same(old: &Post, new: &Post) -> bool {
    old.sections == new.sections
        && old.styles == new.styles
        && old.title == new.title
        && old.identity == new.identity
}

#[cfg(test)]
mod tests {
    use tidings_web::Validators;

    use super::*;

    #[test]
    fn a_length_or_a_tag_says_that_a_post_changed() {
        let known =
            |etag: Option<&str>, length| PostValidators { etag: etag.map(str::to_owned), length };
        let head = |etag: Option<&str>, length| Head {
            url: Url::parse("https://a.example/").unwrap(),
            length,
            validators: Validators { etag: etag.map(str::to_owned), last_modified: None },
            content_type: None,
        };
        for (before, now, same) in [
            (known(None, Some(3)), head(None, Some(3)), true),
            (known(None, Some(3)), head(None, Some(4)), false),
            (known(Some("\"a\""), Some(3)), head(Some("\"b\""), Some(3)), false),
            (known(Some("\"a\""), Some(3)), head(Some("W/\"a-gzip\""), None), true),
            (known(Some("\"a\""), Some(3)), head(None, Some(3)), true),
            (known(None, None), head(None, Some(3)), false),
            (known(None, Some(3)), head(None, None), false),
        ] {
            assert_eq!(is_same(&before, &now), same, "{before:?} {now:?}");
        }
    }
}
