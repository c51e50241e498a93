//! What a form sent.

use std::collections::BTreeSet;

/// The fields of a form.
#[derive(Debug, Default)]
pub(super) struct Fields(pub(super) Vec<(String, String)>);

impl Fields {
    /// The first field of that name, without the blanks around it; empty if there is none.
    pub(super) fn get(&self, name: &str) -> &str {
        self.exact(name).trim()
    }

    /// The same as it was typed: for texts and passwords.
    pub(super) fn exact(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// Whether a box is ticked, or a button was pressed.
    pub(super) fn is(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }
}

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
