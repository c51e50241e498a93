//! A value of front matter whose type its writer chose: what other programs mean by their keys.

use std::fmt;

use jiff::civil;
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::written_date;

/// A value of a key that other programs know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum LooseValue {
    #[default]
    Null,
    Flag(bool),
    Text(String),
    Map(Vec<(String, LooseValue)>),
    List(Vec<LooseValue>),
}

impl LooseValue {
    /// The words of a list, or of a text with commas.
    pub(super) fn words(&self) -> Vec<String> {
        match self {
            Self::Text(text) => text.split(',').map(|word| word.trim().to_owned()).collect(),
            Self::List(items) => items.iter().flat_map(Self::words).collect(),
            Self::Null | Self::Flag(_) | Self::Map(_) => Vec::new(),
        }
    }

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
            Self::Map(_) | Self::List(_) => None,
        }
    }

    /// The first and the last moment that may be meant, in seconds since 1970. A time without a zone is taken as UTC.
    pub(super) fn moments(&self) -> Option<(i64, i64)> {
        let Self::Text(text) = self else { return None };
        let text = text.trim();
        let exact = Self::exact_moment(text).map(|moment| (moment, moment));
        exact.or_else(|| written_date::moments(text))
    }

    /// Whether this is no date in the future, although it is none that can be read: empty, a word of Eleventy for the
    /// time of the file, or of a year that is over.
    pub(super) fn is_no_future(&self) -> bool {
        const FILE_TIMES: [&str; 4] =
            ["last modified", "created", "git last modified", "git created"];
        match self {
            Self::Null => true,
            Self::Text(text) => {
                let text = text.trim().to_lowercase();
                let now = jiff::Timestamp::now().as_second();
                text.is_empty()
                    || FILE_TIMES.contains(&&*text)
                    || written_date::has_past_years(&text, now)
            }
            Self::Flag(_) | Self::Map(_) | Self::List(_) => false,
        }
    }

    fn exact_moment(text: &str) -> Option<i64> {
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
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(LooseValue::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<LooseValue, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = map.next_entry::<LooseValue, LooseValue>()? {
            let LooseValue::Text(key) = key else { continue };
            // TOML hands a date over as a mapping of this one key.
            if key.starts_with("$__toml_private") {
                return Ok(value);
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
            let moments = LooseValue::Text(text.to_owned()).moments();
            assert_eq!(moments, Some((1_893_542_400, 1_893_542_400)), "{text}");
        }
        let word = LooseValue::Text("Last Modified".to_owned());
        assert!(word.moments().is_none() && word.is_no_future());
    }
}
