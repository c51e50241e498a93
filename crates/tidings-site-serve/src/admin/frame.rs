//! What all pages of the administration have in common.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::http::StatusCode;
use tidings_http::form::Form;
use tidings_http::secret::MaskedToken;
use tidings_site::{EditError, Editor};

use crate::page::HTML;
use crate::site_request::Asked;
use crate::site_response::{Answer, form_refused, go, text, with};
use crate::state::SharedSite;

/// An answer in the place of the one that was wanted.
pub(super) type Refused = Box<Answer>;
pub(super) type Result = std::result::Result<Answer, Refused>;

/// A request of somebody who may administer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Visit<'a> {
    pub(super) state: &'a SharedSite,
    pub(super) asked: &'a Asked,
}

/// What every page has around it.
#[derive(Debug)]
pub(super) struct Frame {
    /// The path of the administration, with slashes at both ends: all links begin with it.
    pub(super) root: String,
    pub(super) title: String,
    /// Which place of the navigation this is, or is below.
    place: &'static str,
    pub(super) user: String,
    /// What forms carry.
    pub(super) guard: MaskedToken,
    /// What was just done.
    pub(super) said: Option<&'static str>,
}

impl Frame {
    pub(super) fn is(&self, place: &str) -> bool {
        self.place == place
    }

    pub(super) fn css(&self) -> &str {
        &super::CSS_VERSION
    }
}

/// What can be said at the top of a page after something was done, by the word in its URL: nobody can
/// make a page say anything else.
const SAID: [(&str, &str); 14] = [
    ("created", "The page is there."),
    ("saved", "Saved."),
    (
        "deleted",
        "It is gone from the site. It is kept in state/tidings/removed of the content root.",
    ),
    ("restored", "The past version is the current one again, as a new version."),
    ("uploaded", "Uploaded."),
    ("replaced", "The file is replaced."),
    ("tags", "The tags are saved, and hold from now on."),
    ("roles", "The roles are saved."),
    ("user-added", "The account is made."),
    ("user-changed", "The account is changed; it holds from now on."),
    ("user-password", "The password is set, and all sessions of that account are ended."),
    ("user-removed", "The account is gone, with its sessions."),
    ("password", "Your password is changed, and all your other sessions are ended."),
    ("nothing", "There was nothing to change."),
];

#[derive(Template)]
#[template(path = "admin/problem.html")]
struct Problem<'a> {
    f: Frame,
    message: &'a str,
}

impl Visit<'_> {
    /// Where the administration is, with slashes at both ends.
    pub(super) fn root(&self) -> String {
        format!("/{}/", self.state.cache.reserved().admin())
    }

    /// Who asks.
    pub(super) fn user(&self) -> &str {
        self.asked.account.as_ref().map_or("", |account| &account.name)
    }

    pub(super) fn frame(&self, place: &'static str, title: impl Into<String>) -> Frame {
        let word = self.asked.queried("said").unwrap_or_default();
        let said = SAID.iter().find(|(known, _)| *known == word).map(|(_, text)| *text);
        Frame {
            root: self.root(),
            title: title.into(),
            place,
            user: self.user().to_owned(),
            guard: MaskedToken::new(self.asked.token.as_deref().unwrap_or_default()),
            said: said.filter(|_| self.asked.is_read()),
        }
    }

    /// A page as an answer.
    #[expect(clippy::unused_self, reason = "what makes a page has its visit at hand")]
    pub(super) fn show(&self, status: StatusCode, page: &impl Template) -> Answer {
        match page.render() {
            Ok(html) => with(status, HTML, html),
            Err(error) => *failed(&error),
        }
    }

    /// Sends the browser to another page of the administration.
    pub(super) fn go(&self, to: &str) -> Answer {
        go(StatusCode::SEE_OTHER, &format!("{}{to}", self.root()))
    }

    /// A page that says what is wrong.
    pub(super) fn problem(&self, status: StatusCode, title: &str, message: &str) -> Refused {
        let f = self.frame("", title);
        Box::new(self.show(status, &Problem { f, message }))
    }

    /// There is no such thing.
    pub(super) fn missing(&self, message: &str) -> Refused {
        self.problem(StatusCode::NOT_FOUND, "Nothing is here", message)
    }

    /// What could not be changed or read to be changed.
    pub(super) fn edit_failed(&self, error: &EditError) -> Refused {
        let (status, title) = match error {
            EditError::Missing(_) => (StatusCode::NOT_FOUND, "Nothing is here"),
            EditError::Changed(_) => (StatusCode::CONFLICT, "Somebody else was faster"),
            EditError::Io { .. } => (StatusCode::INTERNAL_SERVER_ERROR, "It could not be done"),
            _ => (StatusCode::UNPROCESSABLE_ENTITY, "It could not be done"),
        };
        if status.is_server_error() {
            tracing::error!(%error, "the content could not be changed");
        }
        self.problem(status, title, &sentence(&error.to_string()))
    }

    /// The fields of a form of ours, of at most that many bytes.
    pub(super) async fn form(&self, body: Body, most: usize) -> std::result::Result<Form, Refused> {
        let form = self.asked.form_guard().read(&self.asked.headers, body, most).await;
        form.map_err(|error| Box::new(form_refused(error)))
    }

    pub(super) fn editor(&self) -> Editor {
        Editor::of_served(&self.state.cache)
    }

    /// Does what waits for the disk where nobody else waits for it.
    pub(super) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&SharedSite) -> T + Send + 'static,
    ) -> std::result::Result<T, Refused> {
        let state = Arc::clone(self.state);
        tokio::task::spawn_blocking(move || work(&state)).await.map_err(|error| failed(&error))
    }

    /// The same for what changes the content: the books know of it before the answer is made.
    pub(super) async fn changing<T: Send + 'static>(
        &self,
        work: impl FnOnce(&SharedSite) -> T + Send + 'static,
    ) -> std::result::Result<T, Refused> {
        let changed = move |state: &SharedSite| {
            let done = work(state);
            state.cache.refresh();
            done
        };
        self.blocking(changed).await
    }
}

/// Something of ours went wrong.
pub(super) fn failed(error: &dyn std::fmt::Display) -> Refused {
    tracing::error!(%error, "the administration failed");
    Box::new(text(StatusCode::INTERNAL_SERVER_ERROR, "Something is wrong with this server.\n"))
}

/// A fragment with a capital letter and a full stop.
pub(crate) fn sentence(fragment: &str) -> String {
    let mut letters = fragment.chars();
    let mut text: String =
        letters.next().map(|one| one.to_uppercase().to_string()).unwrap_or_default();
    text.push_str(letters.as_str());
    if !text.ends_with(['.', '!', '?']) {
        text.push('.');
    }
    text
}
