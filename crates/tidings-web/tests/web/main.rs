//! The client against real servers on the loopback interface, most of which misbehave. Tests are
//! named after the row of the threat table that they stand for: S1 to S7 where the client may not
//! go, S9 time, S10 length, C1 size.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod discovery;
mod explore;
mod guard;
mod kept;
mod limits;
mod plain;
mod redirects;
mod robots;
mod server;
