//! The example of the specification, byte for byte, in the reader.

use serde_json::json;

use crate::spec::{INDEX, POST};
use crate::stage::{Stage, html, index};

#[test]
fn the_example_of_the_specification_is_shown_and_kept_in_step() {
    let Some(stage) = Stage::set() else { return };
    for path in ["/post-1", "/post-2", "/post%203"] {
        stage.web.put(path, html(POST));
    }
    stage.web.put("/index.txt", index(INDEX));
    let css = crate::support::server::Reply::ok("section { color: teal }");
    stage.web.put("/style.css", css.with("Content-Type", "text/css"));
    let png = crate::support::server::Reply::ok(crate::trap::PNG).with("Content-Type", "image/png");
    stage.web.put("/avatar.png", png);
    let server = stage.follower.serve(&[]);
    stage.open(&server, "/webfeeds");
    stage.browser.fill("Follow a webfeed", &stage.web.url("/index.txt"));
    stage.browser.click("Look at it");
    stage.browser.see("How good its documents are");
    stage.browser.click("Follow");
    let lead = "This section is the lead.";
    stage.browser.until("its posts are there", || stage.browser.has(lead));
    // Whose it is, with a picture that came through us.
    stage.browser.see("Elon Musk");
    stage.browser.see("Founder of Tesla, SpaceX, and a few other things.");
    let avatar = "const one = document.querySelector('.identity img'); return [one.complete && one.naturalWidth, new URL(one.src).origin === location.origin]";
    stage
        .browser
        .until("the picture is there", || stage.browser.script(avatar) == json!([1, true]));
    let tiles = "return [...document.querySelectorAll('.tile')].map((tile) => [tile.innerText.includes('Repost from www.myfriendsfeed.com'), tile.querySelector('a.cover') !== null])";
    let own = json!([false, true]);
    let told = stage.browser.script(tiles);
    assert_eq!(told.as_array().unwrap().len(), 5, "{told}");
    assert!(told.as_array().unwrap().iter().filter(|one| one[0] == true).count() == 2, "{told}");
    assert_eq!(told.as_array().unwrap()[2..], [own.clone(), own.clone(), own]);
    stage.picture("reader-example");
    stage.browser.click(lead);
    stage.browser.see("1 of 2");
    stage.browser.press(['j']);
    stage.browser.see("2 of 2");
    stage.picture("reader-example-post");
    let sites = stage.follower.sites();
    let key = sites[0]["key"].as_str().unwrap();
    let id = crate::stage::id_of(&stage.follower, "/post-1");
    let frame = server.get(&format!("/webfeeds/posts/{id}/sections/2")).text();
    assert!(
        frame.contains("This is another section that is buried.") && frame.contains("teal"),
        "{frame}"
    );
    // A line less and one more, and the page says so after the next poll.
    let edited = INDEX.replace("/post-1\n", "").replace("/post 3\n", "/post 3\n/post-four\n");
    stage.web.put("/index.txt", index(edited));
    stage.web.put("/post-four", html(POST.replace("is the lead", "is the newest lead")));
    stage.open(&server, &format!("/webfeeds/{key}"));
    stage.browser.click("Poll now");
    stage
        .browser
        .until("the new post is there", || stage.browser.has("This section is the newest lead."));
    assert_eq!(server.get(&format!("/webfeeds/posts/{id}")).status, 404);
    assert_eq!(stage.browser.script(tiles).as_array().unwrap().len(), 5);
}
