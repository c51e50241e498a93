//! After what known publishers write.

use crate::support::documents::{
    Item, capability_list, change_list_of, description, resource_list,
};
use crate::support::server::{Reply, Server};
use crate::support::stage::{Case, Stage, case, files_of};
use crate::support::zip::{member, zip};
use crate::{NEW, OLD, put, source, text};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        source(
            "CORE",
            "/capabilitylist.xml",
            &[],
            |stage| {
                let list = r#"<urlset XMLNS>
                    <rs:ln rel="describedBy" href="SERVER/about.html"/>
                    <rs:md capability="resourcelist" at="2020-06-02T00:00:00" completed="2020-06-02T01:00:00"/>
                    <url><loc>
                        SERVER/a.txt
                    </loc><lastmod>2020-06-01T00:00:00</lastmod></url>
                    <url><loc>SERVER/b.txt </loc><lastmod>2020-06-01T00:00:00</lastmod></url></urlset>"#;
                put(stage, "/resourcelist.xml", list);
                let changes = r#"<urlset XMLNS>
                    <rs:md capability="changelist" from="2020-06-02T00:00:00"/></urlset>"#;
                put(stage, "/changelist.xml", changes);
                stage.offer(&["resourcelist", "changelist"]);
            },
            |stage| {
                let changes = r#"<urlset XMLNS>
                    <rs:md capability="changelist" from="2020-06-02T00:00:00"/>
                    <url><loc>
                      SERVER/a.txt</loc><rs:md change="updated" datetime="2020-06-03 01:20:10"/></url>
                    <url><loc>SERVER/b.txt</loc><rs:md change="deleted" datetime="2020-06-03 01:20:11"/></url>
                    <url><loc>SERVER/c.txt</loc><rs:md change="created" datetime="2020-06-03 01:20:12"/></url>
                    </urlset>"#;
                put(stage, "/changelist.xml", changes);
            },
        ),
        case("CORE, package with paths without a slash", || {
            let stage = Stage::new();
            let manifest = r#"<urlset XMLNS><rs:md capability="resourcedump-manifest" at="2020-06-02T00:00:00"/>
                <url><loc>SERVER/a.txt</loc><rs:md path="fd8/43/a.json"/></url>
                <url><loc>SERVER/b.txt</loc><rs:md path="fd8/44/b.json"/></url></urlset>"#;
            let members = [
                member("manifest.xml", text(&stage, manifest)).deflated(),
                member("fd8/43/a.json", "one").deflated(),
                member("fd8/44/b.json", "two"),
            ];
            stage.text("/p.zip", zip(&members));
            let dump = r#"<urlset XMLNS><rs:md capability="resourcedump" at="2020-06-02T00:00:00"/>
                <url><loc>SERVER/p.zip</loc></url></urlset>"#;
            put(&stage, "/resourcedump.xml", dump);
            stage.offer(&["resourcedump"]);
            stage.sync(&[]).exits(0).counts("unpacked", 2);
            stage.has(OLD);
        }),
        source(
            "DSpace",
            "/capabilitylist.xml",
            &[],
            |stage| {
                let list = r#"<urlset XMLNS><rs:md capability="resourcelist" from="2014-01-01T00:00:00Z"/>
                    <rs:ln rel="up" href="SERVER/capabilitylist.xml"/>
                    <url><loc>SERVER/a.txt</loc><lastmod>2013-01-01T00:00:00Z</lastmod>
                      <rs:md hash="md5:f97c5d29941bfb1b2fdab0874906ab82" length="3"/>
                      <rs:ln rel="describedby" href="SERVER/a.xml"/></url>
                    <url><loc>SERVER/b.txt</loc><lastmod>2013-01-01T00:00:00Z</lastmod></url></urlset>"#;
                put(stage, "/resourcelist.xml", list);
                let changes = r#"<sitemapindex XMLNS><rs:md capability="changelistindex" from="2014-01-01T00:00:00Z"/>
                    <sitemap><loc>SERVER/c1.xml</loc></sitemap></sitemapindex>"#;
                put(stage, "/changelist.xml", changes);
                stage.text(
                    "/c1.xml",
                    change_list_of("2014-01-01T00:00:00Z", Some("2014-02-01T00:00:00Z"), &[]),
                );
                stage.offer(&["resourcelist", "changelist"]);
            },
            |stage| {
                let changes = r#"<sitemapindex XMLNS><rs:md capability="changelistindex" from="2014-01-01T00:00:00Z"/>
                    <sitemap><loc>SERVER/c1.xml</loc></sitemap>
                    <sitemap><loc>SERVER/c2.xml</loc></sitemap></sitemapindex>"#;
                put(stage, "/changelist.xml", changes);
                let list = [
                    stage.item("a.txt").lastmod("2014-02-02T00:00:00Z").change("updated"),
                    stage.item("b.txt").lastmod("2014-02-02T00:00:00Z").change("deleted"),
                    stage.item("c.txt").lastmod("2014-02-02T00:00:00Z").change("created"),
                ];
                stage.text(
                    "/c2.xml",
                    change_list_of("2014-02-01T00:00:00Z", Some("2014-03-01T00:00:00Z"), &list),
                );
            },
        ),
        source(
            "Hyrax, newest first and no deletes",
            "/.well-known/resourcesync",
            &[],
            |stage| {
                put(
                    stage,
                    "/resourcelist",
                    r#"<urlset XMLNS><rs:ln rel="up" href="SERVER/capabilitylist"/>
                    <rs:md capability="resourcelist" at="2017-01-02T00:00:00Z"/>
                    <url><loc>SERVER/a.txt</loc><lastmod>2017-01-01T00:00:00Z</lastmod></url>
                    <url><loc>SERVER/b.txt</loc><lastmod>2017-01-01T00:00:01Z</lastmod></url></urlset>"#,
                );
                put(
                    stage,
                    "/changelist",
                    r#"<urlset XMLNS><rs:ln rel="up" href="SERVER/capabilitylist"/>
                    <rs:md capability="changelist" from="2017-01-01T00:00:00Z"/>
                    <url><loc>SERVER/b.txt</loc><lastmod>2017-01-01T00:00:01Z</lastmod><rs:md change="created"/></url>
                    <url><loc>SERVER/a.txt</loc><lastmod>2017-01-01T00:00:00Z</lastmod><rs:md change="created"/></url>
                    </urlset>"#,
                );
                let lists = [
                    ("resourcelist", stage.url("/resourcelist")),
                    ("changelist", stage.url("/changelist")),
                ];
                stage.text("/capabilitylist", capability_list(&lists));
                stage.text(
                    "/.well-known/resourcesync",
                    description(&[stage.url("/capabilitylist")]),
                );
            },
            |stage| {
                put(
                    stage,
                    "/resourcelist",
                    r#"<urlset XMLNS><rs:ln rel="up" href="SERVER/capabilitylist"/>
                    <rs:md capability="resourcelist" at="2017-03-02T00:00:00Z"/>
                    <url><loc>SERVER/a.txt</loc><lastmod>2017-02-01T00:00:00Z</lastmod></url>
                    <url><loc>SERVER/c.txt</loc><lastmod>2017-02-02T00:00:00Z</lastmod></url></urlset>"#,
                );
                put(
                    stage,
                    "/changelist",
                    r#"<urlset XMLNS><rs:ln rel="up" href="SERVER/capabilitylist"/>
                    <rs:md capability="changelist" from="2017-03-01T00:00:00Z"/>
                    <url><loc>SERVER/c.txt</loc><lastmod>2017-02-02T00:00:00Z</lastmod><rs:md change="created"/></url>
                    <url><loc>SERVER/a.txt</loc><lastmod>2017-02-01T00:00:00Z</lastmod><rs:md change="updated"/></url>
                    </urlset>"#,
                );
            },
        ),
        source(
            "rspub, grouped and with short times",
            "/capabilitylist.xml",
            &[],
            |stage| {
                put(
                    stage,
                    "/resourcelist.xml",
                    r#"<urlset XMLNS><rs:md at="2017" capability="resourcelist" completed="2017-01-01T10:00Z"/>
                    <url><loc>SERVER/a.txt</loc><lastmod>2016-03</lastmod><rs:md length="3" type="text/plain"/></url>
                    <url><loc>SERVER/b.txt</loc><lastmod>2016-03-01T10:00Z</lastmod><rs:md length="3"/></url></urlset>"#,
                );
                put(
                    stage,
                    "/changelist.xml",
                    r#"<urlset XMLNS><rs:md capability="changelist" from="2017-01-01"/></urlset>"#,
                );
                stage.offer(&["resourcelist", "changelist"]);
            },
            |stage| {
                put(
                    stage,
                    "/changelist.xml",
                    r#"<urlset XMLNS><rs:md capability="changelist" from="2017-01-01"/>
                    <url><loc>SERVER/c.txt</loc><lastmod>2017-03-01T10:00Z</lastmod><rs:md change="created" length="5"/></url>
                    <url><loc>SERVER/a.txt</loc><lastmod>2017-02-01T10:00Z</lastmod><rs:md change="updated" length="5"/></url>
                    <url><loc>SERVER/b.txt</loc><rs:md change="deleted"/></url></urlset>"#,
                );
            },
        ),
        source(
            "POD, rs:md before loc, an index as a list, and a token",
            "/capabilitylist.xml",
            &["--header", "Authorization: Bearer token"],
            |stage| pod(stage, "2021-01-01", OLD),
            |stage| pod(stage, "2021-01-02", NEW),
        ),
        case("POD, the token is needed, and goes nowhere else", || {
            let stage = Stage::new();
            let other = Server::at("127.0.0.2:0");
            other.put("/x.txt", Reply::ok("x"));
            let guard = |path: &str, body: String| {
                let reply = Reply::ok(body).needs("Authorization", "Bearer token");
                stage.put(path, reply);
            };
            guard("/a.txt", "one".into());
            let items = [stage.item("a.txt"), Item::new(other.url("/x.txt"))];
            guard("/resourcelist.xml", resource_list(&items));
            let lists = [("resourcelist", stage.url("/resourcelist.xml"))];
            guard("/capabilitylist.xml", capability_list(&lists));
            stage.sync(&["--allow-private"]).exits(2);
            let header = ["--allow-private", "--header", "Authorization: Bearer token"];
            stage.sync(&header).exits(0);
            let theirs = format!("../127.0.0.2+{}/x.txt", other.port());
            stage.has(&[("a.txt", "one"), (theirs.as_str(), "x")]);
            assert!(other.log().iter().all(|one| one.header("Authorization").is_none()));
            // A secret is in no file of the copy, and in no message.
            for (path, bytes) in files_of(&stage.copy()) {
                assert!(!bytes.windows(5).any(|part| part == b"token"), "{path}");
            }
        }),
        source(
            "Timbuctoo, the well-known place redirects",
            "/",
            &[],
            |stage| timbuctoo(stage, "2019-01-01T00:00:00Z", OLD),
            |stage| timbuctoo(stage, "2019-01-02T00:00:00Z", NEW),
        ),
    ]
}

fn pod(stage: &Stage, date: &str, files: &[(&str, &str)]) {
    let secret = |path: &str, body: String| {
        stage.put(path, Reply::ok(body).needs("Authorization", "Bearer token"));
    };
    let entries: String = files
        .iter()
        .map(|(path, text)| {
            secret(&format!("/{path}"), (*text).to_owned());
            let md5 = crate::support::documents::md5(text.as_bytes());
            format!("<url><rs:md hash=\"md5:{md5}\" length=\"{}\"/><loc>SERVER/{path}</loc><lastmod>{date}</lastmod></url>", text.len())
        })
        .collect();
    let head = format!("<rs:md capability=\"resourcelist\" at=\"{date}\"/>");
    secret("/part.xml", text(stage, &format!("<urlset XMLNS>{head}{entries}</urlset>")));
    let part = format!(
        "<url><rs:md capability=\"resourcelist\"/><loc>SERVER/part.xml</loc><lastmod>{date}</lastmod></url>"
    );
    secret("/resourcelist.xml", text(stage, &format!("<urlset XMLNS>{head}{part}</urlset>")));
    secret(
        "/capabilitylist.xml",
        capability_list(&[("resourcelist", stage.url("/resourcelist.xml"))]),
    );
}

fn timbuctoo(stage: &Stage, at: &str, files: &[(&str, &str)]) {
    stage.put(
        "/.well-known/resourcesync",
        Reply::redirect("/v5/resourcesync/sourceDescription.xml"),
    );
    let base = "/v5/resourcesync/u/set";
    stage.text(
        "/v5/resourcesync/sourceDescription.xml",
        description(&[stage.url(&format!("{base}/capabilityList.xml"))]),
    );
    let lists = [("resourcelist", stage.url(&format!("{base}/resourceList.xml")))];
    stage.text(&format!("{base}/capabilityList.xml"), capability_list(&lists));
    let items: Vec<Item> = files.iter().map(|(path, _)| stage.item(path).lastmod(at)).collect();
    stage.text(
        &format!("{base}/resourceList.xml"),
        crate::support::documents::resource_list_at(at, &items),
    );
}
