//! What stands in a frame: sections of a post, and nothing else of it.

use tidings_base::{Quotes, escape_html};
use tidings_webfeed::Post as Page;

use crate::visitor::Theme;

/// What holds unless the author says otherwise: as browsers show a post, on white.
const BEFORE: &str = ":root{color-scheme:light}\
    html{font:1rem/1.4 system-ui,-apple-system,\"Segoe UI\",Roboto,sans-serif;color:#111}\
    html,body{margin:0;height:100%}\
    body{overflow-wrap:break-word}\
    body>section{height:100vh;box-sizing:border-box;overflow:hidden;position:relative}\
    :where(body>section){padding:.5rem}\
    img{max-width:100%;height:auto}";
/// Who styles nothing gets more of a margin.
const PLAIN: &str = "body>section{padding:1.5rem}";
/// What holds whatever the author says: one screen, which does not scroll (Webfeeds Specification,
/// "CSS overflowing is not allowed"), and rest for those who ask for it. In a layer, and before all others:
/// what is important there is so beyond all that is later, or in no layer. It has no name, and so nobody
/// adds to it.
const ALWAYS: &str = "@layer{html,body{overflow:hidden!important;height:100%!important}\
    body>section[hidden]{display:none!important}\
    @media (prefers-reduced-motion:reduce){*,*::before,*::after{animation:none!important;\
    transition:none!important;scroll-behavior:auto!important}}}";
/// All sections as one text that flows, whatever the author says.
const TEXT: &str = "body *{all:revert!important}\
    html{background:light-dark(#fcfcfa,#16181b);color:light-dark(#1d1f21,#e8e8e3);\
    font:1.0625rem/1.6 system-ui,-apple-system,\"Segoe UI\",Roboto,sans-serif}\
    body{margin:0 auto;padding:1.25rem;max-width:42rem;overflow-wrap:anywhere}\
    body a{color:light-dark(#0a55a0,#8fbdf2)!important}\
    body>section+section{border-top:1px solid light-dark(#85888c,#7c8288)!important;\
    margin-top:1.5rem!important;padding-top:1.5rem!important}\
    img,video,audio,table,pre{max-width:100%!important}img,video{height:auto!important}\
    pre,table{overflow-x:auto!important;white-space:pre-wrap!important}";

/// What is more than the screen holds can be scrolled to where somebody reads, and not in a tile.
const SCROLLS: &str =
    "@layer{body>section{overflow:hidden auto!important;max-height:100vh!important}}";
/// Nothing moves in a tile, whatever browsers call it.
const STILL: &str = "@layer{*,*::before,*::after{animation:none!important;transition:none!important;\
    filter:none!important;backdrop-filter:none!important}}";

/// One section of a post, by its number from 1, as its author styled it: in a tile, or to be read.
pub(super) fn screen(
    page: &Page,
    number: usize,
    title: &str,
    css: &str,
    is_tile: bool,
) -> Option<String> {
    let section = page.sections.get(number.checked_sub(1)?)?;
    // As many as there are before and after it, so that selectors which count come to the same.
    let shim = "<section hidden></section>";
    let before = shim.repeat(number - 1);
    let after = shim.repeat(page.sections.len() - number);
    let plain = if css.trim().is_empty() { PLAIN } else { "" };
    // What could end the element is not let through; were it, it would end nothing.
    let css = css.replace("</", "<\\/");
    let rest = if is_tile { STILL } else { SCROLLS };
    let style = format!("<style>{ALWAYS}{rest}{BEFORE}{plain}</style>\n<style>{css}</style>");
    Some(whole(page, title, &style, &format!("{before}{}{after}", section.html)))
}

/// All sections under each other, of a post without what the author styled.
pub(super) fn text(page: &Page, title: &str, theme: Theme) -> String {
    let scheme = match theme {
        Theme::System => "light dark",
        Theme::Light => "light",
        Theme::Dark => "dark",
    };
    let style = format!("<style>:root{{color-scheme:{scheme}}}{TEXT}</style>");
    let sections: Vec<&str> = page.sections.iter().map(|section| section.html.as_str()).collect();
    whole(page, title, &style, &sections.join("\n"))
}

/// A sentence where a section should be.
pub(super) fn sentence(words: &str) -> String {
    let style = format!("<style>{ALWAYS}{BEFORE}{PLAIN}</style>");
    let body = format!("<section><p>{}</p></section>", escaped(words));
    whole(&Page::default(), words, &style, &body)
}

fn whole(page: &Page, title: &str, style: &str, body: &str) -> String {
    let language = page.language.as_deref().filter(|language| is_language(language));
    let language = language.map(|language| format!(" lang=\"{language}\"")).unwrap_or_default();
    let direction = page.direction.map(|it| format!(" dir=\"{it}\"")).unwrap_or_default();
    format!(
        "<!doctype html>\n<html{language}{direction}>\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"robots\" content=\"noindex\">\n\
         <title>{}</title>\n{style}\n</head>\n<body>{body}</body>\n</html>\n",
        escaped(title)
    )
}

/// Letters, digits and hyphens: all that the name of a language has.
fn is_language(text: &str) -> bool {
    (1..=35).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn escaped(text: &str) -> String {
    escape_html(text, Quotes::Both)
}

#[cfg(test)]
mod tests {
    use tidings_webfeed::Section;

    use super::*;

    fn page(language: &str) -> Page {
        let section = |text: &str| Section {
            html: format!("<section>{text}</section>"),
            ..Section::default()
        };
        Page {
            language: Some(language.to_owned()),
            sections: ["one", "two", "three"].map(section).to_vec(),
            ..Page::default()
        }
    }

    #[test]
    fn what_is_around_sections_is_escaped() {
        let title = "</title><script>alert(1)</script>\"'&";
        let css = "p{color:red}</style><img src=x onerror=alert(1)>";
        let screen = screen(&page("en\"><script>"), 2, title, css, false).unwrap();
        assert!(!screen.contains("<script") && !screen.contains("</style><img"), "{screen}");
        assert_eq!(screen.matches("</style>").count(), 2, "{screen}");
        assert!(screen.contains("<html>\n"), "{screen}");
        assert!(
            screen.contains("&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;")
        );
        assert!(!sentence("<b>").contains("<b>"));
        assert!(!text(&page("en"), title, Theme::Dark).contains("<script"));
    }

    #[test]
    fn a_section_stands_where_it_stood() {
        let page = page("en-GB");
        let shim = "<section hidden></section>";
        let second = screen(&page, 2, "A post", "p{}", false).unwrap();
        assert!(second.contains(&format!("<body>{shim}<section>two</section>{shim}</body>")));
        assert!(second.contains("<html lang=\"en-GB\">"));
        // What must hold is in the first layer that there is.
        assert_eq!(second.find("<style>@layer{html,body{overflow:hidden!"), second.find("<style>"));
        assert!(
            !second.contains(PLAIN) && screen(&page, 1, "", " ", false).unwrap().contains(PLAIN)
        );
        assert_eq!(screen(&page, 0, "", "", true), None);
        assert_eq!(screen(&page, 4, "", "", true), None);
        // What is too long is scrolled to where it is read, and not in a tile.
        assert!(second.contains("overflow:hidden auto!important"), "{second}");
        let tile = screen(&page, 1, "", "", true).unwrap();
        assert!(!tile.contains("hidden auto") && tile.contains("filter:none!important"), "{tile}");
        let rtl = Page { direction: Some("rtl"), ..page.clone() };
        assert!(
            screen(&rtl, 1, "", "", true).unwrap().contains("<html lang=\"en-GB\" dir=\"rtl\">")
        );
        let all = text(&page, "A post", Theme::System);
        assert!(all.contains("<section>one</section>\n<section>two</section>\n<section>three"));
    }
}
