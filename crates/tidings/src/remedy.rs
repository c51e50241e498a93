//! Adds to an error the options of the command line that help against it.

use std::error::Error;

use tidings_destination::SyncError;
use tidings_serve::ServerError;
use tidings_site_serve::SiteStartError;
use tidings_store::StoreError;
use tidings_syndication::FollowError;
use tidings_web::Remedies;
use tidings_webfeed::PublishError;

/// What errors of requests that the command line makes end with. Those of the servers end with nothing: their
/// visitors have no command line.
pub(crate) const REMEDIES: Remedies = Remedies {
    private_address: "; pass --allow-private if you mean it",
    robots: "; --no-robots fetches it all the same",
};

/// An error with its causes, and what to do about it, as one line.
pub(crate) fn text(error: &anyhow::Error) -> String {
    let remedy = error.chain().find_map(remedy).unwrap_or_default();
    format!("{error:#}{remedy}")
}

/// The end of the sentence that an error of a library begins.
fn remedy(cause: &(dyn Error + 'static)) -> Option<&'static str> {
    if let Some(SyncError::SeveralSets { .. }) = cause.downcast_ref() {
        return Some("; choose with --set NAME, or take --all");
    }
    if let Some(SyncError::OtherMapping { .. }) = cause.downcast_ref() {
        return Some("; leave --map out, or take another folder");
    }
    match cause.downcast_ref() {
        Some(StoreError::Missing { .. }) => return Some(", or check --data"),
        Some(StoreError::Exists { .. }) => return Some("; give --replace to replace it"),
        _ => {}
    }
    if let Some(FollowError::DoubtfulIndex(_)) = cause.downcast_ref() {
        return Some(": --webfeed");
    }
    if let Some(PublishError::Taken(_)) = cause.downcast_ref() {
        return Some("; give the post another name with --name");
    }
    let is_server = matches!(cause.downcast_ref(), Some(ServerError::Listen { .. }));
    let is_site = matches!(cause.downcast_ref(), Some(SiteStartError::Listen { .. }));
    (is_server || is_site).then_some(" --listen names another address")
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::net::SocketAddr;

    use super::*;

    #[test]
    fn each_error_names_the_option_that_helps() {
        let address = SocketAddr::from(([127, 0, 0, 1], 80));
        let error = || io::Error::from(io::ErrorKind::AddrInUse);
        let cases: [(anyhow::Error, &str); 8] = [
            (
                SyncError::SeveralSets { sets: vec!["a".into(), "b".into()] }.into(),
                "the Source has 2 sets: a, b; choose with --set NAME, or take --all",
            ),
            (
                SyncError::OtherMapping { path: "copy".into(), of: Vec::new() }.into(),
                "the copy in copy was made with no mapping rules; leave --map out, or take another folder",
            ),
            (
                StoreError::Missing { place: "state".into() }.into(),
                "there is no state in state: follow a site first, or check --data",
            ),
            (
                StoreError::Exists { place: "state".into() }.into(),
                "state cannot be used: there is state already; give --replace to replace it",
            ),
            (
                PublishError::Taken("post.html".into()).into(),
                "post.html is there already; give the post another name with --name",
            ),
            (
                FollowError::DoubtfulIndex("nothing was found".to_owned()).into(),
                "nothing was found\nif it is a webfeed all the same, follow it as one: --webfeed",
            ),
            (
                ServerError::Listen { address, error: error() }.into(),
                "is another server running? --listen names another address",
            ),
            (
                SiteStartError::Listen { address, error: error() }.into(),
                "is another server running? --listen names another address",
            ),
        ];
        for (error, shown) in cases {
            assert!(text(&error).ends_with(shown), "{}", text(&error));
            assert!(!format!("{error:#}").contains("--"), "{error:#}");
            assert!(text(&error.context("while working")).ends_with(shown));
        }
    }

    #[test]
    fn other_errors_stay_as_they_are() {
        let error = anyhow::anyhow!("one").context("two");
        assert_eq!(text(&error), "two: one");
    }
}
