//! Indexes that lead in circles, too deep, too far, or to nothing; and descriptions of too much.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::stage::{CAPABILITIES, CHANGES, DESCRIPTION, SITEMAP, Stage};
use crate::support::documents::{Item, description, document, index};
use crate::support::server::Reply;

fn change_index(stage: &Stage, members: &[&str]) -> String {
    let members: Vec<Item> = members
        .iter()
        .map(|member| Item::new(stage.url(member)).md("capability", "changelist"))
        .collect();
    index("<rs:md capability=\"changelist\" from=\"2020-01-01T00:00:00Z\"/>", &members)
}

fn sitemap_index(stage: &Stage, members: &[&str]) -> String {
    let members: Vec<Item> = members.iter().map(|member| Item::new(stage.url(member))).collect();
    index("", &members)
}

#[test]
fn change_list_indexes_that_go_in_circles_come_to_an_end() {
    let stage = Stage::followed(&[]);
    let list = |page: &str| stage.change_list(&[stage.change(page, "created", "2026-01-02")]);
    stage.text("/one.xml", list("one"));
    stage.text(CHANGES, change_index(&stage, &[CHANGES, "/one.xml", CHANGES, "/one.xml"]));
    stage.brings(1);
    stage.text("/two.xml", list("two"));
    stage.text(CHANGES, change_index(&stage, &["/other.xml", "/one.xml"]));
    stage.text("/other.xml", change_index(&stage, &[CHANGES, "/two.xml", "/other.xml"]));
    stage.server.forget_log();
    let polled = stage.poll();
    polled.exits(0);
    assert_eq!(polled.changes(), 1);
    for path in [CHANGES, "/other.xml", "/one.xml", "/two.xml"] {
        assert_eq!(stage.server.count(path), 1, "{path}");
    }
}

#[test]
fn indexes_that_are_too_deep_or_too_wide_are_said_to_be() {
    let stage = Stage::followed(&[]);
    for level in 0..20 {
        let next = format!("/level-{}.xml", level + 1);
        let path = if level == 0 { CHANGES.to_owned() } else { format!("/level-{level}.xml") };
        stage.text(&path, change_index(&stage, &[&next]));
    }
    stage.server.forget_log();
    stage.fails(&["index in an index"]);
    assert!(stage.server.log().len() < 6);
    let members: Vec<String> = (0..5_000).map(|number| format!("/member-{number}.xml")).collect();
    let members: Vec<&str> = members.iter().map(String::as_str).collect();
    stage.text(CHANGES, change_index(&stage, &members));
    stage.server.forget_log();
    stage.fails(&[CHANGES, "2000"]);
    assert!(stage.server.log().len() < 10, "{}", stage.server.log().len());
    stage.put_changes(&[stage.change("a", "created", "2026-01-02")]);
    stage.brings(1);
}

/// Else the next poll would begin after what was missed.
#[test]
fn of_an_index_all_members_count_or_none() {
    let stage = Stage::followed(&[]);
    let list = |page: &str, time: &str| stage.change_list(&[stage.change(page, "created", time)]);
    stage.text("/one.xml", list("one", "2026-01-02T00:00:00Z"));
    stage.text("/three.xml", list("three", "2026-03-02T00:00:00Z"));
    stage.text(CHANGES, change_index(&stage, &["/one.xml", "/two.xml", "/three.xml"]));
    for reply in [
        Reply::new(404, ""),
        Reply::new(403, ""),
        Reply::ok(crate::stage::HTML),
        Reply::redirect("/two.xml"),
        Reply::new(500, ""),
    ] {
        stage.server.put("/two.xml", reply);
        stage.fails(&["/two.xml"]);
    }
    stage.text("/two.xml", list("two", "2026-02-02T00:00:00Z"));
    stage.brings(3);
    assert_eq!(stage.told(), ["created one", "created two", "created three"]);
}

#[test]
fn sitemap_indexes_that_go_in_circles_come_to_an_end() {
    let stage = Stage::empty();
    stage.text(SITEMAP, sitemap_index(&stage, &[SITEMAP, "/one.xml", "/other.xml", "/one.xml"]));
    stage.text("/one.xml", stage.sitemap(&["/a"]));
    stage.text("/other.xml", sitemap_index(&stage, &[SITEMAP, "/other.xml", "/deep-0.xml"]));
    for level in 0..12 {
        let next = format!("/deep-{}.xml", level + 1);
        stage.text(&format!("/deep-{level}.xml"), sitemap_index(&stage, &[&next, "/one.xml"]));
    }
    let followed = stage.follow(&[]);
    assert!(matches!(followed.code, Some(0 | 1)), "{}", followed.errors);
    stage.text("/one.xml", stage.sitemap(&["/a", "/b"]));
    stage.server.forget_log();
    stage.poll();
    assert_eq!(stage.told(), ["created /b"]);
    assert!(stage.server.log().len() < 40, "{}", stage.server.log().len());
}

#[test]
fn a_sitemap_index_of_too_many_is_read_as_far_as_that_is_reasonable() {
    let stage = Stage::empty();
    let members: Vec<String> = (0..5_000).map(|number| format!("/m/{number}.xml")).collect();
    for (number, member) in members.iter().enumerate() {
        stage.text(member, stage.sitemap(&[&format!("/page-{number}")]));
    }
    let members: Vec<&str> = members.iter().map(String::as_str).collect();
    stage.text(SITEMAP, sitemap_index(&stage, &members));
    let begun = Instant::now();
    stage.follow(&[]).exits(0);
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    let reason = stage.follower.site()["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("are not read"), "{reason}");
    let asked = stage.server.log().len();
    assert!(asked < 2_100, "{asked} requests");
}

/// The description of a site that has more collections than anybody can follow.
fn crowd(stage: &Stage, count: usize) {
    let lists: Vec<String> =
        (0..count).map(|number| stage.url(&format!("/c/{number}/list.xml"))).collect();
    stage.text(DESCRIPTION, description(&lists));
    for number in 0..count {
        let head = format!(
            "<rs:ln rel=\"describes\" href=\"{}\"/><rs:md capability=\"capabilitylist\"/>",
            stage.url(&format!("/c/{number}/"))
        );
        let offer = Item::new(stage.url(CHANGES)).md("capability", "changelist");
        stage.text(&format!("/c/{number}/list.xml"), document(&head, &[offer]));
    }
    stage.put_changes(&[stage.change("a", "created", "2026-01-02")]);
}

#[test]
fn a_description_of_ten_thousand_collections_takes_bounded_time_and_memory() {
    let stage = Stage::empty();
    crowd(&stage, 10_000);
    let begun = Instant::now();
    let mut command = stage.follower.command(&["follow", &stage.url("/"), "--titles", "0"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut most = 0;
    let status = loop {
        most = most.max(memory(child.id()));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert_eq!(status.code(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(18), "{:?}", begun.elapsed());
    assert!(most < 200 << 10, "{most} kB");
    let site = stage.follower.site();
    let followed = site["collections"].as_array().unwrap().len();
    assert!((900..=1_000).contains(&followed), "{followed}");
    assert!(stage.server.log().len() < 4_000, "{}", stage.server.log().len());
}

#[test]
fn collections_that_are_left_out_are_counted() {
    let stage = Stage::empty();
    crowd(&stage, 1_500);
    stage.follow(&["--no-poll"]).exits(0);
    let site = stage.follower.site();
    let followed = site["collections"].as_array().unwrap().len() as u64;
    assert_eq!(followed + site["left_out"].as_u64().unwrap(), 1_500);
}

/// What is said of a site is for people.
#[test]
fn what_is_said_of_very_many_mistakes_is_not_long() {
    let stage = Stage::empty();
    let lists: Vec<String> =
        (0..3_000).map(|number| stage.url(&format!("/c/{number}/list.xml"))).collect();
    stage.text(DESCRIPTION, description(&lists));
    let answer = stage.follow(&[]);
    stage.is_not_followed(&answer, &["404"]);
    assert!(answer.errors.len() < 16 << 10, "{} bytes", answer.errors.len());
}

#[test]
fn a_description_that_lists_itself_leads_to_its_collections_nevertheless() {
    let stage = Stage::garden(&[Item::new("/garden/a").change("created").at("2026-01-02")]);
    let lists = [stage.url(DESCRIPTION), stage.url(CAPABILITIES), stage.url(CAPABILITIES)];
    stage.text(DESCRIPTION, description(&lists));
    stage.follow(&[]).exits(0);
    assert_eq!(stage.follower.site()["collections"].as_array().unwrap().len(), 1);
    assert_eq!(stage.told(), ["created a"]);
    stage.is_settled();
}

/// The most memory that a process ever had, in kilobytes.
fn memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
