//! The entries of front matter as they are written.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::FrontMatter;
use super::loose_value::LooseValue;
use super::visibility::Visibility;
use crate::spelling::folded;
use crate::text::{Text, Words};

/// The entries of a mapping: our own keys, and what the others say about who may see the page.
#[derive(Debug, Default)]
pub(super) struct Written {
    id: Option<Text>,
    title: Option<Text>,
    alias: Option<Text>,
    tags: Words,
    roles: Words,
    nav_title: Option<Text>,
    nav_parent: Option<Text>,
    nav_order: Option<i32>,
    robots: Words,
    theme: Option<Text>,
    draft: Option<bool>,
    visibility: Visibility,
}

struct WrittenVisitor;

impl<'de> Visitor<'de> for WrittenVisitor {
    type Value = Written;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("keys and values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Written, A::Error> {
        let mut written = Written::default();
        while let Some(Text(key)) = map.next_key()? {
            match key.as_str() {
                "id" => written.id = map.next_value()?,
                "title" => written.title = map.next_value()?,
                "alias" => written.alias = map.next_value()?,
                "tags" => written.tags = map.next_value()?,
                "roles" => written.roles = map.next_value()?,
                "nav_title" => written.nav_title = map.next_value()?,
                "nav_parent" | "nav_parent_id" => written.nav_parent = map.next_value()?,
                "nav_order" => written.nav_order = map.next_value()?,
                "robots" => written.robots = map.next_value()?,
                "theme" => written.theme = map.next_value()?,
                "draft" => written.draft = map.next_value()?,
                "tag" => written.visibility.tags.extend(map.next_value::<Words>()?.0),
                "taxonomies" => {
                    let LooseValue::Map(taxonomies) = map.next_value()? else { continue };
                    let is_tags = |key: &str| matches!(&*folded(key), "tags" | "tag");
                    let tags = taxonomies.iter().filter(|(key, _)| is_tags(key));
                    let tags = tags.flat_map(|(_, value)| value.words());
                    written.visibility.tags.extend(tags.filter(|tag| !tag.is_empty()));
                }
                key => {
                    let value: LooseValue = map.next_value()?;
                    let odd = written.visibility.take(key, &value);
                    written.visibility.odd_keys.extend(odd);
                }
            }
        }
        Ok(written)
    }
}

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(WrittenVisitor)
    }
}

impl Written {
    /// Our own values, and what the others say about who may see the page.
    pub(super) fn into_parts(self) -> (FrontMatter, Visibility) {
        let text = |text: Option<Text>| {
            text.map(|text| text.0.trim().to_owned()).filter(|text| !text.is_empty())
        };
        let robots = self.robots.0.join(", ");
        let matter = FrontMatter {
            id: text(self.id),
            title: text(self.title),
            alias: text(self.alias),
            tags: self.tags.0,
            roles: self.roles.0,
            nav_title: text(self.nav_title),
            nav_parent: text(self.nav_parent),
            nav_order: self.nav_order,
            robots: Some(robots).filter(|robots| !robots.is_empty()),
            theme: text(self.theme),
            is_draft: self.draft.unwrap_or_default(),
        };
        (matter, self.visibility)
    }
}
