//! What a person wants of a site.

use tidings_store::{Millis, Settings};

/// What a person wants of a site; what is not said stays as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wishes {
    /// See [`Settings::split`].
    pub split: Option<bool>,
    /// See [`Settings::strict`].
    pub strict: Option<bool>,
    /// See [`Settings::titles`].
    pub titles: Option<u32>,
    /// See [`Settings::diff`].
    pub diff: Option<bool>,
    /// See [`Settings::every`]; none in it is as the site's own changes suggest.
    pub every: Option<Option<Millis>>,
    /// See [`Settings::tiles`].
    pub tiles: Option<u32>,
    /// See [`Settings::pages`].
    pub pages: Option<u32>,
    /// A webfeed is meant, and nothing else that may be there.
    pub webfeed: bool,
}

impl Wishes {
    /// What is wished for here, and else there.
    #[must_use]
    pub(crate) fn or(&self, other: Self) -> Self {
        Self {
            split: self.split.or(other.split),
            strict: self.strict.or(other.strict),
            titles: self.titles.or(other.titles),
            diff: self.diff.or(other.diff),
            every: self.every.or(other.every),
            tiles: self.tiles.or(other.tiles),
            pages: self.pages.or(other.pages),
            webfeed: self.webfeed || other.webfeed,
        }
    }

    /// The settings with what is wished for.
    #[must_use]
    pub fn applied(&self, settings: &Settings) -> Settings {
        Settings {
            split: self.split.unwrap_or(settings.split),
            strict: self.strict.unwrap_or(settings.strict),
            titles: self.titles.unwrap_or(settings.titles),
            diff: self.diff.unwrap_or(settings.diff),
            every: self.every.unwrap_or(settings.every),
            private: settings.private,
            tiles: self.tiles.unwrap_or(settings.tiles),
            pages: self.pages.unwrap_or(settings.pages),
        }
    }
}
