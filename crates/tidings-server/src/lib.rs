//! One server: feeds, API, pages.
//!
//! [`Server::bind`] takes a port, [`Server::run`] answers until it is told to stop. Feeds are bytes
//! that are made once and sent often ([`cache`]); everything that makes us fetch something, or changes
//! what is followed, asks who wants it ([`access`]) and how often ([`limits`]). Pages ([`pages`]) are
//! templates that are checked when this crate is built, within one [`frame`]; their forms are taken
//! only from [`visitor`]s who got them here ([`posted`]).

mod access;
mod api;
mod cache;
mod conditional;
mod connection_table;
mod cookies;
mod error;
mod feeds;
mod filter;
mod frame;
mod jobs;
mod limits;
mod listener;
mod live;
mod metrics;
mod options;
mod pages;
mod parts;
mod password;
mod patience;
mod posted;
mod request_body;
mod router;
mod sample;
mod secret;
mod server;
mod site;
mod smaller;
mod state;
mod token;
mod tools;
mod visitor;
mod webfeeds;

pub use error::ServerError;
pub use options::{Access, ServerOptions};
pub use password::{PasswordError, hash_password};
pub use server::Server;
pub use site::{SiteOptions, SiteServer, SiteStartError};
pub use token::NewToken;
