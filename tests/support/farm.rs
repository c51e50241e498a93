//! A farm of sites that are not there: one server plays them all, each at a loopback address of its
//! own, so that to a follower each is another host.
//!
//! Linux answers at all of 127.0.0.0/8. Site 0 is at 127.1.0.0, site 1 at 127.1.0.1 and so on, all at
//! one port. 127.0.0.1 is the farm itself, which others than its owner ask to change something:
//! `/add/SITE/CHANGES`, `/add/all/CHANGES`, `/requests`.

#[path = "farm/documents.rs"]
mod documents;
#[path = "farm/sites.rs"]
mod sites;
#[path = "farm/wire.rs"]
mod wire;

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::oneshot;

use self::sites::Sites;

/// How the sites are.
#[derive(Debug, Clone, Default)]
pub struct FarmOptions {
    /// Where it listens; 0 for a port that is free.
    pub port: u16,
    /// How many changes each site has at first.
    pub changes: u64,
    /// The last of so many sites takes connections, and never answers; 0 for none.
    pub hanging_every: u64,
    /// The same with sites that answer with an error.
    pub erring_every: u64,
    /// The same with sites that have but a Sitemap.
    pub sitemap_every: u64,
    /// How long a site thinks about its Change List or Sitemap.
    pub delay: Duration,
    /// The robots.txt of all sites; there is none without.
    pub robots: Option<String>,
}

/// How often it was asked for what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FarmRequests {
    /// A robots.txt.
    pub robots: u64,
    /// A Change List or Sitemap, which was sent.
    pub lists: u64,
    /// The same, which the follower had already.
    pub unchanged: u64,
    /// All else.
    pub others: u64,
    /// Of hanging sites.
    pub hanging: u64,
}

/// The farm, until it is dropped.
#[derive(Debug)]
pub struct Farm {
    port: u16,
    sites: Arc<Sites>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Farm {
    /// Starts it on a thread of its own.
    pub fn start(options: FarmOptions) -> std::io::Result<Self> {
        // All addresses of loopback, which there is no other way to say; others are not answered.
        let listener = std::net::TcpListener::bind((Ipv4Addr::UNSPECIFIED, options.port))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let sites = Arc::new(Sites::new(options, port));
        let theirs = Arc::clone(&sites);
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = std::thread::spawn(move || {
            runtime.block_on(async {
                let Ok(listener) = TcpListener::from_std(listener) else { return };
                tokio::select! {
                    () = wire::serve(&listener, &theirs) => {}
                    _ = stopped => {}
                }
            });
        });
        Ok(Self { port, sites, stop: Some(stop), thread: Some(thread) })
    }

    /// The port of all sites.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The URL of a site, with a slash at its end.
    pub fn url(&self, site: u64) -> String {
        self.sites.url(site)
    }

    /// So many changes more in the Change List of a site, or pages in its Sitemap.
    pub fn add_changes(&self, site: u64, changes: u64) {
        self.sites.add(site, changes);
    }

    /// The same in all of them.
    pub fn add_changes_to_all(&self, changes: u64) {
        self.sites.more.fetch_add(changes, Ordering::SeqCst);
    }

    /// How many changes a site has had.
    pub fn changes(&self, site: u64) -> u64 {
        self.sites.changes(site)
    }

    /// How often it was asked for what.
    pub fn requests(&self) -> FarmRequests {
        self.sites.counters.read()
    }
}

impl Drop for Farm {
    fn drop(&mut self) {
        let _ = self.stop.take().map(|stop| stop.send(()));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
