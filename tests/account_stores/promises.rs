//! What a store of accounts promises to whatever signs people in.

use std::time::Duration;

use tidings_http::account_store::{AccountStore, NewSession};

use crate::ground::Ground;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

type AccountOf<G> = <<G as Ground>::Store as AccountStore>::Account;

fn session(number: u8) -> NewSession<'static> {
    NewSession { digest: [number; 32], browser: "Firefox", lifetime: DAY }
}

async fn account<G: Ground>(ground: &G, name: &str) -> (AccountOf<G>, String) {
    ground.store().find_account(name).await.unwrap().unwrap()
}

/// The name of whoever has a session.
async fn owner<G: Ground>(ground: &G, number: u8) -> Option<String> {
    let found = ground.store().find_session([number; 32]).await.unwrap();
    found.as_ref().map(G::owner)
}

async fn begin<G: Ground>(ground: &G, name: &str, number: u8) -> bool {
    let (account, hash) = account(ground, name).await;
    ground.store().begin_session(&account, &hash, session(number)).await.unwrap()
}

pub(crate) async fn unknown_name_has_no_account<G: Ground>(ground: &G) {
    for name in ["", " ", "nobody", &"x".repeat(100_000)] {
        assert!(ground.store().find_account(name).await.unwrap().is_none());
    }
}

pub(crate) async fn name_is_found_in_any_case<G: Ground>(ground: &G) {
    ground.add("Ann", "hash of ann").await;
    ground.add("Émile", "hash of emile").await;
    for (typed, name) in [("ANN", "Ann"), ("ann", "Ann"), ("éMILE", "Émile"), ("ÉMILE", "Émile")]
    {
        let (account, hash) = account(ground, typed).await;
        assert_eq!(<G::Store as AccountStore>::name(&account), name);
        assert_eq!(hash, format!("hash of {}", name.to_lowercase().replace('é', "e")));
    }
    // Another Unicode form is another name, and cannot be given to an account.
    assert!(ground.store().find_account("E\u{301}mile").await.unwrap().is_none());
}

pub(crate) async fn session_is_found_until_it_is_ended<G: Ground>(ground: &G) {
    ground.add("ann", "x").await;
    assert!(begin(ground, "ANN", 1).await && begin(ground, "ann", 2).await);
    assert_eq!(owner(ground, 1).await.as_deref(), Some("ann"));
    assert_eq!(owner(ground, 3).await, None);
    for _ in 0..2 {
        ground.store().end_session([1; 32]).await.unwrap();
    }
    assert_eq!((owner(ground, 1).await, owner(ground, 2).await), (None, Some("ann".to_owned())));
}

pub(crate) async fn session_without_lifetime_has_ended<G: Ground>(ground: &G) {
    ground.add("ann", "x").await;
    let (account, hash) = account(ground, "ann").await;
    let over = NewSession { lifetime: Duration::ZERO, ..session(1) };
    assert!(ground.store().begin_session(&account, &hash, over).await.unwrap());
    assert_eq!(owner(ground, 1).await, None);
    // However long one is to last, it does not begin in the past.
    let endless = NewSession { lifetime: Duration::MAX, ..session(2) };
    assert!(ground.store().begin_session(&account, &hash, endless).await.unwrap());
    assert!(owner(ground, 2).await.is_some());
}

pub(crate) async fn session_needs_the_password_that_was_checked<G: Ground>(ground: &G) {
    ground.add("ann", "old").await;
    let (account, old) = account(ground, "ann").await;
    assert!(ground.store().change_password(&account, "old", "new").await.unwrap());
    assert!(!ground.store().begin_session(&account, &old, session(1)).await.unwrap());
    assert_eq!(owner(ground, 1).await, None);
    assert!(ground.store().begin_session(&account, "new", session(1)).await.unwrap());
}

pub(crate) async fn session_needs_an_account<G: Ground>(ground: &G) {
    ground.add("ann", "x").await;
    ground.add("bob", "y").await;
    let (bob, hash) = account(ground, "bob").await;
    assert!(begin(ground, "bob", 1).await);
    ground.remove("bob").await;
    assert_eq!(owner(ground, 1).await, None);
    assert!(!ground.store().begin_session(&bob, &hash, session(2)).await.unwrap());
    assert!(!ground.store().change_password(&bob, &hash, "z").await.unwrap());
    assert!(!ground.store().replace_hash(&bob, &hash, "z").await.unwrap());
    assert_eq!(owner(ground, 2).await, None);
}

pub(crate) async fn new_password_ends_the_sessions_of_one_account<G: Ground>(ground: &G) {
    ground.add("ann", "x").await;
    ground.add("bob", "y").await;
    assert!(begin(ground, "ann", 1).await && begin(ground, "ann", 2).await);
    assert!(begin(ground, "bob", 3).await);
    let (ann, _) = account(ground, "ann").await;
    // A password that was replaced since it was checked stays as it was replaced, and so do the sessions.
    assert!(!ground.store().change_password(&ann, "w", "new").await.unwrap());
    assert_eq!(account(ground, "ann").await.1, "x");
    assert!(owner(ground, 1).await.is_some());
    assert!(ground.store().change_password(&ann, "x", "new").await.unwrap());
    assert_eq!((owner(ground, 1).await, owner(ground, 2).await), (None, None));
    assert_eq!(owner(ground, 3).await.as_deref(), Some("bob"));
    assert_eq!(account(ground, "ann").await.1, "new");
}

pub(crate) async fn replaced_hash_keeps_sessions<G: Ground>(ground: &G) {
    ground.add("ann", "weak").await;
    assert!(begin(ground, "ann", 1).await);
    let (ann, _) = account(ground, "ann").await;
    assert!(!ground.store().replace_hash(&ann, "another", "strong").await.unwrap());
    assert_eq!(account(ground, "ann").await.1, "weak");
    assert!(ground.store().replace_hash(&ann, "weak", "strong").await.unwrap());
    assert_eq!(account(ground, "ann").await.1, "strong");
    assert_eq!(owner(ground, 1).await.as_deref(), Some("ann"));
}

pub(crate) async fn newest_of_many_sessions_are_kept<G: Ground>(ground: &G) {
    ground.add("ann", "x").await;
    ground.add("bob", "y").await;
    assert!(begin(ground, "bob", 200).await);
    for number in 1..=60 {
        assert!(begin(ground, "ann", number).await);
        assert!(owner(ground, number).await.is_some(), "the newest is kept");
    }
    let mut kept = 0;
    for number in 1..=60 {
        kept += usize::from(owner(ground, number).await.is_some());
    }
    assert_eq!(kept, 50);
    assert!(owner(ground, 200).await.is_some());
}

pub(crate) async fn names_are_values_and_no_statements<G: Ground>(ground: &G) {
    let name = "a'; DELETE FROM users; DROP TABLE account; --";
    ground.add(name, "x").await;
    assert_eq!(account(ground, name).await.1, "x");
    for pattern in ["%", "_", "a%", "a\u{0}"] {
        assert!(ground.store().find_account(pattern).await.unwrap().is_none(), "{pattern:?}");
    }
}
