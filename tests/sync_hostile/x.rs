//! X: documents that are not what they should be, in the place of a Resource List that was good.

use crate::support::documents::{AT, Item, SITEMAP, TERMS, document, index, resource_list};
use crate::support::server::Reply;
use crate::support::stage::{Case, Stage, case};

const FILES: &[(&str, &str)] = &[("a.txt", "one"), ("b.txt", "two"), ("caf\u{e9}.txt", "three")];

/// The copy, with the third file under the name that its URI has.
fn source() -> Stage {
    let stage = Stage::new();
    stage.files(&[("a.txt", "one"), ("b.txt", "two"), ("caf%C3%A9.txt", "three")]);
    stage.list(&items(&stage));
    stage
}

fn items(stage: &Stage) -> Vec<Item> {
    stage.items(&[("a.txt", "one"), ("b.txt", "two"), ("caf%C3%A9.txt", "three")])
}

/// Such a list is not acted on, and the copy is as it was.
fn refused(name: &str, list: impl Into<Vec<u8>>) -> Case {
    let list = list.into();
    case(name, move || {
        let stage = source();
        stage.sync(&[]).exits(0);
        stage.list_text(list.clone());
        stage.sync(&["--delete", "--force-delete"]).exits(2).says("cannot be used");
        stage.has(FILES);
    })
}

/// Such a list is as good as the plain one.
fn taken(name: &str, list: impl Fn(&Stage) -> Vec<u8> + Send + Sync + 'static) -> Case {
    case(name, move || {
        let stage = source();
        let list = list(&stage);
        stage.list_text(list);
        stage.sync(&[]).exits(0);
        stage.has(FILES);
    })
}

fn with_charset(
    name: &str,
    content_type: &'static str,
    list: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static,
) -> Case {
    case(name, move || {
        let stage = source();
        let list = list(&raw(&stage));
        stage.list_reply(Reply::ok(list).with("Content-Type", content_type));
        stage.sync(&[]).exits(0);
        stage.has(FILES);
    })
}

/// The list with a character beyond ASCII in it, and without a declaration.
fn raw(stage: &Stage) -> String {
    let list = resource_list(&items(stage)).replace("caf%C3%A9", "caf\u{e9}");
    list.split_once('\n').unwrap().1.to_owned()
}

fn declared(encoding: &str, list: &str) -> String {
    format!("<?xml version=\"1.0\" encoding=\"{encoding}\"?>{list}")
}

fn utf16(list: &str, with: fn(u16) -> [u8; 2]) -> Vec<u8> {
    list.encode_utf16().flat_map(with).collect()
}

fn latin(list: &str) -> Vec<u8> {
    list.chars().map(|character| u8::try_from(u32::from(character)).unwrap()).collect()
}

fn list_with(inside: &str) -> String {
    document(&format!("<rs:md capability=\"resourcelist\" at=\"{AT}\"/>{inside}"), &[])
}

fn entity(declaration: &str) -> String {
    let list = list_with("<url><loc>http://a.example/&x;</loc></url>");
    list.replace("?>", &format!("?><!DOCTYPE urlset [{declaration}]>"))
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = documents();
    cases.extend(encodings());
    cases.extend(shapes());
    cases
}

fn documents() -> Vec<Case> {
    let mut laughs = "<!ENTITY l0 'ha'>".to_owned();
    for level in 1..10 {
        laughs += &format!("<!ENTITY l{level} '{}'>", format!("&l{};", level - 1).repeat(10));
    }
    laughs += "<!ENTITY x '&l9;'>";
    let nested = |depth: usize| list_with(&("<url>".repeat(depth) + &"</url>".repeat(depth)));
    let attributes = |one: fn(usize) -> String, count: usize| {
        let attributes: String = (0..count).map(one).collect();
        list_with(&format!("<url{attributes}><loc>http://a.example/</loc></url>"))
    };
    let entry = "<url><loc>http://a.example/</loc></url>";
    let long = "x".repeat(1 << 20);
    vec![
        refused("X1 billion laughs", entity(&laughs)),
        refused("X1 parameter entities", entity("<!ENTITY % a 'x'><!ENTITY % x '%a;%a;'>")),
        refused("X2 quadratic blowup", entity(&format!("<!ENTITY x '{}'>", "a".repeat(50_000)))),
        refused("X3 external entity, file", entity("<!ENTITY x SYSTEM 'file:///etc/passwd'>")),
        case("X3 external entity, http", || {
            let stage = source();
            stage.sync(&[]).exits(0);
            stage.list_text(entity(&format!("<!ENTITY x SYSTEM '{}'>", stage.url("/called"))));
            stage.sync(&[]).exits(2);
            assert_eq!(stage.server.count("/called"), 0);
        }),
        case("X3 stylesheet and XInclude", || {
            let stage = source();
            let call = stage.url("/called");
            let list = resource_list(&items(&stage))
                .replace("?>\n", &format!("?><?xml-stylesheet href='{call}'?>"))
                .replace(
                    "</url>",
                    &format!(
                        "<i:include xmlns:i='http://www.w3.org/2001/XInclude' href='{call}'/></url>"
                    ),
                );
            stage.list_text(list);
            stage.sync(&[]).exits(0);
            stage.has(FILES);
            assert_eq!(stage.server.count("/called"), 0);
        }),
        refused("X4 100 levels", nested(100)),
        refused("X4 10,000 levels", nested(10_000)),
        refused("X4 1,000,000 levels", nested(1_000_000)),
        refused("X5 80,000 attributes", attributes(|n| format!(" a{n}='x'"), 80_000)),
        refused("X5 50,000 namespaces", attributes(|n| format!(" xmlns:a{n}='urn:x'"), 50_000)),
        refused("X5 one attribute twice", attributes(|_| " a='x'".into(), 2)),
        refused("X6 text", list_with(&format!("<url><loc>http://a.example/{long}</loc></url>"))),
        refused("X6 attribute", list_with(&format!("<url a='{long}'/>"))),
        refused("X6 comment", list_with(&format!("<!--{long}-->"))),
        refused("X6 CDATA", list_with(&format!("<url><loc><![CDATA[{long}]]></loc></url>"))),
        refused("X6 instruction", list_with(&format!("<?x {long}?>"))),
        refused("X9 NUL", list_with("<url><loc>http://a.example/\0</loc></url>")),
        refused("X9 control", list_with("<url><loc>http://a.example/\u{1b}</loc></url>")),
        refused("X9 U+FFFE", list_with("<url><loc>http://a.example/\u{fffe}</loc></url>")),
        refused("X9 &#0;", list_with("<url><loc>http://a.example/&#0;</loc></url>")),
        refused("X9 surrogate", list_with("<url><loc>http://a.example/&#xD800;</loc></url>")),
        refused("X11 nothing at all", ""),
        refused("X12 two roots", list_with(entry).repeat(2)),
        refused("X12 junk after the root", list_with(entry) + "junk"),
        taken("X12 a comment after the root", |stage| {
            (resource_list(&items(stage)) + "<!-- the end -->").into()
        }),
        refused("X0 text", "Not found"),
        refused("X0 JSON", "{\"error\": 404}"),
        refused("X0 a page", "<!doctype html><html><body>Sign in</body></html>"),
        refused("X0 a page in XML", "<html xmlns='http://www.w3.org/1999/xhtml'/>"),
        refused("X0 a feed", "<rss version='2.0'/>"),
        refused("X0 a picture", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec()),
    ]
}

fn encodings() -> Vec<Case> {
    let bad = |bytes: &[u8]| {
        let list = list_with("<url><loc>http://a.example/@</loc></url>");
        let (before, after) = list.split_once('@').unwrap();
        [before.as_bytes(), bytes, after.as_bytes()].concat()
    };
    vec![
        refused("X7 bad UTF-8", bad(b"\xff")),
        refused("X7 overlong", bad(b"\xc0\xaf")),
        refused("X7 surrogate in UTF-8", bad(b"\xed\xa0\x80")),
        refused("X7 unknown encoding", declared("x-nobody", &list_with("")[38..])),
        refused(
            "X7 UTF-32",
            declared("UTF-32", "<urlset/>")
                .chars()
                .flat_map(|character| u32::from(character).to_be_bytes())
                .collect::<Vec<u8>>(),
        ),
        taken("X7 UTF-8 with a mark", |stage| {
            [&b"\xef\xbb\xbf"[..], raw(stage).as_bytes()].concat()
        }),
        taken("X7 UTF-16LE with a mark", |stage| {
            utf16(&format!("\u{feff}{}", raw(stage)), u16::to_le_bytes)
        }),
        taken("X7 UTF-16BE with a mark", |stage| {
            utf16(&format!("\u{feff}{}", raw(stage)), u16::to_be_bytes)
        }),
        taken("X7 UTF-16LE without", |stage| {
            utf16(&declared("UTF-16LE", &raw(stage)), u16::to_le_bytes)
        }),
        taken("X7 UTF-16BE without", |stage| {
            utf16(&declared("UTF-16BE", &raw(stage)), u16::to_be_bytes)
        }),
        taken("X7 8859-1", |stage| latin(&declared("ISO-8859-1", &raw(stage)))),
        taken("X7 1252", |stage| latin(&declared("windows-1252", &raw(stage)))),
        with_charset("X7 the header says 8859-1", "text/xml; charset=\"iso-8859-1\"", latin),
        with_charset("X7 the header has more weight", "text/xml; charset=utf-8", |list| {
            declared("ISO-8859-1", list).into()
        }),
    ]
}

/// Entries that are not as they should be take nobody else along.
fn odd(name: &str, extra: &'static str, exit: i32) -> Case {
    case(name, move || {
        let stage = source();
        stage.sync(&[]).exits(0);
        let list = resource_list(&items(&stage)).replace("</urlset>", extra) + "</urlset>";
        stage.list_text(list);
        stage.sync(&["--delete", "--force-delete"]).exits(exit);
        stage.has(FILES);
    })
}

fn shapes() -> Vec<Case> {
    let root = |root: &str, namespace: &str| format!("<{root} xmlns='{namespace}'></{root}>");
    vec![
        refused("X10 another root", root("catalogue", SITEMAP)),
        refused("X10 another namespace", root("urlset", "http://www.example.com/")),
        refused("X10 no namespace", "<urlset></urlset>"),
        refused(
            "X10 a Change List",
            document(&format!("<rs:md capability=\"changelist\" from=\"{AT}\"/>"), &[]),
        ),
        refused("X10 a Capability List", document("<rs:md capability=\"capabilitylist\"/>", &[])),
        refused(
            "X10 an index of another kind",
            index(&format!("<rs:md capability=\"changelist\" from=\"{AT}\"/>"), &[]),
        ),
        taken("X10 other prefixes", |stage| {
            let list = resource_list(&items(stage)).replace("rs:", "b:");
            let list = list.replace("xmlns:rs", "xmlns:b").replace("</", "</s:");
            let list = list.replace('<', "<s:").replace("<s:/s:", "</s:").replace("<s:?", "<?");
            list.replace("<s:b:", "<b:").replace("xmlns=", "xmlns:s=").into()
        }),
        taken("X10 blanks around loc", |stage| {
            resource_list(&items(stage)).replace("<loc>", "<loc>\n  ").into()
        }),
        taken("X10 relative loc", |stage| {
            resource_list(&items(stage)).replace(&stage.url("/"), "").into()
        }),
        taken("X10 foreign elements", |stage| {
            let more = "<x:y xmlns:x='urn:x'><x:loc>http://b.example/</x:loc></x:y></url>";
            resource_list(&items(stage)).replace("</url>", more).into()
        }),
        taken("X10 loc in CDATA", |stage| {
            let list = resource_list(&items(stage)).replace("<loc>", "<loc><![CDATA[");
            list.replace("</loc>", "]]></loc>").into()
        }),
        taken("X10 prefixed attributes are no attributes of ours", |stage| {
            resource_list(&items(stage))
                .replace("<rs:md length", "<rs:md rs:hash='md5:0' length")
                .into()
        }),
        odd("X10 no loc", "<url></url>", 1),
        odd("X10 an empty loc", "<url><loc/></url>", 1),
        odd("X10 a loc that is no URI", "<url><loc>http://[</loc></url>", 1),
        odd("X10 a loc of another scheme", "<url><loc>ftp://a.example/</loc></url>", 1),
        odd("X10 an index entry in a list", "<sitemap><loc>/x.xml</loc></sitemap>", 0),
        case("X10 two loc: neither is guessed at another's cost", || {
            let stage = source();
            let (a, b) = (stage.url("/a.txt"), stage.url("/b.txt"));
            let list = resource_list(&items(&stage))
                .replace(&format!("<loc>{a}</loc>"), &format!("<loc>{a}</loc><loc>{b}</loc>"));
            stage.sync(&[]).exits(0);
            stage.list_text(list);
            stage.sync(&[]);
            stage.has(FILES);
        }),
        case("X10 two rs:md: right bytes or none", || {
            let stage = source();
            let list =
                resource_list(&items(&stage)).replace("</loc>", "</loc><rs:md length='99'/>");
            stage.sync(&[]).exits(0);
            stage.list_text(list);
            stage.sync(&["--baseline"]);
            stage.has(FILES);
        }),
        case("X11 more entries than a list may have", || {
            let stage = source();
            let mut items = items(&stage);
            let more = (0..50_001).map(|number| stage.item(&format!("robots/{number}")));
            items.extend(more);
            stage.text("/robots.txt", "User-agent: *\nDisallow: /robots/\n");
            stage.list(&items);
            stage.sync(&["--exclude", "robots/**"]).exits(0).counts("passed", 50_001);
            stage.has(FILES);
        }),
        case("X10 terms of another time", || {
            let stage = source();
            let list = resource_list(&items(&stage));
            stage.list_text(list.replace(TERMS, "http://www.resourcesync.org/rs/terms/"));
            stage.sync(&[]);
            let found = stage.found();
            assert!(found.is_empty() || found.len() == 3, "{found:?}");
        }),
    ]
}
