//! What every page has around it.

use std::sync::LazyLock;

use askama::Template;
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use tidings_http::secret::{MaskedToken, hash};
use tidings_store::Role;

use crate::access::is_trusted;
use crate::api::Problem;
use crate::options::Access;
use crate::state::State;
use crate::visitor::{Visitor, Who};

pub(crate) const CSS: &str = include_str!("assets/tidings.css");
pub(crate) const SCRIPT: &str = include_str!("assets/tidings.js");
pub(crate) const READER_CSS: &str = include_str!("assets/reader.css");
pub(crate) const READER_SCRIPT: &str = include_str!("assets/reader.js");
pub(crate) const MARK: &str = include_str!("assets/mark.svg");

/// What names the assets of this build: they may be kept for as long as anybody likes.
pub(crate) static ASSETS: LazyLock<String> = LazyLock::new(|| {
    let digest = hash(&[CSS, SCRIPT, READER_CSS, READER_SCRIPT, MARK].concat());
    tidings_base::to_hex(&digest[..6])
});

/// What every page has around it, and may show.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    /// The path of the base URL, with slashes at both ends: all links begin with it.
    pub(crate) root: String,
    pub(crate) title: String,
    /// Which of the places in the navigation this is, or is below.
    pub(crate) place: &'static str,
    /// The name of whoever is signed in.
    pub(crate) user: Option<String>,
    pub(crate) can_edit: bool,
    pub(crate) is_admin: bool,
    /// May make us fetch something to look at it: check, explore, robots.
    pub(crate) can_fetch: bool,
    /// Somebody on this machine, which has no accounts yet: they can make the first.
    pub(crate) can_set_up: bool,
    pub(crate) has_accounts: bool,
    pub(crate) guard: MaskedToken,
    pub(crate) theme: &'static str,
    pub(crate) keys: bool,
    /// What was just done.
    pub(crate) said: Option<&'static str>,
    /// Where to come back to.
    pub(crate) at: String,
    /// Not for search engines.
    pub(crate) is_hidden: bool,
    /// The sample, for whoever may follow what only this machine can reach.
    pub(crate) sample: Option<String>,
    /// Without the script, the page is loaded again after so many seconds.
    pub(crate) again: Option<u32>,
}

impl Frame {
    pub(crate) fn new(
        state: &State,
        visitor: &Visitor,
        place: &'static str,
        title: impl Into<String>,
    ) -> Self {
        let role = visitor.role();
        let user = match &visitor.who {
            Who::User(session) => Some(session.user.name.clone()),
            Who::Nobody | Who::Local | Who::Program(_) => None,
        };
        Self {
            root: state.root.clone(),
            title: title.into(),
            place,
            user,
            can_edit: role.is_some_and(|role| role >= Role::Editor),
            is_admin: role.is_some_and(|role| role >= Role::Admin),
            can_fetch: visitor.may_fetch(state),
            can_set_up: visitor.is_here && !visitor.has_accounts,
            has_accounts: visitor.has_accounts,
            guard: MaskedToken::new(&visitor.guard),
            theme: visitor.look.theme.name(),
            keys: visitor.look.keys,
            said: said(&visitor.at),
            at: unsaid(&visitor.at),
            is_hidden: state.options.access == Access::Private
                || matches!(place, "" | "account" | "add"),
            sample: is_trusted(visitor).then(|| format!("{}sample/", state.base)),
            again: None,
        }
    }

    /// The mark of this build's assets.
    pub(crate) fn assets(&self) -> &str {
        &ASSETS
    }

    /// For the navigation.
    pub(crate) fn is(&self, place: &str) -> bool {
        self.place == place
    }
}

/// What can be said at the top of a page after something was done, by the word in its URL: nobody can
/// make a page say anything else.
const SAID: [(&str, &str); 27] = [
    ("search-saved", "The search is saved, and has a feed."),
    ("search-removed", "The search and its feed are removed."),
    ("left-out", "The site is left out of your feed."),
    ("put-back", "The site is in your feed again."),
    ("followed", "The site is followed from now on."),
    ("known", "This site is followed already."),
    ("polling", "The site is being looked at."),
    ("paused", "Paused: the site is not polled until you go on."),
    ("going-on", "The site is polled again from now on."),
    ("saved", "Saved."),
    ("removed", "The site, its feeds and all that was known of it are gone."),
    ("muted", "The collections are as you ticked them."),
    ("all-read", "All posts are marked as read."),
    ("unread", "The post is marked as not read."),
    ("retrying", "The post is fetched again in a moment."),
    ("signed-in", "You are signed in."),
    ("signed-out", "You are signed out."),
    ("password", "The password is changed, and all other sessions are ended."),
    ("sessions", "All other sessions are ended."),
    ("token-removed", "The token is taken back: whoever uses it is not let in any more."),
    ("user-added", "The account is made."),
    ("user-changed", "The account is changed."),
    ("user-removed", "The account is gone, and its sessions are ended."),
    ("welcome", "Your account is made, and you are signed in."),
    ("copy-forgotten", "The copy is not listed any more. Its folder is as it was."),
    ("look", "Saved in this browser."),
    ("all-muted", "At least one collection has to be followed; to follow none, remove the site."),
];

/// Whether it is said of something that goes on, and is over at some time.
pub(crate) fn is_passing(said: &str) -> bool {
    SAID.iter().any(|(word, text)| *text == said && *word == "polling")
}

/// An address of ours without what is said there.
fn unsaid(at: &str) -> String {
    let Some((path, query)) = at.split_once('?') else { return at.to_owned() };
    let kept: Vec<&str> = query.split('&').filter(|pair| !pair.starts_with("said=")).collect();
    if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) }
}

fn said(at: &str) -> Option<&'static str> {
    let query = at.split_once('?')?.1;
    let word = query.split('&').find_map(|pair| pair.strip_prefix("said="))?;
    SAID.iter().find(|(known, _)| *known == word).map(|(_, text)| *text)
}

/// A page as an answer.
pub(crate) fn show(page: &impl Template) -> Result<Response<Body>, Problem> {
    let html = page.render().map_err(Problem::ours)?;
    let headers =
        [(CONTENT_TYPE, "text/html; charset=utf-8"), (CACHE_CONTROL, "no-cache, private")];
    Ok((headers, html).into_response())
}

/// The same with another status.
pub(crate) fn show_as(status: StatusCode, page: &impl Template) -> Result<Response<Body>, Problem> {
    let mut response = show(page)?;
    *response.status_mut() = status;
    Ok(response)
}

/// Sends the browser to a page of ours, by GET: a path below the root, without its slash.
pub(crate) fn go(state: &State, path: &str) -> Response<Body> {
    let to = format!("{}{path}", state.root);
    (StatusCode::SEE_OTHER, [(axum::http::header::LOCATION, to)]).into_response()
}

/// Something that went wrong, as a page.
#[derive(Template)]
#[template(path = "problem.html")]
pub(crate) struct ProblemPage {
    pub(crate) f: Frame,
    pub(crate) status: u16,
    pub(crate) heading: &'static str,
    pub(crate) message: String,
}

/// What a status is called on a page.
pub(crate) fn heading(status: StatusCode) -> &'static str {
    match status.as_u16() {
        400 => "That could not be read",
        401 => "Sign in first",
        403 => "Not allowed",
        404 => "Nothing is here",
        409 => "That cannot be done now",
        413 => "That is too large",
        422 => "That could not be done",
        429 => "That was too often",
        500.. => "Something is wrong with this server",
        _ => "That could not be done",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_words_are_said() {
        assert_eq!(said("/sites/x?said=saved"), Some("Saved."));
        assert_eq!(said("/sites/x?a=b&said=%3Cscript%3E"), None);
        assert_eq!(said("/"), None);
        assert_eq!(unsaid("/?said=saved"), "/");
        assert_eq!(unsaid("/search?text=a&said=saved&kind=b"), "/search?text=a&kind=b");
    }
}
