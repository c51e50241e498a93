//! Posts and style sheets made safe, beside ammonia: a line for each who does it.

use std::hint::black_box;
use std::time::Instant;

use ammonia::{Builder, UrlRelative};
use tidings_webfeed::{Post, css};
use url::Url;

use crate::Result;

const ROUNDS: usize = 5;
/// How many bytes go through in one round.
const BYTES: usize = 16 << 20;

pub(crate) fn run(what: &str) -> Result<()> {
    let at = Url::parse("https://a.example/feed/")?;
    if what == "css" {
        let sheet = sheet();
        time("Tidings, a style sheet", &sheet, |sheet| {
            css::sanitise(sheet, &at, &mut |url| Some(url.to_string())).len()
        });
        return Ok(());
    }
    let post = post();
    time("Tidings, a post", &post, |post| {
        let post = Post::parse(post, &at, &mut |url| Some(url.to_string()));
        post.sections.iter().map(|section| section.html.len()).sum()
    });
    let mut builder = Builder::default();
    builder
        .add_tags(["section"])
        .add_generic_attributes(["class"])
        .url_relative(UrlRelative::RewriteWithBase(at));
    time("ammonia", &post, |post| builder.clean(post).to_string().len());
    time("html5gum, tags only", &post, |post| {
        let tags = html5gum::Tokenizer::new(post).filter(|token| {
            matches!(token, Ok(html5gum::Token::StartTag(_)))
        });
        tags.count()
    });
    Ok(())
}

fn time(name: &str, text: &str, mut work: impl FnMut(&str) -> usize) {
    let times = BYTES / text.len();
    let mut seconds = Vec::new();
    for round in 0..=ROUNDS {
        let begun = Instant::now();
        for _ in 0..times {
            black_box(work(black_box(text)));
        }
        if round > 0 {
            seconds.push(begun.elapsed().as_secs_f64().to_string());
        }
    }
    println!("{name}\t{}\t{}", text.len() * times, seconds.join(" "));
}

/// Ten screens with pictures and links, as people write them.
fn post() -> String {
    let paragraph = "<p class=\"x\">The harbour was <em>quiet</em> this morning, and the \
        <a href=\"/boats/12?x=1&amp;y=2\">boats</a> lay where they had been left, tied up in twos and \
        threes along the wall, with nobody about but the gulls.</p>\n\
        <img src=\"pictures/harbour.jpg\" alt=\"The harbour\" width=640 height=480>\n";
    let mut post = "<!DOCTYPE html>\n<meta name=author content=Ada>\n\
        <link rel=stylesheet href=style.css>\n"
        .to_owned();
    for number in 0..10 {
        post.push_str(&format!("<section class=screen>\n<h1>Harbour {number}</h1>\n"));
        post.push_str(&paragraph.repeat(8));
        post.push_str("</section>\n");
    }
    post
}

fn sheet() -> String {
    let rule = ".screen > h1, section:nth-of-type(even) p { color: #123456; margin: 0 auto 1rem; \
        background: url(\"harbour.png\") no-repeat center; transform: translate(10px, 20%) }\n\
        @media (max-width: 40rem) { .screen { padding: 1rem; font: 1rem/1.5 system-ui } }\n";
    rule.repeat(60)
}
