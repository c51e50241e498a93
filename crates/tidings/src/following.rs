//! Following on the command line: the verbs work on the state, whether or not a server runs.

pub(crate) mod backup;
pub(crate) mod follow;
pub(crate) mod log;
pub(crate) mod opml;
pub(crate) mod place;
pub(crate) mod poll;
pub(crate) mod serve;
pub(crate) mod sites;
pub(crate) mod token;
pub(crate) mod unfollow;
pub(crate) mod user;

use anyhow::{Context, Result, bail};
use tidings_store::{Retention, Store};
use tidings_syndication::{Follower, FollowerOptions, Pacing};

use crate::cli::Global;
use crate::config::{self, Config, FollowConfig, ServeConfig};

/// A runtime for a verb, which waits more than it works.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?)
}

/// A follower as the configuration has it.
pub(crate) fn follower(store: Store, global: &Global) -> Result<Follower> {
    let found = config::read(global.config.as_deref())?;
    let options = options(&found.config, global)?;
    Ok(Follower::new(store, options)?)
}

/// The URL at which the owners of sites can say something about our requests: that of the configuration, else
/// the base of the server if others know it by a name.
pub(crate) fn contact(config: &ServeConfig) -> Result<Option<String>> {
    let Some(text) = &config.contact else {
        let base = config.base.as_ref().filter(|base| place::authority(base).is_some());
        return Ok(base.cloned());
    };
    let url = url::Url::parse(text.trim()).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https" | "mailto"));
    let is_plain = |url: &url::Url| !url.as_str().contains(['(', ')']);
    let url = url.filter(is_plain).with_context(|| {
        format!("contact: {text:?} is no URL for people; give one of a page, or mailto:ADDRESS")
    })?;
    Ok(Some(url.into()))
}

/// For how long changes are kept.
fn retention(config: &FollowConfig) -> Result<Retention> {
    let usual = Retention::default();
    let max_age = match config.keep.as_deref().map(str::trim) {
        None => usual.max_age,
        Some("forever") => None,
        Some(text) => Some(days(text).with_context(|| {
            format!("keep: {text:?} is no time; give it as 90d, 26w or 2y, or forever")
        })?),
    };
    let max_changes = match config.keep_changes {
        None => usual.max_changes,
        Some(0) => None,
        Some(number) if number > 0 => Some(number),
        Some(number) => bail!("keep-changes: {number} is no number of changes; give 0 to keep all"),
    };
    Ok(Retention { max_age, max_changes })
}

/// A time in days, weeks or years, in milliseconds.
fn days(text: &str) -> Option<i64> {
    const MAX_DAYS: i64 = 100 * 365;
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let unit = match unit.trim() {
        "d" => 1,
        "w" => 7,
        "y" => 365,
        _ => return None,
    };
    let days = number.parse::<i64>().ok()?.checked_mul(unit)?;
    (1..=MAX_DAYS).contains(&days).then_some(days * 24 * 60 * 60 * 1000)
}

/// What a follower goes by.
pub(crate) fn options(config: &Config, global: &Global) -> Result<FollowerOptions> {
    let contact = contact(&config.serve)?;
    let config = &config.follow;
    let usual = Pacing::default();
    let time = |text: &Option<String>, usual| match text {
        Some(text) => crate::cli::time(text).map_err(anyhow::Error::msg),
        None => Ok(usual),
    };
    let pacing = Pacing {
        usual: time(&config.every, usual.usual)?,
        shortest: time(&config.shortest, usual.shortest)?,
        longest: time(&config.longest, usual.longest)?,
        longest_wait: time(&config.longest_wait, usual.longest_wait)?,
        doubt: match config.doubt.as_deref() {
            Some("0s") => 0,
            _ => time(&config.doubt, usual.doubt)?,
        },
    };
    Ok(FollowerOptions {
        allow_private: global.allow_private || config.allow_private,
        heed_robots: config.robots.unwrap_or(true),
        pacing,
        retention: retention(config)?,
        contact,
        ..FollowerOptions::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_kept_for_days_weeks_or_years() {
        let day = 24 * 60 * 60 * 1000;
        for (text, expected) in [("90d", 90), ("26w", 182), ("2y", 730)] {
            assert_eq!(days(text), Some(expected * day), "{text}");
        }
        for bad in ["", "2", "d", "0d", "-1d", "5h", "101y", "99999999999999999999y"] {
            assert_eq!(days(bad), None, "{bad}");
        }
        let kept = |keep: &str, changes| {
            let config = FollowConfig {
                keep: Some(keep.to_owned()),
                keep_changes: changes,
                ..FollowConfig::default()
            };
            retention(&config)
        };
        let all = Retention { max_age: None, max_changes: None };
        assert_eq!(kept("forever", Some(0)).unwrap(), all);
        assert!(kept("2h", None).is_err() && kept("2y", Some(-1)).is_err());
        assert_eq!(retention(&FollowConfig::default()).unwrap(), Retention::default());
    }
}
