//! The charset that comes with a body.

/// The charset of a `Content-Type`, such as `utf-8` of `application/xml; charset="utf-8"`.
#[must_use]
pub fn charset(content_type: &str) -> Option<String> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let is_charset = name.trim().eq_ignore_ascii_case("charset");
        is_charset.then(|| value.trim().trim_matches('"').to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_charset_is_found_among_parameters() {
        for (content_type, expected) in [
            ("application/xml; charset=utf-8", Some("utf-8")),
            ("text/xml;version=1;Charset = \"ISO-8859-1\"", Some("ISO-8859-1")),
            ("application/xml", None),
            ("charset=utf-8", None),
        ] {
            assert_eq!(charset(content_type).as_deref(), expected, "{content_type}");
        }
    }
}
