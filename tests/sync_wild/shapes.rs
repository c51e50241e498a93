//! Sets, indexes, and Sitemaps that know of no Source.

use crate::support::documents::{
    Item, TERMS, capability_list, change_list_of, description, document, gzip, index, resource_list,
};
use crate::support::stage::{Case, Stage, case};
use crate::{NEW, OLD, source};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = structures();
    cases.extend(plain());
    cases
}

fn structures() -> Vec<Case> {
    vec![
        source(
            "relative locs and links",
            "/rs/capabilitylist.xml",
            &[],
            |stage| {
                stage.text(
                    "/rs/capabilitylist.xml",
                    capability_list(&[("resourcelist", "list.xml".into())]),
                );
                stage.text(
                    "/rs/list.xml",
                    resource_list(&[
                        Item::new("../a.txt").of("one"),
                        Item::new("/b.txt").of("two"),
                    ]),
                );
            },
            |stage| {
                stage.text(
                    "/rs/list.xml",
                    resource_list(&[
                        Item::new("../a.txt").of("newer"),
                        Item::new("/c.txt").of("three"),
                    ]),
                );
            },
        ),
        source(
            "a Change List Index, whose open part is closed",
            "/capabilitylist.xml",
            &[],
            |stage| {
                stage.list(&stage.items(OLD));
                stage.text("/c1.xml", change_list_of("2026-01-01T00:00:00Z", None, &[]));
                let head = "<rs:md capability=\"changelist\" from=\"2026-01-01T00:00:00Z\"/>";
                let part = stage.item("c1.xml").md("from", "2026-01-01T00:00:00Z");
                stage.changes(&index(head, &[part]));
            },
            |stage| {
                let first =
                    [stage.item("a.txt").change("updated").at("2026-01-15T00:00:00Z").of("newer")];
                stage.text(
                    "/c1.xml",
                    change_list_of("2026-01-01T00:00:00Z", Some("2026-02-01T00:00:00Z"), &first),
                );
                let second = [
                    stage.item("b.txt").change("deleted").at("2026-02-02T00:00:00Z"),
                    stage.item("c.txt").change("created").at("2026-02-03T00:00:00Z").of("three"),
                ];
                stage.text("/c2.xml", change_list_of("2026-02-01T00:00:00Z", None, &second));
                let head = "<rs:md capability=\"changelist\" from=\"2026-01-01T00:00:00Z\"/>";
                stage.changes(&index(
                    head,
                    &[
                        stage
                            .item("c1.xml")
                            .md("from", "2026-01-01T00:00:00Z")
                            .md("until", "2026-02-01T00:00:00Z"),
                        stage.item("c2.xml").md("from", "2026-02-01T00:00:00Z"),
                    ],
                ));
            },
        ),
        source(
            "several sets",
            "/.well-known/resourcesync",
            &["--all"],
            |stage| sets(stage, &[&OLD[..1], &OLD[1..]]),
            |stage| sets(stage, &[&NEW[..1], &NEW[1..]]),
        ),
        case("several sets, and none was chosen", || {
            let stage = Stage::new();
            stage.files(OLD);
            sets(&stage, &[&OLD[..1], &OLD[1..]]);
            stage.sync_from("/", &[]).exits(2).says("set0");
            stage.sync_from("/", &["--set", "set1"]).exits(0);
            stage.has(&OLD[1..]);
        }),
    ]
}

fn sets(stage: &Stage, sets: &[&[(&str, &str)]]) {
    let mut lists = Vec::new();
    for (number, files) in sets.iter().enumerate() {
        stage.text(&format!("/set{number}/list.xml"), resource_list(&stage.items(files)));
        let offers = [("resourcelist", stage.url(&format!("/set{number}/list.xml")))];
        stage.text(&format!("/set{number}/capabilitylist.xml"), capability_list(&offers));
        lists.push(stage.url(&format!("/set{number}/capabilitylist.xml")));
    }
    stage.text("/.well-known/resourcesync", description(&lists));
}

fn plain() -> Vec<Case> {
    fn sitemap(stage: &Stage, files: &[(&str, &str)], date: &str) -> String {
        let items: Vec<Item> =
            files.iter().map(|(path, _)| stage.item(path).lastmod(date)).collect();
        document("", &items).replace(&format!(" xmlns:rs=\"{TERMS}\""), "")
    }
    vec![
        source(
            "a plain Sitemap",
            "/",
            &[],
            |stage| stage.text("/sitemap.xml", sitemap(stage, OLD, "2026-01-01")),
            |stage| stage.text("/sitemap.xml", sitemap(stage, NEW, "2026-01-02")),
        ),
        source(
            "a Sitemap without times",
            "/sitemap.xml",
            &[],
            |stage| {
                let items: Vec<Item> = OLD.iter().map(|(path, _)| stage.item(path)).collect();
                stage.text("/sitemap.xml", document("", &items));
            },
            |stage| {
                let items: Vec<Item> = NEW.iter().map(|(path, _)| stage.item(path)).collect();
                stage.text("/sitemap.xml", document("", &items));
            },
        ),
        source(
            "a Sitemap index of packed Sitemaps, from robots.txt",
            "/",
            &[],
            |stage| {
                stage.text(
                    "/robots.txt",
                    format!("User-agent: *\nDisallow:\nSitemap: {}\n", stage.url("/index.xml.gz")),
                );
                stage.text("/s1.xml.gz", gzip(sitemap(stage, &OLD[..1], "2026-01-01").as_bytes()));
                stage.text("/s2.xml.gz", gzip(sitemap(stage, &OLD[1..], "2026-01-01").as_bytes()));
                let parts = [
                    stage.item("s1.xml.gz").lastmod("2026-01-01"),
                    stage.item("s2.xml.gz").lastmod("2026-01-01"),
                ];
                stage.text("/index.xml.gz", gzip(index("", &parts).as_bytes()));
            },
            |stage| {
                stage.text("/s1.xml.gz", gzip(sitemap(stage, &NEW[..1], "2026-01-02").as_bytes()));
                stage.text("/s2.xml.gz", gzip(sitemap(stage, &NEW[1..], "2026-01-02").as_bytes()));
                let parts = [
                    stage.item("s1.xml.gz").lastmod("2026-01-02"),
                    stage.item("s2.xml.gz").lastmod("2026-01-02"),
                ];
                stage.text("/index.xml.gz", gzip(index("", &parts).as_bytes()));
            },
        ),
        source(
            "a Sitemap index whose parts say nothing of themselves",
            "/index.xml",
            &[],
            |stage| {
                stage.text("/s1.xml", sitemap(stage, OLD, "2026-01-01"));
                stage.text("/index.xml", index("", &[stage.item("s1.xml")]));
            },
            |stage| stage.text("/s1.xml", sitemap(stage, NEW, "2026-01-02")),
        ),
    ]
}
