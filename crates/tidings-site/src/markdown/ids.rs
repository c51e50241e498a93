//! The ids of headings.

use std::collections::HashMap;

/// Longer ones help nobody, and a page of one long heading should not carry it three times.
const MOST: usize = 100;

/// Those that are taken, and where to go on counting for each.
#[derive(Debug, Default)]
pub(super) struct Ids(HashMap<String, u32>);

impl Ids {
    /// The id of a heading: the one its author gave, or one made of its text, as GitHub makes it.
    pub(super) fn take(&mut self, given: Option<&str>, text: &str) -> String {
        let mut id: String = match given {
            Some(given) => given.chars().filter(|c| is_of_id(*c)).take(MOST).collect(),
            None => String::new(),
        };
        if id.is_empty() {
            id = slug(text);
        }
        let Some(count) = self.0.get(&id) else {
            self.0.insert(id.clone(), 0);
            return id;
        };
        let mut count = *count;
        let other = loop {
            count += 1;
            let other = format!("{id}-{count}");
            if !self.0.contains_key(&other) {
                break other;
            }
        };
        self.0.insert(other.clone(), 0);
        self.0.insert(id, count);
        other
    }
}

fn slug(text: &str) -> String {
    let mut slug = String::with_capacity(text.len().min(MOST));
    for c in text.trim().chars().take(MOST) {
        match c {
            'a'..='z' | '0'..='9' | '-' | '_' => slug.push(c),
            'A'..='Z' => slug.push(c.to_ascii_lowercase()),
            ' ' => slug.push('-'),
            _ if c.is_ascii() => {}
            _ if is_letter(c) => slug.extend(c.to_lowercase()),
            _ => {}
        }
    }
    if slug.is_empty() { "section".to_owned() } else { slug }
}

/// Of an id that somebody wrote. A `:` is left to the ids of footnotes and themes.
fn is_of_id(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') || !c.is_ascii() && is_letter(c)
}

/// A letter, a digit, or a mark that belongs to one: without its marks, Hindi is unreadable.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(c,
            '\u{300}'..='\u{36f}' | '\u{483}'..='\u{487}' | '\u{591}'..='\u{5bd}'
            | '\u{64b}'..='\u{65f}' | '\u{900}'..='\u{963}' | '\u{966}'..='\u{d7f}'
            | '\u{e31}'..='\u{e4e}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
            | '\u{302a}'..='\u{302f}' | '\u{3099}' | '\u{309a}' | '\u{fe20}'..='\u{fe2f}')
}
