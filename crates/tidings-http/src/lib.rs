#![doc = include_str!("../README.md")]

pub mod account_store;
pub mod authenticator;
pub mod compression;
pub mod conditional;
pub mod connection_table;
pub mod cookies;
pub mod form;
pub mod limits;
pub mod listener;
pub mod password;
pub mod request_body;
pub mod same_origin;
pub mod secret;
pub mod session_cookies;
pub mod text_format;
mod write_timeout;
