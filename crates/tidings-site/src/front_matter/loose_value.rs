//! A value of front matter whose type its writer chose: what other programs mean by their keys.

use std::fmt;

use jiff::civil;
use serde::de::{self, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// A value of a key that other programs know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum LooseValue {
    #[default]
    Null,
    Flag(bool),
    Text(String),
    /// The entries of a mapping that are texts or flags.
    Map(Vec<(String, String)>),
    List,
}

impl LooseValue {
    /// True or false, in the words that people use for it; none if it is something else.
    pub(super) fn flag(&self) -> Option<bool> {
        match self {
            Self::Null => None,
            Self::Flag(flag) => Some(*flag),
            Self::Text(text) => match text.trim().to_lowercase().as_str() {
                "true" | "yes" | "on" | "1" | "y" => Some(true),
                "false" | "no" | "off" | "0" | "n" | "" => Some(false),
                _ => None,
            },
            Self::Map(_) | Self::List => None,
        }
    }

    /// A moment, in seconds since 1970. A time without a zone is taken as UTC.
    pub(super) fn moment(&self) -> Option<i64> {
        let Self::Text(text) = self else { return None };
        let text = text.trim();
        if let Ok(time) = text.parse::<jiff::Timestamp>() {
            return Some(time.as_second());
        }
        for format in ["%Y-%m-%d %H:%M:%S %z", "%Y-%m-%d %H:%M %z", "%Y-%m-%dT%H:%M:%S%z"] {
            if let Ok(time) = jiff::Timestamp::strptime(format, text) {
                return Some(time.as_second());
            }
        }
        let text = text.replace('/', "-");
        let time = text.parse::<civil::DateTime>().ok().or_else(|| {
            let date = text.parse::<civil::Date>().ok()?;
            Some(date.at(0, 0, 0, 0))
        })?;
        let time = time.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some(time.timestamp().as_second())
    }
}

struct LooseVisitor;

impl<'de> Visitor<'de> for LooseVisitor {
    type Value = LooseValue;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<LooseValue, E> {
        Ok(LooseValue::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<LooseValue, E> {
        Ok(LooseValue::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<LooseValue, D::Error> {
        LooseValue::deserialize(deserializer)
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<LooseValue, E> {
        Ok(LooseValue::Flag(flag))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<LooseValue, E> {
        Ok(LooseValue::Text(text.to_owned()))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<LooseValue, E> {
        Ok(LooseValue::Text(number.to_string()))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<LooseValue, E> {
        Ok(LooseValue::Text(number.to_string()))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<LooseValue, E> {
        Ok(LooseValue::Text(number.to_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<LooseValue, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(LooseValue::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<LooseValue, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = map.next_entry::<LooseValue, LooseValue>()? {
            let LooseValue::Text(key) = key else { continue };
            let value = match value {
                LooseValue::Flag(flag) => flag.to_string(),
                LooseValue::Text(text) => text,
                LooseValue::Null | LooseValue::Map(_) | LooseValue::List => continue,
            };
            // TOML hands a date over as a mapping of this one key.
            if key.starts_with("$__toml_private") {
                return Ok(LooseValue::Text(value));
            }
            entries.push((key, value));
        }
        Ok(LooseValue::Map(entries))
    }
}

impl<'de> Deserialize<'de> for LooseValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_people_write_them() {
        for text in [
            "2030-01-02",
            "2030/01/02",
            "2030-01-02T00:00:00Z",
            "2030-01-02 00:00",
            "2030-01-02 00:00:00 +0000",
            "2030-01-02T01:00:00+01:00",
        ] {
            let moment = LooseValue::Text(text.to_owned()).moment();
            assert_eq!(moment, Some(1_893_542_400), "{text}");
        }
        assert_eq!(LooseValue::Text("Last Modified".to_owned()).moment(), None);
    }
}
