//! Where the state is.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result};
use tidings_store::{Location, Store};

use crate::cli::{Global, Place};
use crate::config;

/// The URL of a server that was started without further ado.
const USUAL_BASE: &str = "http://127.0.0.1:8420/";

/// Where the state is: as the command line says, the configuration, or as usual.
pub(crate) fn location(place: &Place, global: &Global) -> Result<Location> {
    let serve = config::read(global.config.as_deref())?.config.serve;
    let database =
        place.database.clone().or_else(|| serve.database.filter(|_| place.data.is_none()));
    if let Some(url) = database {
        return Ok(Location::Database(url));
    }
    let folder = match place.data.clone().or(serve.data) {
        Some(folder) => folder,
        None => usual_folder().context("there is no home folder; --data names another one")?,
    };
    Ok(Location::Folder(folder))
}

fn usual_folder() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = set("XDG_DATA_HOME").or_else(|| Some(set("HOME")?.join(".local/share")));
    Some(data?.join("tidings"))
}

/// Opens the state, and makes it if there is none.
pub(crate) async fn open(place: &Place, global: &Global) -> Result<Store> {
    let base = config::read(global.config.as_deref())?.config.serve.base;
    let authority = base.as_deref().and_then(authority);
    Ok(Store::open(&location(place, global)?, authority.as_deref()).await?)
}

/// The name of a server, if it is one that others know it by: its feeds are identified by it.
pub(crate) fn authority(base: &str) -> Option<String> {
    let url = url::Url::parse(base).ok()?;
    let name = url.domain()?;
    (name.contains('.') && !name.ends_with(".localhost")).then(|| name.to_owned())
}

/// Opens the state that there is.
pub(crate) async fn open_existing(place: &Place, global: &Global) -> Result<Store> {
    Ok(Store::open_existing(&location(place, global)?).await?)
}

/// Where the feeds are: as asked for, else where a server last said it is.
pub(crate) async fn base(asked: Option<&str>, store: &Store, global: &Global) -> Result<String> {
    if let Some(asked) = asked {
        return Ok(asked.to_owned());
    }
    if let Some(base) = config::read(global.config.as_deref())?.config.serve.base {
        return Ok(base);
    }
    Ok(store.base().await?.unwrap_or_else(|| USUAL_BASE.to_owned()))
}
