//! Sites that adopt ResourceSync, or give it up: same feeds, same past, no entry twice.

use serde_json::Value;

use crate::database::Database;
use crate::stage::{CAPABILITIES, CHANGES, DESCRIPTION, FEED, SITEMAP, Stage, wait_until};
use crate::support::documents::{Item, description, document};
use crate::support::follower::{Serving, path_of};
use crate::support::server::Reply;

/// A time that many seconds from now, as documents write it.
fn from_now(seconds: i64) -> String {
    let now = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(seconds);
    now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Puts a Sitemap of pages of the garden, each with its time.
fn put_dated_sitemap(stage: &Stage, pages: &[(&str, &str)]) {
    let item = |(page, time): &(&str, &str)| {
        Item::new(stage.url(&format!("/garden/{page}"))).lastmod(time)
    };
    stage.text(SITEMAP, document("", &pages.iter().map(item).collect::<Vec<_>>()));
}

fn remove_source(stage: &Stage) {
    for path in [DESCRIPTION, CAPABILITIES, CHANGES] {
        stage.server.remove(path);
    }
}

/// The means by which the one site is followed.
fn via(stage: &Stage) -> Value {
    stage.follower.site()["via"].clone()
}

/// What must not change: the key of the site, and the keys and feeds of its collections.
fn places(stage: &Stage) -> Value {
    let site = stage.follower.site();
    let keys = |name: &str| {
        let collections = site["collections"].as_array().unwrap();
        collections.iter().map(|one| one[name].clone()).collect::<Vec<_>>()
    };
    serde_json::json!([site["key"], site["feeds"], keys("key"), keys("feeds")])
}

fn entry(page: &str, time: &str) -> String {
    format!(
        "<entry><title>{page}</title><id>urn:{page}</id><link href=\"/garden/{page}\"/>\
         <published>{time}</published><updated>{time}</updated></entry>"
    )
}

fn put_feed(stage: &Stage, entries: &[String]) {
    let feed = format!(
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Garden news</title><id>urn:f</id>\
         <updated>2026-01-02T00:00:00Z</updated>{}</feed>",
        entries.concat()
    );
    stage.text(FEED, feed);
    let page =
        format!("<title>Garden</title><link rel=alternate type=application/atom+xml href={FEED}>");
    stage.server.put("/", Reply::ok(page).with("Content-Type", "text/html"));
}

#[test]
fn a_site_that_adopts_resourcesync_and_gives_it_up_keeps_its_feed() {
    let stage = Stage::empty();
    let [a, b, c] = [-7_200, -3_600, 60].map(from_now);
    put_dated_sitemap(&stage, &[("a", &a), ("b", &b)]);
    stage.follow(&[]).exits(0);
    let (before, first) = (places(&stage), stage.ids());
    assert_eq!(stage.told(), ["updated a", "updated b"]);
    // The Change List says the same, in other words, and one thing more.
    stage.put_source(true);
    stage.put_changes(&[
        stage.change("a", "created", &a),
        stage.change("b", "updated", &b),
        stage.change("c", "created", &c),
    ]);
    let polled = stage.poll();
    polled.exits(0);
    assert_eq!(polled.changes(), 1, "{:?}", stage.told());
    assert_eq!(via(&stage), "resourcesync");
    assert_eq!(places(&stage), before);
    assert_eq!(stage.told(), ["updated a", "updated b", "created c"]);
    assert_eq!(stage.ids()[..first.len()], first, "its past stays");
    assert_eq!(stage.collection()["identity"], stage.url("/garden/"));
    stage.is_settled();
    // It gives it up again: one answer of that kind may be a mistake.
    remove_source(&stage);
    put_dated_sitemap(&stage, &[("a", &a), ("b", &b), ("c", &c)]);
    stage.fails(&["404"]);
    let polled = stage.poll();
    polled.exits(0);
    assert_eq!(polled.changes(), 0, "{:?}", stage.told());
    assert_eq!((via(&stage), places(&stage)), ("sitemap".into(), before.clone()));
    put_dated_sitemap(&stage, &[("a", &a), ("b", &b), ("c", &c), ("d", &c)]);
    stage.brings(1);
    assert_eq!(stage.told()[2..], ["created c", "created d"]);
    // And back.
    stage.put_source(true);
    stage.put_changes(&[stage.change("c", "created", &c), stage.change("d", "created", &c)]);
    stage.brings(0);
    assert_eq!((via(&stage), places(&stage)), ("resourcesync".into(), before));
}

#[test]
fn a_site_with_a_feed_adopts_resourcesync_and_goes_back_to_its_feed() {
    let stage = Stage::empty();
    let [a, b, c] = [-7_200, -3_600, 60].map(from_now);
    put_feed(&stage, &[entry("a", &a), entry("b", &b)]);
    stage.follow(&[]).exits(0);
    let before = places(&stage);
    assert_eq!((via(&stage), stage.told().len()), ("feed".into(), 2));
    stage.put_source(true);
    stage.put_changes(&[
        stage.change("a", "created", &a),
        stage.change("b", "created", &b),
        stage.change("c", "created", &c),
    ]);
    stage.brings(1);
    assert_eq!((via(&stage), places(&stage)), ("resourcesync".into(), before.clone()));
    assert_eq!(stage.told(), ["created a", "created b", "created c"]);
    remove_source(&stage);
    put_feed(&stage, &[entry("a", &a), entry("b", &b), entry("c", &c)]);
    stage.fails(&["404"]);
    stage.brings(0);
    assert_eq!((via(&stage), places(&stage)), ("feed".into(), before));
    put_feed(&stage, &[entry("c", &c), entry("d", &from_now(120))]);
    stage.brings(1);
}

#[test]
fn a_site_with_a_feed_adopts_a_sitemap_within_a_day_and_goes_back() {
    let stage = Stage::empty();
    let [a, b] = [-7_200, -3_600].map(from_now);
    put_feed(&stage, &[entry("a", &a), entry("b", &b)]);
    stage.follow(&[]).exits(0);
    let before = places(&stage);
    put_dated_sitemap(&stage, &[("a", &a), ("b", &b)]);
    stage.a_day_passes();
    stage.brings(0);
    assert_eq!((via(&stage), places(&stage)), ("sitemap".into(), before.clone()));
    put_dated_sitemap(&stage, &[("a", &a), ("b", &b), ("c", &b)]);
    stage.brings(1);
    stage.server.remove(SITEMAP);
    stage.fails(&["404"]);
    stage.brings(0);
    assert_eq!((via(&stage), places(&stage)), ("feed".into(), before));
}

/// The means that a site offers at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Means {
    Feed,
    Sitemap,
    Source,
}

impl Means {
    fn name(self) -> &'static str {
        match self {
            Self::Feed => "feed",
            Self::Sitemap => "sitemap",
            Self::Source => "resourcesync",
        }
    }

    /// Offers these pages by these means, and by a feed in any case.
    fn offer(self, stage: &Stage, pages: &[(String, String)]) {
        let pages: Vec<(&str, &str)> =
            pages.iter().map(|(page, time)| (&page[..], &time[..])).collect();
        put_feed(stage, &pages.iter().map(|(page, time)| entry(page, time)).collect::<Vec<_>>());
        stage.server.remove(SITEMAP);
        remove_source(stage);
        match self {
            Self::Feed => {}
            Self::Sitemap => put_dated_sitemap(stage, &pages),
            Self::Source => {
                stage.put_source(true);
                let changes = pages.iter().map(|(page, time)| stage.change(page, "created", time));
                stage.put_changes(&changes.collect::<Vec<_>>());
            }
        }
    }
}

/// What was told so far, as the API has it, the oldest first.
fn told_by_api(server: &Serving, stage: &Stage) -> Vec<String> {
    let collections = stage.follower.site()["collections"].as_array().unwrap().clone();
    let mut told = Vec::new();
    for collection in collections {
        let path =
            format!("/api/collections/{}/changes?limit=100", collection["key"].as_str().unwrap());
        let answer = server.get(&path);
        assert_eq!(answer.status, 200, "{}", answer.text());
        for change in answer.json().as_array().unwrap().iter().rev() {
            let page = change["uri"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            told.push(format!("{} {page}", change["change"].as_str().unwrap()));
        }
    }
    told
}

/// A site goes from each of the means to each of the others: same places, and each page is told once.
fn goes_all_ways(stage: &Stage) {
    use Means::{Feed, Sitemap, Source};
    let page = |number: i64| (format!("p{number}"), from_now(600 * number - 7_200));
    let mut pages = vec![page(0), page(1)];
    Sitemap.offer(stage, &pages);
    stage.follow(&[]).exits(0);
    let server = stage.follower.serve(&["--no-poll"]);
    let before = places(stage);
    let first = told_by_api(&server, stage);
    assert_eq!(first, ["updated p0", "updated p1"]);
    let feed = path_of(stage.collection()["feeds"]["atom"].as_str().unwrap());
    for (number, means) in [Source, Feed, Sitemap, Feed, Source, Sitemap].into_iter().enumerate() {
        let was = via(stage);
        means.offer(stage, &pages);
        // One answer that the old means are gone may be a mistake.
        let is_gone = stage.poll().code == Some(1);
        let polls = 1 + usize::from(is_gone);
        let changes: i64 = (0..polls).map(|_| stage.poll().changes()).sum();
        assert_eq!(via(stage), means.name(), "from {was}: {:#}", stage.follower.site());
        assert_eq!(changes, 0, "from {was} to {means:?}: {:?}", told_by_api(&server, stage));
        assert_eq!(places(stage), before, "from {was} to {means:?}");
        pages.push(page(2 + number as i64));
        means.offer(stage, &pages);
        for expected in [1, 0] {
            assert_eq!(stage.poll().changes(), expected, "from {was} to {means:?}");
        }
        assert_eq!(server.get(&feed).status, 200);
    }
    let told = told_by_api(&server, stage);
    let expected = (2..8).map(|number| format!("created p{number}"));
    assert_eq!(told, first.into_iter().chain(expected).collect::<Vec<_>>());
}

#[test]
fn a_site_goes_from_each_of_its_means_to_each_other_in_place() {
    goes_all_ways(&Stage::empty());
}

#[test]
fn a_site_goes_from_each_of_its_means_to_each_other_in_place_on_postgresql() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let Some(database) = runtime.block_on(Database::new()) else {
        println!("skipped: TIDINGS_POSTGRES names no database to start from");
        return;
    };
    let mut stage = Stage::empty();
    stage.follower.database = Some(database.url().to_owned());
    goes_all_ways(&stage);
    runtime.block_on(database.remove());
}

#[test]
fn a_poll_by_hand_looks_for_all_that_a_site_may_offer() {
    let now = from_now(-60);
    let stage = Stage::empty();
    put_feed(&stage, &[entry("a", &now)]);
    stage.follow(&[]).exits(0);
    assert_eq!(via(&stage), "feed");
    put_dated_sitemap(&stage, &[("a", &now)]);
    stage.brings(0);
    assert_eq!(via(&stage), "sitemap");
    // A Source that only the home page names.
    stage.put_source(true);
    stage.server.remove(DESCRIPTION);
    stage.put_changes(&[stage.change("a", "created", &now)]);
    let page = format!("<title>Garden</title><link rel=resourcesync href={CAPABILITIES}>");
    stage.server.put("/", Reply::ok(page).with("Content-Type", "text/html"));
    stage.brings(0);
    assert_eq!(via(&stage), "resourcesync");
}

#[test]
fn who_names_a_feed_goes_on_with_the_feed() {
    let stage = Stage::empty();
    put_feed(&stage, &[entry("a", &from_now(-60))]);
    stage.follow_at(FEED, &[]).exits(0);
    stage.put_source(true);
    stage.put_changes(&[stage.change("b", "created", &from_now(60))]);
    stage.a_day_passes();
    stage.brings(0);
    assert_eq!(via(&stage), "feed");
}

#[test]
fn a_day_without_a_time_is_told_once_when_a_site_adopts_resourcesync() {
    let stage = Stage::empty();
    let today = &from_now(0)[..10];
    put_dated_sitemap(&stage, &[("a", today)]);
    stage.follow(&[]).exits(0);
    assert_eq!(stage.told(), ["updated a"]);
    stage.put_source(true);
    let change = |page: &str, kind: &str| stage.change(page, kind, today);
    stage.put_changes(&[change("a", "updated"), change("b", "created")]);
    stage.brings(1);
    stage.put_changes(&[change("a", "updated"), change("b", "created"), change("c", "created")]);
    stage.brings(1);
    assert_eq!(stage.told(), ["updated a", "created b", "created c"]);
}

fn get(server: &Serving, path: &str) -> (u16, Option<String>) {
    let answer = server.get(path);
    (answer.status, answer.header("Location"))
}

#[test]
fn the_feed_of_an_unfollowed_site_is_gone_until_it_is_followed_again() {
    let stage = Stage::followed(&[]);
    let site = stage.follower.site();
    let feeds = [&site["feeds"]["atom"], &site["collections"][0]["feeds"]["json"]];
    let feeds = feeds.map(|feed| path_of(feed.as_str().unwrap()));
    let server = stage.follower.serve(&["--no-poll"]);
    for feed in &feeds {
        assert_eq!(get(&server, feed).0, 200);
    }
    assert_eq!(get(&server, "/feeds/never.atom").0, 404);
    stage.run(&["unfollow", &stage.url("/")]).exits(0);
    for feed in &feeds {
        wait_until("it is gone", std::time::Duration::from_secs(20), || {
            get(&server, feed).0 == 410
        });
    }
    stage.follow(&[]).exits(0);
    for feed in &feeds {
        assert_eq!(get(&server, feed).0, 200, "{feed}");
    }
}

#[test]
fn the_feed_of_a_site_that_has_several_sets_by_now_leads_to_that_of_the_site() {
    let stage = Stage::with_sitemap(&["/garden/a"]);
    let feed = stage.feeds()[0].clone();
    stage.put_source(true);
    stage.put_changes(&[]);
    let pond = stage.capabilities(true, "/pond.xml").replace("/garden/\"", "/pond/\"");
    stage.text("/pond-list.xml", pond);
    stage.text("/pond.xml", stage.change_list(&[]));
    stage.text(DESCRIPTION, description(&[stage.url(CAPABILITIES), stage.url("/pond-list.xml")]));
    stage.brings(0);
    let site = stage.follower.site();
    assert_eq!(site["collections"].as_array().unwrap().len(), 3);
    let server = stage.follower.serve(&["--no-poll"]);
    let target = path_of(site["feeds"]["atom"].as_str().unwrap());
    assert_eq!(get(&server, &feed), (301, Some(target.clone())));
    assert_eq!(get(&server, &target).0, 200);
    let changes = feed.replace(".atom", "/changes.rss");
    assert_eq!(get(&server, &changes).1.unwrap(), target.replace(".atom", "/changes.rss"));
}
