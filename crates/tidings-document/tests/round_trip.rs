//! Any model -> bytes -> the same model, and the same bytes again.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a test")]

use std::borrow::Cow;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use tidings_document::{
    Algorithm, Attribute, Capability, Change, ChangeFreq, CheckOptions, Digest, Entry, Form, Hash,
    Head, Link, Metadata, Moment, PATCH, Precision, Priority, Reader, Severity, TimeUse,
    WriteError, Writer, check,
};

const NAMESPACES: [(&str, &str); 2] =
    [("ex", "http://example.org/ns?a=1&b=2"), ("img", "urn:images")];

fn moment() -> impl Strategy<Value = Moment> {
    let precision = prop_oneof![
        Just(Precision::Year),
        Just(Precision::Month),
        Just(Precision::Day),
        Just(Precision::Minute),
        Just(Precision::Second),
        (1_u8..=9).prop_map(Precision::Fraction),
    ];
    (-62_167_219_200_i64..253_402_300_799, 0_u32..1_000_000_000, precision).prop_map(
        |(seconds, nanos, precision)| Moment::from_unix(seconds, nanos, precision).unwrap(),
    )
}

fn text() -> impl Strategy<Value = Cow<'static, str>> {
    "[ -~äß☃𝄞]{0,20}".prop_map(Cow::Owned)
}

fn uri() -> impl Strategy<Value = Cow<'static, str>> {
    "https?://[a-z]{1,8}\\.example(/[a-zA-Z0-9._~!$&'()*+,;=:@-]{0,12}){0,3}(\\?[a-z]=%2[0-9A-F]&b)?".prop_map(Cow::Owned)
}

fn hash() -> impl Strategy<Value = Hash<'static>> {
    (any::<[u8; 16]>(), option::of(any::<[u8; 32]>())).prop_map(|(md5, sha)| {
        let mut digests = vec![Digest::new(Algorithm::Md5, &md5).unwrap()];
        digests.extend(sha.map(|sha| Digest::new(Algorithm::Sha256, &sha).unwrap()));
        Hash::new(&digests)
    })
}

fn media_type() -> impl Strategy<Value = Cow<'static, str>> {
    "[a-z]{1,8}/[a-z0-9.+-]{1,8}(; ?charset=\"?[a-z&<>0-9-]{1,6}\"?)?".prop_map(Cow::Owned)
}

fn path() -> impl Strategy<Value = Cow<'static, str>> {
    "(/[a-z&'\"<> ☃0-9]{1,8}[a-z]){1,3}".prop_map(Cow::Owned)
}

fn attributes() -> impl Strategy<Value = Vec<Attribute<'static>>> {
    let one = |name: &'static str| {
        option::of(text().prop_map(move |value| Attribute { name: name.into(), value }))
    };
    (one("ex:a"), one("img:b")).prop_map(|(a, b)| a.into_iter().chain(b).collect())
}

fn link(manifest: bool, changes: bool) -> impl Strategy<Value = Link<'static>> {
    let rel = prop::sample::select(if changes {
        vec!["duplicate", "alternate", "memento", "via", PATCH, "http://example.org/rel?a&b"]
    } else {
        vec!["duplicate", "canonical", "describedby", "timemap", "collection"]
    });
    let details =
        (option::of(moment()), option::of(text()), option::of(hash()), option::of(any::<u64>()));
    let more =
        (option::of(path()), option::of(media_type()), attributes(), option::of(1_u32..=999_999));
    (rel, uri(), details, more).prop_map(move |(rel, href, details, more)| {
        let mut link = Link::new(rel, href);
        (link.modified, link.encoding, link.hash, link.length) = details;
        (link.path, link.media_type, link.attributes, link.pri) = more;
        if !manifest {
            link.path = None;
        }
        if rel == PATCH {
            link.media_type.get_or_insert("application/json-patch+json".into());
            if manifest {
                link.path.get_or_insert("/patch".into());
            }
        }
        link
    })
}

fn extension() -> impl Strategy<Value = Cow<'static, str>> {
    prop::sample::select(vec![
        "<img:image><img:loc>http://e.example/?a&amp;b</img:loc><!-- c --><![CDATA[<x>]]></img:image>",
        "<ex:note ex:a='1 &lt; 2' b=\"&quot;\"/>",
        "<own xmlns=\"urn:own\"><inner/>text</own>",
        "<p:own xmlns:p=\"urn:p\" p:a=\"b\"><p:q></p:q></p:own>",
    ])
    .prop_map(Cow::Borrowed)
}

/// An entry that may stand in a document of that kind. Times of changes are left out: the document
/// puts them in order.
fn entry(capability: Option<Capability>, form: Form) -> impl Strategy<Value = Entry<'static>> {
    let changes = form == Form::List && capability.is_some_and(Capability::lists_changes);
    let manifest = form == Form::List && capability.is_some_and(Capability::is_manifest);
    let representation = (
        option::of(text()),
        option::of(hash()),
        option::of(any::<u64>()),
        option::of(media_type()),
    );
    let change = prop::sample::select(vec![Change::Created, Change::Updated, Change::Deleted]);
    let links = vec(link(manifest, changes), 0..3);
    let front =
        (uri(), option::of(moment()), option::of(prop::sample::select(ChangeFreq::ALL.to_vec())));
    let back = (
        option::of(0_u16..=1000),
        attributes(),
        vec(extension(), 0..3),
        path(),
        option::of(moment()),
        change,
    );
    (front, representation, links, back).prop_map(move |(front, representation, links, back)| {
        let mut entry =
            Entry { loc: front.0, lastmod: front.1, changefreq: front.2, ..Entry::default() };
        entry.priority = back.0.and_then(Priority::from_thousandths);
        entry.extensions = back.2;
        if capability.is_none() {
            return entry;
        }
        let md = &mut entry.metadata;
        (md.encoding, md.hash, md.length, md.media_type) = representation;
        md.attributes = back.1;
        entry.links = links;
        if capability == Some(Capability::Description) {
            md.capability = Some(Capability::CapabilityList);
        }
        if changes {
            md.change = Some(back.5);
        }
        if manifest && md.change != Some(Change::Deleted) {
            md.path = Some(back.3);
        }
        if matches!(capability, Some(Capability::ResourceDump)) {
            md.at = back.4;
        }
        entry
    })
}

fn head(capability: Option<Capability>, form: Form) -> impl Strategy<Value = Head<'static>> {
    let document = (moment(), option::of(moment()), uri(), attributes(), attributes());
    (document, vec(extension(), 0..2)).prop_map(move |((time, end, up, root, md), extensions)| {
        let mut head = Head::sitemap(form);
        if let Some(capability) = capability {
            head.metadata =
                Metadata { capability: Some(capability), attributes: md, ..Metadata::default() };
            head.links.push(Link::new("up", up));
            let end = end.map(|end| end.max(time));
            match capability.times() {
                TimeUse::Snapshot => {
                    (head.metadata.at, head.metadata.completed) = (Some(time), end)
                }
                TimeUse::Interval => head.metadata.from = Some(time),
                TimeUse::Neither => {}
            }
        }
        head.namespaces = NAMESPACES.map(|(prefix, uri)| (prefix.into(), uri.into())).to_vec();
        head.attributes = root;
        head.extensions = extensions;
        head
    })
}

fn document() -> impl Strategy<Value = (Head<'static>, Vec<Entry<'static>>)> {
    let kinds: Vec<(Option<Capability>, Form)> = vec![
        (None, Form::List),
        (None, Form::Index),
        (Some(Capability::ResourceList), Form::List),
        (Some(Capability::ResourceList), Form::Index),
        (Some(Capability::ResourceDump), Form::List),
        (Some(Capability::ResourceDumpManifest), Form::List),
        (Some(Capability::ChangeList), Form::List),
        (Some(Capability::ChangeList), Form::Index),
        (Some(Capability::ChangeDump), Form::List),
        (Some(Capability::ChangeDumpManifest), Form::List),
        (Some(Capability::ResourceListArchive), Form::List),
        (Some(Capability::Description), Form::List),
        (Some(Capability::ChangeNotification), Form::List),
    ];
    prop::sample::select(kinds).prop_flat_map(|(capability, form)| {
        (head(capability, form), vec(entry(capability, form), 0..6))
    })
}

fn write(head: &Head<'_>, entries: &[Entry<'_>]) -> Result<Vec<u8>, WriteError> {
    let mut writer = Writer::new(Vec::new(), head)?;
    entries.iter().try_for_each(|entry| writer.write(entry))?;
    Ok(writer.finish()?.0)
}

fn read(bytes: &[u8]) -> (Head<'static>, Vec<Entry<'static>>) {
    let mut reader = Reader::new(bytes);
    let head = reader.head().unwrap().clone();
    let mut entries = Vec::new();
    while let Some(entry) = reader.next_entry().unwrap() {
        entries.push(entry.into_owned());
    }
    (head, entries)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_model_survives_the_wire((head, entries) in document()) {
        let bytes = write(&head, &entries).unwrap();
        let (head_again, entries_again) = read(&bytes);
        prop_assert_eq!(&head, &head_again);
        prop_assert_eq!(&entries, &entries_again);
        prop_assert_eq!(write(&head_again, &entries_again).unwrap(), bytes);
    }

    #[test]
    fn what_is_written_breaks_no_rule((head, entries) in document()) {
        let bytes = write(&head, &entries).unwrap();
        let report = check(bytes.as_slice(), &CheckOptions::default()).unwrap();
        let errors: Vec<String> = report
            .findings
            .iter()
            .filter(|finding| finding.rule.severity == Severity::Error && finding.rule.id != "RS-10.1-loc-duplicate")
            .map(ToString::to_string)
            .collect();
        prop_assert!(errors.is_empty(), "{errors:?}\n{}", String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn whatever_is_read_can_be_refused_or_written_but_not_written_wrong(
        (head, entries) in document(),
        cut in 0_usize..2_000,
        junk in "[ -~]{0,6}",
    ) {
        // Damage a document somewhere; what the reader still makes of it goes to the writer.
        let mut bytes = write(&head, &entries).unwrap();
        let at = cut % bytes.len();
        bytes.splice(at..(at + junk.len()).min(bytes.len()), junk.bytes());
        let mut reader = Reader::new(bytes.as_slice());
        let Ok(head) = reader.head().cloned() else { return Ok(()) };
        let Ok(mut writer) = Writer::new(Vec::new(), &head) else { return Ok(()) };
        while let Ok(Some(entry)) = reader.next_entry() {
            let _ = writer.write(&entry);
        }
        let written = writer.finish().unwrap().0;
        let report = check(written.as_slice(), &CheckOptions::default()).unwrap();
        let wrong = report.findings.iter().find(|finding| {
            finding.rule.severity == Severity::Error && finding.rule.id != "RS-10.1-loc-duplicate"
        });
        prop_assert!(wrong.is_none(), "{}\n{}", wrong.unwrap(), String::from_utf8_lossy(&written));
    }
}

/// Documents on which a round trip once failed.
#[test]
fn what_fuzzing_found_stays_found() {
    let sitemap = "http://www.sitemaps.org/schemas/sitemap/0.9";
    for document in [
        // An element without a namespace, inside one that has one, in a document whose own elements
        // have a prefix.
        format!("<a:urlset xmlns:a='{sitemap}'><b:x xmlns:b='urn:b'><y/></b:x></a:urlset>"),
        format!(
            "<urlset xmlns='{sitemap}'><url><loc>http://e.example/</loc><b:x xmlns:b='urn:b'><y/></b:x></url></urlset>"
        ),
        // A declaration inside of what would be kept as it is.
        format!(
            "<urlset xmlns='{sitemap}'><url><loc>http://e.example/</loc><b:x xmlns:b='urn:b'><?xml version='1.0'?></b:x></url></urlset>"
        ),
    ] {
        let (head, entries) = read(document.as_bytes());
        let bytes = write(&head, &entries).unwrap();
        let (head_again, entries_again) = read(&bytes);
        assert_eq!((&head, &entries), (&head_again, &entries_again));
        assert_eq!(write(&head_again, &entries_again).unwrap(), bytes);
    }
}
