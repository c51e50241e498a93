//! What a page says about itself.

use url::Url;

use super::Style;
use super::address::Addresses;
use super::attribute::{Attribute, is_tag};
use super::excerpt::excerpt;
use super::tokens::Attributes;
use crate::Identity;

/// How many style sheets of either kind are taken.
const MOST_STYLES: usize = 16;
/// How many webfeeds a page may offer.
const MOST_OFFERS: usize = 20;
const LONGEST_NAME: usize = 200;
const LONGEST_DESCRIPTION: usize = 1000;

/// What `<meta>`, `<link>` and their like have said so far.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) identity: Identity,
    /// True if the icon is one that is meant for the screen of a telephone.
    is_icon_spare: bool,
    pub(super) title: Option<String>,
    pub(super) language: Option<String>,
    pub(super) direction: Option<&'static str>,
    pub(super) styles: Vec<Style>,
    pub(super) offers: Vec<Url>,
}

impl Head {
    pub(super) fn meta(&mut self, attributes: &Attributes) {
        let (Some(name), Some(content)) =
            (attributes.get(Attribute::Name), attributes.get(Attribute::Content))
        else {
            return;
        };
        let (said, most) = match name.trim() {
            name if name.eq_ignore_ascii_case("author") => {
                (&mut self.identity.author, LONGEST_NAME)
            }
            name if name.eq_ignore_ascii_case("description") => {
                (&mut self.identity.description, LONGEST_DESCRIPTION)
            }
            _ => return,
        };
        if said.is_none() {
            *said = excerpt(content, most);
        }
    }

    pub(super) fn link(&mut self, attributes: &Attributes, addresses: &mut Addresses<'_>) {
        let (Some(rel), Some(href)) =
            (attributes.get(Attribute::Rel), attributes.get(Attribute::Href))
        else {
            return;
        };
        let has =
            |word: &str| rel.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case(word));
        let is_spare = has("apple-touch-icon") || has("apple-touch-icon-precomposed");
        if has("icon") && (self.identity.icon.is_none() || self.is_icon_spare) {
            if let Some(icon) = addresses.web(href) {
                self.identity.icon = Some(icon);
                self.is_icon_spare = false;
            }
        } else if is_spare && self.identity.icon.is_none() {
            self.identity.icon = addresses.web(href);
            self.is_icon_spare = self.identity.icon.is_some();
        }
        let linked = self.styles.iter().filter(|style| matches!(style, Style::Linked { .. }));
        if has("stylesheet")
            && !has("alternate")
            && is_for_screens(attributes)
            && linked.count() < MOST_STYLES
        {
            let media = Self::media(attributes);
            self.styles.extend(addresses.web(href).map(|url| Style::Linked { url, media }));
        }
    }

    /// Whether the text of a `<style>` is wanted.
    pub(super) fn wants_style(&self, attributes: &Attributes) -> bool {
        let inline = self.styles.iter().filter(|style| matches!(style, Style::Inline(_)));
        is_for_screens(attributes) && inline.count() < MOST_STYLES
    }

    /// The condition under which a style sheet counts, if it is no matter of course. A condition with signs
    /// that none has is left out.
    pub(super) fn media(attributes: &Attributes) -> Option<String> {
        let media = attributes.get(Attribute::Media)?.trim();
        let is_known = |c: char| c.is_ascii_alphanumeric() || " ()-:,./%<>=".contains(c);
        let is_needed = !media.is_empty() && !media.eq_ignore_ascii_case("all");
        (is_needed && media.chars().all(is_known)).then(|| media.to_owned())
    }

    pub(super) fn set_title(&mut self, title: &str) {
        if self.title.is_none() {
            self.title = excerpt(title, LONGEST_NAME);
        }
    }

    pub(super) fn html(&mut self, attributes: &Attributes) {
        let language = attributes.get(Attribute::Lang).filter(|lang| is_tag(lang.as_bytes()));
        if self.language.is_none() {
            self.language = language.map(str::to_owned);
        }
        if self.direction.is_none() {
            let said = attributes.get(Attribute::Dir).unwrap_or_default();
            let known = ["ltr", "rtl", "auto"].into_iter();
            self.direction = known.into_iter().find(|it| said.trim().eq_ignore_ascii_case(it));
        }
    }

    pub(super) fn offer(&mut self, address: &str, addresses: &mut Addresses<'_>) {
        if self.offers.len() >= MOST_OFFERS {
            return;
        }
        if let Some(url) = addresses.web(address).filter(|url| !self.offers.contains(url)) {
            self.offers.push(url);
        }
    }
}

/// A style sheet that is for paper only is left out.
fn is_for_screens(attributes: &Attributes) -> bool {
    let Some(media) = attributes.get(Attribute::Media) else { return true };
    media.trim().is_empty()
        || media.split(',').any(|query| {
            let kind = query.trim().split(|c: char| !c.is_ascii_alphabetic()).next();
            !kind.unwrap_or_default().eq_ignore_ascii_case("print")
        })
}
