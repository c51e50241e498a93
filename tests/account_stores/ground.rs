//! The two stores, with what tests do to accounts behind their backs.

use std::sync::Arc;

use tidings_http::account_store::AccountStore;
use tidings_serve::UserAccounts;
use tidings_site::{Account, Accounts};
use tidings_site_serve::SiteAccounts;
use tidings_store::{Location, Role, Store};

/// Runs what waits for the store.
pub(crate) fn wait<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(work)
}

/// A store of accounts, and its administration.
pub(crate) trait Ground {
    type Store: AccountStore;
    /// The store, as whatever signs people in has it.
    fn store(&self) -> Self::Store;
    /// Adds an account with that hash of a password.
    async fn add(&self, name: &str, hash: &str);
    async fn remove(&self, name: &str);
    /// The name of whoever has a session.
    fn owner(session: &<Self::Store as AccountStore>::Session) -> String;
    /// Adds a session as the version before this one did: by a statement.
    async fn add_session(&self, name: &str, digest: [u8; 32]);
}

/// The users of the followers' server.
pub(crate) struct Users {
    folder: tempfile::TempDir,
    store: Store,
}

impl Users {
    pub(crate) async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::Folder(folder.path().to_owned());
        Self { store: Store::open(&location, None).await.unwrap(), folder }
    }
}

impl Ground for Users {
    type Store = UserAccounts;

    fn store(&self) -> UserAccounts {
        UserAccounts::new(self.store.clone())
    }

    async fn add(&self, name: &str, hash: &str) {
        self.store.add_user(name, Role::Admin, hash).await.unwrap().unwrap();
    }

    async fn remove(&self, name: &str) {
        let (user, _) = self.store.user(name).await.unwrap().unwrap();
        self.store.remove_user(user.id).await.unwrap();
    }

    fn owner(session: &tidings_store::UserSession) -> String {
        session.user.name.clone()
    }

    async fn add_session(&self, name: &str, digest: [u8; 32]) {
        let now = self.store.now().await.unwrap();
        let database = rusqlite::Connection::open(self.folder.path().join("tidings.db")).unwrap();
        let sql = "INSERT INTO sessions (digest, user_id, created_at, used_at, expires_at, about)
            SELECT ?1, id, ?2, ?2, ?3, 'Firefox' FROM users WHERE name = ?4";
        let month = 30 * 24 * 3_600_000;
        let values = rusqlite::params![digest, now, now + month, name];
        assert_eq!(database.execute(sql, values).unwrap(), 1);
    }
}

/// The accounts of a site.
pub(crate) struct Site {
    folder: tempfile::TempDir,
    accounts: Arc<Accounts>,
}

impl Site {
    pub(crate) fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { accounts: Arc::new(Accounts::open(folder.path()).unwrap()), folder }
    }
}

impl Ground for Site {
    type Store = SiteAccounts;

    fn store(&self) -> SiteAccounts {
        SiteAccounts::new(Arc::clone(&self.accounts))
    }

    async fn add(&self, name: &str, hash: &str) {
        let account = Account { name: name.to_owned(), roles: [].into(), is_admin: true };
        self.accounts.add(&account, hash).unwrap();
    }

    async fn remove(&self, name: &str) {
        self.accounts.remove(name).unwrap();
    }

    fn owner(session: &Account) -> String {
        session.name.clone()
    }

    async fn add_session(&self, name: &str, digest: [u8; 32]) {
        let database = rusqlite::Connection::open(self.folder.path().join("accounts.db")).unwrap();
        let sql = "INSERT INTO session (digest, name, until)
            VALUES (?1, ?2, unixepoch() + 14 * 24 * 3600)";
        assert_eq!(database.execute(sql, rusqlite::params![digest, name]).unwrap(), 1);
    }
}
