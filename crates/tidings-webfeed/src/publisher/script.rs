//! The script that a text is written in, as far as it says how the text runs.

/// What a text's script says about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Script {
    pub(super) is_rtl: bool,
    /// Its language, if the script says it.
    pub(super) language: Option<&'static str>,
}

/// Letters by which Persian and Urdu are told from Arabic.
const PERSIAN: [char; 5] = ['\u{67e}', '\u{686}', '\u{698}', '\u{6af}', '\u{6cc}'];
const URDU: [char; 4] = ['\u{679}', '\u{688}', '\u{691}', '\u{6d2}'];

/// What most letters of a text say.
pub(super) fn script_of(text: &str) -> Script {
    let (mut left, mut persian, mut urdu) = (0_usize, 0_usize, 0_usize);
    let mut right: Vec<(&'static str, usize)> = Vec::new();
    for letter in text.chars().filter(|letter| letter.is_alphabetic()) {
        let Some(language) = language_of(letter) else {
            left += 1;
            continue;
        };
        persian += usize::from(PERSIAN.contains(&letter));
        urdu += usize::from(URDU.contains(&letter));
        match right.iter_mut().find(|(known, _)| *known == language) {
            Some((_, count)) => *count += 1,
            None => right.push((language, 1)),
        }
    }
    let count: usize = right.iter().map(|(_, count)| count).sum();
    if count <= left {
        return Script { is_rtl: false, language: None };
    }
    let language = right.into_iter().max_by_key(|(_, count)| *count).map(|(language, _)| language);
    let language = match language {
        Some("ar") if urdu > 0 => Some("ur"),
        Some("ar") if persian > 0 => Some("fa"),
        language => language,
    };
    Script { is_rtl: true, language }
}

/// The language that is usually written with a letter that runs from right to left.
fn language_of(letter: char) -> Option<&'static str> {
    match letter {
        '\u{590}'..='\u{5ff}' | '\u{fb1d}'..='\u{fb4f}' => Some("he"),
        '\u{600}'..='\u{6ff}'
        | '\u{750}'..='\u{77f}'
        | '\u{8a0}'..='\u{8ff}'
        | '\u{fb50}'..='\u{fdff}'
        | '\u{fe70}'..='\u{feff}' => Some("ar"),
        '\u{700}'..='\u{74f}' => Some("syr"),
        '\u{780}'..='\u{7bf}' => Some("dv"),
        '\u{7c0}'..='\u{7ff}' => Some("nqo"),
        '\u{1e900}'..='\u{1e95f}' => Some("ff"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_the_arabic_script_are_told_apart() {
        for (text, language) in [
            ("\u{633}\u{644}\u{627}\u{645} \u{67e}\u{62f}\u{631}", Some("fa")),
            ("\u{679}\u{627}\u{645}\u{6d2}", Some("ur")),
            ("\u{633}\u{644}\u{627}\u{645}", Some("ar")),
            ("\u{78b}\u{7a8}", Some("dv")),
            ("Salam", None),
            ("", None),
        ] {
            let script = script_of(text);
            assert_eq!((script.language, script.is_rtl), (language, language.is_some()), "{text}");
        }
    }
}
