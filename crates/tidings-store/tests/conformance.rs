//! What every store does, in a folder and in a database alike.
//!
//! Each case is a function over a store. It runs for SQLite in a folder of its own, and for
//! PostgreSQL in a database of its own on the server that `TIDINGS_POSTGRES` names; where there is
//! none, that is said and the test passes.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests fail by panicking, and say what they skip"
)]

#[path = "conformance/ground.rs"]
mod ground;
#[path = "conformance/sample.rs"]
mod sample;

/// Cases for both databases, each with a store: `sqlite::name` and `postgres::name`.
macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $name() {
                let ground = crate::ground::Ground::sqlite();
                super::$name(ground.open().await).await;
            })*
        }

        mod postgres {
            $(#[tokio::test]
            async fn $name() {
                let Some(ground) = crate::ground::Ground::postgres().await else { return };
                super::$name(ground.open().await).await;
                ground.clear().await;
            })*
        }
    };
}

/// Cases that open their stores themselves, more than one of the same state.
macro_rules! grounds {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $name() {
                super::$name(&crate::ground::Ground::sqlite()).await;
            })*
        }

        mod postgres {
            $(#[tokio::test]
            async fn $name() {
                let Some(ground) = crate::ground::Ground::postgres().await else { return };
                super::$name(&ground).await;
                ground.clear().await;
            })*
        }
    };
}

#[path = "conformance/activity.rs"]
mod activity;
#[path = "conformance/acts.rs"]
mod acts;
#[path = "conformance/backups.rs"]
mod backups;
#[path = "conformance/changes.rs"]
mod changes;
#[path = "conformance/crashes.rs"]
mod crashes;
#[path = "conformance/database.rs"]
mod database;
#[path = "conformance/file.rs"]
mod file;
#[path = "conformance/finishing.rs"]
mod finishing;
#[path = "conformance/following.rs"]
mod following;
#[path = "conformance/leases.rs"]
mod leases;
#[path = "conformance/moving.rs"]
mod moving;
#[path = "conformance/muted.rs"]
mod muted;
#[path = "conformance/once.rs"]
mod once;
#[path = "conformance/posts.rs"]
mod posts;
#[path = "conformance/remembering.rs"]
mod remembering;
#[path = "conformance/retention.rs"]
mod retention;
#[path = "conformance/search.rs"]
mod search;
#[path = "conformance/sessions.rs"]
mod sessions;
#[path = "conformance/speed.rs"]
mod speed;
#[path = "conformance/users.rs"]
mod users;
#[path = "conformance/versions.rs"]
mod versions;
#[path = "conformance/wide.rs"]
mod wide;
#[path = "conformance/writers.rs"]
mod writers;
