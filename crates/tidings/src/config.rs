//! `tidings.toml`: what is too much to type, or the same at each run.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::cli::PublishSpec;

/// The name under which a configuration is looked for in the current folder.
const NAME: &str = "tidings.toml";

/// A configuration as it is written. Every key is known; a slip of the pen is an error, not silence.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Config {
    pub(crate) publish: PublishConfig,
    pub(crate) serve: ServeConfig,
    pub(crate) site: SiteConfig,
    pub(crate) follow: FollowConfig,
}

/// How to serve a live Markdown site.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct SiteConfig {
    pub(crate) listen: Option<String>,
    pub(crate) admin_path: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) host: Vec<String>,
    pub(crate) trust_proxy: Vec<String>,
    pub(crate) settle: Option<String>,
    pub(crate) connections: Option<usize>,
    pub(crate) connections_per_network: Option<usize>,
}

/// How to serve, and where the state is.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct ServeConfig {
    pub(crate) listen: Option<String>,
    pub(crate) base: Option<String>,
    /// A URL for the User-Agent; else the base, if others can reach it.
    pub(crate) contact: Option<String>,
    pub(crate) data: Option<PathBuf>,
    pub(crate) database: Option<String>,
    pub(crate) private: bool,
    pub(crate) always_token: bool,
    pub(crate) fetches_per_minute: Option<u32>,
    pub(crate) connections: Option<usize>,
    pub(crate) connections_per_network: Option<usize>,
    pub(crate) open_tools: bool,
    pub(crate) copies: Option<PathBuf>,
    pub(crate) jobs: Option<u16>,
    pub(crate) lease: Option<String>,
}

/// How to follow. Times are written as 30min, 6h or 2d.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct FollowConfig {
    pub(crate) every: Option<String>,
    pub(crate) shortest: Option<String>,
    pub(crate) longest: Option<String>,
    pub(crate) longest_wait: Option<String>,
    pub(crate) doubt: Option<String>,
    pub(crate) robots: Option<bool>,
    pub(crate) allow_private: bool,
    /// How long changes are kept: a time such as 90d or 2y, or forever.
    pub(crate) keep: Option<String>,
    /// How many changes of a collection are kept; 0 for all.
    pub(crate) keep_changes: Option<i64>,
}

/// How to publish.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct PublishConfig {
    pub(crate) base: Option<String>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) hash: Vec<String>,
    pub(crate) spec: Option<PublishSpec>,
    pub(crate) max_entries: Option<u64>,
    pub(crate) include: Vec<String>,
    pub(crate) exclude: Vec<String>,
    pub(crate) hidden: bool,
    pub(crate) etag_is_md5: bool,
    pub(crate) dump: bool,
    pub(crate) change_dump: bool,
    pub(crate) patches: bool,
    pub(crate) title: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) uri: Option<String>,
    pub(crate) keep: KeepConfig,
    pub(crate) set: Vec<SetConfig>,
    pub(crate) link: Vec<LinkConfig>,
}

/// How long things stay, in days.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct KeepConfig {
    pub(crate) superseded_days: Option<u64>,
    pub(crate) open_days: Option<u64>,
    pub(crate) changes_days: Option<u64>,
}

/// A set of resources: what lies below `prefix`, or what one of the `globs` matches, or everything.
///
/// A resource that several sets match is in the first of them. With `shared = true` a set has all that
/// it matches, even what another set has, and keeps nothing from the sets after it: so a resource can be
/// in several sets, and the lists of each tell of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct SetConfig {
    pub(crate) name: String,
    pub(crate) prefix: Option<String>,
    pub(crate) globs: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) shared: bool,
    pub(crate) uri: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) language: Option<String>,
}

/// A link that resources get.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct LinkConfig {
    #[serde(default)]
    pub(crate) globs: Vec<String>,
    pub(crate) rel: String,
    pub(crate) href: String,
    pub(crate) pri: Option<u32>,
    #[serde(rename = "type")]
    pub(crate) media_type: Option<String>,
    pub(crate) encoding: Option<String>,
}

/// A configuration, and where it was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) config: Config,
    pub(crate) path: Option<PathBuf>,
}

/// Reads the configuration that was asked for, or the one in the current folder if there is one.
pub(crate) fn read(asked: Option<&Path>) -> Result<Found> {
    let path = asked.unwrap_or(Path::new(NAME));
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if asked.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Found::default());
        }
        Err(error) => {
            return Err(error).with_context(|| format!("could not read {}", path.display()));
        }
    };
    let config = toml::from_str(&text).with_context(|| path.display().to_string())?;
    Ok(Found { config, path: Some(path.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_said_with_its_place() {
        let error = toml::from_str::<Config>("[publish]\nbsae = \"x\"\n").unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("bsae"), "{error}");
    }
}
