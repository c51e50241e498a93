//! Writes and reads the settings of a site as attributes in a list of subscriptions.

use tidings_store::{Settings, Site, State, Via};

use crate::Wishes;

/// The maximum number of titles that a list may ask for.
const MAX_TITLES: u32 = 100;
/// The maximum time between polls that a list may ask for, in seconds.
const MAX_INTERVAL_SECONDS: i64 = 366 * 24 * 60 * 60;

/// What the attributes of a list say.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ListSettings {
    pub(crate) wishes: Wishes,
    pub(crate) is_paused: bool,
    /// Attributes that were not understood, as they were written.
    pub(crate) skipped: Vec<String>,
}

/// The settings of a site that are not the usual ones.
pub(crate) fn write(site: &Site) -> Vec<(String, String)> {
    let (settings, usual) = (&site.settings, Settings::default());
    let mut attributes = Vec::new();
    let mut put = |name: &str, is_set: bool, value: String| {
        if is_set {
            attributes.push((name.to_owned(), value));
        }
    };
    let yes = || "true".to_owned();
    put("webfeed", site.via == Via::Webfeed, yes());
    put("split", settings.split, yes());
    put("strict", settings.strict, yes());
    put("diff", settings.diff, yes());
    put("titles", settings.titles != usual.titles, settings.titles.to_string());
    put("tiles", settings.tiles != usual.tiles, settings.tiles.to_string());
    put("pages", settings.pages != usual.pages, settings.pages.to_string());
    if let Some(every) = settings.every {
        put("every", true, (every / 1000).to_string());
    }
    put("paused", site.state == State::Paused, yes());
    attributes
}

/// What attributes say, and which of them say nothing that could be set.
pub(crate) fn read(attributes: &[(String, String)]) -> ListSettings {
    let mut read = ListSettings::default();
    for (name, value) in attributes {
        if set(&mut read, name, value).is_none() {
            read.skipped.push(format!("{name}={value:?}"));
        }
    }
    read
}

fn set(read: &mut ListSettings, name: &str, value: &str) -> Option<()> {
    let wishes = &mut read.wishes;
    match name {
        "webfeed" => wishes.webfeed = flag(value)?,
        "split" => wishes.split = Some(flag(value)?),
        "strict" => wishes.strict = Some(flag(value)?),
        "diff" => wishes.diff = Some(flag(value)?),
        "titles" => wishes.titles = Some(number(value, MAX_TITLES)?),
        "tiles" => wishes.tiles = Some(number(value, Settings::MOST_TILES)?),
        "pages" => wishes.pages = Some(number(value, Settings::MAX_PAGES)?),
        "every" => {
            let seconds = value.parse::<i64>().ok()?;
            let is_time = (1..=MAX_INTERVAL_SECONDS).contains(&seconds);
            wishes.every = Some(is_time.then_some(Some(seconds * 1000))?);
        }
        "paused" => read.is_paused = flag(value)?,
        _ => return None,
    }
    Some(())
}

fn flag(value: &str) -> Option<bool> {
    value.parse().ok()
}

fn number(value: &str, most: u32) -> Option<u32> {
    value.parse().ok().filter(|number| *number <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_a_list_are_checked() {
        let given = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let said = read(&[given("titles", "5"), given("every", "3600"), given("paused", "true")]);
        assert_eq!(said.wishes.titles, Some(5));
        assert_eq!(said.wishes.every, Some(Some(3_600_000)));
        assert!(said.is_paused && said.skipped.is_empty());
        for (name, value) in [
            ("titles", "101"),
            ("titles", "-1"),
            ("tiles", "x"),
            ("every", "0"),
            ("every", "99999999999"),
            ("diff", "yes"),
            ("colour", "red"),
        ] {
            let said = read(&[given(name, value)]);
            assert_eq!(said.skipped, [format!("{name}={value:?}")]);
            assert_eq!(said.wishes, Wishes::default());
        }
    }
}
