//! How a text begins.

/// Gathers the beginning of a text, with each run of white space as one space.
#[derive(Debug, Clone, Default)]
pub(super) struct Excerpt {
    bytes: Vec<u8>,
    is_apart: bool,
    is_full: bool,
}

impl Excerpt {
    /// Adds what comes next, unless `most` characters are there.
    pub(super) fn push(&mut self, text: &[u8], most: usize) {
        if self.is_full {
            return;
        }
        let before = self.bytes.len();
        for &byte in text {
            // No character has more than four bytes.
            if self.bytes.len() > 4 * most {
                break;
            }
            if byte.is_ascii_whitespace() {
                self.is_apart = true;
                continue;
            }
            // It is not in what is written, either.
            if byte.is_ascii_control() {
                continue;
            }
            if self.is_apart && !self.bytes.is_empty() {
                self.bytes.push(b' ');
            }
            self.is_apart = false;
            self.bytes.push(byte);
        }
        // A piece may end within a character, so they are counted where one begins.
        if self.bytes.len() > before && self.bytes.len() > most {
            self.is_full = self.count() > most;
        }
    }

    /// What comes next is not of the same word.
    pub(super) fn part(&mut self) {
        self.is_apart = true;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn count(&self) -> usize {
        self.bytes.iter().filter(|byte| !matches!(byte, 0x80..0xc0)).count()
    }

    /// The text, cut at that many characters.
    pub(super) fn take(&mut self, most: usize) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        // A name must not turn round what stands beside it.
        let text: String = text.chars().filter(|letter| !is_bidi_control(*letter)).collect();
        let text = match text.char_indices().nth(most) {
            Some((end, _)) => text[..end].trim_end().to_owned(),
            None => text,
        };
        *self = Self::default();
        text
    }
}

/// Signs that are not seen, and that turn the direction of what is around them.
fn is_bidi_control(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The same of a text that is there as a whole; none if nothing is in it.
pub(super) fn excerpt(text: &str, most: usize) -> Option<String> {
    let mut excerpt = Excerpt::default();
    excerpt.push(text.as_bytes(), most);
    Some(excerpt.take(most)).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_one_space_and_the_rest_is_cut() {
        assert_eq!(excerpt(" a \n\t b ", 10).as_deref(), Some("a b"));
        assert_eq!(excerpt(" \n", 10), None);
        assert_eq!(excerpt("Ada\u{202e}adA\u{2066}", 10).as_deref(), Some("AdaadA"));
        assert_eq!(excerpt("\u{202e}", 10), None);
        assert_eq!(excerpt("äöü ß", 4).as_deref(), Some("äöü"));
        assert_eq!(excerpt("äöüß!", 4).as_deref(), Some("äöüß"));
    }

    #[test]
    fn a_text_in_pieces_that_split_characters_is_the_same_text() {
        let mut excerpt = Excerpt::default();
        for byte in "grün  ✓".bytes() {
            excerpt.push(&[byte], 100);
        }
        excerpt.part();
        excerpt.push(b"x", 100);
        assert_eq!(excerpt.take(100), "grün ✓ x");
    }
}
