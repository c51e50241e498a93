#![doc = include_str!("../README.md")]

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
pub mod text_format;
mod write_timeout;
