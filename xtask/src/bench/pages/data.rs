//! The names of works and sides in the data file of `bench pages`.

pub(crate) use crate::bench::follow::data::{HELLO, SERVE};

pub(crate) const ON_SQLITE: &str = "sqlite";
pub(crate) const ON_POSTGRES: &str = "postgres";
/// Asked for by several at once.
pub(crate) const HOME_LOAD: &str = "home-load";
pub(crate) const COLLECTION_LOAD: &str = "collection-load";

pub(crate) const HOME: &str = "Tidings, home";
pub(crate) const COLLECTION: &str = "Tidings, collection";
pub(crate) const COLLECTION_NOWHERE: &str = "Tidings, collection, nowhere";
pub(crate) const SEARCH_NOWHERE: &str = "Tidings, search, nowhere";
/// The peer with as many bytes as home.
pub(crate) const BODY: &str = "axum, the bytes of home";
