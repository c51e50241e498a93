use std::path::Path;

use super::*;

fn verdict(robots: &str, agent: &str, path: &str) -> Verdict {
    let url = Url::parse(&format!("http://foo.bar{path}")).unwrap();
    Robots::parse(robots.as_bytes()).verdict(agent, &url)
}

fn line(robots: &str, agent: &str, path: &str) -> (bool, Option<usize>) {
    let verdict = verdict(robots, agent, path);
    (verdict.allowed, verdict.rule().map(|rule| rule.line))
}

#[test]
fn the_longest_match_wins_and_a_tie_allows() {
    for (robots, path, expected) in [
        ("user-agent: *\nallow: /a\ndisallow: /ab", "/abc", (false, Some(3))),
        ("user-agent: *\ndisallow: /ab\nallow: /a", "/abc", (false, Some(2))),
        ("user-agent: *\ndisallow: /a\nallow: /a", "/abc", (true, Some(3))),
        ("user-agent: *\ndisallow: /", "/robots.txt", (true, None)),
        ("user-agent: *\ndisallow:", "/", (true, None)),
        ("user-agent: *\ndisallow: /b", "/a", (true, None)),
        ("user-agent: *\ndisallow: /\nallow: /a/index.html", "/a/", (true, Some(3))),
        ("user-agent: *\ndisallow: /\nallow: /a/index.html", "/a/b", (false, Some(2))),
        ("user-agent: *\ndisallow: /\nallow: /ä", "/%C3%A4", (true, Some(3))),
        ("disallow: /\nuser-agent: *\n", "/", (true, None)),
        ("", "/", (true, None)),
    ] {
        assert_eq!(line(robots, "FooBot", path), expected, "{robots:?} {path}");
    }
}

#[test]
fn groups_are_merged_and_the_own_ones_replace_those_for_all() {
    let robots = "user-agent: *\ndisallow: /x\n\nUser-Agent: foobot/2\nUser-agent: other\n\
        Sitemap: http://foo.bar/map\nCrawl-delay: 1.5\ndisallow: /a\n\nuser-agent: FOOBOT\ndisallow: /b";
    for (agent, path, expected) in [
        ("FooBot", "/a", (false, Some(8))),
        ("FooBot/1.0", "/b", (false, Some(11))),
        ("FooBot", "/x", (true, None)),
        ("Other", "/a", (false, Some(8))),
        ("Other", "/b", (true, None)),
        ("Stranger", "/x", (false, Some(2))),
    ] {
        assert_eq!(line(robots, agent, path), expected, "{agent} {path}");
    }
    let parsed = Robots::parse(robots.as_bytes());
    assert_eq!(parsed.crawl_delay("foobot"), Some(Duration::from_millis(1500)));
    assert_eq!(parsed.crawl_delay("stranger"), None);
    assert_eq!(parsed.sitemaps().collect::<Vec<_>>(), ["http://foo.bar/map"]);
    let rule = verdict(robots, "other", "/a").rule().cloned().unwrap();
    assert_eq!((rule.group, rule.text.as_str()), (5, "disallow: /a"));
    assert_eq!(verdict("user-agent: a\ndisallow: /", "b", "/").reason, Reason::NoGroup);
}

#[test]
fn lines_are_counted_however_they_end_and_marks_are_passed_over() {
    for end in ["\n", "\r", "\r\n"] {
        for mark in [&b""[..], b"\xEF\xBB\xBF", b"\xEF\xBB", b"\xEF"] {
            let text = format!("User-agent: *{end}{end}Disallow: /a{end}");
            let robots = Robots::parse(&[mark, text.as_bytes()].concat());
            let url = Url::parse("http://foo.bar/a").unwrap();
            let verdict = robots.verdict("x", &url);
            assert_eq!(verdict.rule().map(|rule| rule.line), Some(3), "{end:?} {mark:?}");
        }
    }
}

#[test]
fn only_the_first_500_kib_are_read() {
    let mut robots = "User-agent: *\n".to_owned();
    robots.push_str(&"#\n".repeat((500 << 10) / 2));
    assert!(verdict(&(robots.clone() + "Disallow: /"), "x", "/").allowed);
    assert!(!verdict(&robots.replacen("#\n", "Disallow: /\n", 1), "x", "/").allowed);
}

#[test]
fn reasons_are_said_in_words() {
    let url = Url::parse("http://foo.bar/a").unwrap();
    let said = |robots: &Robots| robots.verdict("tidings", &url).reason.to_string();
    assert_eq!(
        said(&Robots::parse(b"User-agent: *\n Disallow: /a # not this\n")),
        "robots.txt line 2: Disallow: /a # not this"
    );
    let busy = Obstacle::Status(http::StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(
        said(&Robots::unreachable(busy)),
        "robots.txt could not be had: the server answered 503 Service Unavailable"
    );
    assert!(!Robots::disallow_all().is_allowed("tidings", &url));
    assert!(Robots::allow_all().is_allowed("tidings", &url));
}

/// 3,000 verdicts that the most widely used matcher gave on random files.
///
/// It is given URLs as they are written; ours come parsed, so the paths are taken out by hand here. Of
/// what parsing leaves as it is, the verdicts are the same; but for it `/a<b` and `/a%3Cb` are two
/// paths, and for us one.
#[test]
fn verdicts_are_those_of_the_matcher_that_sites_are_written_for() {
    let verdicts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/robots-verdicts.json");
    let text = std::fs::read_to_string(verdicts).unwrap();
    let cases: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut wrong = Vec::new();
    for case in cases.as_array().unwrap() {
        let field = |name: &str| case[name].as_str().unwrap();
        let path = field("url").strip_prefix("http://foo.bar").unwrap();
        let verdict = Rules::parse(field("robots").as_bytes()).verdict(field("agent"), &[path]);
        if verdict.allowed != case["allowed"].as_bool().unwrap() {
            wrong.push((case, verdict));
            continue;
        }
        let url = Url::parse(field("url")).unwrap();
        let parsed = Robots::parse(field("robots").as_bytes()).verdict(field("agent"), &url);
        if url.as_str() == field("url") && !path.contains("%3C") && parsed != verdict {
            wrong.push((case, parsed));
        }
    }
    assert!(wrong.is_empty(), "{} differ; the first: {:?}", wrong.len(), wrong.first());
    println!("{} verdicts agree", cases.as_array().unwrap().len());
}
