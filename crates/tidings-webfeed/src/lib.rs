#![doc = include_str!("../README.md")]

pub mod check;
pub mod css;
mod identity;
mod index;
mod picture;
mod post;
mod publisher;
mod reference;

pub use identity::Identity;
pub use index::{Index, IndexError, Line};
pub use picture::{Picture, PictureError};
pub use post::{Dress, Post, Section, Style};
pub use publisher::{
    AddOptions, Added, Begun, Draft, EditPlan, Material, Profile, PublishError, Publisher, Removed,
    Written,
};
pub use reference::{Subresource, SubresourceKind, subresources_of_page, subresources_of_sheet};

/// Says under which address a picture is had that a post names, or that it is not to be had at all.
pub type Pictures<'a> = &'a mut dyn FnMut(&url::Url) -> Option<String>;
