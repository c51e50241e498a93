//! What the tests of pages share: sites of their own, and who signs in.
#![allow(unreachable_pub, reason = "a part of a test")]

use std::path::Path;

use serde_json::Value;

use crate::browser::Browser;
use crate::folder::Folder;
use crate::support::follower::{Follower, Serving};
use crate::support::{run, stderr};
use crate::town::{ADMIN, PASSWORD};

/// The binary.
pub fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_tidings"))
}

/// A site of two collections, published and served.
pub struct Shelf {
    pub site: Folder,
    place: tempfile::TempDir,
}

impl Shelf {
    pub fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("site");
        std::fs::create_dir(&folder).unwrap();
        let shelf = Self { site: Folder::serve(&folder), place };
        shelf.site.put("index.html", &page("The shelf"));
        for name in ["herbs", "stars", "knots"] {
            shelf.site.put(&format!("books/{name}.html"), &page(&format!("A book of {name}")));
        }
        shelf.site.put("maps/bay.html", &page("A map of the bay"));
        shelf.publish();
        shelf
    }

    /// Publishes it as it is now.
    pub fn publish(&self) {
        let config = self.place.path().join("tidings.toml");
        let base = self.site.url();
        let text = format!(
            "[publish]\nbase = \"{base}\"\ntitle = \"The shelf\"\n\
             [[publish.set]]\nname = \"books\"\nprefix = \"books/\"\ntitle = \"Books\"\n\
             [[publish.set]]\nname = \"maps\"\nprefix = \"maps/\"\ntitle = \"Maps\"\n"
        );
        std::fs::write(&config, text).unwrap();
        let folder = self.site.path().to_str().unwrap();
        let output = run(["publish", folder, "--config", config.to_str().unwrap(), "--quiet"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }

    /// Changes a book, brings one, takes one away.
    pub fn change(&self) {
        self.site.put("books/herbs.html", &page("A larger book of herbs"));
        self.site.put("books/winds.html", &page("A book of winds"));
        let _ = std::fs::remove_file(self.site.path().join("books/knots.html"));
        self.publish();
    }
}

pub fn page(title: &str) -> String {
    format!("<!doctype html>\n<title>{}</title>\n<p>It is here.</p>\n", escaped(title))
}

/// A text as it is written in HTML and XML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A follower of the shelf that has seen it change, and its server.
pub fn followed(shelf: &Shelf) -> (Follower, Serving, Value) {
    let follower = Follower::default();
    follower.json(&["follow", &shelf.site.url()]);
    shelf.change();
    follower.json(&["poll"]);
    let site = follower.site();
    let server = follower.serve(&["--no-poll"]);
    (follower, server, site)
}

/// The key of a collection with that title.
pub fn collection(site: &Value, title: &str) -> String {
    let all = site["collections"].as_array().unwrap();
    let found = all.iter().find(|one| one["title"] == title);
    found.unwrap_or_else(|| panic!("{site:#}"))["key"].as_str().unwrap().to_owned()
}

pub fn key(told: &Value) -> String {
    told["key"].as_str().unwrap().to_owned()
}

/// The address of a path at a server.
pub fn at(server: &Serving, path: &str) -> String {
    format!("{}{path}", server.base.trim_end_matches('/'))
}

/// Signs the admin in.
#[track_caller]
pub fn sign_in(browser: &Browser, base: &str) {
    browser.open(&format!("{}/login", base.trim_end_matches('/')));
    browser.fill("Name", ADMIN);
    browser.fill("Password", PASSWORD);
    browser.click("Sign in");
    browser.reach("/");
    browser.see(ADMIN);
}
