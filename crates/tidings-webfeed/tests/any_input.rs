//! Whatever comes in: nothing panics, only what is on the lists comes out, and what has been made safe is
//! not changed any more.

mod judge;

use judge::{check_css, check_html, parse, sanitise, sanitise_declarations};
use proptest::prelude::*;
use tidings_feed::decode_page;
use tidings_webfeed::Picture;

/// Pieces that mean something to some parser or other.
const HTML: [&str; 96] = [
    "<",
    ">",
    "</",
    "/>",
    "<!--",
    "-->",
    "--!>",
    "<!",
    "<?",
    "]]>",
    "<![CDATA[",
    "&",
    "&lt;",
    "&gt;",
    "&amp;",
    "&quot;",
    "&#60;",
    "&#x3e;",
    "&#0;",
    "&#13;",
    "\"",
    "'",
    "`",
    "=",
    " ",
    "\n",
    "\r",
    "\t",
    "\0",
    "/",
    "x",
    "é",
    "\u{feff}",
    "<b>",
    "</b>",
    "<i ",
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<a href=x>",
    "</a>",
    "<a href=\"javascript:x\">",
    "<section>",
    "</section>",
    "<main>",
    "</main>",
    "<table>",
    "</table>",
    "<tr>",
    "<td>",
    "</td>",
    "<th>",
    "<tbody>",
    "<caption>",
    "<colgroup>",
    "<col>",
    "<ul>",
    "</ul>",
    "<li>",
    "</li>",
    "<dl>",
    "<dt>",
    "<dd>",
    "<h1>",
    "</h2>",
    "<pre>\n",
    "<br>",
    "<hr>",
    "<img src=x onerror=y>",
    "<img src=//gone.example/ alt=z>",
    "<svg>",
    "</svg>",
    "<svg/>",
    "<math>",
    "</math>",
    "<style>",
    "</style>",
    "<script>",
    "</script>",
    "<title>",
    "</title>",
    "<textarea>",
    "</textarea>",
    "<template>",
    "</template>",
    "<select>",
    "</select>",
    "<noscript>",
    "<x-y>",
    "</x-y>",
    "<form>",
    "<base href=//b.example>",
    " style=\"color:red;background:url(x)",
    " onclick=x",
    "<video poster=x>",
];

const CSS: [&str; 72] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ":",
    ",",
    ".",
    "#",
    "@",
    "!",
    "*",
    "/",
    "\\",
    "\"",
    "'",
    "<",
    ">",
    "=",
    "~",
    "|",
    "^",
    "$",
    "&",
    "%",
    "+",
    "-",
    " ",
    "\n",
    "\0",
    "/*",
    "*/",
    "<!--",
    "-->",
    "</style",
    "a",
    "b1",
    "--x",
    "é",
    "\\75 rl(",
    "\\3c ",
    "\\",
    "1",
    "1e3",
    ".5px",
    "-1%",
    "url(",
    "url(x)",
    "url(\"x\")",
    "u",
    "rl(x)",
    "@import ",
    "@media ",
    "@supports ",
    "@keyframes ",
    "@font-face",
    "@layer ",
    "position:",
    "fixed",
    "background:",
    "expression(",
    "image-set(",
    "calc(",
    "attr(",
    "var(",
    ":host",
    "::part(",
    "!important",
    "content:\"",
    "a{b:c}",
];

/// How pictures begin.
const STARTS: [&[u8]; 6] = [
    b"\xff\xd8\xff",
    b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR",
    b"GIF89a",
    b"\0\0\x01\0\x01\0",
    b"RIFF\x20\0\0\0WEBPVP8X\x0a\0\0\0",
    b"",
];

fn pieces(of: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(of), 0..40).prop_map(|pieces| pieces.concat())
}

fn check_page(html: &str) {
    for section in parse(html).sections {
        check_html(&section.html, html);
        let again = parse(&section.html);
        assert_eq!(again.sections.len(), 1, "{html:?}");
        assert_eq!(again.sections[0], section, "of {html:?}");
    }
}

fn check_sheet(css: &str) {
    let clean = sanitise(css);
    check_css(&clean, css);
    assert_eq!(sanitise(&clean), clean, "of {css:?}");
    let clean = sanitise_declarations(css);
    check_css(&clean, css);
    assert_eq!(sanitise_declarations(&clean), clean, "of {css:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_page_is_made_safe(html in ".*") {
        check_page(&html);
        check_page(&format!("<section>{html}"));
    }

    #[test]
    fn any_page_of_nasty_pieces_is_made_safe(html in pieces(&HTML)) {
        check_page(&html);
        check_page(&format!("<section>{html}</section>"));
    }

    #[test]
    fn any_attribute_is_made_safe(value in pieces(&HTML), css in pieces(&CSS)) {
        check_page(&format!("<section><p title=\"{value}\" style=\"{css}\" class='{value}'>{css}"));
        check_page(&format!("<section><a href=\"{value}\">x</a><img src='{value}' alt=\"{css}\">"));
    }

    #[test]
    fn any_sheet_is_made_safe(css in ".*") {
        check_sheet(&css);
        check_sheet(&format!("a{{b:{css}}}"));
    }

    #[test]
    fn any_sheet_of_nasty_pieces_is_made_safe(css in pieces(&CSS)) {
        check_sheet(&css);
        check_sheet(&format!("a{{{css}}}"));
        check_sheet(&format!("a{{b:{css}}}"));
    }

    #[test]
    fn any_bytes_are_a_picture_or_none(
        start in prop::sample::select(&STARTS[..]),
        rest in prop::collection::vec(any::<u8>(), 0..200),
        said in ".*",
    ) {
        let bytes = [start, &rest].concat();
        if let Ok(picture) = Picture::read(&bytes) {
            assert_eq!(Picture::read(&picture.bytes).as_ref(), Ok(&picture));
        }
        let _ = decode_page(&bytes, Some(&said));
        let _ = decode_page(&rest, None);
    }
}
