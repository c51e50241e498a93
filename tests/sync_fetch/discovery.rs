//! A copy is made by the best protocol that there is, and never by a weaker one unless told.

use crate::support::documents::{capability_list, description, document, resource_list};
use crate::support::server::{Reply, Way};
use crate::support::stage::Stage;

const WELL_KNOWN: &str = "/.well-known/resourcesync";
const FILES: &[(&str, &str)] = &[("a.txt", "one"), ("b.txt", "two")];

/// A site with these pages and a Sitemap of them.
fn with_sitemap() -> Stage {
    let stage = Stage::new();
    stage.files(FILES);
    stage.text("/sitemap.xml", document("", &[stage.item("a.txt"), stage.item("b.txt")]));
    stage
}

/// The same, and a Source Description.
fn with_both() -> Stage {
    let stage = with_sitemap();
    stage.list(&stage.items(FILES));
    stage.text(WELL_KNOWN, description(&[stage.url("/capabilitylist.xml")]));
    stage
}

#[test]
fn a_first_sync_takes_a_sitemap_where_there_is_no_resourcesync() {
    for status in [404, 410] {
        let stage = with_sitemap();
        stage.put(WELL_KNOWN, Reply::new(status, ""));
        stage.sync_from("/", &[]).exits(0).says("Sitemap");
        stage.has(FILES);
        stage.in_sync("/", &[]);
    }
}

#[test]
fn a_first_sync_takes_no_sitemap_where_resourcesync_may_be() {
    let page = "<!doctype html><title>Log in</title>";
    for (reply, said) in [
        (Reply::new(403, ""), "answered 403"),
        (Reply::new(429, ""), "answered 429"),
        (Reply::new(500, ""), "answered 500"),
        (Reply::ok(page).with("Content-Type", "text/html"), "an HTML page"),
        (Reply::ok(""), WELL_KNOWN),
        (Reply::ok("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"), WELL_KNOWN),
        (Reply::ok(page).by(Way::Cut(3)), "broke off"),
    ] {
        let stage = with_sitemap();
        stage.put(WELL_KNOWN, reply);
        let run = stage.sync_from("/", &[]);
        run.exits(2).says(said).says("retry later, or copy its Sitemap instead (--via sitemap)");
        stage.has(&[]);
        stage.sync_from("/", &["--via", "sitemap"]).exits(0);
        stage.has(FILES);
        // Whoever decided for the Sitemap is not asked again.
        stage.sync_from("/", &["--baseline"]).exits(0);
        stage.in_sync("/", &[]);
    }
}

#[test]
fn a_copy_made_through_resourcesync_never_falls_back_to_a_sitemap() {
    let stage = with_both();
    stage.sync_from("/", &[]).exits(0).says("Resource List");
    stage.server.remove(WELL_KNOWN);
    for command in ["sync", "audit"] {
        let options: &[&str] = if command == "sync" { &["--baseline"] } else { &[] };
        stage.run(command, "/", options).exits(2).says("was made through ResourceSync");
    }
    stage.text("/a.txt", "newer");
    stage.sync_from("/", &["--via", "sitemap"]).exits(0).says("Sitemap");
    stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
    stage.in_sync("/", &[]);
}

#[test]
fn a_copy_made_of_a_sitemap_is_made_through_resourcesync_as_soon_as_it_can_be() {
    let stage = with_sitemap();
    stage.sync_from("/", &[]).exits(0).says("Sitemap");
    stage.list(&stage.items(FILES));
    stage.text(WELL_KNOWN, description(&[stage.url("/capabilitylist.xml")]));
    stage.sync_from("/", &["--via", "sitemap", "--baseline"]).exits(0).says("Sitemap");
    stage.sync_from("/", &["--baseline"]).exits(0).says("Resource List");
    stage.server.remove(WELL_KNOWN);
    stage.sync_from("/", &["--baseline"]).exits(2).says("retry later");
    stage.has(FILES);
}

/// Two sets, and a page that links to the Capability List of the first.
fn two_sets() -> Stage {
    let stage = Stage::new();
    stage.files(FILES);
    let mut sets = Vec::new();
    for (name, file) in [("one", FILES[0]), ("two", FILES[1])] {
        let list = format!("/{name}/resourcelist.xml");
        let set = capability_list(&[("resourcelist", stage.url(&list))]);
        let up = format!("<rs:ln rel=\"up\" href=\"{}\"/><rs:md", stage.url(WELL_KNOWN));
        stage.text(&list, resource_list(&stage.items(&[file])));
        stage.text(&format!("/{name}/capabilitylist.xml"), set.replacen("<rs:md", &up, 1));
        sets.push(stage.url(&format!("/{name}/capabilitylist.xml")));
    }
    stage.text(WELL_KNOWN, description(&sets));
    let page = format!("<!doctype html><link rel=resourcesync href='{}'>", sets[0]);
    stage.put("/page.html", Reply::ok(page).with("Content-Type", "text/html"));
    stage
}

#[test]
fn all_sets_are_copied_from_a_page_that_links_to_one() {
    let stage = two_sets();
    stage.sync_from("/page.html", &["--all"]).exits(0).counts("created", 2);
    stage.has(FILES);
    let stage = two_sets();
    stage.sync_from("/page.html", &[]).exits(0).counts("created", 1);
}

#[test]
fn all_sets_are_copied_from_a_page_whose_header_links_to_one() {
    let stage = two_sets();
    let link = format!("<{}>; rel=\"resourcesync\"", stage.url("/one/capabilitylist.xml"));
    let page = Reply::ok("<!doctype html><title>a page</title>");
    stage.put("/page.html", page.with("Content-Type", "text/html").with("Link", &link));
    stage.sync_from("/page.html", &["--all"]).exits(0).counts("created", 2);
    stage.has(FILES);
}

#[test]
fn a_set_whose_capability_list_cannot_be_read_is_not_gone() {
    let stage = two_sets();
    stage.sync_from("/", &["--all"]).exits(0);
    stage.put("/two/capabilitylist.xml", Reply::new(500, ""));
    let options = ["--all", "--baseline", "--delete", "--force-delete"];
    stage.sync_from("/", &options).exits(1).says("answered 500");
    stage.has(FILES);
    stage.run("audit", "/", &["--all"]).exits(2).says("answered 500");
}

#[test]
fn an_empty_copy_of_a_resourcesync_source_never_falls_back_to_a_sitemap() {
    let stage = with_sitemap();
    stage.list_text(resource_list(&[]));
    stage.text(WELL_KNOWN, description(&[stage.url("/capabilitylist.xml")]));
    stage.sync_from("/", &[]).exits(0).counts("resources", 0);
    stage.server.remove(WELL_KNOWN);
    for command in ["sync", "audit"] {
        let options: &[&str] = if command == "sync" { &["--baseline"] } else { &[] };
        stage.run(command, "/", options).exits(2).says("was made through ResourceSync");
    }
    stage.has(&[]);
}
