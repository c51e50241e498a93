//! Language tags.

/// The tag, if it has the shape of one (BCP 47, 2.1): subtags of letters and digits, joined by
/// hyphens. An underscore, as operating systems write it, is taken for one.
pub(crate) fn tag(text: &str) -> Option<String> {
    let tag = text.trim().replace('_', "-");
    is_tag(&tag).then_some(tag)
}

pub(crate) fn is_tag(text: &str) -> bool {
    let mut parts = text.split('-');
    let first = parts.next().unwrap_or_default();
    let letters = first.bytes().all(|byte| byte.is_ascii_alphabetic());
    let private = matches!(first, "x" | "X" | "i" | "I") && text.len() > 2;
    let subtag = |part: &str| {
        (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let first = letters && ((2..=8).contains(&first.len()) || private);
    first && text.len() <= 64 && parts.all(subtag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_told_from_other_texts() {
        for good in ["en", "de-CH-1996", "zh-Hant-TW", "x-klingon", "i-default"] {
            assert_eq!(tag(good).as_deref(), Some(good));
        }
        assert_eq!(tag(" en_GB ").as_deref(), Some("en-GB"));
        for bad in ["", "e", "x", "english language", "en-", "en--GB", "en\"", "1a", "ünd"] {
            assert_eq!(tag(bad), None, "{bad}");
        }
        assert_eq!(tag(&"en-a".repeat(40)), None);
    }
}
