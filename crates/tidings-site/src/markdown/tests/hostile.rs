use proptest::prelude::*;

use super::super::render;
use super::tags::danger;

const PAYLOADS: &[&str] = &[
    // Elements that run or load.
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//x.example/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<script\n>alert(1)</script\n>",
    "a <script>alert(1)</script> b",
    "<script",
    "<img src=x onerror=alert(1)>",
    "<img/src=x/onerror=alert(1)>",
    "<img src=\"x\"onerror=\"alert(1)\">",
    "<IMG SRC=javascript:alert(1)>",
    "<img src=`x`onerror=alert(1)//",
    "<img src=x:x onerror\n=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><a xlink:href=\"javascript:alert(1)\"><text>x</text></a></svg>",
    "<svg><animate attributeName=href values=javascript:alert(1) /><a><text>x</text></a></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<svg></p><style><a id=\"</style><img src=1 onerror=alert(1)>\">",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
    "<math><mi xlink:href=\"data:x,<script>alert(1)</script>\">x</mi></math>",
    "<math><annotation-xml encoding=\"text/html\"><script>alert(1)</script></annotation-xml></math>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\"></noscript>",
    "<style><img src=\"</style><img src=x onerror=alert(1)>\"></style>",
    "<style>@import 'javascript:alert(1)';</style>",
    "<title><img src=\"</title><img src=x onerror=alert(1)>\"></title>",
    "<textarea><img title=\"</textarea><img src=x onerror=alert(1)>\"></textarea>",
    "<xmp><p title=\"</xmp><img src=x onerror=alert(1)>\"></xmp>",
    "<template><script>alert(1)</script></template>",
    "<select><template><img src=x onerror=alert(1)></template></select>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe srcdoc=\"<script>alert(1)</script>\"></iframe>",
    "<object data=\"data:text/html;base64,PHNjcmlwdD4=\"></object>",
    "<embed src=\"javascript:alert(1)\">",
    "<base href=\"javascript:/a/\"><a href=\"//%0aalert(1)/\">x</a>",
    "<meta http-equiv=refresh content=\"0;url=javascript:alert(1)\">",
    "<link rel=stylesheet href=//x.example/x.css>",
    "<div style=\"width: expression(alert(1)); background: url(javascript:alert(1))\">x</div>",
    "<form action=javascript:alert(1)><input type=submit></form>",
    "<button formaction=javascript:alert(1)>x</button>",
    "<input onfocus=alert(1) autofocus>",
    "<input type=image src=x onerror=alert(1)>",
    "<details open ontoggle=alert(1)>x</details>",
    "<video><source onerror=alert(1)></video>",
    "<video poster=javascript:alert(1) src=x></video>",
    "<audio src=x onloadstart=alert(1)>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<body onload=alert(1)>",
    "<table background=javascript:alert(1)><tr><td>x</table>",
    "<picture><source srcset=\"javascript:alert(1) 2x\"><img src=a.png></picture>",
    "<img srcset=\"a.png, data:text/html,x 2x\">",
    "<a href=\"javascript&colon;alert(1)\">x</a>",
    "<a href=\"&#106;&#x61;vascript:alert(1)\">x</a>",
    "<a href=\" &#1; javascript:alert(1)\">x</a>",
    "<a href=\"java&Tab;script&NewLine;:alert(1)\">x</a>",
    "<a href='vbscript:msgbox(1)'>x</a>",
    "<a href=x target=_blank name=location>x</a>",
    "<p id=\"theme:main\">x</p>",
    "<blockquote cite=\"javascript:alert(1)\">x</blockquote>",
    "<!-- --!><img src=x onerror=alert(1)> -->",
    "<!--><script>alert(1)</script>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?php echo '<script>' ?><script>alert(1)</script>",
    "<p title='<script>alert(1)</script>'>x",
    "</article></main><script>alert(1)</script>",
    "<plaintext><script>alert(1)</script>",
    // By way of Markdown.
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](<java\tscript:alert(1)>)",
    "[x](javascript&colon;alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](&#x6A&#x61;vascript:alert(1))",
    "[x](<  javascript:alert(1)>)",
    "[x](&#1;javascript:alert(1))",
    "[x](\u{1}javascript:alert(1))",
    "[x](java&NewLine;script:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](DATA:image/png;base64,AAAA)",
    "[x](vbscript:msgbox)",
    "[x](file:///etc/passwd)",
    "[x](blob:https://a.example/1)",
    "[x](view-source:javascript:alert(1))",
    "<javascript:alert(1)>",
    "![x](javascript:alert(1))",
    "![x](data:text/html,<script>)",
    "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
    "![x](data:image/pngx,y)",
    "![\" onerror=\"alert(1)](x.png)",
    "![<img src=x onerror=alert(1)>](x.png)",
    "[x](a.html '\" onclick=\"alert(1)')",
    "[x](a.html\"onclick=alert(1))",
    "[x]\n\n[x]: javascript:alert(1)",
    "# x {#a onclick=alert(1) style=b}",
    "# x {#\"><script>alert(1)</script>}",
    "# <img src=x onerror=alert(1)>",
    "```\"><script>alert(1)</script>\nx\n```",
    "~~~a'onload=alert(1)\nx\n~~~",
    "`<script>alert(1)</script>`",
    "    <script>alert(1)</script>",
    "a[^\"><script>]\n\n[^\"><script>]: <script>alert(1)</script>",
    "| <script>a</script> |\n|---|\n| <img src=x onerror=b> |",
    "\\<script>alert(1)\\</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
];

#[test]
fn nothing_that_could_run_is_left() {
    for payload in PAYLOADS {
        // As it is, in a line, and behind something that leaves the parser in another state.
        let forms = [
            (*payload).to_owned(),
            format!("Words *and* {payload} words\n\nmore"),
            format!("<div>\n\n{payload}\n\n</div>"),
            format!("- [ ] {payload}\n\n> {payload}\n"),
        ];
        for form in forms {
            let html = render(&form).html;
            assert_eq!(danger(&html), None, "{form}\n→ {html}");
        }
    }
}

#[test]
fn a_link_that_leads_nowhere_is_still_text() {
    assert_eq!(render("[x](javascript:alert(1))").html, "<p><a>x</a></p>\n");
    assert_eq!(render("![x](javascript:alert(1))").html, "<p>x</p>\n");
}

#[test]
fn all_elements_that_are_opened_are_closed() {
    for payload in ["<div><b>", "</article></main>", "<kbd>", "<table><tr><td>x", "<details>\n\nx"]
    {
        let html = render(payload).html;
        for name in ["div", "b", "kbd", "table", "details", "article", "main", "p"] {
            let opened = html.matches(&format!("<{name}>")).count();
            let closed = html.matches(&format!("</{name}>")).count();
            assert_eq!(opened, closed, "{payload}\n→ {html}");
        }
    }
}

proptest! {
    #[test]
    fn whatever_is_written_cannot_run(markdown in "\\PC{0,200}") {
        let html = render(&markdown).html;
        prop_assert_eq!(danger(&html), None, "{}", html);
    }

    /// Of parts that mean something, so that more comes of them.
    #[test]
    fn whatever_is_put_together_cannot_run(parts in prop::collection::vec(prop::sample::select(vec![
        "<script>", "</script>", "<img src=x onerror=a>", "<svg>", "</svg>", "<style>", "</style>", "<math>",
        "<!--", "-->", "<p title=\"", "\">", "'", "`", "```\n", "\n", "\n\n", "> ", "- ", "[", "](", ")",
        "javascript:", "data:", "![", "# ", "{#a onclick=b}", "|", "\n|--|\n", "[^1]", "[^1]: ", "<a href=",
        "&#106;", "<noscript>", "<b>", "*", "_", "<div\n", "    ", "<template>", "<select>", "<form>", "é",
    ]), 0..30)) {
        let markdown = parts.concat();
        let html = render(&markdown).html;
        prop_assert_eq!(danger(&html), None, "{}\n→ {}", markdown, html);
    }
}
