//! Records of all kinds, from their text to the resources.

mod order;

use std::path::Path;

use super::*;

const MD5: &str = "1e0d5cb8ef6ba40c99b14c0237be735e";
const SHA1: &str = "a9993e364706816aba3e25717850c26c9cd0d89d";

/// What came of an input: the resources, and the lines that were passed over, sorted.
type Seen = (Vec<Resource>, Vec<(u64, String)>);

fn read_into(
    scratch: &Path,
    memory: usize,
    format: Format,
    input: impl Read,
) -> Result<Seen, PublishError> {
    let (mut resources, mut passed) = (Vec::new(), Vec::new());
    Records::new(input, format, scratch, memory).visit(&mut |item| {
        match item {
            InventoryItem::Resource(resource) => resources.push(resource),
            InventoryItem::Unknown(_) => {}
            InventoryItem::Passed(Passed { path, reason }) => {
                let line = path.to_str().unwrap().strip_prefix("line ").unwrap().parse().unwrap();
                passed.push((line, reason));
            }
        }
        Ok(())
    })?;
    passed.sort();
    Ok((resources, passed))
}

/// With memory for all of it, and no folder to put anything.
fn read(format: Format, input: impl AsRef<[u8]>) -> Seen {
    read_into(Path::new("/nowhere"), 64 << 20, format, input.as_ref()).unwrap()
}

fn bare(uri: &str) -> Resource {
    Resource { uri: uri.to_owned(), ..Resource::default() }
}

fn uris(resources: &[Resource]) -> Vec<&str> {
    resources.iter().map(|one| one.uri.trim_start_matches("http://e.example/")).collect()
}

#[test]
fn json_fields_become_a_resource() {
    let uri = "http://e.example/";
    for (fields, entry) in [
        (String::new(), String::new()),
        (r#","unknown":[{"a":1}],"lastmod":null,"type":"  ""#.into(), String::new()),
        (r#","lastmod":"2026-11-15T10:00:00Z""#.into(), "2026-11-15T10:00:00Z".into()),
        (r#","lastmod":"2026-11-15 12:00:00+02:00""#.into(), "2026-11-15T10:00:00Z".into()),
        (r#","lastmod":2026"#.into(), "2026".into()),
        (r#","length":0"#.into(), "0".into()),
        (r#","length":" 18446744073709551615 ""#.into(), u64::MAX.to_string()),
        (r#","type":"text/html; charset=\u0075tf-8""#.into(), "text/html; charset=utf-8".into()),
        (format!(r#","md5":"{}""#, MD5.to_uppercase()), format!("md5:{MD5}")),
        (
            format!(r#","hash":"sha1:{SHA1}  md5:{MD5}","md5":"{MD5}""#),
            format!("md5:{MD5} sha-1:{SHA1}"),
        ),
    ] {
        let line = format!(r#"{{"uri":"{uri}"{fields}}}"#);
        let (resources, passed) = read(Format::JsonLines, &line);
        assert_eq!(passed, [], "{line}");
        let [resource] = resources.try_into().unwrap();
        let said = [
            resource.lastmod.map(|moment| moment.to_string()),
            resource.length.map(|length| length.to_string()),
            resource.media_type,
            resource.hash.map(|hash| hash.as_str().to_owned()),
        ];
        assert_eq!(said.into_iter().flatten().collect::<String>(), entry, "{line}");
        assert_eq!(resource.uri, uri);
    }
}

#[test]
fn json_that_is_no_record_is_passed_over() {
    for (line, reason) in [
        ("{}", "it has no uri"),
        (r#"{"uri":" "}"#, "it has no uri"),
        (r#"{"uri":"/a"}"#, "absolute URI"),
        (r#"{"uri":"http://e.example/a b"}"#, "RFC 3986"),
        (r#"{"loc":"http://e.example/","lastmod":"yesterday"}"#, "lastmod \"yesterday\""),
        (r#"{"loc":"http://e.example/","lastmod":"2026-02-30"}"#, "does not exist"),
        (r#"{"loc":"http://e.example/","length":-1}"#, "a whole number at column"),
        (r#"{"loc":"http://e.example/","length":1.5}"#, "a whole number at column"),
        (r#"{"loc":"http://e.example/","length":"+1"}"#, "no number of bytes"),
        (r#"{"loc":"http://e.example/","length":"18446744073709551616"}"#, "no number of bytes"),
        (r#"{"loc":"http://e.example/","type":"html"}"#, "media type"),
        (r#"{"loc":"http://e.example/","hash":"crc32:00"}"#, "algorithm is not known"),
        (r#"{"loc":"http://e.example/","sha256":"00"}"#, "length"),
        (r#"{"loc":"http://e.example/","md5":"Hg1cuO9rpAyZsUwCN75z"}"#, "not hex"),
        (r#"["http://e.example/"]"#, "not a JSON object"),
        (r#""http://e.example/""#, "not a JSON object"),
        (r#"{"uri":["http://e.example/"]}"#, "a string or a whole number"),
        (r#"{"uri":"http://e.example/""#, "not JSON"),
        (r#"{"uri":"http://e.example/"} {}"#, "not JSON"),
        (r#"{"uri":"http://e.example/","uri":"http://e.example/"}"#, "duplicate field"),
    ] {
        let text = format!("\n{line}\n{{\"uri\":\"http://e.example/z\"}}\n");
        let (resources, passed) = read(Format::JsonLines, text);
        assert_eq!(uris(&resources), ["z"], "{line}");
        assert_eq!(passed.len(), 1, "{line}");
        assert_eq!(passed[0].0, 2, "{line}");
        assert!(passed[0].1.contains(reason), "{line}: {}", passed[0].1);
    }
    let two =
        format!(r#"{{"uri":"http://e.example/","md5":"{MD5}","hash":"md5:{}"}}"#, "0".repeat(32));
    assert_eq!(read(Format::JsonLines, two).1, [(1, "it has two digests of md5".to_owned())]);
    let (resources, passed) = read(Format::JsonLines, b"{\"uri\":\"http://e.example/\xff\"}");
    assert_eq!((resources.len(), passed.len()), (0, 1));
}

#[test]
fn csv_is_read_under_its_header() {
    let text = format!(
        "\u{feff} Type,URI,note,length,sha1,md5\r\n\
         text/html,http://e.example/b,\"two\r\nlines, \"\"quoted\"\"\",12,{SHA1},\r\n\
         \r\n\
         ,http://e.example/a,,,,{MD5}\r\n\
         ,,,,,\r\n\
         ,http://e.example/c,,,\r\n\
         ,http://e.example/d,,,,,\r\n\
         ,relative,,,,\r\n\
         \"\",http://e.example/e,,x,,"
    );
    let (resources, passed) = read(Format::Csv, text);
    let hash = |text: String| Some(tidings_document::Hash::from_attribute(text.into()));
    let a = Resource { hash: hash(format!("md5:{MD5}")), ..bare("http://e.example/a") };
    let b = Resource {
        length: Some(12),
        media_type: Some("text/html".into()),
        hash: hash(format!("sha-1:{SHA1}")),
        ..bare("http://e.example/b")
    };
    assert_eq!(resources, [a, b]);
    let reasons =
        ["no uri", "5 fields, the header 6", "7 fields, the header 6", "absolute", "length \"x\""];
    assert_eq!(passed.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [6, 7, 8, 9, 10]);
    for ((_, said), reason) in passed.iter().zip(reasons) {
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn csv_without_a_header_is_an_error() {
    for text in ["", "\n\n", "http://e.example/a,1\n", "id,length\n1,2\n", "ur\u{ed}\n"] {
        let read = read_into(Path::new("/nowhere"), 1 << 20, Format::Csv, text.as_bytes());
        assert!(matches!(read, Err(PublishError::Io { .. })), "{text:?}");
    }
    assert_eq!(read(Format::Csv, "loc\n"), (vec![], vec![]));
    assert_eq!(read(Format::JsonLines, "\u{feff}\r\n"), (vec![], vec![]));
}

#[test]
fn marks_and_ends_of_lines_are_tolerated() {
    for end in ["\n", "\r\n"] {
        for last in ["", end] {
            let json = ["b", "a"].map(|name| format!(r#"{{"uri":"http://e.example/{name}"}}"#));
            let json = format!("\u{feff}{}{last}", json.join(end));
            let csv = format!("\u{feff}loc{end}http://e.example/b{end}http://e.example/a{last}");
            for (format, text) in [(Format::JsonLines, json), (Format::Csv, csv)] {
                // One byte at a time, so that every state is one in which more has to be waited for.
                let slow = Slow(text.as_bytes());
                let (resources, passed) =
                    read_into(Path::new("/nowhere"), 1 << 20, format, slow).unwrap();
                assert_eq!(uris(&resources), ["a", "b"], "{text:?}");
                assert_eq!(passed, []);
            }
        }
    }
    let (resources, passed) = read(Format::Csv, "uri\rhttp://e.example/a\rx\rhttp://e.example/b");
    assert_eq!(uris(&resources), ["a", "b"]);
    assert_eq!(passed[0].0, 3);
}

struct Slow<'a>(&'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(1);
        self.0.read(&mut buffer[..most])
    }
}

#[test]
fn long_lines_are_skipped_and_the_next_is_read() {
    let padded = |length: usize| {
        let start = r#"{"uri":"http://e.example/a","x":""#;
        format!("{start}{}\"}}", "x".repeat(length - start.len() - 2))
    };
    for (length, end, fits) in [
        (MAX_RECORD_BYTES, "\n", true),
        (MAX_RECORD_BYTES, "\r\n", true),
        (MAX_RECORD_BYTES + 1, "\n", false),
        (MAX_RECORD_BYTES + 1, "\r\n", false),
        (MAX_RECORD_BYTES + 2, "\n", false),
        (3 * MAX_RECORD_BYTES, "\r\n", false),
    ] {
        let text = format!("{}{end}{{\"uri\":\"http://e.example/b\"}}", padded(length));
        let (resources, passed) = read(Format::JsonLines, text);
        assert_eq!(resources.len(), 1 + usize::from(fits), "{length}");
        assert_eq!(passed.len(), usize::from(!fits), "{length}");
    }
    let wide = ",".repeat(3 * 4096);
    let long = "x".repeat(3 * MAX_RECORD_BYTES);
    let text = format!("uri,x\n{wide}\nhttp://e.example/a,{long}\nhttp://e.example/b,\n\"{long}");
    let (resources, passed) = read(Format::Csv, text);
    assert_eq!(uris(&resources), ["b"]);
    assert_eq!(passed.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 3, 5]);
    assert!(passed[0].1.contains("4096 fields"));
    assert!(passed[1].1.contains("longer than"));
    assert!(passed[2].1.contains("quote"));
}

#[test]
fn a_quote_that_is_never_closed_is_seen() {
    let text = "uri,x\nhttp://e.example/a,1\nhttp://e.example/b,\"2\nhttp://e.example/c,3\n";
    let (resources, passed) = read(Format::Csv, text);
    assert_eq!(uris(&resources), ["a"]);
    assert_eq!(passed, [(3, "a quote in it is never closed".to_owned())]);
    // One that is closed by the last character is closed.
    let (resources, passed) = read(Format::Csv, "x,uri\n1,\"http://e.example/a\"");
    assert_eq!((uris(&resources), passed), (vec!["a"], vec![]));
}

#[test]
fn reasons_are_short() {
    let (_, passed) = read(Format::Csv, format!("uri\n{}", "ü".repeat(10_000)));
    assert_eq!(passed[0].1.chars().count(), MOST_SAID + 1);
}

#[test]
fn an_input_that_breaks_off_is_an_error() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("gone"))
        }
    }
    for (format, text, line) in [
        (Format::JsonLines, "{\"uri\":\"http://e.example/\"}\n", "line 2"),
        (Format::Csv, "uri\nhttp://e.example/\n", "line 3"),
    ] {
        let read = read_into(Path::new("/nowhere"), 1 << 20, format, text.as_bytes().chain(Broken));
        assert_eq!(read.unwrap_err().to_string(), format!("could not read {line}"));
    }
}

#[test]
fn the_caller_can_stop() {
    let text = "uri\nhttp://e.example/b\nhttp://e.example/a\n";
    let stop = || PublishError::Busy { path: "stop".into() };
    let mut seen = 0;
    let records = Records::new(text.as_bytes(), Format::Csv, Path::new("/nowhere"), 1 << 20);
    let result = records.visit(&mut |_| {
        seen += 1;
        Err(stop())
    });
    assert!(matches!(result, Err(PublishError::Busy { .. })));
    assert_eq!(seen, 1);
}
