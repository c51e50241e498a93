#![doc = include_str!("../README.md")]

mod admin;
mod answer_error;
mod blob;
mod machine_documents;
mod memento_routes;
mod page;
mod route;
mod search;
mod search_queue;
mod server;
mod shell;
mod sign_in;
mod site_accounts;
mod site_request;
mod site_response;
mod state;
mod stream_table;

pub use server::{FirstStart, SiteOptions, SiteServer, SiteStartError};
pub use site_accounts::{SiteAccounts, SiteAccountsError};
