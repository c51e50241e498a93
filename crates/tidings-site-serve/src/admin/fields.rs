//! Reads what people type into the fields of a form.

use std::collections::BTreeSet;

/// The items of a list as people type it: with commas or on lines, each once.
pub(super) fn items(text: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let items = text.split([',', '\n', '\r']).map(str::trim);
    items.filter(|item| !item.is_empty() && seen.insert(*item)).map(str::to_owned).collect()
}

/// A text that can be nothing.
pub(super) fn some(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_people_type_it() {
        assert_eq!(items(" a, b ,,a\r\nc c\n"), ["a", "b", "c c"]);
        assert!(items(" , \n").is_empty());
    }
}
