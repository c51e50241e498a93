//! The accounts of a site, as accounts that sign in.

use std::sync::Arc;
use std::time::Duration;

use tidings_http::account_store::{AccountStore, NewSession};
use tidings_site::{Account, Accounts, AccountsError};
use tokio::task::JoinError;

/// The accounts of a site, as accounts that sign in. Its calls wait for the disk where nobody else waits for them.
#[derive(Debug, Clone)]
pub struct SiteAccounts(Arc<Accounts>);

/// The reason why accounts could not be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SiteAccountsError {
    /// The accounts do not allow it.
    #[error("{0}")]
    Accounts(#[from] AccountsError),
    /// The server is about to stop.
    #[error("the accounts were not asked: {0}")]
    Stopped(#[from] JoinError),
}

type Result<T> = std::result::Result<T, SiteAccountsError>;

impl SiteAccounts {
    /// These accounts.
    #[must_use]
    pub fn new(accounts: Arc<Accounts>) -> Self {
        Self(accounts)
    }

    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Accounts) -> std::result::Result<T, AccountsError> + Send + 'static,
    ) -> Result<T> {
        let accounts = Arc::clone(&self.0);
        Ok(tokio::task::spawn_blocking(move || question(&accounts)).await??)
    }
}

impl AccountStore for SiteAccounts {
    type Account = Account;
    type Session = Account;
    type Error = SiteAccountsError;

    fn name(account: &Account) -> &str {
        &account.name
    }

    async fn find_account(&self, name: &str) -> Result<Option<(Account, String)>> {
        let name = name.to_owned();
        self.ask(move |accounts| accounts.find(&name)).await
    }

    async fn begin_session(
        &self,
        account: &Account,
        password_hash: &str,
        session: NewSession<'_>,
    ) -> Result<bool> {
        let (name, hash) = (account.name.clone(), password_hash.to_owned());
        let NewSession { digest, lifetime, .. } = session;
        let begin = move |accounts: &Accounts| {
            let now = now();
            accounts.begin_session(&name, &hash, digest, now, now.saturating_add(seconds(lifetime)))
        };
        self.ask(begin).await
    }

    async fn find_session(&self, digest: [u8; 32]) -> Result<Option<Account>> {
        self.ask(move |accounts| accounts.session(digest, now())).await
    }

    async fn end_session(&self, digest: [u8; 32]) -> Result<()> {
        self.ask(move |accounts| accounts.end_session(digest)).await
    }

    async fn change_password(
        &self,
        account: &Account,
        old_hash: &str,
        new_hash: &str,
    ) -> Result<bool> {
        let name = account.name.clone();
        let (old, new) = (old_hash.to_owned(), new_hash.to_owned());
        self.ask(move |accounts| accounts.change_password(&name, &old, &new)).await
    }

    async fn replace_hash(
        &self,
        account: &Account,
        old_hash: &str,
        new_hash: &str,
    ) -> Result<bool> {
        let name = account.name.clone();
        let (old, new) = (old_hash.to_owned(), new_hash.to_owned());
        self.ask(move |accounts| accounts.replace_hash(&name, &old, &new)).await
    }
}

/// Seconds since 1970.
fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

fn seconds(time: Duration) -> i64 {
    i64::try_from(time.as_secs()).unwrap_or(i64::MAX)
}
