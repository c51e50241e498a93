//! Source Descriptions that are not right, and what is said about them.

use crate::stage::{CAPABILITIES, CHANGES, DESCRIPTION, SITEMAP, Stage};
use crate::support::documents::{Item, document};

fn findings(stage: &Stage) -> String {
    stage.follower.site()["quality"]["findings"].to_string()
}

/// A Source Description with one entry for each Capability List and what it is said to describe.
fn describe(stage: &Stage, entries: &[(&str, &str)]) {
    let items: Vec<Item> = entries
        .iter()
        .map(|(list, describes)| {
            Item::new(stage.url(list)).md("capability", "capabilitylist").link(
                "describes",
                &stage.url(describes),
                "",
            )
        })
        .collect();
    stage.text(DESCRIPTION, document("<rs:md capability=\"description\"/>", &items));
}

#[test]
fn a_source_description_without_its_root_md_is_an_error_that_says_so() {
    let stage = Stage::garden(&[]);
    let item = Item::new(stage.url(CAPABILITIES)).md("capability", "capabilitylist");
    stage.text(DESCRIPTION, document("", &[item]));
    stage.put_sitemap(&["/a", "/b"]);
    for place in ["/", DESCRIPTION] {
        let answer = stage.follow_at(place, &[]);
        stage.is_not_followed(&answer, &["rs:md capability=\"description\"", DESCRIPTION]);
    }
}

#[test]
fn a_plain_sitemap_at_the_well_known_place_is_not_followed_as_one() {
    let stage = Stage::empty();
    stage.text(DESCRIPTION, document("", &[Item::new(stage.url("/only"))]));
    stage.put_sitemap(&["/a", "/b"]);
    let answer = stage.follow(&[]);
    answer.exits(0);
    assert_eq!(answer.json["via"], "sitemap");
    stage.put_sitemap(&["/a", "/b", "/c"]);
    stage.brings(1);
    assert_eq!(stage.told(), ["created /c"]);
    // Without a Sitemap elsewhere there is nothing to follow.
    let stage = Stage::empty();
    stage.text(DESCRIPTION, document("", &[Item::new(stage.url("/only"))]));
    stage.is_not_followed(&stage.follow(&[]), &["not a Source Description"]);
    stage.server.remove(SITEMAP);
}

#[test]
fn a_source_description_that_loses_its_root_md_is_said_and_nothing_is_lost() {
    let stage = Stage::followed(&[]);
    let item = Item::new(stage.url(CAPABILITIES)).md("capability", "capabilitylist");
    stage.text(DESCRIPTION, document("", &[item]));
    stage.put_changes(&[stage.change("a", "created", "2026-01-02")]);
    let polled = stage.poll();
    polled.exits(0);
    assert_eq!(polled.changes(), 1);
    let site = stage.follower.site();
    assert!(site["reason"].as_str().unwrap().contains("rs:md capability"), "{site:#}");
    assert_eq!(site["collections"][0]["is_gone"], false);
}

#[test]
fn two_sets_that_describe_the_same_are_a_finding() {
    let stage = Stage::garden(&[]);
    stage.text("/second.xml", stage.capabilities(true, CHANGES));
    describe(&stage, &[(CAPABILITIES, "/garden/"), ("/second.xml", "/garden/")]);
    stage.follow(&[]).exits(0);
    let found = findings(&stage);
    assert!(found.contains("IFCC-describes-duplicate") && found.contains("second.xml"), "{found}");
    assert_eq!(stage.follower.site()["collections"].as_array().unwrap().len(), 1);
}

#[test]
fn documents_that_describe_different_collections_are_a_finding() {
    let stage = Stage::garden(&[]);
    describe(&stage, &[(CAPABILITIES, "/meadow/")]);
    stage.follow(&[]).exits(0);
    let found = findings(&stage);
    assert!(found.contains("IFCC-describes-differs") && found.contains("/meadow/"), "{found}");
    assert_eq!(stage.collection()["identity"], stage.url("/garden/"));
}

#[test]
fn missing_metadata_is_a_finding_and_the_capability_list_has_the_next_word() {
    let stage = Stage::garden(&[]);
    let list = stage.capabilities(true, CHANGES).replace(
        "<rs:md capability=\"capabilitylist\"/>",
        &format!(
            "<rs:ln rel=\"describedby\" href=\"{}\"/><rs:md capability=\"capabilitylist\"/>",
            stage.url("/about.xml")
        ),
    );
    stage.text(CAPABILITIES, list);
    stage.text(
        "/about.xml",
        "<metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>The garden</dc:title></metadata>",
    );
    let item = Item::new(stage.url(CAPABILITIES)).md("capability", "capabilitylist").link(
        "describes",
        &stage.url("/garden/"),
        "",
    );
    let describe = |item: Item| {
        stage.text(DESCRIPTION, document("<rs:md capability=\"description\"/>", &[item]));
    };
    describe(item.clone().link("describedby", &stage.url("/nowhere.xml"), ""));
    stage.follow(&[]).exits(0);
    let found = findings(&stage);
    assert!(found.contains("IFCC-describedby-absent") && found.contains("/nowhere.xml"), "{found}");
    assert_eq!(stage.collection()["title"], "The garden");
    // A Source Description that links to no metadata leaves that to the Capability List, too.
    stage.run(&["unfollow", &stage.url("/")]).exits(0);
    describe(item);
    stage.follow(&[]).exits(0);
    let found = findings(&stage);
    assert!(!found.contains("IFCC-describedby-absent"), "{found}");
    assert_eq!(stage.collection()["title"], "The garden");
}
