//! One server: feeds, API, pages.
//!
//! [`Server::bind`] takes a port, [`Server::run`] answers until it is told to stop. Feeds are bytes
//! that are made once and sent often ([`cache`]); everything that makes us fetch something, or changes
//! what is followed, asks who wants it ([`access`]) and how often ([`limits`]).

mod access;
mod api;
mod cache;
mod conditional;
mod error;
mod feeds;
mod html;
mod limits;
mod listener;
mod metrics;
mod options;
mod pages;
mod patience;
mod router;
mod server;
mod state;
mod token;

pub use error::ServerError;
pub use options::{Access, ServerOptions};
pub use server::Server;
pub use token::NewToken;
