//! Signing in and out, and changing one's password.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderMap;
use axum::http::header::USER_AGENT;
use tokio::sync::Semaphore;

use crate::account_store::{AccountStore, NewSession};
use crate::cookies::Jar;
use crate::limits::SignInLimits;
use crate::password::{PasswordError, hash_password, is_outdated, is_right, rehash};
use crate::secret::{guard_of, hash};
use crate::session_cookies::{SessionCookies, new_secret};

/// The time after which a session ends, used or not.
pub const SESSION_LIFETIME: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// The number of passwords that are hashed at once: each takes 19 MiB of memory, and a core.
const MAX_CONCURRENT_HASHES: usize = 2;
/// The number of characters that are kept of what a browser calls itself.
const MAX_BROWSER_CHARS: usize = 200;

/// The reason why somebody is not signed in, or a password not changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignInError<S: AccountStore> {
    /// There were too many attempts; the next is possible after this time.
    #[error("there were too many attempts; try again in {} s", .0.as_secs() + 1)]
    TooOften(Duration),
    /// The name or the password is wrong; the account, if the name is right.
    #[error("the name or the password is wrong")]
    Wrong(Option<S::Account>),
    /// The new password is not good enough.
    #[error("{0}")]
    Password(#[from] PasswordError),
    /// There is no randomness for a session.
    #[error("a session could not be made: {0}")]
    Random(std::io::Error),
    /// Accounts could not be read or changed.
    #[error("{0}")]
    Store(S::Error),
}

/// A browser that signs in, or whose user changes a password.
#[derive(Debug, Clone, Copy)]
pub struct Browser<'a> {
    /// Its cookies.
    pub jar: Jar,
    /// The headers of its request.
    pub headers: &'a HeaderMap,
    /// The address that it comes from.
    pub address: IpAddr,
    /// The digest of the session that it has.
    pub session: Option<[u8; 32]>,
}

/// A session that has not ended.
#[derive(Debug, Clone)]
pub struct OpenSession<T> {
    /// The digest of its secret.
    pub digest: [u8; 32],
    /// The CSRF token that its forms carry.
    pub token: String,
    /// The facts that the store has of it.
    pub session: T,
}

/// Somebody who has just signed in.
#[derive(Debug)]
pub struct SignedIn<T> {
    /// The account.
    pub account: T,
    /// The cookies that the browser is to keep or to forget.
    pub cookies: Vec<String>,
}

/// Lets people in who know a name and its password, over any [`AccountStore`].
///
/// Unknown names take as long as wrong passwords, attempts are limited by network and by name, a session gets a secret of
/// its own each time, and a hash that is weaker than those of today is replaced when its password is there.
#[derive(Debug)]
pub struct Authenticator<S> {
    store: S,
    cookies: SessionCookies,
    limits: SignInLimits,
    hashes: Arc<Semaphore>,
}

impl<S: AccountStore> Authenticator<S> {
    /// An authenticator for the accounts of a store.
    pub fn new(store: S, cookies: SessionCookies) -> Self {
        let hashes = Arc::new(Semaphore::new(MAX_CONCURRENT_HASHES));
        Self { store, cookies, limits: SignInLimits::new(), hashes }
    }

    /// The session of a browser, if it has one that has not ended.
    ///
    /// A secret that is not known may be that of another server on this host, and is no error.
    pub async fn session(
        &self,
        jar: Jar,
        headers: &HeaderMap,
    ) -> Result<Option<OpenSession<S::Session>>, S::Error> {
        let Some(secret) = self.cookies.session_secret(jar, headers) else { return Ok(None) };
        let digest = hash(&secret);
        let session = self.store.find_session(digest).await?;
        Ok(session.map(|session| OpenSession { digest, token: guard_of(&secret), session }))
    }

    /// Signs somebody in. Whichever session the browser had has ended then: it could be one that somebody else put
    /// there.
    pub async fn sign_in(
        &self,
        browser: Browser<'_>,
        name: &str,
        password: &str,
    ) -> Result<SignedIn<S::Account>, SignInError<S>> {
        self.limits.take(browser.address, name).map_err(SignInError::TooOften)?;
        let (account, mut known) = self.verified(browser, name, password).await?;
        if is_outdated(&known)
            && let Some(stronger) = self.rehashed(password).await
            && let replaced = self.store.replace_hash(&account, &known, &stronger).await
            && replaced.map_err(SignInError::Store)?
        {
            known = stronger;
        }
        if let Some(old) = browser.session {
            self.store.end_session(old).await.map_err(SignInError::Store)?;
        }
        self.begin(browser, account, &known).await
    }

    /// Begins a session of an account whose password has this hash.
    pub async fn begin(
        &self,
        browser: Browser<'_>,
        account: S::Account,
        password_hash: &str,
    ) -> Result<SignedIn<S::Account>, SignInError<S>> {
        let secret = new_secret().map_err(SignInError::Random)?;
        let agent = browser.headers.get(USER_AGENT).and_then(|value| value.to_str().ok());
        let agent: String = agent.unwrap_or("unknown").chars().take(MAX_BROWSER_CHARS).collect();
        let session =
            NewSession { digest: hash(&secret), browser: &agent, lifetime: SESSION_LIFETIME };
        let begun = self.store.begin_session(&account, password_hash, session).await;
        if !begun.map_err(SignInError::Store)? {
            return Err(SignInError::Wrong(Some(account)));
        }
        let cookies = self.cookies.begin(browser.jar, &secret, SESSION_LIFETIME);
        Ok(SignedIn { account, cookies })
    }

    /// Changes the password of somebody who is signed in and knows the old one. All sessions of the account end, and
    /// this browser gets a new one.
    pub async fn change_password(
        &self,
        browser: Browser<'_>,
        name: &str,
        old: &str,
        new: [&str; 2],
    ) -> Result<SignedIn<S::Account>, SignInError<S>> {
        self.limits.take_change(browser.address, name).map_err(SignInError::TooOften)?;
        let (account, old_hash) = self.verified(browser, name, old).await?;
        let new_hash = self.hash_new(new, S::name(&account)).await?;
        let changed = self.store.change_password(&account, &old_hash, &new_hash).await;
        if !changed.map_err(SignInError::Store)? {
            return Err(SignInError::Wrong(Some(account)));
        }
        self.begin(browser, account, &new_hash).await
    }

    /// Ends a session, and returns the cookies that say so.
    pub async fn sign_out(
        &self,
        jar: Jar,
        session: Option<[u8; 32]>,
    ) -> Result<Vec<String>, S::Error> {
        if let Some(session) = session {
            self.store.end_session(session).await?;
        }
        Ok(self.cookies.end(jar))
    }

    /// The hash of a password that was typed twice, if it is good enough for a name.
    pub async fn hash_new(&self, typed: [&str; 2], name: &str) -> Result<String, PasswordError> {
        let [password, again] = typed;
        if password != again {
            return Err(PasswordError::Different);
        }
        let (password, name) = (password.to_owned(), name.to_owned());
        let hashed = self.hashing(move || hash_password(&password, &name)).await;
        hashed.unwrap_or_else(|| Err(PasswordError::Hash("the server is about to stop".to_owned())))
    }

    /// The account of a name and the hash of its password, if this is the password.
    async fn verified(
        &self,
        browser: Browser<'_>,
        name: &str,
        password: &str,
    ) -> Result<(S::Account, String), SignInError<S>> {
        let found = self.store.find_account(name).await.map_err(SignInError::Store)?;
        let known = found.as_ref().map(|(_, known)| known.clone());
        if is_right(&self.hashes, password, known).await
            && let Some(found) = found
        {
            return Ok(found);
        }
        let account = found.map(|(account, _)| account);
        // Some type their password where the name goes: only names of accounts are logged.
        let user = account.as_ref().map(S::name);
        tracing::warn!(address = %browser.address, user, "a password was refused");
        Err(SignInError::Wrong(account))
    }

    /// Another hash of a password that is right, whether or not it is good enough today.
    async fn rehashed(&self, password: &str) -> Option<String> {
        let password = password.to_owned();
        self.hashing(move || rehash(&password)).await?.ok()
    }

    /// Hashes where nobody else waits for it. None if the server is about to stop.
    async fn hashing<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let permit = Arc::clone(&self.hashes).acquire_owned().await.ok()?;
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work()
        });
        done.await.ok()
    }
}
