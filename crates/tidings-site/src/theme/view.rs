//! A page as templates see it.

use std::sync::Arc;

use minijinja::value::{Enumerator, Object, Value};

use crate::markdown::Heading;

/// What a page shows.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The name of the site.
    pub site: &'a str,
    /// The language of the page, as HTML's `lang` has it; nothing if it is not known.
    pub language: &'a str,
    /// The title of the page.
    pub title: &'a str,
    /// What the page is about, as plain text.
    pub description: Option<&'a str>,
    /// Safe HTML: it is not escaped again.
    pub content: &'a str,
    /// For a table of contents, if at least three are of level 2 or 3.
    pub headings: &'a [Heading],
    /// As [`Theme::navigation`](super::Theme::navigation) made it.
    pub navigation: &'a Value,
    /// The path of the page, as in the navigation's URLs.
    pub path: &'a str,
    /// The absolute URL of the page.
    pub canonical: &'a str,
    /// When it was last changed: RFC 3339. Nothing if that means nothing.
    pub modified: &'a str,
    /// Link elements for the head: not escaped again.
    pub links: &'a str,
    /// Where the feed is, for people.
    pub feed: Option<&'a str>,
    /// Who is signed in.
    pub user: Option<&'a str>,
    /// Whether search engines may have it.
    pub is_indexed: bool,
    /// 200, or that of an error whose page this is.
    pub status: u16,
}

/// An entry of the navigation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NavItem {
    /// What it is called.
    pub title: String,
    /// Where it leads.
    pub url: String,
    /// Those below it.
    pub children: Vec<NavItem>,
}

/// An object with a fixed set of names: there is no map to make for each page.
macro_rules! object {
    ($name:ident { $($field:ident),* $(,)? }) => {
        #[derive(Debug)]
        struct $name { $($field: Value),* }

        impl Object for $name {
            fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
                self.get_value_by_str(key.as_str()?)
            }

            fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
                match key {
                    $(stringify!($field) => Some(self.$field.clone()),)*
                    _ => None,
                }
            }

            fn enumerate(self: &Arc<Self>) -> Enumerator {
                Enumerator::Str(&[$(stringify!($field)),*])
            }
        }
    };
}

object!(Page {
    site,
    language,
    title,
    description,
    content,
    contents,
    has_title,
    navigation,
    path,
    canonical,
    modified,
    date,
    links,
    feed,
    user,
    is_indexed,
    status,
});
object!(Item { title, url, children });
object!(Entry { level, id, text });

pub(super) fn value(view: &View<'_>) -> Value {
    Value::from_object(Page {
        site: view.site.into(),
        language: view.language.into(),
        title: view.title.into(),
        description: view.description.into(),
        content: safe(view.content),
        contents: contents(view.headings),
        has_title: view.headings.iter().any(|heading| heading.level == 1).into(),
        navigation: view.navigation.clone(),
        path: view.path.into(),
        canonical: view.canonical.into(),
        modified: view.modified.into(),
        date: view.modified.get(..10).unwrap_or_default().into(),
        links: safe(view.links),
        feed: view.feed.into(),
        user: view.user.into(),
        is_indexed: view.is_indexed.into(),
        status: view.status.into(),
    })
}

fn safe(html: &str) -> Value {
    Value::from_safe_string(html.to_owned())
}

/// The sections of a page. With one or two, a list of them says less than the page.
fn contents(headings: &[Heading]) -> Value {
    let sections = || headings.iter().filter(|heading| matches!(heading.level, 2 | 3));
    if sections().nth(2).is_none() {
        return Value::from(Vec::<Value>::new());
    }
    let entries = sections().map(|heading| {
        Value::from_object(Entry {
            level: heading.level.into(),
            id: heading.id.as_str().into(),
            text: heading.text.as_str().into(),
        })
    });
    Value::from(entries.collect::<Vec<_>>())
}

pub(super) fn navigation(items: &[NavItem]) -> Value {
    let items = items.iter().map(|item| {
        Value::from_object(Item {
            title: item.title.as_str().into(),
            url: item.url.as_str().into(),
            children: navigation(&item.children),
        })
    });
    Value::from(items.collect::<Vec<_>>())
}
