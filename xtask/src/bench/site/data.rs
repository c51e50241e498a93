//! The names of works and sides in the data file of `bench site`.

pub(crate) use crate::bench::follow::data::HELLO;

pub(crate) const SITEMAP: &str = "sitemap";
pub(crate) const VIEWS: &str = "views";
pub(crate) const START: &str = "start";
pub(crate) const MANY: &str = "many";
pub(crate) const EDIT: &str = "edit";

pub(crate) const LIVE: &str = "Tidings, live";
pub(crate) const FILE: &str = "nginx, from a file";
pub(crate) const PAGE: &str = "Tidings, a file";
pub(crate) const OBJECT: &str = "Tidings, an object";
pub(crate) const STARTED_PLAIN: &str = "Tidings, files";
pub(crate) const STARTED_VERSIONED: &str = "Tidings, objects";
pub(crate) const FIRST_INDEX: &str = "Tidings, sitemap.xml";
pub(crate) const FIRST_PART: &str = "Tidings, a part of it";
pub(crate) const FIRST_LIST: &str = "Tidings, Resource List";
pub(crate) const FIRST_PAGE: &str = "Tidings, a page";
pub(crate) const SEEN: &str = "Tidings, page";
pub(crate) const LISTED: &str = "Tidings, sitemap";
