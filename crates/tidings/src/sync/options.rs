//! From the command line to what the library wants.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use tidings_destination::{
    Mapping, MaxDelete, Sets, SyncOptions, Via, check_folder, check_folder_for_sync,
};
use tidings_web::{Bandwidth, ClientOptions, HeaderMap, HeaderName, HeaderValue, Pace};
use url::Url;

use super::credentials;
use crate::cli::{Common, Global, Sync, ViaChoice};
use crate::remedy::REMEDIES;

pub(super) fn of(arguments: &Sync, global: &Global) -> Result<SyncOptions> {
    let common = &arguments.common;
    check_folder_for_sync(&arguments.folder)?;
    let mut options = of_common(&arguments.url, &arguments.folder, common, global)?;
    options.via = match arguments.via {
        ViaChoice::Auto => Via::Auto,
        ViaChoice::List => Via::List,
        ViaChoice::Dump => Via::Dump,
        ViaChoice::Sitemap => Via::Sitemap,
    };
    options.include.clone_from(&arguments.include);
    options.exclude.clone_from(&arguments.exclude);
    options.collection.clone_from(&arguments.collection);
    options.prefer.clone_from(&arguments.prefer);
    options.descriptions = arguments.with_metadata;
    options.delete = arguments.delete;
    options.trash = arguments.trash;
    options.max_delete = match arguments.force_delete {
        true => MaxDelete::Any,
        false => max_delete(&arguments.max_delete)?,
    };
    options.moved = arguments.moved;
    options.overwrite = arguments.overwrite;
    options.baseline = arguments.baseline;
    options.dry_run = arguments.dry_run;
    Ok(options)
}

/// What every command about copies wants to know.
pub(crate) fn of_common(
    url: &str,
    folder: &Path,
    common: &Common,
    global: &Global,
) -> Result<SyncOptions> {
    // Before the register of copies hears of it.
    check_folder(folder)?;
    let mut url = web_url(url)?;
    let mut client = client_options(common, global)?;
    credentials::take(&mut url, &mut client.headers, common.netrc)?;
    let mut options = SyncOptions::new(url, folder);
    options.sets = sets(common);
    options.mapping = mapping(&common.map)?;
    options.client = client;
    options.jobs = common.jobs.into();
    options.robots = !common.no_robots;
    Ok(options)
}

fn web_url(text: &str) -> Result<Url> {
    let url = Url::parse(text).or_else(|_| Url::parse(&format!("https://{text}")));
    let url =
        url.with_context(|| format!("{text} is not a URL; give it as https://example.com/"))?;
    if !matches!(url.scheme(), "http" | "https") {
        bail!("{text} is not on the web: only http and https are copied");
    }
    Ok(url)
}

fn sets(common: &Common) -> Sets {
    match (common.all, common.set.is_empty()) {
        (true, _) => Sets::All,
        (false, true) => Sets::Only,
        (false, false) => Sets::Named(common.set.clone()),
    }
}

pub(crate) fn mapping(rules: &[String]) -> Result<Mapping> {
    let mut mapping = Mapping::new();
    for rule in rules {
        mapping = mapping.with_rule(rule)?;
    }
    Ok(mapping)
}

fn client_options(common: &Common, global: &Global) -> Result<ClientOptions> {
    if common.rate.is_some_and(|rate| !(0.001..=1e6).contains(&rate)) {
        bail!("--rate wants a number of requests in a second, from 0.001 to 1000000");
    }
    Ok(ClientOptions {
        allow_private: global.allow_private,
        remedies: REMEDIES,
        headers: headers(&common.header)?,
        bandwidth: common.bwlimit.as_deref().map(bandwidth).transpose()?,
        pace: Some(Arc::new(Pace::new(common.jobs.into(), common.rate))),
        ..ClientOptions::default()
    })
}

/// A number of bytes in a second, such as `500k`, `10M` or `1.5G`.
fn bandwidth(text: &str) -> Result<Arc<Bandwidth>> {
    let (number, unit) = match text.trim().strip_suffix(['k', 'K', 'M', 'G']) {
        Some(number) => (number, text.trim().chars().next_back()),
        None => (text.trim(), None),
    };
    let unit = match unit {
        Some('k' | 'K') => 1e3,
        Some('M') => 1e6,
        Some('G') => 1e9,
        _ => 1.0,
    };
    let rate = number.parse::<f64>().ok().map(|number| number * unit);
    match rate.filter(|rate| (1e3..=1e12).contains(rate)) {
        Some(rate) => Ok(Arc::new(Bandwidth::new(rate as u64))),
        None => bail!(
            "--bwlimit wants a number of bytes in a second, such as 500k, 10M or 1G, from 1k to 1000G, \
             not {text:?}"
        ),
    }
}

fn headers(lines: &[String]) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    for line in lines {
        let wrong = || "--header wants a name and a value, as in 'Authorization: Bearer …'";
        let (name, value) = line.split_once(':').with_context(wrong)?;
        let name = HeaderName::from_bytes(name.trim().as_bytes()).with_context(wrong)?;
        // The value may be a secret: it is not repeated.
        headers.append(name, HeaderValue::from_str(value.trim()).with_context(wrong)?);
    }
    Ok(headers)
}

/// A number, or a share in percent.
pub(crate) fn max_delete(text: &str) -> Result<MaxDelete> {
    let wrong = || format!("--max-delete wants a number or a share such as 10%, not {text:?}");
    match text.strip_suffix('%') {
        Some(percent) => {
            let percent: f64 = percent.trim().parse().ok().with_context(wrong)?;
            if !(0.0..=100.0).contains(&percent) {
                bail!(wrong());
            }
            Ok(MaxDelete::Percent(percent))
        }
        None => Ok(MaxDelete::Number(text.trim().parse().ok().with_context(wrong)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bandwidths_are_numbers_with_a_unit() {
        for text in ["1k", "1000", "500k", "10M", " 1.5G "] {
            assert!(bandwidth(text).is_ok(), "{text}");
        }
        for text in ["", "0", "999", "10m", "10MB", "-1M", "M", "NaN", "infG", "1e20"] {
            assert!(bandwidth(text).is_err(), "{text}");
        }
    }
}
