//! What the addresses of a page lead to.

use url::Url;

use super::Dress;
use crate::{Pictures, css};

/// How long an address may be.
const LONGEST: usize = 2_000;
/// How many bytes all addresses of a page may have once they are resolved: a long base makes many of few.
const MOST_BYTES: usize = 1 << 20;

/// Resolves addresses against the page's base.
pub(super) struct Addresses<'a> {
    /// Where the page is.
    at: Url,
    base: Url,
    /// True once a `<base>` has said it.
    is_said: bool,
    /// True once an address was resolved before any `<base>`.
    is_used: bool,
    is_stale: bool,
    /// What is left of [`MOST_BYTES`].
    left: usize,
    /// What of `style` attributes is shown.
    dress: Dress,
    pictures: Pictures<'a>,
}

impl<'a> Addresses<'a> {
    pub(super) fn new(
        (at, base): (Url, Url),
        is_said: bool,
        dress: Dress,
        pictures: Pictures<'a>,
    ) -> Self {
        let (is_used, is_stale, left) = (false, false, MOST_BYTES);
        Self { at, base, is_said, is_used, is_stale, left, dress, pictures }
    }

    /// The first `<base href>` counts, for what is before it as well.
    pub(super) fn set_base(&mut self, href: &str) {
        if self.is_said {
            return;
        }
        if let Some(base) = self.base.join(href).ok().filter(is_web).filter(is_short) {
            self.is_said = true;
            self.is_stale = self.is_used && base != self.base;
            self.base = base;
        }
    }

    /// Whether addresses were resolved against another base than that of the page.
    pub(super) fn is_stale(&self) -> bool {
        self.is_stale
    }

    pub(super) fn base(&self) -> &Url {
        &self.base
    }

    fn resolve(&mut self, address: &str) -> Option<Url> {
        self.is_used |= !self.is_said;
        if self.left == 0 {
            return None;
        }
        let url = self.base.join(address).ok()?;
        // Also what is not used took its time.
        self.left = self.left.saturating_sub(url.as_str().len());
        Some(url).filter(is_short)
    }

    /// An address on the web.
    pub(super) fn web(&mut self, address: &str) -> Option<Url> {
        self.resolve(address).filter(is_web)
    }

    /// Where a link may lead that leads out of the page.
    /// Only schemes that are known are let through; the parser has taken tabs and line breaks out.
    pub(super) fn link(&mut self, address: &str) -> Option<Url> {
        if address.trim_start_matches(|c| c <= ' ').starts_with('#') {
            return None;
        }
        let is_known = |url: &Url| is_web(url) || matches!(url.scheme(), "mailto" | "tel");
        self.resolve(address).filter(is_known)
    }

    /// Where the page is itself.
    pub(super) fn own(&mut self) -> Option<Url> {
        let own = self.at.clone();
        self.left = self.left.saturating_sub(own.as_str().len());
        Some(own).filter(|own| self.left > 0 && is_web(own) && is_short(own))
    }

    /// Under which address a picture is had. None of a `data:` address is: the frame shows only what
    /// is at our own, where it has been looked at.
    pub(super) fn picture(&mut self, address: &str) -> Option<String> {
        if address.trim().is_empty() {
            return None;
        }
        let url = self.web(address)?;
        (self.pictures)(&url)
    }

    /// A `style` attribute, made safe.
    pub(super) fn style(&mut self, text: &str) -> String {
        if self.dress == Dress::None {
            return String::new();
        }
        self.is_used |= !self.is_said;
        css::declarations(text, self.dress, &self.base, self.pictures)
    }
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

fn is_short(url: &Url) -> bool {
    url.as_str().len() <= LONGEST
}

/// The first address of a `srcset`.
pub(super) fn first_of_set(set: &str) -> Option<&str> {
    let first = set.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
    let first = first.split(|c: char| c.is_ascii_whitespace()).next()?;
    let first = first.trim_end_matches(',');
    (!first.is_empty()).then_some(first)
}
