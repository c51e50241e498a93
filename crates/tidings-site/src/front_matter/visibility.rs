//! Keys by which front matter says that a page is not for everybody, or not yet: those of Hugo, Zola,
//! Jekyll and Eleventy, and misspelt ones.

use super::loose_value::LooseValue;
use crate::spelling::{folded, is_near};

/// Who may see a page and when, by other keys than `roles`, `tags` and `draft`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Visibility {
    /// Nobody but the administrators may see it.
    pub is_withheld: bool,
    /// Nobody may see it before this time, in seconds since 1970.
    pub from: Option<i64>,
    /// Nobody may see it from this time on.
    pub until: Option<i64>,
    /// More tags than `tags` has.
    pub tags: Vec<String>,
    /// Nobody may see what is below it, if it is the page of a section: Hugo's `cascade` restricts that.
    pub is_cascading: bool,
    /// It is a draft by another spelling of `draft`.
    pub is_draft: bool,
    /// Keys that are not understood as they are written.
    pub odd_keys: Vec<OddKey>,
}

/// A key that is not understood as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OddKey {
    /// As it is written.
    pub key: String,
    /// The key that was probably meant.
    pub meant: Option<&'static str>,
    /// Whether the page is for nobody because of it.
    pub is_withheld: bool,
}

/// Keys that say who may see a page: what is nearly one of them is taken for one.
const RESTRICTING: [&str; 10] = [
    "roles",
    "tags",
    "draft",
    "private",
    "published",
    "publishDate",
    "expiryDate",
    "restricted",
    "visibility",
    "permissions",
];

/// Our own keys.
const OWN: [&str; 11] = [
    "id",
    "title",
    "alias",
    "tags",
    "roles",
    "nav_title",
    "nav_parent",
    "nav_order",
    "robots",
    "theme",
    "draft",
];

/// Keys of other programs that say nothing about who may see a page, in their folded form.
const FOREIGN: &[&str] = &[
    "aliases",
    "author",
    "authors",
    "bibliography",
    "canonical",
    "canonicalurl",
    "categories",
    "category",
    "class",
    "comments",
    "content",
    "copyright",
    "cover",
    "created",
    "createdat",
    "css",
    "date",
    "dates",
    "description",
    "dir",
    "direction",
    "editor",
    "email",
    "eleventycomputed",
    "eleventyexcludefromcollections",
    "eleventyimport",
    "eleventynavigation",
    "excerpt",
    "extra",
    "featured",
    "feed",
    "header",
    "hero",
    "icon",
    "image",
    "images",
    "insitemap",
    "inlinecss",
    "insearchindex",
    "insertanchorlinks",
    "iscjklanguage",
    "js",
    "keywords",
    "kind",
    "lang",
    "language",
    "languagecode",
    "lastmod",
    "lastmodified",
    "lastupdated",
    "layout",
    "license",
    "link",
    "linktitle",
    "locale",
    "logo",
    "markup",
    "math",
    "mermaid",
    "menu",
    "menus",
    "meta",
    "modified",
    "name",
    "nav",
    "next",
    "og",
    "opengraph",
    "order",
    "outputs",
    "pagetitle",
    "pageintransparent",
    "pagination",
    "paginateby",
    "params",
    "parent",
    "path",
    "permalink",
    "photos",
    "pin",
    "pinned",
    "position",
    "prev",
    "previous",
    "publisher",
    "rating",
    "redirectfrom",
    "redirectto",
    "related",
    "render",
    "resources",
    "review",
    "rss",
    "scripts",
    "section",
    "seo",
    "series",
    "showtoc",
    "sidebar",
    "sitemap",
    "slug",
    "sortby",
    "source",
    "styles",
    "subtitle",
    "summary",
    "template",
    "templateengineoverride",
    "thumbnail",
    "toc",
    "translationkey",
    "translations",
    "transparent",
    "twitter",
    "type",
    "updated",
    "updatedat",
    "url",
    "uuid",
    "version",
    "videos",
    "weight",
    "wordcount",
];

/// Whether a state of a page is one that is not for everybody yet, or any more.
fn is_closed_status(value: &LooseValue) -> bool {
    const CLOSED: [&str; 13] = [
        "draft",
        "private",
        "unpublished",
        "pending",
        "future",
        "hidden",
        "wip",
        "trash",
        "review",
        "restricted",
        "internal",
        "unlisted",
        "secret",
    ];
    match value {
        LooseValue::Text(text) => {
            CLOSED.contains(&&*folded(text)) || CLOSED[..2].iter().any(|word| is_near(text, word))
        }
        LooseValue::List(items) => items.iter().any(is_closed_status),
        LooseValue::Null | LooseValue::Flag(_) | LooseValue::Map(_) => false,
    }
}

/// Whether a mapping has a key that would restrict the page if it stood at the top.
fn is_restricting_within(value: &LooseValue) -> bool {
    const KEYS: [&str; 16] = [
        "draft",
        "isdraft",
        "private",
        "isprivate",
        "hidden",
        "unlisted",
        "restricted",
        "secret",
        "published",
        "publish",
        "publishdate",
        "expirydate",
        "visibility",
        "access",
        "roles",
        "role",
    ];
    let LooseValue::Map(entries) = value else { return false };
    entries.iter().any(|entry| {
        let (key, value) = (folded(&entry.0), &entry.1);
        is_restricting_within(value)
            || KEYS.contains(&&*key) && is_restricting(&LooseValue::Map(vec![entry.clone()]))
    })
}

/// Whether Hugo's `cascade` restricts the pages that it is for, whichever those are.
fn is_restricting(value: &LooseValue) -> bool {
    let is_empty = |value: &LooseValue| match value {
        LooseValue::Null => true,
        LooseValue::Text(text) => text.trim().is_empty(),
        LooseValue::List(items) => items.is_empty(),
        LooseValue::Flag(_) | LooseValue::Map(_) => false,
    };
    match value {
        LooseValue::List(items) => items.iter().any(is_restricting),
        LooseValue::Map(entries) => entries.iter().any(|(key, value)| match &*folded(key) {
            "target" => false,
            "roles" | "role" | "tags" | "tag" => !is_empty(value),
            "params" | "taxonomies" => is_restricting(value),
            _ => {
                let mut visibility = Visibility::default();
                visibility.take(key, value);
                visibility.is_closed_at(jiff::Timestamp::now().as_second())
            }
        }),
        LooseValue::Null | LooseValue::Flag(_) | LooseValue::Text(_) => false,
    }
}

impl Visibility {
    /// Nobody may see the page before this time, in seconds since 1970.
    pub(crate) fn begin(&mut self, moment: i64) {
        self.from = Some(self.from.map_or(moment, |known| known.max(moment)));
    }

    /// Takes an entry whose key is none of our own. Returns what is odd about the key.
    pub(super) fn take(&mut self, key: &str, value: &LooseValue) -> Option<OddKey> {
        let odd = |meant, is_withheld| Some(OddKey { key: key.to_owned(), meant, is_withheld });
        let name = folded(key);
        let in_other_case = |meant| {
            let is_other = key.chars().next().is_some_and(char::is_uppercase);
            if is_other { odd(Some(meant), false) } else { None }
        };
        match name.as_str() {
            "draft" | "isdraft" | "indraft" | "private" | "isprivate" | "hidden" | "hide"
            | "unlisted" | "unpublished" | "notpublished" | "restricted" | "secret"
            | "internal" | "confidential" | "membersonly" | "memberonly" | "requireslogin"
            | "requirelogin" | "loginrequired" | "authenticated" | "auth" | "login"
            | "protected" | "headless" | "trashed" | "deleted" => {
                // A value that is neither is taken for what was meant to close the page.
                let is_meant = value.flag().unwrap_or(*value != LooseValue::Null);
                self.is_withheld |= is_meant;
                self.is_draft |= is_meant && matches!(&*name, "draft" | "isdraft" | "indraft");
                in_other_case("draft")
            }
            "published" | "publish" | "public" | "ispublished" | "ispublic" | "render" => {
                match (value.flag(), value.moments()) {
                    (Some(flag), _) => self.is_withheld |= !flag,
                    (None, Some((_, moment))) => self.begin(moment),
                    (None, None) => self.is_withheld |= *value != LooseValue::Null,
                }
                in_other_case("published")
            }
            "visible" | "isvisible" | "listed" | "released" | "live" | "enabled" | "dgpublish" => {
                self.is_withheld |= value.flag() == Some(false);
                value.moments().into_iter().for_each(|(_, moment)| self.begin(moment));
                None
            }
            "date" => match value.moments() {
                Some((_, moment)) => {
                    self.begin(moment);
                    in_other_case("date")
                }
                None if value.is_no_future() => in_other_case("date"),
                None => self.withhold(value, odd(None, true)),
            },
            "publishdate" | "pubdate" | "publishedat" | "publishat" | "publishon"
            | "publishdatetime" | "publishfrom" | "datepublished" | "publicationdate"
            | "releasedate" | "embargo" | "embargountil" | "golive" | "availablefrom"
            | "visiblefrom" => match value.moments() {
                Some((_, moment)) => {
                    self.begin(moment);
                    in_other_case("publishDate")
                }
                None => self.withhold(value, odd(Some("publishDate"), true)),
            },
            "expirydate" | "unpublishdate" | "expires" | "expiresat" | "expirationdate"
            | "expiredate" | "expiration" | "unpublishat" | "expiry" | "expire" | "validuntil"
            | "availableuntil" | "visibleuntil" => match value.moments() {
                Some((moment, _)) => {
                    self.until = Some(self.until.map_or(moment, |known| known.min(moment)));
                    in_other_case("expiryDate")
                }
                None => self.withhold(value, odd(Some("expiryDate"), true)),
            },
            "permalink" => {
                self.is_withheld |= value.flag() == Some(false);
                None
            }
            "build" | "_build" => {
                if let LooseValue::Map(entries) = value {
                    let is_word = |text: &str| matches!(text, "never" | "false" | "link");
                    let never = |value: &LooseValue| match value {
                        LooseValue::Text(text) => is_word(text),
                        value => value.flag() == Some(false),
                    };
                    self.is_withheld |=
                        entries.iter().any(|(key, value)| key == "render" && never(value));
                }
                None
            }
            "cascade" => {
                self.is_cascading |= is_restricting(value);
                None
            }
            "status" | "state" | "workflow" => {
                self.is_withheld |= is_closed_status(value);
                None
            }
            // Values that themes and templates read; what restricts a page in them was meant to.
            "extra" | "params" | "meta" | "page" if is_restricting_within(value) => {
                self.withhold(value, odd(None, true))
            }
            "visibility" | "access" | "audience" | "permissions" | "acl" | "groups"
            | "password" | "allow" | "allowedroles" | "requirerole" | "requiredroles"
            | "requireroles" | "viewers" => {
                let is_open = match value {
                    LooseValue::Null => true,
                    LooseValue::Text(text) => {
                        let open = ["", "public", "everyone", "everybody", "all", "anyone"];
                        open.contains(&text.trim().to_lowercase().as_str())
                    }
                    _ => value.flag() == Some(false),
                };
                if is_open { None } else { self.withhold(value, odd(Some("roles"), true)) }
            }
            name if FOREIGN.contains(&name) => None,
            _ => self.take_unknown(key, value),
        }
    }

    fn take_unknown(&mut self, key: &str, value: &LooseValue) -> Option<OddKey> {
        if let Some(meant) = RESTRICTING.iter().find(|meant| is_near(key, meant)) {
            let odd = OddKey { key: key.to_owned(), meant: Some(meant), is_withheld: true };
            // What says that nothing is restricted restricts nothing in any spelling.
            let is_nothing =
                matches!(*meant, "draft" | "private" | "restricted") && value.flag() == Some(false);
            if is_nothing {
                return Some(OddKey { is_withheld: false, ..odd });
            }
            self.is_withheld = true;
            return Some(odd);
        }
        let meant = OWN.iter().find(|own| folded(key) == folded(own)).copied();
        Some(OddKey { key: key.to_owned(), meant, is_withheld: false })
    }

    fn withhold(&mut self, value: &LooseValue, odd: Option<OddKey>) -> Option<OddKey> {
        if *value == LooseValue::Null {
            return None;
        }
        self.is_withheld = true;
        odd
    }

    /// Whether nobody may see the page at this time, in seconds since 1970.
    #[must_use]
    pub fn is_closed_at(&self, now: i64) -> bool {
        self.is_withheld
            || self.from.is_some_and(|from| now < from)
            || self.until.is_some_and(|until| now >= until)
    }

    /// The next time at which that changes, if there is one.
    #[must_use]
    pub fn next_change(&self, now: i64) -> Option<i64> {
        if self.is_withheld {
            return None;
        }
        [self.from, self.until].into_iter().flatten().filter(|moment| *moment > now).min()
    }
}
