//! The users of a store, as accounts that sign in.

use std::time::Duration;

use tidings_http::account_store::{AccountStore, NewSession};
use tidings_store::{Millis, Store, StoreError, User, UserChange, UserSession};

/// The users of a store, as accounts that sign in.
#[derive(Debug, Clone)]
pub struct UserAccounts(Store);

impl UserAccounts {
    /// The users of that store.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self(store)
    }
}

impl AccountStore for UserAccounts {
    type Account = User;
    type Session = UserSession;
    type Error = StoreError;

    fn name(account: &User) -> &str {
        &account.name
    }

    async fn find_account(&self, name: &str) -> Result<Option<(User, String)>, StoreError> {
        self.0.user(name).await
    }

    async fn begin_session(
        &self,
        account: &User,
        password_hash: &str,
        session: NewSession<'_>,
    ) -> Result<bool, StoreError> {
        let NewSession { digest, browser, lifetime } = session;
        self.0.begin_session(account.id, password_hash, digest, browser, millis(lifetime)).await
    }

    async fn find_session(&self, digest: [u8; 32]) -> Result<Option<UserSession>, StoreError> {
        self.0.session(digest).await
    }

    async fn end_session(&self, digest: [u8; 32]) -> Result<(), StoreError> {
        self.0.end_session(digest).await.map(drop)
    }

    async fn change_password(
        &self,
        account: &User,
        old_hash: &str,
        new_hash: &str,
    ) -> Result<bool, StoreError> {
        let change = self.0.change_password(account.id, old_hash, new_hash).await?;
        Ok(change == UserChange::Done)
    }

    async fn replace_hash(
        &self,
        account: &User,
        old_hash: &str,
        new_hash: &str,
    ) -> Result<bool, StoreError> {
        self.0.replace_password_hash(account.id, old_hash, new_hash).await
    }
}

fn millis(time: Duration) -> Millis {
    Millis::try_from(time.as_millis()).unwrap_or(Millis::MAX)
}
