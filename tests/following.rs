//! Following sites end to end: real servers, the real binary, feeds read by somebody else's reader.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, missing_docs, reason = "a test")]

mod support;

use std::path::Path;

use support::follower::{Follower, path_of, write};
use support::server::{Reply, Server};
use support::{Nginx, stderr, stdout};

/// The example of IFCC-0001, with two shrines, at a server's URL.
fn shrines(folder: &Path, base: &str, changes: &str) {
    let ns = "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
              xmlns:rs=\"http://www.openarchives.org/rs/terms/\"";
    let mut description = format!(
        "<urlset {ns}>\n<rs:ln rel=\"describedby\" href=\"{base}about.xml\"/>\n<rs:md capability=\"description\"/>\n"
    );
    for shrine in ["my-shrine", "other-shrine"] {
        description.push_str(&format!(
            "<url><loc>{base}{shrine}/capabilitylist.xml</loc><rs:md capability=\"capabilitylist\"/>\
             <rs:ln rel=\"describes\" href=\"{base}{shrine}/\"/>\
             <rs:ln rel=\"describedby\" href=\"{base}{shrine}/about.xml\"/></url>\n"
        ));
        write(
            folder,
            &format!("{shrine}/capabilitylist.xml"),
            &format!(
                "<urlset {ns}><rs:ln rel=\"up\" href=\"{base}.well-known/resourcesync\"/>\
             <rs:ln rel=\"describes\" href=\"{base}{shrine}/\"/>\
             <rs:ln rel=\"describedby\" href=\"{base}{shrine}/about.xml\"/>\
             <rs:md capability=\"capabilitylist\"/>\
             <url><loc>{base}{shrine}/changelist.xml</loc><rs:md capability=\"changelist\"/></url></urlset>"
            ),
        );
        write(
            folder,
            &format!("{shrine}/about.xml"),
            &format!(
                "<metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>The {shrine} &amp; more</dc:title>\
             <dc:creator>kibi</dc:creator><dc:language>en</dc:language></metadata>"
            ),
        );
        change_list(folder, base, shrine, if shrine == "my-shrine" { changes } else { "" });
    }
    description.push_str("</urlset>");
    write(folder, ".well-known/resourcesync", &description);
    write(folder, "my-shrine/my-page/index.html", "<title>My page</title>");
    write(folder, "my-shrine/new/index.html", "<title>A &lt;new&gt; page</title>");
}

fn change_list(folder: &Path, base: &str, shrine: &str, changes: &str) {
    write(
        folder,
        &format!("{shrine}/changelist.xml"),
        &format!(
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
         xmlns:rs=\"http://www.openarchives.org/rs/terms/\">\
         <rs:ln rel=\"up\" href=\"{base}{shrine}/capabilitylist.xml\"/>\
         <rs:md capability=\"changelist\" from=\"1972-12-31\"/>{changes}</urlset>"
        ),
    );
}

fn change(base: &str, page: &str, kind: &str, time: &str) -> String {
    format!("<url><loc>{base}{page}</loc><rs:md change=\"{kind}\" datetime=\"{time}\"/></url>")
}

/// IFCC-0001: a feed per shrine, the next day's change is one entry, and nothing is ever told twice.
#[test]
fn each_shrine_has_a_feed_and_each_day_one_entry() {
    let site = tempfile::tempdir().unwrap();
    let nginx = Nginx::serve(site.path(), "");
    let base = nginx.url();
    let first = change(&base, "my-shrine/my-page/", "updated", "2022-11-06");
    shrines(site.path(), &base, &first);
    let follower = Follower::default();
    let told = follower.json(&["follow", &base]);
    assert_eq!(told["via"], "resourcesync");
    assert_eq!(told["quality"]["errors"], 0, "{told:#}");
    let collections = told["collections"].as_array().unwrap();
    assert_eq!(collections.len(), 2);
    assert_eq!(collections[0]["identity"], format!("{base}my-shrine/"));
    assert_eq!(collections[0]["title"], "The my-shrine & more");
    assert_eq!(collections[0]["author"], "kibi");

    let server = follower.serve(&["--no-poll"]);
    let feed_path = path_of(collections[0]["feeds"]["atom"].as_str().unwrap());
    let other_path = path_of(collections[1]["feeds"]["atom"].as_str().unwrap());
    let feed = server.get(&feed_path).feed();
    assert_eq!(feed.entries.len(), 1);
    assert_eq!(feed.entries[0].updated.unwrap().to_rfc3339(), "2022-11-06T00:00:00+00:00");
    assert_eq!(server.get(&feed_path).titles(), ["Updated: My page"]);
    assert!(server.get(&other_path).feed().entries.is_empty());

    // The next day.
    let second = first.clone()
        + &change(&base, "my-shrine/new/", "created", "2022-11-07T10:00:00Z")
        + &change(&base, "my-shrine/my-page/", "updated", "2022-11-07T11:00:00Z")
        + &change(&base, "my-shrine/old/", "deleted", "2022-11-07T12:00:00Z");
    change_list(site.path(), &base, "my-shrine", &second);
    let polled = follower.json(&["poll", &base]);
    assert_eq!(polled["polled"][0]["changes"], 3);
    // Another process recorded it; the server sees it a little later.
    let atom = loop {
        let atom = server.get(&feed_path);
        if atom.feed().entries.len() > 1 {
            break atom;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    assert_eq!(atom.titles(), ["A <new> page, and 2 more pages", "Updated: My page"]);
    let text = atom.text();
    assert!(text.contains("A &lt;new&gt; page"), "{text}");
    assert!(
        !text.contains(&format!("href=\"{base}my-shrine/old/\"")),
        "what is gone is not linked"
    );
    let ids: Vec<String> = atom.feed().entries.into_iter().map(|entry| entry.id).collect();

    // Again, and after a restart: nothing more, and the same bytes.
    drop(server);
    for _ in 0..3 {
        assert_eq!(follower.json(&["poll"])["polled"][0]["changes"], 0);
    }
    let server = follower.serve(&["--no-poll", "--base", "http://127.0.0.1/"]);
    let again = server.get(&feed_path).feed();
    assert_eq!(again.entries.iter().map(|entry| entry.id.clone()).collect::<Vec<_>>(), ids);
}

/// IFCC-0001: entries without `datetime` are ignored, and counted.
#[test]
fn changes_without_datetime_are_ignored_and_counted() {
    let site = tempfile::tempdir().unwrap();
    let nginx = Nginx::serve(site.path(), "");
    let base = nginx.url();
    let changes = change(&base, "my-shrine/my-page/", "updated", "2022-11-06")
        + &format!(
            "<url><loc>{base}my-shrine/x</loc><lastmod>2022-11-07</lastmod><rs:md change=\"updated\"/></url>"
        );
    shrines(site.path(), &base, &changes);
    let follower = Follower::default();
    let told = follower.json(&["follow", &base]);
    let collection = &told["collections"][0];
    assert_eq!(
        (collection["changes"].as_i64(), collection["ignored"].as_i64()),
        (Some(1), Some(1))
    );
    assert!(collection["reason"].as_str().unwrap().contains("1 of its changes are ignored"));
    // Still, after a poll that finds nothing new.
    follower.json(&["poll"]);
    assert_eq!(follower.site()["collections"][0]["ignored"], 1);
}

/// Members of a Change List Index that end before what was processed are not fetched.
#[test]
fn closed_lists_are_fetched_once() {
    let server = Server::start();
    let base = server.url("/");
    let site = tempfile::tempdir().unwrap();
    shrines(site.path(), &base, "");
    for name in [
        "my-shrine/capabilitylist.xml",
        "other-shrine/capabilitylist.xml",
        "other-shrine/changelist.xml",
    ] {
        server.put(&format!("/{name}"), Reply::ok(std::fs::read(site.path().join(name)).unwrap()));
    }
    server.put(
        "/.well-known/resourcesync",
        Reply::ok(std::fs::read(site.path().join(".well-known/resourcesync")).unwrap()),
    );
    let list = |from: &str, until: &str, changes: &str| {
        Reply::ok(format!(
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:rs=\"http://www.openarchives.org/rs/terms/\">\
         <rs:ln rel=\"up\" href=\"{base}my-shrine/capabilitylist.xml\"/><rs:md capability=\"changelist\" from=\"{from}\" {until}/>{changes}</urlset>"
        ))
    };
    let member = |name: &str, from: &str, until: &str| {
        format!(
            "<sitemap><loc>{base}{name}</loc><rs:md capability=\"changelist\" from=\"{from}\" {until}/></sitemap>"
        )
    };
    let until = "until=\"2022-11-01T00:00:00Z\"";
    server.put("/my-shrine/changelist.xml", Reply::ok(format!(
        "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:rs=\"http://www.openarchives.org/rs/terms/\">\
         <rs:ln rel=\"up\" href=\"{base}my-shrine/capabilitylist.xml\"/><rs:md capability=\"changelist\" from=\"2022-10-01T00:00:00Z\"/>{}{}</sitemapindex>",
        member("closed.xml", "2022-10-01T00:00:00Z", until), member("open.xml", "2022-11-01T00:00:00Z", "")
    )));
    server.put(
        "/closed.xml",
        list("2022-10-01T00:00:00Z", until, &change(&base, "a", "created", "2022-10-05T00:00:00Z")),
    );
    server.put(
        "/open.xml",
        list("2022-11-01T00:00:00Z", "", &change(&base, "b", "created", "2022-11-05T00:00:00Z"))
            .etag("1"),
    );
    let follower = Follower::default();
    let told = follower.json(&["follow", "--titles", "0", &base]);
    assert_eq!(told["collections"][0]["changes"], 2, "{told:#}");
    assert_eq!(server.count("/closed.xml"), 1);
    server.forget_log();
    let open = change(&base, "b", "created", "2022-11-05T00:00:00Z")
        + &change(&base, "b", "deleted", "2022-11-06T00:00:00Z");
    server.put("/open.xml", list("2022-11-01T00:00:00Z", "", &open).etag("2"));
    assert_eq!(follower.json(&["poll"])["polled"][0]["changes"], 1);
    assert_eq!((server.count("/closed.xml"), server.count("/open.xml")), (0, 1));
    let open = server.log().into_iter().find(|request| request.path == "/open.xml").unwrap();
    assert_eq!(open.header("if-none-match"), Some("\"1\""));
}

fn sitemap(folder: &Path, base: &str, pages: &[(&str, &str)]) {
    let mut text = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">".to_owned();
    for (page, lastmod) in pages {
        let lastmod = if lastmod.is_empty() {
            String::new()
        } else {
            format!("<lastmod>{lastmod}</lastmod>")
        };
        text.push_str(&format!("<url><loc>{base}{page}</loc>{lastmod}</url>"));
        write(folder, &format!("{page}.html"), &format!("<title>Page {page}</title>"));
    }
    write(folder, "sitemap.xml", &(text + "</urlset>"));
}

/// A site that knows nothing of ResourceSync: its Sitemap is compared with what it was.
#[test]
fn a_sitemap_is_followed_snapshot_by_snapshot() {
    let site = tempfile::tempdir().unwrap();
    let nginx = Nginx::serve(site.path(), "try_files $uri $uri.html /index.html;");
    let base = nginx.url();
    write(site.path(), "index.html", "<html lang=\"de\"><title>Ein Garten</title></html>");
    sitemap(site.path(), &base, &[("a", "2020-01-01"), ("b", "2020-01-01"), ("c", "")]);
    let follower = Follower::default();
    let told = follower.json(&["follow", &format!("{base}a")]);
    assert_eq!((&told["via"], &told["title"]), (&"sitemap".into(), &"Ein Garten".into()));
    assert_eq!(told["collections"].as_array().unwrap().len(), 1);
    assert_eq!(told["collections"][0]["changes"], 0, "all of it is old");
    sitemap(site.path(), &base, &[("a", "2020-02-02"), ("c", "2020-01-01"), ("d", "")]);
    assert_eq!(follower.json(&["poll"])["polled"][0]["changes"], 3);
    let server = follower.serve(&["--no-poll"]);
    let path = path_of(told["collections"][0]["feeds"]["atom"].as_str().unwrap());
    let atom = server.get(&path);
    assert_eq!(atom.titles(), ["Page d, and 2 more pages"]);
    for expected in ["Page a", "Page d", "xml:lang=\"de\""] {
        assert!(atom.text().contains(expected), "{expected}: {}", atom.text());
    }
    assert_eq!(follower.json(&["poll"])["polled"][0]["changes"], 0);
    // What comes, goes and comes again with the same time is told three times.
    sitemap(site.path(), &base, &[("a", "2020-02-02"), ("c", "2020-01-01")]);
    assert_eq!(follower.json(&["poll"])["polled"][0]["changes"], 1);
    sitemap(site.path(), &base, &[("a", "2020-02-02"), ("c", "2020-01-01"), ("d", "")]);
    assert_eq!(follower.json(&["poll"])["polled"][0]["changes"], 1);
}

#[test]
fn a_sitemap_can_be_split_by_the_first_segment() {
    let site = tempfile::tempdir().unwrap();
    let nginx = Nginx::serve(site.path(), "");
    let base = nginx.url();
    write(site.path(), "robots.txt", &format!("User-agent: *\nSitemap: {base}maps/one.xml\n"));
    let map = |pages: &[&str]| {
        let pages: String =
            pages.iter().map(|page| format!("<url><loc>{base}{page}</loc></url>")).collect();
        write(
            site.path(),
            "maps/one.xml",
            &format!(
                "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{pages}</urlset>"
            ),
        );
    };
    map(&["index.html", "cats/1.html"]);
    let follower = Follower::default();
    follower.json(&["follow", "--split", "--titles", "0", &base]);
    map(&["index.html", "cats/1.html", "cats/2.html", "dogs/1.html", "new.html"]);
    assert_eq!(follower.json(&["poll"])["polled"][0]["changes"], 3);
    let site = follower.site();
    let identities: Vec<&str> = site["collections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["identity"].as_str().unwrap())
        .collect();
    assert_eq!(identities, [base.clone(), format!("{base}cats/"), format!("{base}dogs/")]);
    // The feed of the whole site has them all.
    let server = follower.serve(&["--no-poll"]);
    let all = server.get(&path_of(site["feeds"]["atom"].as_str().unwrap())).feed();
    assert_eq!(all.entries.len(), 3);
}

/// One empty answer is not the end of a site.
#[test]
fn mass_deletion_is_held_until_it_is_so_again() {
    let site = tempfile::tempdir().unwrap();
    let nginx = Nginx::serve(site.path(), "");
    let base = nginx.url();
    let names: Vec<String> = (0..50).map(|number| format!("p{number}")).collect();
    let pages: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    sitemap(site.path(), &base, &pages);
    let follower = Follower::default();
    follower.json(&["follow", "--titles", "0", &base]);
    sitemap(site.path(), &base, &pages[..2]);
    assert_eq!(follower.json(&["poll"])["polled"][0]["changes"], 0);
    let reason = follower.site()["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("48 of 50 pages are gone"), "{reason}");
    // It was a mistake.
    sitemap(site.path(), &base, &pages);
    assert_eq!(follower.json(&["poll"])["polled"][0]["changes"], 0);
    assert!(follower.site()["reason"].is_null());
    // This time it is not.
    sitemap(site.path(), &base, &pages[..2]);
    assert_eq!(follower.json(&["poll"])["polled"][0]["changes"], 0);
    assert_eq!(follower.json(&["poll"])["polled"][0]["changes"], 48);
}

#[test]
fn a_feed_of_its_own_is_taken_over() {
    let site = tempfile::tempdir().unwrap();
    let nginx = Nginx::serve(site.path(), "");
    let base = nginx.url();
    write(
        site.path(),
        "index.html",
        "<title>Blog</title><link rel=alternate type=application/rss+xml href=news.xml>",
    );
    let rss = |items: &str| {
        write(
            site.path(),
            "news.xml",
            &format!(
                "<rss version=\"2.0\"><channel><title>News of <![CDATA[<b>all</b>]]></title><link>{base}</link><description>d</description>{items}</channel></rss>"
            ),
        )
    };
    let one = format!(
        "<item><title>One</title><link>{base}one</link><guid>1</guid><pubDate>Sun, 06 Nov 2022 00:00:00 GMT</pubDate><description>&lt;p&gt;text&lt;/p&gt;</description></item>"
    );
    rss(&one);
    let follower = Follower::default();
    let told = follower.json(&["follow", &base]);
    assert_eq!(told["via"], "feed");
    assert_eq!(told["collections"][0]["changes"], 1);
    rss(&format!(
        "<item><title>Two</title><link>{base}two</link><guid>2</guid><pubDate>Mon, 07 Nov 2022 00:00:00 GMT</pubDate></item>{one}"
    ));
    assert_eq!(follower.json(&["poll"])["polled"][0]["changes"], 1);
    let server = follower.serve(&["--no-poll"]);
    let path = path_of(told["collections"][0]["feeds"]["changes"].as_str().unwrap());
    assert_eq!(server.get(&path).titles(), ["New: Two", "New: One"]);
}

/// What a person sees who has nothing yet, or names nothing that there is.
#[test]
fn errors_say_what_to_do() {
    let follower = Follower::default();
    let output = follower.run(&["sites"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("follow"), "{}", stderr(&output));
    let server = Server::start();
    server.put("/", Reply::ok("<title>x</title>"));
    let output = follower.run(&["follow", &server.url("/")]);
    assert_eq!(output.status.code(), Some(2));
    for expected in ["no ResourceSync Source and no Sitemap was found", "no Atom, RSS or JSON feed"]
    {
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
    assert_eq!(stdout(&follower.run(&["sites", "--quiet"])), "");
    let output = follower.run(&["poll", "https://nowhere.example/"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("is not followed"));
}

#[test]
fn opml_goes_in_and_out() {
    let site = tempfile::tempdir().unwrap();
    let nginx = Nginx::serve(site.path(), "");
    let base = nginx.url();
    sitemap(site.path(), &base, &[("a", "")]);
    let list = site.path().join("list.opml");
    std::fs::write(&list, format!(
        "<opml version=\"1.0\"><body><outline text=\"x\"><outline text=\"a\" htmlUrl=\"{base}\" xmlUrl=\"{base}none.xml\"/></outline>\
         <outline text=\"b\" xmlUrl=\"{base}none.xml?\"/></body></opml>"
    )).unwrap();
    let follower = Follower::default();
    let output =
        follower.run(&["opml", "import", list.to_str().unwrap(), "--json", "--allow-private"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let exported =
        stdout(&follower.run(&["opml", "export", "--feeds", "--base", "https://feeds.example/"]));
    assert!(exported.contains("xmlUrl=\"https://feeds.example/feeds/"), "{exported}");
    // A list that we wrote can be read back.
    let server = follower.serve(&["--no-poll"]);
    let exported = stdout(&follower.run(&["opml", "export", "--feeds"]));
    assert_eq!(server.get("/feeds.opml").text(), exported);
}

/// One Change List that is gone, or cannot be had, takes nothing from the others.
#[test]
fn a_collection_in_trouble_does_not_hold_up_the_others() {
    let replies = [404, 500, 503].map(|status| Reply::new(status, ""));
    // Whichever of them is read first.
    let shrines_in_order = [("my-shrine", "other-shrine", 0), ("other-shrine", "my-shrine", 1)];
    for (reply, (broken, sound, number)) in
        replies.iter().flat_map(|reply| shrines_in_order.map(|order| (reply, order)))
    {
        let server = Server::start();
        let base = server.url("/");
        let site = tempfile::tempdir().unwrap();
        shrines(site.path(), &base, "");
        let mut names = vec![".well-known/resourcesync".to_owned()];
        for shrine in ["my-shrine", "other-shrine"] {
            for name in ["capabilitylist.xml", "changelist.xml", "about.xml"] {
                names.push(format!("{shrine}/{name}"));
            }
        }
        for name in &names {
            let body = std::fs::read(site.path().join(name)).unwrap();
            server.put(&format!("/{name}"), Reply::ok(body));
        }
        let follower = Follower::default();
        follower.json(&["follow", "--titles", "0", &base]);
        let status = reply.status;
        server.put(&format!("/{broken}/changelist.xml"), reply.clone());
        let news = change(&base, &format!("{sound}/x"), "created", "2022-11-07T00:00:00Z");
        change_list(site.path(), &base, sound, &news);
        let list = std::fs::read(site.path().join(sound).join("changelist.xml")).unwrap();
        server.put(&format!("/{sound}/changelist.xml"), Reply::ok(list));
        assert_eq!(follower.json(&["poll"])["polled"][0]["changes"], 1, "{status}");
        let told = follower.site();
        assert_eq!(told["state"], "partly-failing");
        let reason = told["collections"][number]["reason"].as_str().unwrap();
        assert!(reason.contains(&status.to_string()), "{reason}");
        assert_eq!(told["collections"][number]["is_gone"], false, "it is still named");
        assert_eq!(follower.json(&["poll"])["polled"][0]["changes"], 0, "{status}");
    }
}

/// What a Sitemap has that could not be had at first is not new when it can.
#[test]
fn a_sitemap_that_comes_late_is_no_news() {
    let site = tempfile::tempdir().unwrap();
    let nginx = Nginx::serve(site.path(), "");
    let base = nginx.url();
    let namespace = "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"";
    let map = |name: &str, pages: &[&str]| {
        let pages: String =
            pages.iter().map(|page| format!("<url><loc>{base}{page}</loc></url>")).collect();
        write(site.path(), name, &format!("<urlset {namespace}>{pages}</urlset>"));
    };
    let children: String = ["1.xml", "2.xml"]
        .iter()
        .map(|name| format!("<sitemap><loc>{base}{name}</loc></sitemap>"))
        .collect();
    let index = format!("<sitemapindex {namespace}>{children}</sitemapindex>");
    write(site.path(), "sitemap.xml", &index);
    map("1.xml", &["a", "b"]);
    let follower = Follower::default();
    follower.json(&["follow", "--titles", "0", &base]);
    map("2.xml", &["c", "d", "e"]);
    assert_eq!(follower.json(&["poll"])["polled"][0]["changes"], 0);
    map("2.xml", &["c", "d", "e", "f"]);
    assert_eq!(follower.json(&["poll"])["polled"][0]["changes"], 1);
}

/// A program that writes the time of its run for that of each page says nothing about pages.
#[test]
fn a_sitemap_that_is_stamped_anew_is_no_news() {
    let site = tempfile::tempdir().unwrap();
    let nginx = Nginx::serve(site.path(), "");
    let base = nginx.url();
    let names: Vec<String> = (0..50).map(|number| format!("p{number}")).collect();
    let stamped = |time: &'static str, other: &'static str| -> Vec<(&str, &str)> {
        let times = std::iter::once(other).chain(std::iter::repeat(time));
        names.iter().map(String::as_str).zip(times).collect()
    };
    sitemap(site.path(), &base, &stamped("2020-01-01", "2020-01-01"));
    let follower = Follower::default();
    follower.json(&["follow", "--titles", "0", &base]);
    sitemap(site.path(), &base, &stamped("2020-01-02T10:00:00Z", "2020-01-02T09:00:00Z"));
    assert_eq!(follower.json(&["poll"])["polled"][0]["changes"], 1, "one has a time of its own");
    assert!(follower.site()["reason"].as_str().unwrap().contains("49 of 50 pages"));
}
