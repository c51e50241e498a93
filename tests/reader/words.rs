//! What others say of themselves stands in our own pages, and stays text there: names, titles,
//! descriptions, pictures, lines of an index, and reasons why something failed.
#![allow(clippy::print_stdout, reason = "what was tried is to be seen")]

use crate::corpus::{Kind, Places};
use crate::stage::{at, html, index, tiles};
use crate::support::follower::{Follower, Serving};
use crate::support::server::Reply;
use crate::trap::{Tally, Trap};

/// A text as it is written in HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A post whose author, title, description, language and headings are all that.
fn named(places: &Places, word: &str) -> String {
    let word = escaped(word);
    let icon = format!("http://{}/icon.png", places.beacon);
    format!(
        "<!DOCTYPE html>\n<html lang=\"{word}\">\n<meta name=\"author\" content=\"{word}\">\n\
         <meta name=\"description\" content=\"{word}\">\n<link rel=\"icon\" href=\"{icon}\">\n\
         <title>{word}</title>\n<section aria-label=\"{word}\"><h1>{word}</h1></section>\n\
         <section><h2>{word}</h2><a data-webfeed-href=\"/offer?{word}\">x</a></section>\n"
    )
}

/// Looks at pages of ours, and counts what is wrong with them.
fn looked(trap: &Trap, tally: &mut Tally, server: &Serving, paths: &[String]) {
    for path in paths {
        trap.open(tally, path, &at(server, path));
    }
}

#[test]
fn names_titles_and_descriptions_are_text_in_our_own_pages() {
    let Some(trap) = Trap::set() else { return };
    let places = trap.places();
    let words: Vec<String> =
        (0..).zip(Kind::Words.texts()).map(|(n, text)| places.fill(text, n)).collect();
    let mut urls = Vec::new();
    for (number, word) in words.iter().enumerate() {
        trap.home.put(&format!("/w{number}/post"), html(named(&places, word)));
        trap.home.put(&format!("/w{number}/index.txt"), index("post\n"));
        urls.push(trap.home.url(&format!("/w{number}/index.txt")));
    }
    let follower = Follower::default();
    for url in &urls {
        crate::stage::follow(&follower, url);
    }
    let tiles = tiles(&follower);
    assert_eq!(tiles.len(), words.len());
    let server = follower.serve(&["--no-poll"]);
    let mut tally = Tally::default();
    trap.browser.size(1280, 6000);
    looked(
        &trap,
        &mut tally,
        &server,
        &["/webfeeds".to_owned(), "/webfeeds?show=unread".to_owned()],
    );
    // As text they are to be seen.
    let shown = "return [...document.querySelectorAll('.byline a')].map((one) => one.textContent)";
    let names = trap.browser.script(shown).to_string();
    assert!(names.contains("</title><script>") && names.contains("<img src=x onerror="), "{names}");
    trap.browser.size(1280, 900);
    for tile in &tiles {
        let (key, id) = (&tile.site_key, tile.post.id);
        looked(
            &trap,
            &mut tally,
            &server,
            &[format!("/webfeeds/{key}"), format!("/webfeeds/posts/{id}")],
        );
        if id % 5 == 0 {
            let paths = [
                format!("/webfeeds/posts/{id}/plain"),
                format!("/sites/{key}"),
                format!("/sites/{key}/remove"),
            ];
            looked(&trap, &mut tally, &server, &paths);
        }
    }
    looked(&trap, &mut tally, &server, &["/".to_owned(), "/subscriptions".to_owned()]);
    // And where it is looked at before it is followed.
    let fresh = Follower::default();
    let server = fresh.serve(&["--no-poll"]);
    for url in [&urls[1], &urls[6]] {
        trap.browser.open(&at(&server, "/webfeeds"));
        trap.browser.fill("Follow a webfeed", url);
        trap.browser.click("Look at it");
        trap.browser.see("How good its documents are");
        let here = trap.browser.at();
        trap.check(&mut tally, "before it is followed", &here);
    }
    let line = trap.close(&mut tally, &[Kind::Words], words.len());
    println!("{line}");
    assert!(tally.all().is_empty(), "{line}\n{:#?}", tally.some());
}

#[test]
fn lines_of_an_index_and_reasons_are_text_in_our_own_pages() {
    let Some(trap) = Trap::set() else { return };
    let places = trap.places();
    let lines: Vec<String> =
        (0..).zip(Kind::Lines.texts()).map(|(n, text)| places.fill(text, n)).collect();
    trap.home.put("/good", html("<section><h1>Good</h1></section>"));
    let hostile = "text/x-<script>top.postMessage('pwned','*')</script>";
    trap.home.put("/reason", Reply::ok("x").with("Content-Type", hostile));
    let elsewhere = format!("http://u:p@{}/<img src=x onerror=x>", places.beacon);
    trap.home.put("/redirected", Reply::redirect(elsewhere));
    let follower = Follower::default();
    trap.home.put("/index.txt", index("/good\n"));
    crate::stage::follow(&follower, &trap.home.url("/index.txt"));
    trap.home.put("/index.txt", index(format!("/good\n{}\n", lines.join("\n"))));
    follower.run(&["poll"]);
    follower.run(&["poll"]);
    let server = follower.serve(&["--no-poll"]);
    let tiles = tiles(&follower);
    assert!(tiles.len() > 8, "{} posts: {}", tiles.len(), follower.site());
    let key = &tiles[0].site_key;
    let mut tally = Tally::default();
    trap.browser.size(1280, 6000);
    let mut paths = vec![
        format!("/webfeeds/{key}"),
        "/webfeeds".to_owned(),
        format!("/sites/{key}"),
        "/".to_owned(),
        "/log".to_owned(),
    ];
    for tile in &tiles {
        paths.push(format!("/webfeeds/posts/{}", tile.post.id));
    }
    looked(&trap, &mut tally, &server, &paths);
    trap.browser.open(&at(&server, &format!("/webfeeds/{key}")));
    trap.browser.script("for (const one of document.querySelectorAll('details')) one.open = true");
    trap.browser.see("<script>");
    // An index that cannot be read says why.
    trap.home.put("/index.txt", Reply::new(500, "<script>top.postMessage('pwned','*')</script>"));
    follower.run(&["poll"]);
    looked(&trap, &mut tally, &server, &["/webfeeds".to_owned(), format!("/webfeeds/{key}")]);
    // Typed into addresses.
    for text in Kind::Words.texts() {
        let word: String =
            url::form_urlencoded::byte_serialize(places.fill(text, 0).as_bytes()).collect();
        let path = word.replace('+', "%20");
        for path in [
            format!("/webfeeds/{path}"),
            format!("/webfeeds/posts/{path}"),
            format!("/webfeeds?show={word}&after={word}&said={word}"),
        ] {
            let answer = server.get(&path);
            let text = answer.text();
            assert!(!text.contains("<script>top") && !text.contains("<img src="), "{path}: {text}");
        }
    }
    let line = trap.close(&mut tally, &[Kind::Lines], lines.len());
    println!("{line}");
    assert!(tally.all().is_empty(), "{line}\n{:#?}", tally.some());
}
