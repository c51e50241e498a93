//! The questions that signing in asks of the place where accounts are kept.

use std::time::Duration;

/// A session that begins.
#[derive(Debug, Clone, Copy)]
pub struct NewSession<'a> {
    /// The digest of the secret that only the browser has.
    pub digest: [u8; 32],
    /// The browser, as it calls itself.
    pub browser: &'a str,
    /// The time after which the session ends, used or not.
    pub lifetime: Duration,
}

/// Accounts with passwords, and their sessions.
///
/// Names that differ by case alone are one account. A password is known by its hash, as a PHC string, and a session
/// by the digest of its secret. The functions of `tests/account_stores` hold each implementation to these promises.
pub trait AccountStore: Send + Sync {
    /// The facts that the store has of an account.
    type Account: Send + Sync;
    /// The facts that the store has of a session.
    type Session: Send;
    /// The reason why accounts could not be read or changed.
    type Error: std::error::Error + Send + Sync + 'static;

    /// The name of an account, as it was given to it.
    fn name(account: &Self::Account) -> &str;

    /// Finds the account of a name, and the hash of its password.
    fn find_account(
        &self,
        name: &str,
    ) -> impl Future<Output = Result<Option<(Self::Account, String)>, Self::Error>> + Send;

    /// Begins a session, and returns true. Returns false, and begins none, if the account is gone or does not have
    /// this password hash any more. An account that has 50 sessions loses the oldest.
    fn begin_session(
        &self,
        account: &Self::Account,
        password_hash: &str,
        session: NewSession<'_>,
    ) -> impl Future<Output = Result<bool, Self::Error>> + Send;

    /// Finds a session that has not ended.
    fn find_session(
        &self,
        digest: [u8; 32],
    ) -> impl Future<Output = Result<Option<Self::Session>, Self::Error>> + Send;

    /// Ends a session, which may have ended before.
    fn end_session(&self, digest: [u8; 32])
    -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Gives an account another password, and ends all of its sessions. Returns false, and changes nothing, if the
    /// account is gone or does not have the old hash any more.
    fn change_password(
        &self,
        account: &Self::Account,
        old_hash: &str,
        new_hash: &str,
    ) -> impl Future<Output = Result<bool, Self::Error>> + Send;

    /// Replaces the hash of a password by another of the same password; sessions go on. Returns false if the account
    /// does not have the old hash any more.
    fn replace_hash(
        &self,
        account: &Self::Account,
        old_hash: &str,
        new_hash: &str,
    ) -> impl Future<Output = Result<bool, Self::Error>> + Send;
}
