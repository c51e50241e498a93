//! `tidings validate --follow`: whole Sources, right ones and such as break one rule each.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a test")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use serde_json::Value;
use support::{Nginx, run, stderr, stdout, write_all};

const NS: &str = "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:rs=\"http://www.openarchives.org/rs/terms/\"";
const BASE: &str = "https://shrine.example/";

/// A Source of every kind of document, in which each one agrees with the others. `{B}` stands for
/// its base.
fn source() -> BTreeMap<&'static str, String> {
    let list = |head: &str, entries: &str| format!("<urlset {NS}>\n{head}\n{entries}\n</urlset>\n");
    let index = |head: &str, entries: &str| {
        format!("<sitemapindex {NS}>\n{head}\n{entries}\n</sitemapindex>\n")
    };
    let up = "<rs:ln rel=\"up\" href=\"{B}set/capabilitylist.xml\"/>";
    let describes = "<rs:ln rel=\"describes\" href=\"{B}\"/><rs:ln rel=\"describedby\" href=\"{B}about.html\"/>";
    let part = |name: &str| format!("{up}<rs:ln rel=\"index\" href=\"{{B}}set/{name}.xml\"/>");
    let resources = |names: &[&str]| -> String {
        names.iter().map(|name| format!("<url><loc>{{B}}{name}</loc></url>\n")).collect()
    };
    let changes = |day: &str| {
        format!(
            "<url><loc>{{B}}a</loc><lastmod>2026-01-{day}T12:00:00Z</lastmod><rs:md change=\"updated\" datetime=\"2026-01-{day}T12:00:00Z\"/></url>"
        )
    };
    let manifest = list(
        &format!("{up}<rs:md capability=\"resourcedump-manifest\" at=\"2026-01-04T00:00:00Z\"/>"),
        "<url><loc>{B}a</loc><rs:md path=\"/a\" type=\"text/plain\"/></url><url><loc>{B}b</loc><rs:md path=\"/b\" type=\"text/plain\"/></url><url><loc>{B}c</loc><rs:md path=\"/c\" type=\"text/plain\"/></url>",
    );
    let change_manifest = list(
        &format!(
            "{up}<rs:md capability=\"changedump-manifest\" from=\"2026-01-01T00:00:00Z\" until=\"2026-01-02T00:00:00Z\"/>"
        ),
        "<url><loc>{B}a</loc><lastmod>2026-01-01T12:00:00Z</lastmod><rs:md change=\"updated\" datetime=\"2026-01-01T12:00:00Z\" path=\"/a\" type=\"text/plain\"/></url>",
    );
    BTreeMap::from([
        (
            ".well-known/resourcesync",
            index(
                "<rs:ln rel=\"describedby\" href=\"{B}about.html\"/><rs:md capability=\"description\"/>",
                "<sitemap><loc>{B}description.xml</loc></sitemap>",
            ),
        ),
        (
            "description.xml",
            list(
                "<rs:ln rel=\"describedby\" href=\"{B}about.html\"/><rs:ln rel=\"index\" href=\"{B}.well-known/resourcesync\"/><rs:md capability=\"description\"/>",
                &format!(
                    "<url><loc>{{B}}set/capabilitylist.xml</loc><rs:md capability=\"capabilitylist\"/>{describes}</url>"
                ),
            ),
        ),
        (
            "set/capabilitylist.xml",
            list(
                &format!(
                    "<rs:ln rel=\"up\" href=\"{{B}}description.xml\"/>{describes}<rs:md capability=\"capabilitylist\"/>"
                ),
                "\
            <url><loc>{B}set/resourcelist.xml</loc><rs:md capability=\"resourcelist\"/></url>\
            <url><loc>{B}set/resourcedump.xml</loc><rs:md capability=\"resourcedump\"/></url>\
            <url><loc>{B}set/changelist.xml</loc><rs:md capability=\"changelist\"/></url>\
            <url><loc>{B}set/changedump.xml</loc><rs:md capability=\"changedump\"/></url>",
            ),
        ),
        (
            "set/resourcelist.xml",
            index(
                &format!("{up}<rs:md capability=\"resourcelist\" at=\"2026-01-04T00:00:00Z\"/>"),
                "<sitemap><loc>{B}set/list1.xml</loc><rs:md at=\"2026-01-04T00:00:00Z\"/></sitemap><sitemap><loc>{B}set/list2.xml</loc><rs:md at=\"2026-01-04T00:01:00Z\"/></sitemap>",
            ),
        ),
        (
            "set/list1.xml",
            list(
                &format!(
                    "{}<rs:md capability=\"resourcelist\" at=\"2026-01-04T00:00:00Z\"/>",
                    part("resourcelist")
                ),
                &resources(&["a", "b"]),
            ),
        ),
        (
            "set/list2.xml",
            list(
                &format!(
                    "{}<rs:md capability=\"resourcelist\" at=\"2026-01-04T00:01:00Z\"/>",
                    part("resourcelist")
                ),
                &resources(&["c"]),
            ),
        ),
        (
            "set/changelist.xml",
            index(
                &format!("{up}<rs:md capability=\"changelist\" from=\"2026-01-01T00:00:00Z\"/>"),
                "\
            <sitemap><loc>{B}set/changes1.xml</loc><rs:md from=\"2026-01-01T00:00:00Z\" until=\"2026-01-02T00:00:00Z\"/></sitemap>\
            <sitemap><loc>{B}set/changes2.xml</loc><rs:md from=\"2026-01-02T00:00:00Z\"/></sitemap>",
            ),
        ),
        (
            "set/changes1.xml",
            list(
                &format!(
                    "{}<rs:md capability=\"changelist\" from=\"2026-01-01T00:00:00Z\" until=\"2026-01-02T00:00:00Z\"/>",
                    part("changelist")
                ),
                &changes("01"),
            ),
        ),
        (
            "set/changes2.xml",
            list(
                &format!(
                    "{}<rs:md capability=\"changelist\" from=\"2026-01-02T00:00:00Z\"/>",
                    part("changelist")
                ),
                &changes("03"),
            ),
        ),
        (
            "set/resourcedump.xml",
            list(
                &format!("{up}<rs:md capability=\"resourcedump\" at=\"2026-01-04T00:00:00Z\"/>"),
                "<url><loc>{B}set/dump.zip</loc><rs:md type=\"application/zip\" length=\"1\"/><rs:ln rel=\"contents\" href=\"{B}set/dump.xml\" type=\"application/xml\"/></url>",
            ),
        ),
        ("set/dump.xml", manifest.clone()),
        ("set/dump.zip", manifest),
        (
            "set/changedump.xml",
            list(
                &format!("{up}<rs:md capability=\"changedump\" from=\"2026-01-01T00:00:00Z\"/>"),
                "<url><loc>{B}set/changes.zip</loc><rs:md type=\"application/zip\" length=\"1\" from=\"2026-01-01T00:00:00Z\" until=\"2026-01-02T00:00:00Z\"/></url>",
            ),
        ),
        ("set/changes.zip", change_manifest),
    ])
}

/// Writes a Source below a folder; what is named like a package becomes one, of its manifest.
fn publish(folder: &Path, base: &str, documents: &BTreeMap<&'static str, String>) {
    let (packages, others): (Vec<_>, Vec<_>) =
        documents.iter().partition(|(name, _)| name.ends_with(".zip"));
    let mut lengths = Vec::new();
    for (name, document) in packages {
        let document = document.replace("{B}", base);
        let bytes = match document.starts_with("not") {
            true => document.into_bytes(),
            false => package(document.as_bytes()),
        };
        write_all(folder, &[(name, "")]);
        fs::write(folder.join(name), &bytes).unwrap();
        // Written as 1, since it is not known before.
        let told = |length: usize| {
            format!("{name}</loc><rs:md type=\"application/zip\" length=\"{length}\"")
        };
        lengths.push((told(1), told(bytes.len())));
    }
    for (name, document) in others {
        let document = document.replace("{B}", base);
        let document = lengths.iter().fold(document, |text, (from, to)| text.replace(from, to));
        write_all(folder, &[(name, &document)]);
    }
}

fn package(manifest: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut out);
    let (mut entry, config) = archive
        .new_file("manifest.xml")
        .compression_method(rawzip::CompressionMethod::DEFLATE)
        .start()
        .unwrap();
    let encoder = flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::default());
    let mut writer = config.wrap(encoder);
    writer.write_all(manifest).unwrap();
    let (encoder, descriptor) = writer.finish().unwrap();
    encoder.finish().unwrap();
    entry.finish(descriptor).unwrap();
    // A file of one byte for each path, but for those that are to be missing.
    let manifest = String::from_utf8_lossy(manifest);
    let paths = manifest.split("path=\"/").skip(1).map(|rest| rest.split('"').next().unwrap());
    for path in paths.filter(|path| !path.starts_with("missing")) {
        let (mut entry, config) = archive.new_file(path).start().unwrap();
        let mut writer = config.wrap(&mut entry);
        writer.write_all(b"x").unwrap();
        let (_, descriptor) = writer.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    out
}

/// The rules broken in a Source that lies in a folder, each with the document to blame.
fn findings(
    documents: &BTreeMap<&'static str, String>,
    options: &[&str],
) -> (Vec<(String, String)>, i32) {
    let folder = tempfile::tempdir().unwrap();
    publish(folder.path(), BASE, documents);
    let map = format!("{BASE}={}", folder.path().display());
    let start = format!("{BASE}.well-known/resourcesync");
    let arguments = ["validate", "--follow", "--json", "--map", &map]
        .into_iter()
        .chain(options.iter().copied())
        .chain([start.as_str()]);
    let output = run(arguments);
    let found: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}{}", stdout(&output), stderr(&output)));
    let mut broken = Vec::new();
    for document in found["documents"].as_array().unwrap() {
        for rule in document["rules"].as_object().unwrap().keys() {
            broken.push((rule.clone(), document["target"].as_str().unwrap().replace(BASE, "")));
        }
    }
    (broken, output.status.code().unwrap())
}

#[test]
fn a_source_of_every_kind_of_document_has_nothing_wrong() {
    for options in [&[][..], &["--spec", "1.0"], &["--spec", "1.1"], &["--profile", "ifcc"]] {
        assert_eq!(findings(&source(), options), (Vec::new(), 0), "{options:?}");
    }
}

#[test]
fn the_same_source_behind_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let server = Nginx::serve(folder.path(), "");
    publish(folder.path(), &server.url(), &source());
    // From any of its documents the whole Source is found.
    for start in [
        ".well-known/resourcesync",
        "description.xml",
        "set/capabilitylist.xml",
        "set/list2.xml",
        "set/changes1.xml",
    ] {
        let output = run(["validate", "--follow", &(server.url() + start)]);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{start}: {}{}",
            stdout(&output),
            stderr(&output)
        );
    }
    let output = run(["validate", "--follow", &(server.url() + "set/list2.xml")]);
    assert!(stdout(&output).contains("14 documents: nothing wrong"), "{}", stdout(&output));
}

#[test]
fn what_documents_lead_to_is_not_trusted() {
    let mut documents = source();
    let elsewhere = documents["set/capabilitylist.xml"]
        .replace("{B}set/changelist.xml", "http://127.0.0.2:8009/changelist.xml");
    documents.insert("set/capabilitylist.xml", elsewhere);
    let folder = tempfile::tempdir().unwrap();
    let server = Nginx::serve(folder.path(), "");
    publish(folder.path(), &server.url(), &documents);
    let output = run(["validate", "--follow", &(server.url() + ".well-known/resourcesync")]);
    assert!(stdout(&output).contains("--allow-private"), "{}", stdout(&output));
}

/// Each change of the good Source breaks one rule, seen at one document.
#[test]
fn each_disagreement_is_named_at_its_document() {
    type Edit = (&'static str, &'static str, &'static str);
    let cases: &[(&str, &str, &[Edit])] = &[
        (
            "RS-6.2-unreachable",
            "set/missing.xml",
            &[("set/capabilitylist.xml", "set/changedump.xml", "set/missing.xml")],
        ),
        (
            "RS-6.2-up-wrong",
            "set/changedump.xml",
            &[("set/changedump.xml", "{B}set/capabilitylist.xml", "{B}set/changedump.xml")],
        ),
        (
            "RS-6.2-up-wrong",
            "set/list1.xml",
            &[(
                "set/list1.xml",
                "\"up\" href=\"{B}set/capabilitylist.xml\"",
                "\"up\" href=\"{B}description.xml\"",
            )],
        ),
        (
            "RS-6.2-index-wrong",
            "set/list1.xml",
            &[("set/list1.xml", "{B}set/resourcelist.xml", "{B}set/changelist.xml")],
        ),
        (
            "RS-6.2-index-missing",
            "set/list1.xml",
            &[("set/list1.xml", "<rs:ln rel=\"index\" href=\"{B}set/resourcelist.xml\"/>", "")],
        ),
        (
            "RS-6.2-capability-differs",
            "set/changelist.xml",
            &[(
                "set/capabilitylist.xml",
                "capability=\"changelist\"",
                "capability=\"changelist-archive\"",
            )],
        ),
        (
            "RS-6.2-loop",
            "set/changelist.xml",
            &[("set/changelist.xml", "{B}set/changes1.xml", "{B}set/changelist.xml")],
        ),
        ("RS-9-coverage", "set/capabilitylist.xml", &[("set/list2.xml", "{B}c<", "{B}d<")]),
        (
            "RS-10.2-at-differs",
            "set/list2.xml",
            &[("set/resourcelist.xml", "00:01:00Z", "00:02:00Z")],
        ),
        (
            "RS-10.2-at-late",
            "set/list1.xml",
            &[(
                "set/resourcelist.xml",
                "resourcelist\" at=\"2026-01-04T00:00:00Z",
                "resourcelist\" at=\"2026-01-04T00:00:30Z",
            )],
        ),
        (
            "RS-12.2-from-differs",
            "set/changes2.xml",
            &[(
                "set/changelist.xml",
                "changes2.xml</loc><rs:md from=\"2026-01-02T00:00:00Z",
                "changes2.xml</loc><rs:md from=\"2026-01-02T00:00:01Z",
            )],
        ),
        (
            "RS-12.2-until-differs",
            "set/changes1.xml",
            &[("set/changes1.xml", " until=\"2026-01-02T00:00:00Z\"", "")],
        ),
        (
            "RS-12.2-gap",
            "set/changelist.xml",
            &[
                (
                    "set/changelist.xml",
                    "changes2.xml</loc><rs:md from=\"2026-01-02",
                    "changes2.xml</loc><rs:md from=\"2026-01-03",
                ),
                ("set/changes2.xml", "from=\"2026-01-02", "from=\"2026-01-03"),
            ],
        ),
        (
            "RS-11.1-contents-differs",
            "set/dump.zip",
            &[("set/dump.zip", "path=\"/c\"", "path=\"/d\"")],
        ),
        (
            "RS-11.1-package-differs",
            "set/dump.zip",
            &[("set/resourcedump.xml", "length=\"1\"", "length=\"2\"")],
        ),
        (
            "RS-11.2-bitstream-missing",
            "set/dump.zip",
            &[
                ("set/dump.zip", "path=\"/c\"", "path=\"/missing\""),
                ("set/dump.xml", "path=\"/c\"", "path=\"/missing\""),
            ],
        ),
        (
            "RS-11.2-bitstream-missing",
            "set/changes.zip",
            &[("set/changes.zip", "path=\"/a\"", "path=\"/missing\"")],
        ),
        (
            "RS-11.2-length-differs",
            "set/dump.zip",
            &[
                ("set/dump.zip", "path=\"/c\"", "path=\"/c\" length=\"2\""),
                ("set/dump.xml", "path=\"/c\"", "path=\"/c\" length=\"2\""),
            ],
        ),
        (
            "RS-11.2-hash-differs",
            "set/changes.zip",
            &[(
                "set/changes.zip",
                "path=\"/a\"",
                "path=\"/a\" length=\"1\" hash=\"md5:9dd4e461268c8034f5c8564e155c67a7\"",
            )],
        ),
        (
            "RS-11.2-package",
            "set/dump.zip",
            &[("set/dump.zip", "<urlset", "not a ZIP file <urlset")],
        ),
    ];
    for (rule, place, edits) in cases {
        let mut documents = source();
        for (name, from, to) in *edits {
            let edited = documents[name].replace(from, to);
            assert_ne!(edited, documents[name], "{rule}: nothing to edit in {name}");
            documents.insert(name, edited);
        }
        let (broken, code) = findings(&documents, &[]);
        assert!(
            broken.contains(&((*rule).to_owned(), (*place).to_owned())),
            "{rule} at {place}: {broken:?}"
        );
        assert!(broken.len() <= 2, "{rule}: {broken:?}");
        let note = *rule == "RS-6.2-index-missing";
        assert_eq!(code, i32::from(!note), "{rule}: {broken:?}");
    }
}

#[test]
fn an_index_of_indexes_is_named() {
    let mut documents = source();
    let nested =
        documents["set/list1.xml"].replace("urlset", "sitemapindex").replace("url>", "sitemap>");
    documents.insert("set/list1.xml", nested);
    let (broken, _) = findings(&documents, &[]);
    assert!(broken.contains(&("RS-6.2-index-nested".into(), "set/list1.xml".into())), "{broken:?}");
}

#[test]
fn collections_are_named_alike_for_ifcc() {
    let mut documents = source();
    let other = documents["description.xml"]
        .replace("\"describes\" href=\"{B}\"", "\"describes\" href=\"{B}other/\"");
    documents.insert("description.xml", other);
    let (broken, _) = findings(&documents, &["--profile", "ifcc"]);
    assert_eq!(
        broken,
        [("IFCC-describes-differs".to_owned(), "set/capabilitylist.xml".to_owned())]
    );
}

#[test]
fn the_number_of_documents_is_limited() {
    let (broken, code) = findings(&source(), &["--max-documents", "3"]);
    assert_eq!(broken, [("RS-6.2-budget".to_owned(), ".well-known/resourcesync".to_owned())]);
    assert_eq!(code, 1);
}

#[test]
fn a_source_that_is_not_there_is_not_done() {
    let folder = tempfile::tempdir().unwrap();
    let server = Nginx::serve(folder.path(), "");
    let output = run(["validate", "--follow", &(server.url() + ".well-known/resourcesync")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("404"), "{}", stderr(&output));
}
