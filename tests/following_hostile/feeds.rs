//! Feeds of a site's own that are taken over, however they are.

use crate::stage::{FEED, Stage};

fn rss(items: &str) -> String {
    format!(
        "<rss version=\"2.0\"><channel><title>News</title><link>http://news.example/</link>\
         <description>d</description>{items}</channel></rss>"
    )
}

#[test]
fn entries_without_ids_or_dates_are_told_once() {
    let bare = [
        "<item><title>Only a title</title></item>",
        "<item><link>http://news.example/only-a-link</link></item>",
        "<item><description>Only a text</description></item>",
        "<item><title>Same title</title><link>http://news.example/1</link></item>",
        "<item><title>Same title</title><link>http://news.example/2</link></item>",
        "<item><title>Bad date</title><pubDate>yesterday</pubDate></item>",
        "<item><title>Future</title><guid>f</guid><pubDate>Fri, 01 Jan 2100 00:00:00 GMT</pubDate></item>",
        "<item></item>",
    ];
    let stage = Stage::with_feed(&rss(&bare.concat()));
    let first = stage.told();
    assert!((7..=8).contains(&first.len()), "{first:?}");
    stage.is_settled();
    // No entry lies in the future.
    let newest = stage.collection()["changed_at"].as_str().unwrap().to_owned();
    assert!(newest.parse::<jiff::Timestamp>().unwrap() <= jiff::Timestamp::now());
    // In another order they are the same.
    let mut turned = bare;
    turned.reverse();
    stage.text(FEED, rss(&turned.concat()));
    stage.brings(0);
    stage.text(FEED, rss(&format!("<item><title>New</title></item>{}", bare.concat())));
    stage.brings(1);
}

#[test]
fn of_very_many_entries_the_first_thousand_count() {
    let item = |number: u32| {
        format!(
            "<item><guid>{number}</guid><title>{number}</title>\
             <pubDate>Sun, 02 Nov 2025 {:02}:{:02}:{:02} GMT</pubDate></item>",
            number / 3600,
            number / 60 % 60,
            number % 60
        )
    };
    let items: String = (0..1_500).rev().map(item).collect();
    let stage = Stage::with_feed(&rss(&items));
    assert_eq!(stage.told().len(), 1_000);
    assert_eq!(stage.ids().len(), 1);
    stage.is_settled();
    let items: String = (0..1_503).rev().map(item).collect();
    stage.text(FEED, rss(&items));
    stage.brings(3);
}

#[test]
fn one_id_many_times_is_one_entry() {
    let stage = Stage::with_feed(&rss(
        &"<item><guid>1</guid><title>x</title><pubDate>Sun, 02 Nov 2025 00:00:00 GMT</pubDate></item>"
            .repeat(50),
    ));
    assert_eq!(stage.told().len(), 1);
    stage.is_settled();
}

#[test]
fn what_is_no_feed_any_more_is_an_error_and_no_news() {
    let good = rss("<item><guid>1</guid><title>x</title></item>");
    let stage = Stage::with_feed(&good);
    for bad in [
        "<rss version=\"2.0\"><channel><item><title>x</item></channel></rss>",
        "<rss><channel>",
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry></feed>",
        "{\"version\": \"https://jsonfeed.org/version/1.1\", \"items\": [",
        "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"></urlset>",
        "\u{FEFF}",
        "not a feed",
    ] {
        stage.text(FEED, bad);
        stage.fails(&[FEED]);
    }
    stage.text(FEED, good);
    stage.brings(0);
    // An empty feed says nothing of what was in it.
    stage.text(FEED, rss(""));
    stage.brings(0);
}

/// Feeds of podcasts have megabytes.
#[test]
fn a_large_feed_is_followed() {
    let stage = Stage::empty();
    let text = "word ".repeat(20_000);
    let items: String = (0..30)
        .map(|number| {
            format!("<item><guid>{number}</guid><description>{text}</description></item>")
        })
        .collect();
    stage.text(FEED, rss(&items));
    stage.follow_at(FEED, &[]).exits(0);
    assert_eq!(stage.told().len(), 30);
}
