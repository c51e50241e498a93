//! Check of a part of a webfeed: its index, or a post.

use tidings_base::text::counted;
use tidings_document::{Findings, Report};
use tidings_web::{Client, FetchError, GetOptions, Url};
use tidings_webfeed::Index;
use tidings_webfeed::check::{self, Served};

use super::check_error::CheckError;
use super::checked::{Checked, Choice};
use crate::jobs::Teller;

/// How many bytes of either are looked at: more than any reader takes.
pub(super) const MOST_BYTES: u64 = 16 << 20;

/// What is at an address, checked together with what its server says of it.
pub(super) async fn fetched(
    client: Client,
    url: Url,
    get: GetOptions,
    choice: Choice,
    teller: Teller,
) -> Result<Checked, CheckError> {
    // As it is polled: the length of an index is that of its file, and not of what gzip makes of it.
    let get = GetOptions { identity: true, ..get };
    teller.say(format!("Getting {url}"));
    let got = client.whole(&url, &get, MOST_BYTES).await?;
    let whole = got.ok_or_else(|| CheckError::NotSent(url.clone()))?;
    let served = match check::is_post(url.path(), whole.content_type.as_deref(), &whole.bytes) {
        true => None,
        false => {
            teller.say(format!("Asking for the length of {url}"));
            let head = client.head(&url, &get).await;
            Some(Served {
                content_type: whole.content_type.clone(),
                head_length: head.as_ref().ok().and_then(|head| head.length),
                head_trouble: head.err().map(|error| match error {
                    FetchError::Status { status, .. } => format!("answered with {status}"),
                    error => format!("not answered: {error}"),
                }),
                length: whole.length,
            })
        }
    };
    teller.say(format!("Checking {url}"));
    let (name, bytes) = (String::from(url), whole.bytes);
    let (at, content_type) = (whole.url, whole.content_type);
    let checking = move || match served {
        Some(served) => index(name, choice, &bytes, check::index(&bytes, &at, Some(&served))),
        None => post(name, choice, &bytes, Some(content_type.as_deref()), &at),
    };
    tokio::task::spawn_blocking(checking).await.map_err(|_| CheckError::Broken)
}

/// A file that somebody sent.
pub(super) fn sent(name: String, choice: Choice, bytes: &[u8]) -> Result<Checked, CheckError> {
    if bytes.len() as u64 > MOST_BYTES {
        return Err(CheckError::TooLarge { mib: MOST_BYTES >> 20 });
    }
    // What is relative in it leads somewhere on the same host, wherever that is.
    let at = Url::parse("https://webfeed.invalid/index.txt").map_err(|_| CheckError::Broken)?;
    if check::is_post(&name, None, bytes) {
        return Ok(post(name, choice, bytes, None, &at));
    }
    let (findings, found, _) = check::index_file(bytes, &at);
    Ok(index(name, choice, bytes, (findings, found)))
}

fn index(
    name: String,
    choice: Choice,
    bytes: &[u8],
    (findings, index): (Findings, Option<Index>),
) -> Checked {
    let posts = |count: usize| counted(count as u64, "post", "posts");
    let what =
        index.map(|it| format!("Index of a webfeed, {}", posts(it.lines.len() + it.left_out)));
    Checked::of(name, choice, what, report(bytes, findings))
}

/// With the type that a server said it was of, if it came from one.
fn post(
    name: String,
    choice: Choice,
    bytes: &[u8],
    content_type: Option<Option<&str>>,
    at: &Url,
) -> Checked {
    let (mut findings, post) = check::post(bytes, content_type.flatten(), at);
    content_type.and_then(check::not_a_page).into_iter().for_each(|found| findings.push(found));
    let sections = counted((post.sections.len() + post.left_out) as u64, "section", "sections");
    Checked::of(
        name,
        choice,
        Some(format!("Post of a webfeed, {sections}")),
        report(bytes, findings),
    )
}

fn report(bytes: &[u8], findings: Findings) -> Report {
    Report { head: None, entries: 0, bytes: bytes.len() as u64, complete: true, findings }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::checked::View;

    fn view(name: &str, bytes: &[u8]) -> View {
        let checked = sent(name.to_owned(), Choice::of("", "webfeed"), bytes).unwrap();
        View::of(&checked, None, "")
    }

    #[test]
    fn an_index_and_a_post_are_told_apart() {
        let index = view("index.txt", b"# mine\npost-1\npost-2\n");
        assert_eq!(index.summary, "Index of a webfeed, 2 posts, 21 bytes, read to its end");
        assert!(index.is_clean);
        let post = view("post-1", b"\xef\xbb\xbf <!DOCTYPE html><section>One</section>");
        assert!(post.summary.starts_with("Post of a webfeed, 1 section, "), "{}", post.summary);
        let page = view("index.txt", b"<!DOCTYPE html><h1>404</h1>");
        assert!(page.summary.starts_with("not a document that can be read"), "{}", page.summary);
        assert_eq!(page.groups[0].rules[0].id, "WF-index-html");
        let late = view("post.HTML", b"Hello <section>One</section>");
        assert!(late.summary.starts_with("Post of a webfeed, 1 section, "), "{}", late.summary);
        // Where it will be served is not known.
        let root = view("index.txt", b"/post-1\n");
        assert_eq!(root.groups[0].rules[0].id, "WF-index-root");
    }

    #[test]
    fn what_is_too_large_is_not_looked_at() {
        let large = vec![b'a'; usize::try_from(MOST_BYTES).unwrap() + 1];
        let refused = sent("a".to_owned(), Choice::of("", "webfeed"), &large).unwrap_err();
        assert_eq!(refused.to_string(), "the file is larger than 16 MiB");
    }
}
