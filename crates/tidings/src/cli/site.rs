//! The command line of the live Markdown site.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::LogForm;

/// Serve a live Markdown site whose robots.txt and sitemap.xml are always true
///
/// ROOT has a folder pages (Markdown files with front matter, pictures beside them), or a folder content
/// (objects with sidecars, in versions), or both. Whatever is there now is what the next visitor, crawler
/// and follower gets: pages, /robots.txt, /sitemap.xml, an Atom feed at /feed.atom, and the whole site as
/// a ResourceSync Source at /.well-known/resourcesync. State is kept in ROOT/state/tidings.
///
/// The first start prints, once, where the administration is and how to sign in.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    tidings site .                                   pages/index.md is http://127.0.0.1:8430/\n  \
    tidings site /srv/www --listen 0.0.0.0:80 --host example.com\n  \
    tidings site /srv/www --trust-proxy 127.0.0.1    behind a proxy that terminates TLS\n  \
    tidings site . --check                           what is wrong with the content, and no more")]
pub(crate) struct Site {
    /// The content root
    #[arg(value_name = "ROOT")]
    pub(crate) root: PathBuf,
    /// Where to listen [default: 127.0.0.1:8430]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<SocketAddr>,
    /// Where the administration is; else at a path that nobody can guess, made at the first start
    #[arg(long, value_name = "PATH")]
    pub(crate) admin_path: Option<String>,
    /// What the site is called; else as its home page is
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: Option<String>,
    /// The language of its pages, such as en or pt-BR [default: en]
    #[arg(long, value_name = "TAG")]
    pub(crate) language: Option<String>,
    /// A host that the site is known by: shared caches may keep what is sent for it; may be repeated
    #[arg(long, value_name = "HOST")]
    pub(crate) host: Vec<String>,
    /// An address or network of proxies whose Forwarded and X-Forwarded headers are believed; may be
    /// repeated
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) trust_proxy: Vec<String>,
    /// Say what is wrong with the content, and exit: 1 if something is
    #[arg(long)]
    pub(crate) check: bool,
    /// How to log
    #[arg(long, value_enum, default_value_t = LogForm::Text, value_name = "FORM")]
    pub(crate) log: LogForm,
}
