//! The activity of a year, a square for each day.

use jiff::civil::{Date, Weekday};
use tidings_base::text::{counted, grouped};
use tidings_store::Day;

/// How far apart the squares are, in units of the picture.
const STEP: i64 = 13;
/// Where they begin: there are words before them.
const LEFT: i64 = 28;
const TOP: i64 = 14;

/// A square.
#[derive(Debug)]
pub(crate) struct Square {
    pub(crate) x: i64,
    pub(crate) y: i64,
    /// 0 to 4.
    pub(crate) heat: usize,
    pub(crate) words: String,
}

/// A year as squares: a column for each week, a row for each day of it.
#[derive(Debug, Default)]
pub(crate) struct Heat {
    pub(crate) year: i64,
    pub(crate) squares: Vec<Square>,
    /// Where each month begins, and what it is called.
    pub(crate) months: Vec<(i64, &'static str)>,
    pub(crate) width: i64,
    pub(crate) total: String,
    /// The busiest days, for those who do not see squares: the day and its changes.
    pub(crate) busiest: Vec<(String, String)>,
}

/// The days of a year, from the first to the last, since 1970.
pub(crate) fn days_of(year: i16) -> (i64, i64) {
    let day = |date: Date| {
        let zoned = date.to_zoned(jiff::tz::TimeZone::UTC);
        zoned.map_or(0, |zoned| zoned.timestamp().as_second().div_euclid(86_400))
    };
    (day(Date::constant(year, 1, 1)), day(Date::constant(year, 12, 31)))
}

impl Heat {
    /// `days` are those of that year on which something changed; nothing is shown after today.
    pub(crate) fn of(year: i16, days: &[Day], today: i64) -> Self {
        const MONTHS: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let (first, last) = days_of(year);
        let sum = |day: &Day| day.created + day.updated + day.deleted;
        let most = days.iter().map(sum).max().unwrap_or(0);
        let begins = i64::from(Date::constant(year, 1, 1).weekday().since(Weekday::Monday));
        let mut squares = Vec::with_capacity(366);
        let mut months = Vec::new();
        let mut known = days.iter().peekable();
        let mut date = Date::constant(year, 1, 1);
        for day in first..=last {
            while known.next_if(|one| one.day < day).is_some() {}
            let found = known.peek().filter(|one| one.day == day);
            let number = found.map_or(0, |one| sum(one));
            let place = day - first + begins;
            let x = LEFT + place / 7 * STEP;
            if date.day() == 1 {
                months.push((x, MONTHS[usize::from(date.month().unsigned_abs()) - 1]));
            }
            if day <= today {
                let words = format!(
                    "{}: {}",
                    date.strftime("%e %B").to_string().trim(),
                    counted(number, "change", "changes")
                );
                let y = TOP + place % 7 * STEP;
                squares.push(Square { x, y, heat: level(number, most), words });
            }
            date = date.tomorrow().unwrap_or(date);
        }
        let total: i64 = days.iter().map(sum).sum();
        let width = squares.last().map_or(LEFT, |square| square.x).max(LEFT + 52 * STEP) + STEP;
        Self {
            year: year.into(),
            squares,
            months,
            width,
            total: counted(total, "change", "changes"),
            busiest: busiest(days, &sum),
        }
    }
}

/// How hot a day is beside the hottest. The scale is that of a root: most days are quiet, and a few are
/// very busy.
fn level(number: i64, most: i64) -> usize {
    if number == 0 || most == 0 {
        return 0;
    }
    let share = (number as f64 / most as f64).sqrt();
    (share * 4.0).ceil().clamp(1.0, 4.0) as usize
}

fn busiest(days: &[Day], sum: &impl Fn(&Day) -> i64) -> Vec<(String, String)> {
    let mut days: Vec<&Day> = days.iter().collect();
    days.sort_by_key(|day| (-sum(day), day.day));
    let shown = days.into_iter().take(5).map(|day| {
        let time = jiff::Timestamp::from_second(day.day * 86_400).unwrap_or_default();
        let date = time.strftime("%e %B").to_string();
        (date.trim().to_owned(), grouped(sum(day)))
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_has_all_its_days() {
        let (first, last) = days_of(2024);
        assert_eq!((last - first + 1, first), (366, 19_723));
        let day = |day, updated| Day { day, created: 0, updated, deleted: 0 };
        let heat = Heat::of(2024, &[day(first, 1), day(first + 59, 100)], last);
        assert_eq!((heat.squares.len(), heat.months.len()), (366, 12));
        // The first of January 2024 was a Monday.
        assert_eq!((heat.squares[0].x, heat.squares[0].y, heat.squares[0].heat), (28, 14, 1));
        assert_eq!(heat.squares[59].heat, 4);
        assert_eq!(heat.squares[59].words, "29 February: 100 changes");
        assert_eq!(Heat::of(2024, &[], first).squares.len(), 1);
    }
}
