//! What the addresses of a page lead to.

use url::Url;

use crate::Pictures;

/// How long an address may be.
const LONGEST: usize = 2_000;
/// How many bytes all addresses of a page may have once they are resolved: a long base makes many of few.
const MOST_BYTES: usize = 1 << 20;

/// Resolves addresses against the page's base.
pub(super) struct Addresses<'a> {
    base: Url,
    /// True once a `<base>` has said it.
    is_said: bool,
    /// True once an address was resolved before any `<base>`.
    is_used: bool,
    is_stale: bool,
    /// What is left of [`MOST_BYTES`].
    left: usize,
    /// True if `style` attributes are left out.
    undressed: bool,
    pictures: Pictures<'a>,
}

impl<'a> Addresses<'a> {
    pub(super) fn new(base: Url, is_said: bool, undressed: bool, pictures: Pictures<'a>) -> Self {
        let (is_used, is_stale, left) = (false, false, MOST_BYTES);
        Self { base, is_said, is_used, is_stale, left, undressed, pictures }
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

    /// Where a link may lead. One within the page leads nowhere: its sections are shown one by one.
    /// Only schemes that are known are let through; the parser has taken tabs and line breaks out.
    pub(super) fn link(&mut self, address: &str) -> Option<Url> {
        if address.trim_start_matches(|c| c <= ' ').starts_with('#') {
            return None;
        }
        let is_known = |url: &Url| is_web(url) || matches!(url.scheme(), "mailto" | "tel");
        self.resolve(address).filter(is_known)
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
    pub(super) fn style(&mut self, css: &str) -> String {
        if self.undressed {
            return String::new();
        }
        self.is_used |= !self.is_said;
        crate::css::sanitise_declarations(css, &self.base, self.pictures)
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
