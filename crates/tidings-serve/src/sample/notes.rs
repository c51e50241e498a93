//! What the sample has, and when it changed: made from the time alone.

use sha2::{Digest as _, Sha256};
use tidings_store::Kind;

/// How often something may change, in seconds: every three hours.
const SLOT: i64 = 3 * 60 * 60;
/// For how many days back changes are told.
pub(super) const FIRST_DAYS: i64 = 90;
/// A draft is thrown away after so many slots.
const DRAFTED: i64 = 11;

const WEATHER: [&str; 8] =
    ["Fog", "A clear night", "Gale", "Drizzle", "First frost", "Swell", "Stars", "Rain"];
const MATTER: [&str; 8] = [
    "the lamp was trimmed",
    "a ship answered",
    "the glass was cleaned",
    "the gulls came back",
    "the supply boat was late",
    "the log was copied out fair",
    "a seal on the rocks",
    "the horn was tried",
];

/// One thing that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct News {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// In seconds since 1970.
    pub(super) time: i64,
}

/// The beginning of the time that something may have changed in.
pub(super) fn slot_at(seconds: i64) -> i64 {
    seconds - seconds.rem_euclid(SLOT)
}

/// A number that a slot always has.
fn dice(slot: i64, which: u8) -> u8 {
    let mut hasher = Sha256::new();
    hasher.update(slot.to_be_bytes());
    hasher.update([which]);
    hasher.finalize()[0]
}

impl News {
    /// All that changed until then, oldest first.
    pub(super) fn until(now: i64) -> Vec<Self> {
        let last = now / SLOT;
        let first = slot_at(now - FIRST_DAYS * 86_400) / SLOT;
        (first..=last).flat_map(Self::of).filter(|news| news.time <= now).collect()
    }

    /// What changed in a slot. Some days are quiet, and some are not.
    fn of(slot: i64) -> Vec<Self> {
        let is_busy = dice(slot / 8, 0) > 90;
        let time = slot * SLOT + i64::from(dice(slot, 1)) * 40;
        let news = |name: String, kind| Self { name, kind, time };
        let mut all = Vec::new();
        if is_busy && dice(slot, 2) > 150 {
            all.push(news(format!("note-{slot}.html"), Kind::Created));
        }
        if dice(slot, 3) > 215 {
            all.push(news("tides.html".to_owned(), Kind::Updated));
        }
        if is_draft(slot) {
            all.push(news(format!("draft-{slot}.html"), Kind::Created));
        }
        if is_draft(slot - DRAFTED) {
            all.push(news(format!("draft-{}.html", slot - DRAFTED), Kind::Deleted));
        }
        all
    }
}

fn is_draft(slot: i64) -> bool {
    dice(slot, 4) > 240
}

/// A page as it is then; none if there is none.
pub(super) fn page(name: &str, now: i64) -> Option<String> {
    let stem = name.strip_suffix(".html")?;
    let last = now / SLOT;
    let (title, text) = match stem.split_once('-') {
        None if stem == "tides" => {
            let day = now / 86_400;
            let high = format!("High water at {:02}:{:02}.", day % 12, dice(day, 5) % 60);
            ("Tides".to_owned(), high)
        }
        Some((kind @ ("note" | "draft"), slot)) => {
            let slot: i64 = slot.parse().ok().filter(|slot| (0..=last).contains(slot))?;
            if kind == "draft" && last - slot >= DRAFTED {
                return None;
            }
            let weather = WEATHER[usize::from(dice(slot, 6)) % WEATHER.len()];
            let matter = MATTER[usize::from(dice(slot, 7)) % MATTER.len()];
            (format!("{weather}; {matter}"), format!("{weather} this watch, and {matter}."))
        }
        _ => return None,
    };
    Some(format!(
        "<!doctype html>\n<html lang=\"en\">\n<title>{title}</title>\n<h1>{title}</h1>\n<p>{text}</p>\n</html>\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_stays_as_it_was() {
        let now = 1_794_776_303;
        let before = News::until(now);
        assert!(before.len() > 50, "{}", before.len());
        assert!(before.is_sorted_by_key(|news| news.time / SLOT));
        let after = News::until(now + 86_400);
        let kept = after.iter().filter(|news| news.time <= now).count();
        let last = before.iter().rev().take(30);
        assert!(last.into_iter().all(|news| after.contains(news)) && kept > 30);
        for news in before.iter().filter(|news| news.kind == Kind::Created).rev().take(1) {
            assert!(page(&news.name, now).is_some(), "{news:?}");
        }
        for none in ["", "x", "note-.html", "note-999999999.html", "../etc", "draft-1.html"] {
            assert!(page(none, now).is_none(), "{none}");
        }
    }
}
