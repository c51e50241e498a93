//! A grid of leads: 50 webfeeds with as many posts each.

use std::path::Path;

use tidings_store::{
    FetchedPost, Location, Millis, NewPost, NewSite, Outcome, PostText, PostsOutcome, ReadPost,
    Settings, State, Store, Via,
};
use tidings_syndication::{Details, Webfeed};

use crate::Result;

const WEBFEEDS: u64 = 50;
const DAY: Millis = 24 * 60 * 60 * 1000;

pub(crate) async fn fill(data: &Path, count: u64) -> Result<()> {
    let store = Store::open(&Location::Folder(data.to_owned()), None).await?;
    let due = Some(store.now().await? + DAY);
    for number in 0..WEBFEEDS {
        let key = format!("w{number}.example");
        let url = format!("https://{key}/index.txt");
        let author = Some(format!("Author {number}"));
        let webfeed = Webfeed { author: author.clone(), ..Webfeed::default() };
        let details = Details { webfeed: Some(webfeed), ..Details::default() };
        let followed = store
            .follow(NewSite {
                key: key.clone(),
                asked: url.clone(),
                url,
                host: key.clone(),
                via: Via::Webfeed,
                title: author,
                settings: Settings { tiles: 1_000, ..Settings::default() },
                details: details.write(),
                interval: DAY,
                due,
                collections: Vec::new(),
            })
            .await?;
        let lease = store.claim_site("bench", &key, DAY).await?.ok_or("it is leased")?;
        let posts = count / WEBFEEDS;
        let name = |post: u64| format!("https://{key}/post-{post}.html");
        let added = (0..posts).map(|post| NewPost {
            url: name(post),
            place: post as i64,
            is_repost: post % 7 == 0,
        });
        let fetched = (0..posts).map(|post| FetchedPost {
            url: name(post),
            result: Ok(ReadPost {
                text: PostText { at: name(post), text: page(number, post) },
                title: Some(format!("Post {post} of {number}")),
                author: None,
                sections: 2,
            }),
        });
        let posts = PostsOutcome {
            added: added.collect(),
            fetched: fetched.collect(),
            ..PostsOutcome::default()
        };
        let outcome = Outcome {
            site_id: followed.site.id,
            state: State::Well,
            reason: None,
            failures: 0,
            interval: DAY,
            wait: DAY,
            title: None,
            details: None,
            collections: Vec::new(),
            snapshot: None,
            moved: None,
            posts: Some(Box::new(posts)),
            requests: 1,
            took: 1,
        };
        store.finish(&lease, outcome).await?;
        store.release(&lease).await?;
    }
    println!("{count}");
    Ok(())
}

fn page(number: u64, post: u64) -> String {
    let hue = (number * 37 + post * 11) % 360;
    format!(
        "<!DOCTYPE html><meta name=\"author\" content=\"Author {number}\">\
         <style>section {{ background: linear-gradient(hsl({hue} 60% 80%), hsl({hue} 60% 95%)); \
         display: grid; place-content: center; text-align: center; font: 2rem system-ui }}</style>\
         <section><h1>Post {post}</h1><p>The harbour was quiet, and the boats lay where they had been \
         left.</p></section><section><p>{}</p></section>",
        "More of it. ".repeat(60)
    )
}
