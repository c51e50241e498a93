//! A webfeed that is followed from now on shows its posts.

use std::time::{Duration, Instant};

use crate::stage::{Stage, page};

#[test]
fn two_hundred_posts_are_there_within_a_minute() {
    let names: Vec<String> = (0..200).map(|number| format!("post-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let stage = Stage::empty();
    for name in &names {
        stage.server.put(&format!("/{name}"), page(name));
    }
    stage.list(&names);
    let begun = Instant::now();
    stage.follow();
    let taken = begun.elapsed();
    let well = |tile: &&tidings_store::Tile| tile.post.state == tidings_store::State::Well;
    assert_eq!(stage.grid().iter().filter(well).count(), 200, "each has a tile of its own");
    assert!(taken < Duration::from_secs(60), "{taken:?}");
}
