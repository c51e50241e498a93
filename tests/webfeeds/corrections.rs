//! Corrections of posts: they arrive, and a post that only looks like another one stays.

use tidings_store::Tile;

use crate::stage::{Stage, index, page};
use crate::support::server::{Reply, Server};
use crate::support::{Nginx, run, stderr, write_all};

fn post<'t>(tiles: &'t [Tile], path: &str) -> &'t tidings_store::Post {
    &tiles.iter().find(|tile| tile.post.url.ends_with(path)).unwrap().post
}

/// Lets all posts be looked after again: as after an hour.
fn an_hour_later(stage: &Stage) {
    let file = std::fs::read_dir(stage.follower.data()).unwrap().flatten();
    let file = file.map(|it| it.path()).find(|it| it.ends_with("tidings.db"));
    let store = rusqlite::Connection::open(file.unwrap()).unwrap();
    store.execute("UPDATE posts SET checked_at = 1", []).unwrap();
}

#[test]
fn a_post_that_changed_is_fetched_again_and_shown_as_edited() {
    let stage = Stage::with(&["a", "b", "c"]);
    an_hour_later(&stage);
    stage.server.put("/b", page("b, corrected"));
    stage.poll();
    let asked = stage.asked();
    assert!(
        asked.contains(&"HEAD /a".to_owned()) && asked.contains(&"GET /b".to_owned()),
        "{asked:?}"
    );
    assert!(!asked.contains(&"GET /a".to_owned()), "what is as it was is not fetched: {asked:?}");
    let tiles = stage.tiles();
    let edited = post(&tiles, "/b");
    assert_eq!(edited.title.as_deref(), Some("b, corrected"));
    assert!(edited.edited_at.is_some() && post(&tiles, "/a").edited_at.is_none());
    assert!(stage.text(edited.id).unwrap().text.contains("corrected"));
    // Nothing more is asked for before their turn comes again.
    stage.poll();
    assert_eq!(stage.asked(), ["HEAD /index.txt"]);
}

#[test]
fn posts_are_looked_after_in_turn_a_few_with_each_poll() {
    let names: Vec<String> = (0..25).map(|number| format!("p{number}")).collect();
    let stage = Stage::with(&names.iter().map(String::as_str).collect::<Vec<_>>());
    an_hour_later(&stage);
    for name in &names {
        stage.server.put(&format!("/{name}"), page(&format!("{name}, corrected")));
    }
    let edited = || stage.tiles().iter().filter(|tile| tile.post.edited_at.is_some()).count();
    for expected in [10, 20, 25, 25] {
        stage.poll();
        let heads = stage.asked().iter().filter(|it| it.starts_with("HEAD /p")).count();
        assert!(heads <= 10, "{heads}");
        assert_eq!(edited(), expected);
    }
}

#[test]
fn an_edit_of_the_index_that_lists_the_same_has_all_posts_looked_after() {
    let stage = Stage::with(&["a", "b"]);
    stage.server.put("/a", page("a, corrected"));
    stage.server.put("/index.txt", index("# edit 2\na\nb\n"));
    stage.poll();
    assert!(post(&stage.tiles(), "/a").edited_at.is_some());
}

#[test]
fn a_correction_of_the_same_length_is_seen_by_its_tag() {
    let stage = Stage::empty();
    stage.server.put("/a", page("one").etag("1"));
    stage.list(&["a"]);
    stage.follow();
    an_hour_later(&stage);
    stage.server.put("/a", page("two").etag("2"));
    stage.poll();
    assert_eq!(post(&stage.tiles(), "/a").title.as_deref(), Some("two"));
}

#[test]
fn what_is_not_shown_is_no_correction_and_an_error_takes_nothing_away() {
    let stage = Stage::with(&["a", "b"]);
    an_hour_later(&stage);
    let html = "<!-- made just now --><meta name=\"author\" content=\"Ada\">\n<section><h1>a</h1></section>\n";
    stage.server.put("/a", Reply::ok(html).with("Content-Type", "text/html"));
    stage.server.put("/b", Reply::new(500, "not now"));
    stage.poll();
    let tiles = stage.tiles();
    assert!(tiles.iter().all(|tile| tile.post.edited_at.is_none()), "{tiles:?}");
    assert!(tiles.iter().all(|tile| tile.post.state == tidings_store::State::Well));
}

#[test]
fn what_an_author_edits_arrives_at_who_follows() {
    let stage = Stage::empty();
    let folder = tempfile::tempdir().unwrap();
    let feed = folder.path().join("feed");
    let feed = feed.to_str().unwrap();
    assert_eq!(run(["webfeed", "init", feed, "--author", "Ada"]).status.code(), Some(0));
    write_all(folder.path(), &[("fog.md", "# Fog\n\nOne\n")]);
    let fog = folder.path().join("fog.md");
    run(["webfeed", "add", feed, fog.to_str().unwrap()]);
    let nginx =
        Nginx::serve(folder.path(), "types { text/plain txt; text/html html; text/css css; }");
    let url = format!("{}feed/index.txt", nginx.url());
    let followed = stage.follower.run(&["follow", &url]);
    assert_eq!(followed.status.code(), Some(0), "{}", stderr(&followed));
    write_all(folder.path(), &[("fog.md", "# Fog\n\nTwo\n")]);
    let edited = run(["webfeed", "edit", feed, "fog.html", fog.to_str().unwrap()]);
    assert_eq!(edited.status.code(), Some(0), "{}", stderr(&edited));
    stage.follower.run(&["poll"]);
    let tiles = stage.tiles();
    let fog = post(&tiles, "/fog.html");
    assert!(fog.edited_at.is_some() && stage.text(fog.id).unwrap().text.contains("Two"), "{fog:?}");
}

#[test]
fn a_feed_of_a_webfeed_has_each_post_with_what_it_says() {
    let stage = Stage::with(&["a", "b"]);
    let html =
        "<meta name=author content=Ben><section><h1>b</h1><p>Said <img src=p.png></p></section>";
    stage.server.put("/b", Reply::ok(html).with("Content-Type", "text/html"));
    an_hour_later(&stage);
    stage.poll();
    stage.list(&["b"]);
    stage.poll();
    let site = stage.follower.site();
    let server = stage.follower.serve(&["--no-poll"]);
    let collection = server.get(&format!("/api/sites/{}", site["key"].as_str().unwrap())).json();
    let atom = collection["feeds"]["atom"].as_str().unwrap();
    let path = url::Url::parse(atom).unwrap().path().to_owned();
    let answer = server.get(&path);
    let feed = answer.feed();
    assert_eq!(feed.entries.len(), 1, "what was taken back is no news: {}", answer.text());
    let content = feed.entries[0].content.as_ref().unwrap().body.as_deref().unwrap_or_default();
    assert!(content.contains("Said") && content.contains(&stage.server.url("/p.png")), "{content}");
    assert!(feed.entries[0].updated > feed.entries[0].published);
    assert_eq!(feed.entries[0].authors[0].name.as_deref(), Some("Ben"));
}

#[test]
fn a_webfeed_in_a_sub_folder_finds_posts_from_its_folder() {
    let stage = Stage::empty();
    stage.server.put("/feed/post-1", page("one"));
    stage.server.put("/post-2", page("two"));
    stage.server.put("/feed/index.txt", index("/post-1\n/post-2\n/post-3\n"));
    let url = stage.server.url("/feed/index.txt");
    let output = stage.follower.run(&["follow", &url]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stage.follower.run(&["poll"]);
    let tiles = stage.tiles();
    let one = post(&tiles, "/post-1");
    assert_eq!(one.title.as_deref(), Some("one"));
    assert!(stage.text(one.id).unwrap().at.ends_with("/feed/post-1"));
    assert_eq!(post(&tiles, "/post-2").title.as_deref(), Some("two"));
    assert_eq!(post(&tiles, "/post-3").state, tidings_store::State::Failing);
    let server = stage.follower.serve(&["--no-poll"]);
    let key = stage.follower.site()["key"].as_str().unwrap().to_owned();
    let page = server.get(&format!("/webfeeds/{key}")).text();
    assert!(page.contains("post-1 is not there; the post was found at"), "{page}");
    let checked = run(["webfeed", "check", "--json", "--allow-private", &url]);
    let said = crate::support::stdout(&checked);
    assert!(said.contains("WF-index-below") && said.contains("/feed/post-1"), "{said}");
}

#[test]
fn whose_a_webfeed_is_its_folder_says() {
    let stage = Stage::empty();
    let by = |author: &str| {
        Reply::ok(format!("<meta name=author content={author}><section><h1>x</h1></section>"))
            .with("Content-Type", "text/html")
    };
    stage.server.put("/~ada/mine", by("Ada"));
    stage.server.put("/~ben/his", by("Ben"));
    stage.server.put("/~ada/index.txt", index("mine\n/~ben/his\n"));
    let output = stage.follower.run(&["follow", &stage.server.url("/~ada/index.txt")]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stage.follower.site()["title"], "Ada");
    let tiles = stage.tiles();
    assert_eq!(post(&tiles, "/his").author.as_deref(), Some("Ben"));
    // What was noted wrongly once is corrected with the next poll.
    let file = std::fs::read_dir(stage.follower.data()).unwrap().flatten();
    let file = file.map(|it| it.path()).find(|it| it.ends_with("tidings.db"));
    let store = rusqlite::Connection::open(file.unwrap()).unwrap();
    let wrong = "UPDATE sites SET title = 'Ben', details = json_remove(json_set(details, '$.webfeed.author', 'Ben'), '$.webfeed.identity_from')";
    assert_eq!(store.execute(wrong, []).unwrap(), 1);
    drop(store);
    stage.follower.run(&["poll"]);
    assert_eq!(stage.follower.site()["title"], "Ada");
}

#[test]
fn a_webfeed_is_found_before_the_atom_feed_beside_it() {
    let stage = Stage::empty();
    let friend = Server::start();
    let home = "<title>Friend</title><link rel=alternate type=application/atom+xml href=feed.atom><a data-webfeed-href=index.txt>Follow</a>";
    friend.put("/", Reply::ok(home).with("Content-Type", "text/html"));
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><id>x:y</id><title>F</title><updated>2026-01-01T00:00:00Z</updated></feed>";
    friend.put("/feed.atom", Reply::ok(atom).with("Content-Type", "application/atom+xml"));
    friend.put("/index.txt", index("a\n"));
    friend.put("/a", page("a"));
    let output = stage.follower.run(&["follow", &friend.url("/")]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stage.follower.site()["via"], "webfeed");
}
