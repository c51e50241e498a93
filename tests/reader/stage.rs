//! What the tests of the reader share: webfeeds on a server that does what a test says, who follows them,
//! and the reader in a browser.

use tidings_store::{GridFilter, Location, SiteFilter, Store, Tile};

use crate::browser::Browser;
use crate::support::follower::{Follower, Serving};
use crate::support::server::{Reply, Server};
use crate::support::{stderr, stdout};

/// All frames of the page are asked for at once, and have come.
pub(crate) const LOADED: &str = "
    const frames = [...document.querySelectorAll('iframe')];
    for (const frame of frames) frame.loading = 'eager';
    return document.readyState === 'complete' && frames.every((frame) => frame.isLoaded);";

/// The address of a path at a server.
pub(crate) fn at(server: &Serving, path: &str) -> String {
    format!("{}{path}", server.base.trim_end_matches('/'))
}

/// An index as static servers send it.
pub(crate) fn index(text: impl Into<Vec<u8>>) -> Reply {
    Reply::ok(text).with("Content-Type", "text/plain")
}

pub(crate) fn html(text: impl Into<Vec<u8>>) -> Reply {
    Reply::ok(text).with("Content-Type", "text/html")
}

/// A post with so many sections.
pub(crate) fn post(author: &str, title: &str, sections: usize) -> Reply {
    let colours = ["#1f4e79", "#7a3b12", "#2c5e2e", "#5b2a6e", "#444"];
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta name=\"author\" content=\"{author}\">\n\
         <meta name=\"description\" content=\"All about {author}\">\n<title>{title}</title>\n\
         <style>section {{ padding: 2rem; color: #fff; font-size: 1.5rem }}"
    );
    for (number, colour) in colours.iter().enumerate() {
        text += &format!(" section:nth-of-type(5n + {}) {{ background: {colour} }}", number + 1);
    }
    text += "</style>\n";
    for number in 1..=sections {
        let heading = if number == 1 { title.to_owned() } else { format!("Part {number}") };
        text += &format!(
            "<section>\n<h1>{heading}</h1>\n<p>By {author}, {number} of {sections}.</p>\n</section>\n"
        );
    }
    html(text)
}

#[track_caller]
pub(crate) fn follow(follower: &Follower, address: &str) {
    let output = follower.run(&["follow", address]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
}

fn wait<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(work)
}

/// All posts of all webfeeds, the newest first of each.
pub(crate) fn tiles(follower: &Follower) -> Vec<Tile> {
    wait(async {
        let store = Store::open_existing(&Location::Folder(follower.data())).await.unwrap();
        let sites = store.sites(SiteFilter { limit: 500, ..SiteFilter::default() }).await.unwrap();
        let mut tiles = Vec::new();
        for site in sites {
            let filter =
                GridFilter { site_id: Some(site.id), limit: 20_000, ..GridFilter::default() };
            tiles.extend(store.grid(&filter).await.unwrap());
        }
        tiles
    })
}

/// The number of the post at a path.
#[track_caller]
pub(crate) fn id_of(follower: &Follower, path: &str) -> i64 {
    let tiles = tiles(follower);
    let found = tiles.iter().find(|tile| tile.post.url.ends_with(path));
    found.unwrap_or_else(|| panic!("no post at {path}")).post.id
}

/// Webfeeds, somebody who follows them, and a browser.
pub(crate) struct Stage {
    pub(crate) web: Server,
    pub(crate) follower: Follower,
    pub(crate) browser: Browser,
}

impl Stage {
    pub(crate) fn set() -> Option<Self> {
        Some(Self::with(Browser::start()?))
    }

    /// The same with this browser.
    pub(crate) fn with(browser: Browser) -> Self {
        browser.before_all("document.addEventListener('load', (event) => { event.target.isLoaded = true; }, true);");
        Self { web: Server::start(), follower: Follower::default(), browser }
    }

    /// A webfeed of that author with posts of these names, in a folder of its own.
    pub(crate) fn publish(&self, folder: &str, author: &str, names: &[&str]) {
        for name in names {
            self.web.put(&format!("/{folder}/{name}"), post(author, &format!("On {name}"), 5));
        }
        self.list(folder, names);
    }

    /// Lists these in the index of a folder.
    pub(crate) fn list(&self, folder: &str, lines: &[&str]) {
        self.web.put(&format!("/{folder}/index.txt"), index(lines.join("\n") + "\n"));
    }

    #[track_caller]
    pub(crate) fn follow(&self, folder: &str) {
        follow(&self.follower, &self.web.url(&format!("/{folder}/index.txt")));
    }

    /// The key of the webfeed in a folder.
    #[track_caller]
    pub(crate) fn key(&self, folder: &str) -> String {
        let wanted = self.web.url(&format!("/{folder}/index.txt"));
        let sites = self.follower.sites();
        let found = sites.iter().find(|site| site["url"] == wanted.as_str());
        found.unwrap_or_else(|| panic!("{sites:?}"))["key"].as_str().unwrap().to_owned()
    }

    /// Opens a page of the reader.
    #[track_caller]
    pub(crate) fn open(&self, server: &Serving, path: &str) {
        self.browser.open(&at(server, path));
    }

    /// A picture of the page, with all that is in its frames.
    #[track_caller]
    pub(crate) fn picture(&self, name: &str) {
        self.browser.until("all frames have come", || {
            self.browser.try_script(LOADED, Vec::new()) == Some(serde_json::Value::Bool(true))
        });
        // What is out of sight is not drawn in frames.
        let told = self
            .browser
            .script("return [innerWidth, innerHeight, document.documentElement.scrollHeight]");
        let length = |at: usize| told[at].as_u64().unwrap() as u32;
        self.browser.size(length(0), length(1).max(length(2)));
        let drawn = "return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))));";
        assert!(self.browser.try_script(drawn, Vec::new()).is_some());
        self.browser.screenshot(name);
        self.browser.size(length(0), length(1));
    }
}
