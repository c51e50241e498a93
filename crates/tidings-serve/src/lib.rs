#![doc = include_str!("../README.md")]

mod access;
mod api;
mod cache;
mod cookie_names;
mod error;
mod feeds;
mod filter;
mod frame;
mod jobs;
mod live;
mod metrics;
mod options;
mod pages;
mod parts;
mod posted;
mod router;
mod sample;
mod saved_search;
mod server;
mod state;
mod token;
mod tools;
mod user_accounts;
mod visitor;
mod webfeeds;

pub use error::ServerError;
pub use options::{Access, ServerOptions};
pub use server::Server;
pub use token::NewToken;
pub use user_accounts::UserAccounts;
