//! Webfeeds: a text file of URLs, and the plain HTML posts behind them.
//!
//! An [`Index`] says which posts there are, the newest last. A [`Post`] is an HTML page whose top-level
//! `<section>`s are screens, the first of which is the lead. What somebody else wrote is never shown as
//! it is: what is in a [`Section`] has been through [`Post::parse`], which lets through only what it
//! knows, and so have style sheets ([`css::sanitise`]) and pictures ([`Picture`]).

pub mod check;
pub mod css;
mod identity;
mod index;
mod picture;
mod post;
mod publisher;

pub use identity::Identity;
pub use index::{Index, IndexError, Line};
pub use picture::{Picture, PictureError};
pub use post::{Post, Section, Style};
pub use publisher::{
    Added, Begun, Draft, Material, Profile, PublishError, Publisher, Removed, Written,
};

/// Says under which address a picture is had that a post names, or that it is not to be had at all.
pub type Pictures<'a> = &'a mut dyn FnMut(&url::Url) -> Option<String>;
