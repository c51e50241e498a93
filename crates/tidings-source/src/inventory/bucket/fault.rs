//! Why a store did not give what was asked of it, and what helps.

use std::error::Error;

use super::store::Kind;

/// How much of an answer is quoted, in characters.
const MOST_QUOTED: usize = 300;

/// A reason and a remedy.
#[derive(Debug, thiserror::Error)]
#[error("{reason}; {remedy}")]
pub(super) struct Fault {
    reason: String,
    remedy: &'static str,
}

/// What helps: whose store, what one of the words in its error is, the remedy. The first that fits.
const REMEDIES: &[(&[Kind], &[&str], &str)] = &[
    (&[Kind::Folder], &[""], "check the folder and who may read it"),
    (
        &[Kind::S3],
        &["NoSuchBucket"],
        "check the name of the bucket, AWS_REGION and AWS_ENDPOINT_URL",
    ),
    (
        &[Kind::Google, Kind::Azure],
        &["NoSuchBucket", "ContainerNotFound"],
        "check the name, and the account that the credentials are of",
    ),
    (
        &[Kind::S3],
        &["PermanentRedirect", "AuthorizationHeaderMalformed", "301 Moved"],
        "set AWS_REGION to the region of the bucket",
    ),
    // Without credentials, the client asks the machine that it could be running on.
    (
        &[Kind::S3],
        &["169.254.", "Missing AccessKeyId", "Missing SecretAccessKey"],
        "there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (profiles are not \
         read), or AWS_SKIP_SIGNATURE=true if all may read the bucket",
    ),
    (
        &[Kind::Google],
        &["169.254.", "metadata"],
        "there are no credentials: set GOOGLE_APPLICATION_CREDENTIALS, or GOOGLE_SKIP_SIGNATURE=true \
         if all may read the bucket",
    ),
    (
        &[Kind::Azure],
        &["169.254.", "Account must be specified"],
        "set AZURE_STORAGE_ACCOUNT_NAME, and AZURE_STORAGE_ACCOUNT_KEY, or AZURE_SKIP_SIGNATURE=true \
         if all may read the container",
    ),
    (
        &[Kind::S3],
        &["URL scheme is not allowed"],
        "if the endpoint really has no TLS, set AWS_ALLOW_HTTP=true",
    ),
    (
        &[Kind::S3, Kind::Google, Kind::Azure],
        &["InvalidAccessKeyId", "SignatureDoesNotMatch", "401 Unauthorized"],
        "check the credentials in the environment",
    ),
    (
        &[Kind::S3, Kind::Google, Kind::Azure],
        &["AccessDenied", "403 Forbidden", "AuthorizationFailure"],
        "the credentials need the right to list the bucket, and to read if digests are made of it",
    ),
];

/// What an error of the client means.
pub(super) fn of(kind: Kind, error: &object_store::Error) -> Fault {
    // Not every error says what its causes say.
    let text = format!("{error}: {}", innermost(error));
    let fits = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let remedy = REMEDIES
        .iter()
        .find(|(kinds, words, _)| kinds.contains(&kind) && fits(words))
        .map_or("try again; if that does not help, check the endpoint and the network", |it| it.2);
    Fault { reason: reason(error), remedy }
}

/// What went wrong in few words: the code and message of the store's answer, or the last cause.
fn reason(error: &object_store::Error) -> String {
    let text = error.to_string();
    let said = match (element(&text, "Code"), element(&text, "Message")) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        (Some(code), None) => code.to_owned(),
        _ => innermost(error).to_string(),
    };
    match said.char_indices().nth(MOST_QUOTED) {
        None => said,
        Some((end, _)) => format!("{}…", &said[..end]),
    }
}

fn element<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    Some(rest.split_once(&format!("</{name}>"))?.0)
}

fn innermost<'e>(error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(kind: Kind, text: &str) -> String {
        of(kind, &object_store::Error::Generic { store: "S3", source: text.into() }).to_string()
    }

    #[test]
    fn the_answer_of_a_store_is_told_in_few_words() {
        let answer = "404 Not Found: <Error><Code>NoSuchBucket</Code><Message>No bucket</Message>";
        assert_eq!(
            said(Kind::S3, answer),
            "NoSuchBucket: No bucket; check the name of the bucket, AWS_REGION and AWS_ENDPOINT_URL"
        );
        assert!(said(Kind::S3, "GET http://169.254.169.254/").contains("AWS_SKIP_SIGNATURE"));
        assert!(said(Kind::Google, "metadata.google.internal").contains("GOOGLE_APPLICATION"));
        assert!(said(Kind::S3, &"x".repeat(999)).chars().count() < 400);
    }
}
