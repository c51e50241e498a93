//! Hostile Sources, row by row of docs/threats.md: X (documents), C (compression), Z (packages), U
//! (URIs and paths), S (redirects, addresses, time), D (digests, changes, deletes). Each is copied by
//! the real program, and what must hold of the copy afterwards is looked up in the files.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::needless_pass_by_value,
    missing_docs,
    reason = "a test"
)]

mod support;

#[path = "sync_hostile/c.rs"]
mod c;
#[path = "sync_hostile/d.rs"]
mod d;
#[path = "sync_hostile/d_changes.rs"]
mod d_changes;
#[path = "sync_hostile/d_deletes.rs"]
mod d_deletes;
#[path = "sync_hostile/d_histories.rs"]
mod d_histories;
#[path = "sync_hostile/d_links.rs"]
mod d_links;
#[path = "sync_hostile/s.rs"]
mod s;
#[path = "sync_hostile/s_slow.rs"]
mod s_slow;
#[path = "sync_hostile/u.rs"]
mod u;
#[path = "sync_hostile/x.rs"]
mod x;
#[path = "sync_hostile/x_cut.rs"]
mod x_cut;
#[path = "sync_hostile/z.rs"]
mod z;

use support::stage::hold;

/// All in one process, so that the last line counts all of them.
#[test]
fn every_case_holds() {
    let cases = [
        x::cases(),
        x_cut::cases(),
        c::cases(),
        z::cases(),
        u::cases(),
        s::cases(),
        s_slow::cases(),
        d::cases(),
        d_deletes::cases(),
        d_changes::cases(),
        d_histories::cases(),
        d_links::cases(),
    ];
    hold("hostile cases", cases.into_iter().flatten().collect());
}
