//! How many tiles a webfeed has in the grid of all.

use crate::stage::Stage;
use crate::support::stderr;

#[test]
fn the_command_line_says_how_many_tiles_a_webfeed_has() {
    let names: Vec<String> = (0..6).map(|number| format!("post-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let stage = Stage::with(&["first"]);
    for name in &names {
        stage.server.put(&format!("/{name}"), crate::stage::page(name));
    }
    stage.list(&[&["first"], &names[..]].concat());
    stage.poll();
    assert_eq!(stage.grid().len(), 5, "that of the first look, three, and one for the others");
    let url = stage.server.url("/index.txt");
    for (tiles, expected) in [("1", 2), ("0", 1), ("100", 7)] {
        let site = stage.follower.json(&["follow", "--no-poll", "--tiles", tiles, &url]);
        assert_eq!(site["settings"]["tiles"].to_string(), tiles);
        assert_eq!(stage.grid().len(), expected, "{tiles}");
    }
    let site = stage.follower.json(&["follow", "--no-poll", "--diff", &url]);
    assert_eq!(site["settings"]["tiles"], 100, "what is not said stays");
    let refused = stage.follower.run(&["follow", "--tiles", "101", &url]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("101 is not in 0..=100"), "{}", stderr(&refused));
}
