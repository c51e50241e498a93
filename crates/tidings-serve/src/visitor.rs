//! Who looks at a page.

use std::net::IpAddr;

use axum::http::{HeaderMap, Method, Uri};
use tidings_http::authenticator::Browser;
use tidings_http::secret::hash;
use tidings_store::{Millis, Role, Scope, UserSession};

use crate::access::{is_expected, is_here, token};
use crate::api::Problem;
use crate::cookie_names::{LOOK, SESSION_COOKIES, VISIT};
use crate::options::Access;
use crate::state::State;

/// Who somebody is.
#[derive(Debug, Clone)]
pub(crate) enum Who {
    /// Not known.
    Nobody,
    /// On this machine, which has no accounts yet: it is theirs.
    Local,
    /// A program, or a feed reader, with a token: it may look, and sends no forms.
    Program(Scope),
    /// Signed in.
    User(Box<UserSession>),
}

/// How a person wants pages to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) theme: Theme,
    /// Whether keys do something.
    pub(crate) keys: bool,
}

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Theme {
    System,
    Light,
    Dark,
}

impl Theme {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub(crate) fn by_name(name: &str) -> Self {
        match name {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::System,
        }
    }
}

impl Look {
    fn read(text: Option<&str>) -> Self {
        let (theme, keys) = text.and_then(|text| text.split_once('.')).unwrap_or(("system", "on"));
        Self { theme: Theme::by_name(theme), keys: keys != "off" }
    }

    pub(crate) fn write(self) -> String {
        format!("{}.{}", self.theme.name(), if self.keys { "on" } else { "off" })
    }
}

/// Who looks at a page, and with what.
#[derive(Debug, Clone)]
pub(crate) struct Visitor {
    pub(crate) who: Who,
    /// The digest of the session, if there is one.
    pub(crate) session: Option<[u8; 32]>,
    /// What each form has to carry.
    pub(crate) guard: String,
    pub(crate) look: Look,
    /// What changed after this is new to them.
    pub(crate) visited: Option<Millis>,
    pub(crate) has_accounts: bool,
    /// True if they are at this machine.
    pub(crate) is_here: bool,
    /// Where they come from.
    pub(crate) address: IpAddr,
    /// Path and query, to come back to.
    pub(crate) at: String,
    /// What the browser is to keep from now on.
    pub(crate) cookies: Vec<String>,
}

/// How long somebody without an account may pause until the next visit begins.
const PAUSE: Millis = 30 * 60 * 1000;
/// For how long a browser keeps how pages should look, in seconds.
pub(crate) const A_YEAR: i64 = 365 * 24 * 60 * 60;

impl Visitor {
    /// Finds out who it is.
    pub(crate) async fn of(
        state: &State,
        headers: &HeaderMap,
        method: &Method,
        uri: &Uri,
        address: IpAddr,
    ) -> Result<Self, Problem> {
        let jar = state.jar;
        let has_accounts = state.has_accounts().await?;
        let look = Look::read(jar.read(headers, LOOK).as_deref());
        // What a form was sent to is nowhere to come back to.
        let is_read = matches!(*method, Method::GET | Method::HEAD);
        let at = uri.path_and_query().filter(|_| is_read).map_or("/", |at| at.as_str()).to_owned();
        let mut visitor = Self {
            who: Who::Nobody,
            session: None,
            guard: String::new(),
            look,
            visited: None,
            has_accounts,
            is_here: is_here(state, headers),
            address,
            at,
            cookies: Vec::new(),
        };
        if let Some(open) = state.authenticator.session(jar, headers).await? {
            visitor.guard = open.token;
            visitor.session = Some(open.digest);
            visitor.visited = open.session.visited;
            visitor.who = Who::User(Box::new(open.session));
            return Ok(visitor);
        }
        if let Some(token) = token(headers) {
            let known = state.store.token(hash(&token)).await?;
            let known = known.ok_or_else(|| Problem::unauthorized("this token is not known"))?;
            visitor.who = Who::Program(known.scope);
        } else if !has_accounts && !state.options.always_token && visitor.is_here {
            visitor.who = Who::Local;
            visitor.visited = visitor.remember(state, headers, method);
        }
        visitor.guard = match SESSION_COOKIES.form_token(jar, headers) {
            Some(token) => token,
            None => {
                let new = SESSION_COOKIES.new_form_token(jar).map_err(Problem::ours)?;
                visitor.cookies.push(new.cookie);
                new.token
            }
        };
        Ok(visitor)
    }

    /// Their browser, as far as signing in is concerned.
    pub(crate) fn browser<'a>(&self, state: &State, headers: &'a HeaderMap) -> Browser<'a> {
        Browser { jar: state.jar, headers, address: self.address, session: self.session }
    }

    /// When somebody without an account was here last: the browser keeps it, as `last.before`.
    fn remember(&mut self, state: &State, headers: &HeaderMap, method: &Method) -> Option<Millis> {
        let kept = state.jar.read(headers, VISIT).unwrap_or_default();
        let (last, before) = kept.split_once('.').unwrap_or_default();
        let (last, before) = (last.parse::<Millis>().ok(), before.parse::<Millis>().ok());
        let now = jiff::Timestamp::now().as_millisecond();
        let before =
            if last.is_some_and(|last| now.saturating_sub(last) > PAUSE) { last } else { before };
        if *method == Method::GET && last.is_none_or(|last| now.saturating_sub(last) > 60_000) {
            let kept = format!("{now}.{}", before.map_or(String::new(), |it| it.to_string()));
            self.cookies.push(state.jar.set(VISIT, &kept, Some(A_YEAR)));
        }
        before
    }

    /// What they may do; nothing if they may not even look.
    pub(crate) fn role(&self) -> Option<Role> {
        match &self.who {
            Who::Nobody => None,
            Who::Program(_) => Some(Role::Reader),
            Who::Local => Some(Role::Admin),
            Who::User(session) => Some(session.user.role),
        }
    }

    /// Lets those go on who may do that.
    pub(crate) fn must(&self, wanted: Role) -> Result<(), Problem> {
        match self.role() {
            Some(role) if role >= wanted => Ok(()),
            Some(_) => Err(Problem::forbidden(match wanted {
                Role::Admin => "only an admin may do that",
                _ => "your account lets you read, and no more: an admin can make you an editor",
            })),
            None => Err(Problem::unauthorized("sign in to do that")),
        }
    }

    /// Whether they may make us fetch something to look at it.
    pub(crate) fn may_fetch(&self, state: &State) -> bool {
        match &self.who {
            // As with the API: a token to read is for reading.
            Who::Program(scope) => *scope >= Scope::Write,
            Who::Nobody => state.options.open_tools,
            Who::Local | Who::User(_) => true,
        }
    }

    /// Lets those look who may.
    pub(crate) fn may_look(&self, state: &State, headers: &HeaderMap) -> Result<(), Problem> {
        if state.is_local && !state.is_proxied && !is_expected(headers) {
            return Err(Problem::forbidden("the Host of the request is not this server's"));
        }
        match (state.options.access, self.role()) {
            (Access::Private, None) => Err(Problem::unauthorized("sign in to look at this")),
            _ => Ok(()),
        }
    }

    /// What they are called in the log of who did what.
    pub(crate) fn name(&self) -> &str {
        match &self.who {
            Who::Nobody => "(nobody)",
            Who::Program(_) => "(a token)",
            Who::Local => "(this machine)",
            Who::User(session) => &session.user.name,
        }
    }
}
