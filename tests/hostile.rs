//! Hostile documents, row by row of docs/threats.md: X (XML) and C (compression). Each is given to the
//! real program with no more than 64 MiB of memory and a few seconds of processor time, and has to be
//! answered with the right finding.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a test")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const OPEN: &str = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">";
const ENTRY: &str = "<url><loc>http://example.com/</loc></url>";
const CLOSE: &str = "</urlset>";

/// What a document has to be answered with.
enum Answer {
    /// The rule that it breaks, and exit code 1.
    Rule(&'static str),
    /// Nothing but, perhaps, notes; this many entries; exit code 0.
    Entries(u64),
}
use Answer::{Entries, Rule};

type Feed = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + Send>;

struct Case {
    name: &'static str,
    write: Feed,
    answer: Answer,
}

fn case(name: &'static str, answer: Answer, document: impl Into<Vec<u8>>) -> Case {
    let document = document.into();
    Case { name, answer, write: Box::new(move |out| out.write_all(&document)) }
}

/// A document that is too long to be built in memory.
fn stream(
    name: &'static str,
    answer: Answer,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static,
) -> Case {
    Case { name, answer, write: Box::new(write) }
}

/// `before`, then `length` bytes of `fill`, then `after`.
fn long(
    name: &'static str,
    answer: Answer,
    before: &'static str,
    fill: u8,
    length: u64,
    after: &'static str,
) -> Case {
    stream(name, answer, move |out| {
        out.write_all(before.as_bytes())?;
        let chunk = [fill; 1 << 16];
        for _ in 0..length / chunk.len() as u64 {
            out.write_all(&chunk)?;
        }
        out.write_all(after.as_bytes())
    })
}

/// `tidings validate --json -`, with limits of the operating system around it: data in KiB, and
/// seconds of processor time (not of the clock).
fn limited() -> Command {
    let mut command = Command::new("sh");
    command.args([
        "-c",
        "ulimit -d 65536; ulimit -t 10; exec \"$@\"",
        "sh",
        env!("CARGO_BIN_EXE_tidings"),
    ]);
    command.args(["validate", "--json", "-"]);
    command
}

#[track_caller]
fn hold(row: &str, cases: Vec<Case>) {
    let total = cases.len();
    let mut held = 0;
    for Case { name, write, answer } in cases {
        let output = support::feed(limited(), write);
        let shown = || {
            format!(
                "{row} {name}: {:?}\n{}\n{}",
                output.status,
                support::stdout(&output),
                support::stderr(&output)
            )
        };
        let found: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", shown()));
        let document = &found["documents"][0];
        match answer {
            Rule(rule) => {
                assert_eq!(output.status.code(), Some(1), "{}", shown());
                assert!(document["rules"].get(rule).is_some(), "no {rule}: {}", shown());
                let finding = document["findings"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .find(|one| one["rule"] == rule)
                    .unwrap();
                assert!(
                    finding["line"].as_u64().unwrap() > 0
                        && !finding["remedy"].as_str().unwrap().is_empty()
                );
            }
            Entries(entries) => {
                assert_eq!(output.status.code(), Some(0), "{}", shown());
                assert_eq!(document["entries"], entries, "{}", shown());
                assert_eq!(document["complete"], true, "{}", shown());
            }
        }
        held += 1;
    }
    println!("{row}: {held} of {total} hostile cases held");
}

fn sitemap(inside: &str) -> String {
    format!("{OPEN}{inside}{CLOSE}")
}

#[test]
fn x1_entities_that_expand_without_end() {
    let mut laughs = String::from("<!DOCTYPE urlset [<!ENTITY l0 'ha'>");
    for level in 1..10 {
        laughs += &format!("<!ENTITY l{level} '{}'>", format!("&l{};", level - 1).repeat(10));
    }
    let laughs = format!("<?xml version='1.0'?>{laughs}]>{OPEN}<url><loc>&l9;</loc></url>{CLOSE}");
    let parameters = format!(
        "<!DOCTYPE urlset [<!ENTITY % a 'x'><!ENTITY % b '%a;%a;'> %b;]>{}",
        sitemap(ENTRY)
    );
    hold(
        "X1",
        vec![
            case("billion laughs", Rule("XML-2.8-doctype"), laughs),
            case("parameter entities", Rule("XML-2.8-doctype"), parameters),
        ],
    );
}

#[test]
fn x2_one_long_entity_used_often() {
    let document = format!(
        "<!DOCTYPE urlset [<!ENTITY a '{}'>]>{}",
        "a".repeat(50_000),
        sitemap(&format!("<url><loc>{}</loc></url>", "&a;".repeat(50_000)))
    );
    hold("X2", vec![case("quadratic blowup", Rule("XML-2.8-doctype"), document)]);
}

#[test]
fn x3_nothing_outside_the_document_is_touched() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}/x", listener.local_addr().unwrap());
    let entity = |system: &str| {
        format!(
            "<!DOCTYPE urlset [<!ENTITY x SYSTEM '{system}'>]>{}",
            sitemap("<url><loc>&x;</loc></url>")
        )
    };
    let include = |href: &str| {
        sitemap(&format!(
            "<url><loc>http://example.com/</loc><xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='{href}'/></url>"
        ))
    };
    hold(
        "X3",
        vec![
            case("external entity, file", Rule("XML-2.8-doctype"), entity("file:///etc/passwd")),
            case("external entity, http", Rule("XML-2.8-doctype"), entity(&url)),
            case(
                "external DTD",
                Rule("XML-2.8-doctype"),
                format!("<!DOCTYPE urlset SYSTEM '{url}'>{}", sitemap(ENTRY)),
            ),
            case(
                "parameter entity, http",
                Rule("XML-2.8-doctype"),
                format!("<!DOCTYPE urlset [<!ENTITY % x SYSTEM '{url}'> %x;]>{}", sitemap(ENTRY)),
            ),
            case("XInclude, http", Entries(1), include(&url)),
            case(
                "stylesheet instruction",
                Entries(1),
                format!("<?xml-stylesheet href='{url}'?>{}", sitemap(ENTRY)),
            ),
        ],
    );
    let connected = listener.accept();
    assert!(connected.is_err(), "somebody connected: {connected:?}");
}

#[test]
fn x4_nesting() {
    let nested = |depth: usize| {
        sitemap(&format!("<url>{}{}</url>", "<a>".repeat(depth), "</a>".repeat(depth)))
    };
    let roots = |depth: usize| format!("{}{}", OPEN.repeat(depth), CLOSE.repeat(depth));
    hold(
        "X4",
        vec![
            case("100 elements", Rule("LIMIT-depth"), nested(100)),
            case("10,000 elements", Rule("LIMIT-depth"), nested(10_000)),
            case("1,000,000 elements", Rule("LIMIT-depth"), nested(1_000_000)),
            case("10,000 roots", Rule("LIMIT-depth"), roots(10_000)),
        ],
    );
}

#[test]
fn x5_attributes() {
    let attributes =
        |count: usize, form: fn(usize) -> String| (0..count).map(form).collect::<String>();
    let tag = |attributes: String| {
        sitemap(&format!("<url{attributes}><loc>http://example.com/</loc></url>"))
    };
    hold(
        "X5",
        vec![
            case(
                "80,000 attributes",
                Rule("LIMIT-attributes"),
                tag(attributes(80_000, |n| format!(" a{n}='x'"))),
            ),
            case(
                "50,000 namespaces",
                Rule("LIMIT-attributes"),
                tag(attributes(50_000, |n| format!(" xmlns:a{n}='urn:x'"))),
            ),
            case("the same twice", Rule("XML-2.1-malformed"), tag(" a='1' a='2'".into())),
            case(
                "the same 80,000 times",
                Rule("XML-2.1-malformed"),
                tag(attributes(80_000, |_| " a='1'".into())),
            ),
        ],
    );
}

#[test]
fn x6_tokens_without_end() {
    const SIZE: u64 = 100 << 20;
    hold(
        "X6",
        vec![
            long(
                "100 MB of text",
                Rule("LIMIT-token"),
                "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>http://e/",
                b'a',
                SIZE,
                "</loc></url></urlset>",
            ),
            long(
                "10 GB of one attribute",
                Rule("LIMIT-token"),
                "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' a='",
                b'a',
                10 << 30,
                "'/>",
            ),
            long("100 MB of comment", Rule("LIMIT-token"), "<!--", b'a', SIZE, "--><urlset/>"),
            long(
                "100 MB of CDATA",
                Rule("LIMIT-token"),
                "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc><![CDATA[",
                b'a',
                SIZE,
                "]]></loc></url></urlset>",
            ),
            long("100 MB of instruction", Rule("LIMIT-token"), "<?x ", b'a', SIZE, "?><urlset/>"),
            long("100 MB of name", Rule("LIMIT-token"), "<", b'a', SIZE, "/>"),
            long(
                "100 MB of blanks",
                Rule("LIMIT-bytes"),
                "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>",
                b' ',
                SIZE,
                "</urlset>",
            ),
            case(
                "one entry of 2 MB",
                Rule("LIMIT-entry"),
                sitemap(&format!(
                    "<url><loc>http://example.com/</loc>{}</url>",
                    "<x:y xmlns:x='urn:x'/>".repeat(100_000)
                )),
            ),
        ],
    );
}

#[test]
fn x9_characters_that_are_none() {
    let with =
        |inside: &str| sitemap(&format!("<url><loc>http://example.com/{inside}</loc></url>"));
    hold(
        "X9",
        vec![
            case("NUL", Rule("XML-2.2-character"), with("\0")),
            case("a control character", Rule("XML-2.2-character"), with("\u{1b}")),
            case("U+FFFE", Rule("XML-2.2-character"), with("\u{fffe}")),
            case("U+FFFF", Rule("XML-2.2-character"), with("\u{ffff}")),
            case("&#0;", Rule("XML-2.2-character"), with("&#0;")),
            case("&#xD800;", Rule("XML-2.2-character"), with("&#xD800;")),
        ],
    );
}

fn many(
    count: u64,
    loc: &'static str,
) -> impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static {
    move |out| {
        let mut out = io::BufWriter::with_capacity(1 << 16, out);
        out.write_all(OPEN.as_bytes())?;
        for number in 0..count {
            write!(out, "<url><loc>http://example.com/{number}{loc}</loc></url>")?;
        }
        out.write_all(CLOSE.as_bytes())
    }
}

#[test]
fn x11_more_than_a_document_may_hold() {
    let padding: &'static str = Box::leak("x".repeat(2_000).into_boxed_str());
    hold(
        "X11",
        vec![
            stream("50,000 entries", Entries(50_000), many(50_000, "")),
            stream("50,001 entries", Rule("SM-entries"), many(50_001, "")),
            stream("100,001 entries", Rule("LIMIT-entries"), many(100_001, "")),
            stream("51 MB", Rule("SM-bytes"), many(26_500, padding)),
            stream("101 MB", Rule("LIMIT-bytes"), many(53_000, padding)),
            case("no entry at all", Entries(0), sitemap("")),
        ],
    );
}

#[test]
fn x12_around_the_root() {
    hold(
        "X12",
        vec![
            case(
                "a DOCTYPE inside an entry",
                Rule("XML-2.8-doctype"),
                sitemap("<url><loc>http://example.com/<!DOCTYPE x></loc></url>"),
            ),
            case("two roots", Rule("XML-2.1-after-root"), sitemap(ENTRY) + &sitemap(ENTRY)),
            case("junk after the root", Rule("XML-2.1-after-root"), sitemap(ENTRY) + "junk"),
            case(
                "a blank before the declaration",
                Rule("XML-2.8-declaration-late"),
                format!("\n<?xml version='1.0'?>{}", sitemap(ENTRY)),
            ),
            case("a comment after the root", Entries(1), sitemap(ENTRY) + "<!-- the end -->\n"),
        ],
    );
}

#[test]
fn what_is_no_document_at_all() {
    hold(
        "X0",
        vec![
            case("nothing", Rule("XML-2.1-empty"), ""),
            case("blanks", Rule("XML-2.1-empty"), "   \n"),
            case("text", Rule("XML-2.1-not-xml"), "Not found\n"),
            case("JSON", Rule("XML-2.1-not-xml"), "{\"error\": 404}"),
            case(
                "an HTML page",
                Rule("XML-2.1-html"),
                "<!doctype html><html><body>404</body></html>",
            ),
            case(
                "an XHTML page",
                Rule("XML-2.1-html"),
                "<html xmlns='http://www.w3.org/1999/xhtml'/>",
            ),
            case("a feed", Rule("SM-root"), "<rss version='2.0'/>"),
            case(
                "a picture",
                Rule("XML-4.3.3-encoding"),
                b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(),
            ),
            case("broken off", Rule("XML-2.1-truncated"), format!("{OPEN}{ENTRY}")),
        ],
    );
}

fn gzip(document: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(document).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn c1_compression() {
    let document = sitemap(ENTRY);
    let packed = gzip(document.as_bytes());
    let with = |change: fn(&mut Vec<u8>)| {
        let mut packed = packed.clone();
        change(&mut packed);
        packed
    };
    let halves = document.as_bytes().split_at(document.len() / 2);
    let bomb = |size: usize| gzip(format!("{OPEN}{}", " ".repeat(size)).as_bytes());
    let comments = gzip(
        format!("{OPEN}{}{CLOSE}", "<!-- nothing at all, and that often -->".repeat(300_000))
            .as_bytes(),
    );
    hold(
        "C1",
        vec![
            case("gzip", Entries(1), packed.clone()),
            case("gzip in gzip", Entries(1), gzip(&packed)),
            case("gzip in gzip in gzip", Rule("XML-2.1-not-xml"), gzip(&gzip(&packed))),
            case("two members", Entries(1), [gzip(halves.0), gzip(halves.1)].concat()),
            case(
                "a wrong checksum",
                Rule("GZIP-2.2-damaged"),
                with(|packed| {
                    let at = packed.len() - 8;
                    packed[at] ^= 1;
                }),
            ),
            case(
                "a wrong length",
                Rule("GZIP-2.2-damaged"),
                with(|packed| {
                    let at = packed.len() - 1;
                    packed[at] ^= 1;
                }),
            ),
            case(
                "broken off",
                Rule("GZIP-2.2-damaged"),
                with(|packed| {
                    packed.truncate(packed.len() - 12);
                }),
            ),
            case(
                "junk after the end",
                Rule("GZIP-2.2-damaged"),
                with(|packed| packed.extend(b"junk")),
            ),
            case("a bomb of blanks", Rule("LIMIT-inflation"), bomb(16 << 20)),
            case("a bomb of comments", Rule("LIMIT-inflation"), comments.clone()),
            case("a bomb in a bomb", Rule("LIMIT-inflation"), gzip(&comments)),
        ],
    );
}

/// Many small things instead of one large one: what each costs must not depend on how many there are.
#[test]
fn crowds() {
    const RS: &str = "xmlns:rs='http://www.openarchives.org/rs/terms/'";
    let crowd = |one: &str, count: usize| {
        format!(
            "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' {RS} xmlns:x='urn:x'>{}</urlset>",
            one.repeat(count)
        )
    };
    let nested: String =
        (0..40_000).map(|number| format!("<urlset xmlns:p{number}='x'/>")).collect();
    let empties = gzip(b"").repeat(300_000);
    hold(
        "crowds",
        vec![
            case(
                "links of the document",
                Rule("LIMIT-head"),
                crowd("<rs:ln rel='up' href='http://a.example/'/>", 250_000),
            ),
            case("elements of others", Rule("LIMIT-head"), crowd("<x:a/>", 1_000_000)),
            case("unknown elements", Rule("LIMIT-head"), crowd("<y/>", 400_000)),
            case(
                "unknown elements in entries",
                Rule("SM-element-unknown"),
                crowd(
                    &format!("<url><loc>http://e.example/</loc>{}</url>", "<y/>".repeat(100)),
                    4_000,
                ),
            ),
            case("roots in the root", Rule("SM-root-nested"), sitemap(&nested)),
            case("empty members, packed", Rule("LIMIT-inflation"), gzip(&empties)),
            case(
                "entries without a URI",
                Rule("SM-loc-missing"),
                sitemap(&"<url/>".repeat(100_000)),
            ),
        ],
    );
}

/// All Rust files below a folder.
fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The code at the start of a test's name (`f2_…`) or of a case's (`F2 …`), in upper case.
fn threat_code(text: &str, separator: char) -> Option<String> {
    let code = text.split(separator).next()?.to_uppercase();
    let number = code.strip_prefix(|letter| "XCZUSDWRF".contains(letter))?;
    let is_number = !number.is_empty() && number.len() < 3 && number != "0";
    (is_number && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(code)
}

#[test]
fn each_code_of_a_threat_is_explained_and_tested() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let list = fs::read_to_string(root.join("docs/threats.md")).unwrap();
    let mut files = Vec::new();
    rust_files(&root.join("tests"), &mut files);
    rust_files(&root.join("crates"), &mut files);
    let mut codes = BTreeSet::new();
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        codes.extend(text.split("fn ").skip(1).filter_map(|name| threat_code(name, '_')));
        codes.extend(text.split("case(\"").skip(1).filter_map(|name| threat_code(name, ' ')));
    }
    assert!(codes.len() > 50, "only {} codes were found", codes.len());
    for code in codes {
        assert!(
            list.contains(&format!("\n| {code} | ")),
            "docs/threats.md does not explain {code}"
        );
    }
    for place in
        list.split('`').filter(|place| place.starts_with("tests/") || place.starts_with("crates/"))
    {
        assert!(root.join(place).exists(), "docs/threats.md names {place}, which is not there");
    }
}
