use std::os::unix::fs::PermissionsExt as _;

use super::*;

fn somebody(name: &str, roles: &str, is_admin: bool) -> Account {
    let roles = roles.split_whitespace().map(str::to_owned).collect();
    Account { name: name.to_owned(), roles, is_admin }
}

fn opened() -> (tempfile::TempDir, Accounts) {
    let folder = tempfile::tempdir().unwrap();
    let accounts = Accounts::open(&folder.path().join("state/tidings")).unwrap();
    (folder, accounts)
}

#[test]
fn somebody_is_added_changed_and_removed() {
    let (folder, accounts) = opened();
    assert!(accounts.is_empty().unwrap());
    let ann = somebody("Ann", "editor boss", true);
    accounts.add(&ann, "$hash").unwrap();
    accounts.add(&somebody("bob", "", false), "$bob").unwrap();
    assert!(!accounts.is_empty().unwrap());
    assert_eq!(accounts.find("aNN").unwrap(), Some((ann.clone(), "$hash".to_owned())));
    assert_eq!(accounts.find("nobody").unwrap(), None);
    let again = accounts.add(&somebody("ANN", "", false), "$other");
    assert!(matches!(again, Err(AccountsError::Exists(_))), "{again:?}");
    assert!(matches!(accounts.add(&somebody(" ", "", false), "x"), Err(AccountsError::NoName)));

    accounts.set_roles("BOB", &somebody("", "guest", false).roles, false).unwrap();
    accounts.set_password("bob", "$new").unwrap();
    let bob = somebody("bob", "guest", false);
    assert_eq!(accounts.list().unwrap(), [ann, bob.clone()]);
    accounts.remove("Bob").unwrap();
    for unknown in [
        accounts.remove("bob"),
        accounts.set_password("bob", "x"),
        accounts.set_roles("bob", &bob.roles, true),
    ] {
        assert!(matches!(unknown, Err(AccountsError::Unknown(_))), "{unknown:?}");
    }
    // What is done is still so for the next one who opens it, and for another who has it open.
    let other = Accounts::open(&folder.path().join("state/tidings")).unwrap();
    assert_eq!(other.list().unwrap().len(), 1);
}

#[test]
fn letters_beyond_ascii_are_the_same_in_either_case() {
    let (_folder, accounts) = opened();
    accounts.add(&somebody("Émile", "", false), "x").unwrap();
    assert_eq!(accounts.find("éMILE").unwrap().unwrap().0.name, "Émile");
    let again = accounts.add(&somebody("émile", "", false), "y");
    assert!(matches!(again, Err(AccountsError::Exists(_))), "{again:?}");
    // An earlier version took both: each is found as it is typed, and neither by a third spelling.
    accounts
        .write(|file| Ok(file.execute("INSERT INTO account VALUES ('émile', 'y', 0)", [])?))
        .unwrap();
    for (name, hash) in [("Émile", Some("x")), ("émile", Some("y")), ("ÉMILE", Some("x"))] {
        let found = accounts.find(name).unwrap().map(|(_, hash)| hash);
        assert_eq!(found.as_deref(), hash, "{name}");
    }
    assert!(accounts.begin_session("émile", "y", [1; 32], 0, 10).unwrap());
    accounts.remove("Émile").unwrap();
    assert_eq!(accounts.session([1; 32], 0).unwrap().unwrap().name, "émile");
}

#[test]
fn somebody_stays_admin() {
    let (_folder, accounts) = opened();
    accounts.add(&somebody("ann", "", true), "x").unwrap();
    accounts.add(&somebody("bob", "", false), "x").unwrap();
    let none = BTreeSet::new();
    assert!(matches!(accounts.remove("ANN"), Err(AccountsError::LastAdmin(_))));
    assert!(matches!(accounts.set_roles("ann", &none, false), Err(AccountsError::LastAdmin(_))));
    accounts.set_roles("ann", &none, true).unwrap();
    accounts.set_roles("bob", &none, true).unwrap();
    accounts.remove("ann").unwrap();
    assert!(matches!(accounts.remove("bob"), Err(AccountsError::LastAdmin(_))));
}

#[test]
fn a_session_ends_in_many_ways() {
    let (_folder, accounts) = opened();
    accounts.add(&somebody("ann", "a", true), "x").unwrap();
    accounts.add(&somebody("bob", "b", false), "x").unwrap();
    let who = |digest: u8, now| accounts.session([digest; 32], now).unwrap().map(|one| one.name);
    for digest in 1..=5 {
        accounts.begin_session("BOB", "x", [digest; 32], 0, 100).unwrap();
    }
    accounts.begin_session("ann", "x", [9; 32], 0, 200).unwrap();
    assert_eq!(who(1, 99).as_deref(), Some("bob"));
    assert_eq!((who(1, 100), who(7, 0)), (None, None));
    accounts.end_session([1; 32]).unwrap();
    accounts.end_session([1; 32]).unwrap();
    assert_eq!((who(1, 0), who(2, 0).is_some()), (None, true));
    accounts.set_password("Bob", "y").unwrap();
    assert_eq!((who(2, 0), who(9, 0).as_deref()), (None, Some("ann")));
    accounts.begin_session("bob", "y", [2; 32], 0, 100).unwrap();
    accounts.end_sessions("Bob").unwrap();
    assert_eq!(who(2, 0), None);
    accounts.begin_session("bob", "y", [2; 32], 0, 100).unwrap();
    accounts.remove("bob").unwrap();
    assert_eq!(who(2, 0), None);
    // Those that are over are cleared up by the next.
    accounts.begin_session("ann", "x", [3; 32], 300, 400).unwrap();
    let left = accounts.read(|file| {
        file.query_row("SELECT count(*) FROM session", [], |row| row.get::<_, i64>(0))
    });
    assert_eq!(left.unwrap(), 1);
}

#[test]
fn each_write_is_another_generation() {
    let (folder, accounts) = opened();
    let other = Accounts::open(&folder.path().join("state/tidings")).unwrap();
    let mut seen = accounts.generation();
    let mut is_new = || {
        let before = std::mem::replace(&mut seen, accounts.generation());
        before != seen
    };
    assert!(!is_new());
    accounts.add(&somebody("ann", "", true), "x").unwrap();
    assert!(is_new() && !is_new());
    other.begin_session("ann", "x", [1; 32], 0, 1).unwrap();
    assert!(is_new() && !is_new());
    assert!(other.remove("ann").is_err());
    assert!(!is_new());
}

#[test]
fn only_the_owner_can_read_it() {
    let (folder, accounts) = opened();
    accounts.add(&somebody("ann", "", true), "x").unwrap();
    let folder = folder.path().join("state/tidings");
    let mode = |name: &str| folder.join(name).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(""), mode("accounts.db")), (0o700, 0o600));
    assert_eq!((mode("accounts.db-wal"), mode("accounts.db-shm")), (0o600, 0o600));
}

#[test]
fn a_later_version_and_another_file_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(Accounts::open(folder.path()).unwrap());
    let file = folder.path().join("accounts.db");
    Connection::open(&file).unwrap().execute_batch("PRAGMA user_version = 7").unwrap();
    let error = Accounts::open(folder.path()).unwrap_err();
    assert!(matches!(error, AccountsError::Newer { version: 7, .. }), "{error}");
    std::fs::write(&file, "this is no database, and was not made by us".repeat(100)).unwrap();
    assert!(matches!(Accounts::open(folder.path()), Err(AccountsError::Sql { .. })));
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &file).unwrap();
    assert!(matches!(Accounts::open(folder.path()), Err(AccountsError::Io { .. })));
}

#[test]
fn many_threads_and_openers_do_not_fail_each_other() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4u8 {
            let folder = folder.path();
            scope.spawn(move || {
                let accounts = Accounts::open(folder).unwrap();
                accounts.add(&somebody(&format!("p{thread}"), "a", true), "x").unwrap();
                for turn in 0..10 {
                    accounts
                        .begin_session(&format!("p{thread}"), "x", [thread; 32], 0, turn)
                        .unwrap();
                }
            });
        }
    });
    assert_eq!(Accounts::open(folder.path()).unwrap().list().unwrap().len(), 4);
}

fn _is_shared_by_threads(accounts: Accounts) -> impl Send + Sync {
    accounts
}
