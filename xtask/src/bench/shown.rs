//! Figures as they are to be read.

use super::data::Spread;

pub(crate) fn median(spread: Option<Spread>) -> Option<f64> {
    Some(spread?.median)
}

pub(crate) fn or_dash<T>(figure: Option<T>, shown: impl Fn(T) -> String) -> String {
    figure.map_or_else(|| "–".to_owned(), shown)
}

pub(crate) fn seconds(figure: f64) -> String {
    if figure < 1.0 { format!("{figure:.4}") } else { format!("{figure:.2}") }
}

/// Of seconds.
pub(crate) fn milliseconds(figure: f64) -> String {
    format!("{:.2}", figure * 1e3)
}

pub(crate) fn mebibytes(kib: u64) -> String {
    format!("{:.1}", kib as f64 / 1024.0)
}

/// Whole, with commas.
pub(crate) fn thousands(figure: f64) -> String {
    let digits = format!("{figure:.0}");
    let first = digits.len() % 3;
    let groups = digits.char_indices().flat_map(|(at, digit)| {
        let comma = (at > 0 && at % 3 == first).then_some(',');
        comma.into_iter().chain([digit])
    });
    groups.collect()
}

#[cfg(test)]
mod tests {
    use super::thousands;

    #[test]
    fn commas_are_at_thousands() {
        let shown = [0.4, 999.0, 1_000.0, 12_345.6, 1_234_567.0].map(thousands);
        assert_eq!(shown, ["0", "999", "1,000", "12,346", "1,234,567"]);
    }
}
