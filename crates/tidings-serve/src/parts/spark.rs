//! The activity of a month, in a line.

use tidings_store::Day;

/// How many days it shows.
const DAYS: i64 = 30;
/// How wide each is, and how high all are, in units of the picture.
const WIDTH: i64 = 4;
const HEIGHT: i64 = 24;

/// Bars for the last days, the highest of which fills the picture.
#[derive(Debug, Default)]
pub(crate) struct Spark {
    /// Left, top and height of each bar.
    pub(crate) bars: Vec<(i64, i64, i64)>,
    /// The same in words.
    pub(crate) words: String,
}

impl Spark {
    /// The first day that it shows.
    pub(crate) fn first(today: i64) -> i64 {
        today - DAYS + 1
    }

    pub(crate) fn of(days: &[Day], today: i64) -> Self {
        let first = Self::first(today);
        let shown: Vec<(i64, i64)> = days
            .iter()
            .filter(|day| (first..=today).contains(&day.day))
            .map(|day| (day.day - first, day.created + day.updated + day.deleted))
            .collect();
        let most = shown.iter().map(|(_, number)| *number).max().unwrap_or(0).max(1);
        let bars = shown.iter().map(|(place, number)| {
            // A day with one change among days with thousands is still to be seen.
            let height = (HEIGHT * number / most).clamp(2, HEIGHT);
            (place * WIDTH, HEIGHT - height, height)
        });
        let total: i64 = shown.iter().map(|(_, number)| number).sum();
        let words = match shown.len() {
            0 => "no changes in the last 30 days".to_owned(),
            active => format!(
                "{} in the last 30 days, on {}",
                tidings_base::text::counted(total, "change", "changes"),
                tidings_base::text::counted(active as i64, "day", "days")
            ),
        };
        Self { bars: bars.collect(), words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_day_has_its_bar() {
        let day = |day, updated| Day { day, created: 0, updated, deleted: 0 };
        let spark = Spark::of(&[day(50, 9), day(71, 1), day(100, 100)], 100);
        assert_eq!(spark.bars, [(0, 22, 2), (116, 0, 24)]);
        assert_eq!(spark.words, "101 changes in the last 30 days, on 2 days");
    }
}
