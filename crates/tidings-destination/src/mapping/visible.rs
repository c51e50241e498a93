//! Which characters are seen in a name.

/// Characters beyond ASCII that nobody sees, or that change how others are seen: controls, spaces,
/// format characters (bidirectional overrides among them), what Unicode lets renderers and file
/// systems ignore (`Default_Ignorable_Code_Point`), surrogates, and what is for private use.
///
/// The list is written out because it may not grow with Unicode: a file's name depends on it. What is
/// not assigned yet counts as visible.
const HIDDEN: [(u32, u32); 31] = [
    (0x80, 0xA0),
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x600, 0x605),
    (0x61C, 0x61C),
    (0x6DD, 0x6DD),
    (0x70F, 0x70F),
    (0x890, 0x891),
    (0x8E2, 0x8E2),
    (0x115F, 0x1160),
    (0x1680, 0x1680),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2000, 0x200F),
    (0x2028, 0x202F),
    (0x205F, 0x206F),
    // A pattern of Braille without a dot.
    (0x2800, 0x2800),
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    (0xD800, 0xF8FF),
    (0xFDD0, 0xFDEF),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    // The replacement character among them: it stands for what somebody could not read.
    (0xFFF0, 0xFFFF),
    (0x1_10BD, 0x1_10BD),
    (0x1_10CD, 0x1_10CD),
    (0x1_3430, 0x1_343F),
    (0x1_BCA0, 0x1_BCA3),
    (0x1_D173, 0x1_D17A),
    (0xE_0000, 0x10_FFFF),
];

/// True if a character beyond ASCII is seen, and is seen as itself.
pub(super) fn is_visible(character: char) -> bool {
    let code = u32::from(character);
    let range = HIDDEN.partition_point(|&(_, last)| last < code);
    let is_hidden = HIDDEN.get(range).is_some_and(|&(first, _)| first <= code);
    // The last two of every plane are no characters.
    !is_hidden && code & 0xFFFE != 0xFFFE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_seen_and_overrides_are_not() {
        assert!(HIDDEN.is_sorted_by(|one, next| one.0 <= one.1 && one.1 < next.0));
        for character in "éß日\u{301}я😀\u{B9}\u{FFEE}\u{DFFFD}\u{A1}".chars() {
            assert!(is_visible(character), "{character:?}");
        }
        for character in "\u{80}\u{A0}\u{AD}\u{200B}\u{202E}\u{2066}\u{3000}\u{E000}\u{FE0F}\u{FEFF}\u{FFFD}\u{1FFFF}\u{E0041}\u{10FFFF}".chars() {
            assert!(!is_visible(character), "{character:?}");
        }
    }
}
