//! Users.

use tidings_store::{Role, Store, UserChange};

use crate::ground::Ground;

mod one {
    use super::{added, changed, last_admin, named_alike};
    cases! { added, named_alike, changed, last_admin }
}

mod several {
    use super::{first_of_many, last_of_many};
    grounds! { first_of_many, last_of_many }
}

async fn added(store: Store) {
    assert!(!store.has_users().await.unwrap());
    assert!(store.users().await.unwrap().is_empty());
    let first = store.add_first_user("Berta", "hash 1").await.unwrap().unwrap();
    assert_eq!((first.name.as_str(), first.role), ("Berta", Role::Admin));
    assert_eq!(first.signed_in_at, None);
    assert!(first.created_at <= store.now().await.unwrap());
    assert!(store.has_users().await.unwrap());
    assert_eq!(store.add_first_user("other", "hash").await.unwrap(), None);
    let second = store.add_user("anton", Role::Reader, "hash 2").await.unwrap().unwrap();
    assert_ne!(first.id, second.id);
    assert_eq!(store.user_by_id(second.id).await.unwrap().as_ref(), Some(&second));
    assert_eq!(store.user("anton").await.unwrap(), Some((second.clone(), "hash 2".to_owned())));
    assert_eq!(store.user("nobody").await.unwrap(), None);
    assert_eq!(store.user_by_id(second.id + 1).await.unwrap(), None);
    assert_eq!(store.users().await.unwrap(), [second, first]);
}

async fn named_alike(store: Store) {
    let user = store.add_user("Äpfel", Role::Editor, "hash").await.unwrap().unwrap();
    assert_eq!(user.name, "Äpfel");
    for name in ["Äpfel", "äpfel", "ÄPFEL"] {
        assert_eq!(store.user(name).await.unwrap().unwrap().0, user);
        assert_eq!(store.add_user(name, Role::Admin, "other").await.unwrap(), None);
    }
    assert_eq!(store.user("apfel").await.unwrap(), None);
    assert!(store.add_user("%", Role::Reader, "hash").await.unwrap().is_some());
    for nobody in ["_", "", "%\0", "\0"] {
        assert_eq!(store.user(nobody).await.unwrap(), None, "{nobody:?}");
    }
}

async fn changed(store: Store) {
    store.add_first_user("root", "hash").await.unwrap();
    let id = store.add_user("a", Role::Reader, "hash 1").await.unwrap().unwrap().id;
    store.begin_session(id, "hash 1", [1; 32], "", 1_000_000).await.unwrap();
    for role in [Role::Editor, Role::Admin, Role::Reader] {
        assert_eq!(store.set_role(id, role).await.unwrap(), UserChange::Done);
        assert_eq!(store.session([1; 32]).await.unwrap().unwrap().user.role, role);
        assert_eq!(Role::by_name(role.name()), Some(role));
    }
    let stale = store.change_password(id, "hash 0", "hash 2").await.unwrap();
    assert_eq!(stale, UserChange::Unknown);
    assert!(store.session([1; 32]).await.unwrap().is_some());
    let checked = store.change_password(id, "hash 1", "hash 4").await.unwrap();
    assert_eq!(checked, UserChange::Done);
    assert_eq!(store.session([1; 32]).await.unwrap(), None);
    assert!(store.begin_session(id, "hash 4", [1; 32], "", 1_000_000).await.unwrap());
    assert_eq!(store.set_password(id, "hash 2").await.unwrap(), UserChange::Done);
    assert_eq!(store.user("a").await.unwrap().unwrap().1, "hash 2");
    assert_eq!(store.session([1; 32]).await.unwrap(), None);
    assert!(!store.replace_password_hash(id, "hash 1", "hash 3").await.unwrap());
    assert!(store.replace_password_hash(id, "hash 2", "hash 3").await.unwrap());
    assert_eq!(store.user("a").await.unwrap().unwrap().1, "hash 3");
    store.begin_session(id, "hash 3", [2; 32], "", 1_000_000).await.unwrap();
    assert_eq!(store.remove_user(id).await.unwrap(), UserChange::Done);
    assert_eq!(store.session([2; 32]).await.unwrap(), None);
    assert_eq!(store.remove_user(id).await.unwrap(), UserChange::Unknown);
    assert_eq!(store.set_role(id, Role::Admin).await.unwrap(), UserChange::Unknown);
    assert_eq!(store.set_password(id, "hash").await.unwrap(), UserChange::Unknown);
    // The name is free again, and the number is not.
    let again = store.add_user("a", Role::Reader, "hash").await.unwrap().unwrap();
    assert_ne!(again.id, id);
}

async fn last_admin(store: Store) {
    let first = store.add_first_user("a", "hash").await.unwrap().unwrap().id;
    let second = store.add_user("b", Role::Editor, "hash").await.unwrap().unwrap().id;
    assert_eq!(store.set_role(first, Role::Editor).await.unwrap(), UserChange::LastAdmin);
    assert_eq!(store.remove_user(first).await.unwrap(), UserChange::LastAdmin);
    assert_eq!(store.set_role(first, Role::Admin).await.unwrap(), UserChange::Done);
    assert_eq!(store.set_password(first, "new").await.unwrap(), UserChange::Done);
    assert_eq!(store.set_role(second, Role::Admin).await.unwrap(), UserChange::Done);
    assert_eq!(store.remove_user(first).await.unwrap(), UserChange::Done);
    assert_eq!(store.set_role(second, Role::Reader).await.unwrap(), UserChange::LastAdmin);
    assert_eq!(store.users().await.unwrap().len(), 1);
}

async fn first_of_many(ground: &Ground) {
    let stores = [ground.open().await, ground.open().await];
    let tasks = (0..16).map(|number| {
        let store = stores[number % 2].clone();
        let name = format!("u{number}");
        tokio::spawn(async move { store.add_first_user(&name, "hash").await.unwrap() })
    });
    let mut added = Vec::new();
    for task in tasks.collect::<Vec<_>>() {
        added.extend(task.await.unwrap());
    }
    assert_eq!(added.len(), 1);
    assert_eq!(stores[0].users().await.unwrap(), added);
}

async fn last_of_many(ground: &Ground) {
    let stores = [ground.open().await, ground.open().await];
    let mut tasks = Vec::new();
    for number in 0..8 {
        let store = stores[number % 2].clone();
        let user = store.add_user(&format!("u{number}"), Role::Admin, "hash").await.unwrap();
        tasks.push((store, user.unwrap().id));
    }
    let tasks = tasks.into_iter().map(|(store, id)| {
        tokio::spawn(async move {
            let is_even = id % 2 == 0;
            let done = if is_even {
                store.remove_user(id).await
            } else {
                store.set_role(id, Role::Reader).await
            };
            done.unwrap()
        })
    });
    let mut kept = 0;
    for task in tasks.collect::<Vec<_>>() {
        kept += u32::from(task.await.unwrap() == UserChange::LastAdmin);
    }
    assert_eq!(kept, 1);
    let users = stores[0].users().await.unwrap();
    assert_eq!(users.iter().filter(|user| user.role == Role::Admin).count(), 1);
}
