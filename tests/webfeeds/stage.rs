//! A webfeed on a server that does what a test says, and somebody who follows it.

use tidings_store::{GridFilter, Location, PostText, Store, Tile};

use crate::support::follower::Follower;
use crate::support::server::{Reply, Server};
use crate::support::{stderr, stdout};

pub(crate) struct Stage {
    pub(crate) server: Server,
    pub(crate) follower: Follower,
}

/// A page with one section.
pub(crate) fn page(title: &str) -> Reply {
    let html = format!(
        "<!DOCTYPE html>\n<meta name=\"author\" content=\"Ada\">\n<section><h1>{title}</h1></section>\n"
    );
    Reply::ok(html).with("Content-Type", "text/html")
}

/// An index as static servers send it.
pub(crate) fn index(text: impl Into<Vec<u8>>) -> Reply {
    Reply::ok(text).with("Content-Type", "text/plain")
}

pub(crate) fn wait<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(work)
}

impl Stage {
    /// Nothing is there yet.
    pub(crate) fn empty() -> Self {
        Self { server: Server::start(), follower: Follower::default() }
    }

    /// From now on what looks like a mistake is believed if the next poll finds it, too.
    pub(crate) fn is_easily_convinced(&self) {
        self.follower.configure("[follow]\ndoubt = \"0s\"\n");
    }

    /// Posts with those names, followed.
    pub(crate) fn with(names: &[&str]) -> Self {
        let stage = Self::empty();
        for name in names {
            stage.server.put(&format!("/{name}"), page(name));
        }
        stage.list(names);
        stage.follow();
        stage
    }

    /// Lists these in the index.
    pub(crate) fn list(&self, names: &[&str]) {
        self.server.put("/index.txt", index(names.join("\n") + "\n"));
    }

    #[track_caller]
    pub(crate) fn follow(&self) {
        let output = self.follower.run(&["follow", &self.server.url("/index.txt")]);
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    }

    /// Polls; what is said about the site then, or nothing.
    pub(crate) fn poll(&self) -> String {
        self.server.forget_log();
        let output = self.follower.run(&["poll"]);
        assert_ne!(output.status.code(), Some(2), "{}", stderr(&output));
        self.follower.site()["reason"].as_str().unwrap_or_default().to_owned()
    }

    /// What was asked for in the last poll, such as `HEAD /index.txt`.
    pub(crate) fn asked(&self) -> Vec<String> {
        let log = self.server.log();
        log.iter().map(|request| format!("{} {}", request.method, request.path)).collect()
    }

    fn store(&self) -> Store {
        wait(Store::open_existing(&Location::Folder(self.follower.data()))).unwrap()
    }

    /// All posts, the newest first.
    pub(crate) fn tiles(&self) -> Vec<Tile> {
        let store = self.store();
        wait(async {
            let sites = store.sites(tidings_store::SiteFilter { limit: 1, ..Default::default() });
            let site_id = Some(sites.await.unwrap()[0].id);
            let filter = GridFilter { site_id, limit: 20_000, ..GridFilter::default() };
            store.grid(&filter).await.unwrap()
        })
    }

    /// The tiles of the grid of all webfeeds.
    pub(crate) fn grid(&self) -> Vec<Tile> {
        let filter = GridFilter { limit: 20_000, ..GridFilter::default() };
        wait(self.store().grid(&filter)).unwrap()
    }

    /// The paths of all posts, the oldest first.
    pub(crate) fn posts(&self) -> Vec<String> {
        let path = |tile: &Tile| url::Url::parse(&tile.post.url).unwrap().path()[1..].to_owned();
        self.tiles().iter().rev().map(path).collect()
    }

    pub(crate) fn text(&self, id: i64) -> Option<PostText> {
        let store = self.store();
        wait(store.post_text(id)).unwrap()
    }
}
