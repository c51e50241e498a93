//! Text for people, in one line.

/// How long a line may be, in characters.
pub(crate) const MOST: usize = 300;

/// The text in one line of at most 300 characters: white space collapsed, control characters left
/// out, and cut with an ellipsis. `None` if nothing is left.
pub(crate) fn line(text: &str) -> Option<String> {
    let mut line = collapsed(text, MOST + 1);
    if line.chars().count() > MOST {
        let kept = line.char_indices().nth(MOST - 1).map_or(line.len(), |(at, _)| at);
        line.truncate(kept);
        line.truncate(line.trim_end().len());
        line.push('…');
    }
    (!line.is_empty()).then_some(line)
}

fn collapsed(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut length = 0;
    let mut blank = false;
    for character in text.chars().filter(|c| c.is_whitespace() || !is_hidden(*c)) {
        if character.is_whitespace() {
            blank = true;
            continue;
        }
        if length >= most {
            break;
        }
        if blank && !out.is_empty() {
            out.push(' ');
            length += 1;
        }
        blank = false;
        out.push(character);
        length += 1;
    }
    out
}

/// Control characters, and those that turn the direction of what comes after them.
pub(crate) fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
        || u32::from(character) & 0xFFFE == 0xFFFE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_lines() {
        assert_eq!(line(" a\n\tb\u{a0}c \0d\u{202E}e").as_deref(), Some("a b c de"));
        assert_eq!(line(" \n\0\u{FFFF}"), None);
        assert_eq!(line(""), None);
    }

    #[test]
    fn long_texts_are_cut() {
        let exact = "ü".repeat(MOST);
        assert_eq!(line(&exact).as_deref(), Some(&exact[..]));
        let cut = line(&"ü".repeat(1 << 20)).unwrap();
        assert_eq!(cut.chars().count(), MOST);
        assert!(cut.ends_with("ü…"), "{cut}");
        let words = line(&"word ".repeat(1000)).unwrap();
        assert!(words.chars().count() <= MOST && words.ends_with("word…"), "{words}");
    }
}
