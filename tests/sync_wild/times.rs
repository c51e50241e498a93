//! Times and digests as several versions of the standard, and several readers of it, have them.

use tidings_document::Algorithm;

use crate::support::documents::{change_list, change_list_of, digest, resource_list_at};
use crate::support::stage::{Case, Stage};
use crate::{NEW, OLD, put, source};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        source(
            "dates without times, and a new version on the same day",
            "/capabilitylist.xml",
            &[],
            |stage| {
                let items = OLD.iter().map(|(path, _)| stage.item(path).lastmod("2022-11-05"));
                stage.list_text(resource_list_at("2022-11-06", &items.collect::<Vec<_>>()));
                stage.changes(&change_list_of(
                    "1972-12-31",
                    None,
                    &[stage.item("a.txt").change("created").at("2022-11-05").lastmod("2022-11-05")],
                ));
            },
            |stage| {
                stage.changes(&change_list_of(
                    "1972-12-31",
                    None,
                    &[
                        stage
                            .item("a.txt")
                            .change("created")
                            .at("2022-11-05")
                            .lastmod("2022-11-05"),
                        stage
                            .item("a.txt")
                            .change("updated")
                            .at("2022-11-06")
                            .lastmod("2022-11-06"),
                        stage.item("b.txt").change("deleted").at("2022-11-06"),
                        stage
                            .item("c.txt")
                            .change("created")
                            .at("2022-11-06")
                            .lastmod("2022-11-06"),
                    ],
                ));
            },
        ),
        source(
            "1.0: lastmod is the time of the change",
            "/capabilitylist.xml",
            &[],
            |stage| {
                stage.list(&stage.items(OLD));
                stage.changes(&change_list(&[]));
            },
            |stage| {
                stage.changes(&change_list(&[
                    stage.item("a.txt").lastmod("2026-02-01T00:00:00Z").change("updated"),
                    stage.item("b.txt").lastmod("2026-02-02T00:00:00Z").change("deleted"),
                    stage.item("c.txt").lastmod("2026-02-03T00:00:00Z").change("created"),
                ]));
            },
        ),
        source(
            "1.1: datetime, lastmod of another time, and an entry with neither",
            "/capabilitylist.xml",
            &[],
            |stage| {
                stage.list(&stage.items(OLD));
                stage.changes(&change_list(&[]));
            },
            |stage| {
                stage.changes(&change_list(&[
                    stage
                        .item("a.txt")
                        .lastmod("2026-01-31T00:00:00Z")
                        .change("updated")
                        .at("2026-02-01T00:00:00Z")
                        .of("newer"),
                    stage.item("c.txt").change("created").at("2026-02-03T00:00:00Z").of("three"),
                    stage.item("b.txt").change("deleted"),
                ]));
            },
        ),
        source(
            "0.9: modified in rs:md",
            "/resourcelist.xml",
            &[],
            |stage| {
                put(
                    stage,
                    "/resourcelist.xml",
                    r#"<urlset XMLNS><rs:md capability="resourcelist" modified="2013-01-03T09:00:00Z"/>
                    <url><loc>SERVER/a.txt</loc><lastmod>2013-01-02T00:00:00Z</lastmod><rs:size>3</rs:size></url>
                    <url><loc>SERVER/b.txt</loc><lastmod>2013-01-02T00:00:00Z</lastmod></url></urlset>"#,
                );
            },
            |stage| {
                put(
                    stage,
                    "/resourcelist.xml",
                    r#"<urlset XMLNS><rs:md capability="resourcelist" modified="2013-02-03T09:00:00Z"/>
                    <url><loc>SERVER/a.txt</loc><lastmod>2013-02-02T00:00:00Z</lastmod><rs:size>5</rs:size></url>
                    <url><loc>SERVER/c.txt</loc><lastmod>2013-02-02T00:00:00Z</lastmod></url></urlset>"#,
                );
            },
        ),
        source(
            "base64 md5",
            "/capabilitylist.xml",
            &[],
            |stage| base64(stage, OLD, "2013-01-01"),
            |stage| base64(stage, NEW, "2013-01-02"),
        ),
    ]
}

/// Digests as resync wrote them up to 1.0.5.
fn base64(stage: &Stage, files: &[(&str, &str)], date: &str) {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let encode = |bytes: &[u8]| {
        let mut out = String::new();
        for three in bytes.chunks(3) {
            let number = three.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte))
                << (8 * (3 - three.len()));
            for place in 0..4 {
                let sign = char::from(SIGNS[(number >> (18 - 6 * place)) as usize & 63]);
                out.push(if place > three.len() { '=' } else { sign });
            }
        }
        out
    };
    let item = |(path, text): &(&str, &str)| {
        let hash = encode(&digest(Algorithm::Md5, text.as_bytes()));
        stage.item(path).lastmod(date).md("hash", format!("md5:{hash}")).md("length", text.len())
    };
    stage.list(&files.iter().map(item).collect::<Vec<_>>());
}
