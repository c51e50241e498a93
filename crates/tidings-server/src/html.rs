//! HTML by hand, for the few plain pages that there are.

/// Text as it stands in HTML, in attributes, too.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(character),
        }
    }
    out
}

/// A link, if it leads to the web; else its text alone.
pub(crate) fn link(href: &str, text: &str) -> String {
    let is_web =
        href.starts_with("http://") || href.starts_with("https://") || href.starts_with('/');
    if is_web {
        format!("<a href=\"{}\">{}</a>", escaped(href), escaped(text))
    } else {
        escaped(text)
    }
}

/// A whole page.
pub(crate) fn page(title: &str, head: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<link rel=\"stylesheet\" href=\"/tidings.css\">\n{head}</head>\n\
         <body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        escaped(title)
    )
}
