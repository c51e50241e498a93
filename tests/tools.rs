//! The pages for those who make sites and those who copy them: check, explore, document, robots, copies.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

mod support;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::copied::Served;
use support::documents::gzip;
use support::follower::{Answer, Follower, Serving};
use support::server::{Reply, Server, Way};
use support::stage::Stage;
use support::tidings;

const BROKEN: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">
<url><loc>/relative</loc><lastmod>yesterday</lastmod></url>
<url><loc>https://example.com/<script>alert(1)</script></loc></url>
</urlset>
";

/// A server, and a browser that looks at it.
struct Visit {
    server: Serving,
    cookie: String,
    guard: String,
    _follower: Follower,
}

impl Visit {
    fn new() -> Self {
        Self::of(Follower::default(), &[], |_| {})
    }

    fn of(follower: Follower, arguments: &[&str], with: impl FnOnce(&mut Command)) -> Self {
        let mut command =
            follower.command(&[&["serve", "--json", "--no-poll"], arguments].concat());
        if !arguments.contains(&"--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        with(&mut command);
        let server = Serving::start(command);
        let page = server.get("/check");
        let lines = page.head.lines().filter_map(|line| line.split_once(": "));
        let cookies = lines.filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
        let cookies: Vec<&str> = cookies.filter_map(|(_, value)| value.split(';').next()).collect();
        let cookie = cookies.join("; ");
        let guard =
            page.text().split("name=\"guard\" value=\"").nth(1).unwrap_or_default().to_owned();
        let guard = guard.split('"').next().unwrap_or_default().to_owned();
        Self { server, cookie, guard, _follower: follower }
    }

    fn get(&self, path: &str) -> Answer {
        self.server.request("GET", path, &format!("Cookie: {}\r\n", self.cookie), "")
    }

    /// A page that has to be there.
    #[track_caller]
    fn page(&self, path: &str) -> String {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {} {}", answer.head, answer.text());
        sound(&answer.text());
        answer.text()
    }

    /// The same, once what it waits for is done.
    #[track_caller]
    fn done(&self, path: &str) -> String {
        let begun = Instant::now();
        loop {
            let page = self.page(path);
            if !page.contains("class=\"working\"") {
                return page;
            }
            assert!(begun.elapsed() < Duration::from_secs(30), "{path} does not end");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn post(&self, path: &str, headers: &str, fields: &[(&str, &str)]) -> Answer {
        let mut body = url::form_urlencoded::Serializer::new(String::new());
        let body = body.extend_pairs(fields).finish();
        let kind = "Content-Type: application/x-www-form-urlencoded\r\n";
        let headers = format!("{kind}Cookie: {}\r\n{headers}", self.cookie);
        self.server.request("POST", path, &headers, &body)
    }

    /// A form with a file.
    fn upload(&self, guard: Option<&str>, headers: &str, name: &str, text: &str) -> Answer {
        self.upload_as("sitemap", guard, headers, name, text)
    }

    fn upload_as(
        &self,
        profile: &str,
        guard: Option<&str>,
        headers: &str,
        name: &str,
        text: &str,
    ) -> Answer {
        let mut body = String::new();
        if let Some(guard) = guard {
            body += &format!(
                "--XX\r\nContent-Disposition: form-data; name=\"guard\"\r\n\r\n{guard}\r\n"
            );
        }
        body += &format!(
            "--XX\r\nContent-Disposition: form-data; name=\"profile\"\r\n\r\n{profile}\r\n"
        );
        body += &format!(
            "--XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             Content-Type: application/xml\r\n\r\n{text}\r\n--XX--\r\n"
        );
        let kind = "Content-Type: multipart/form-data; boundary=XX\r\n";
        let headers = format!("{kind}Cookie: {}\r\n{headers}", self.cookie);
        self.server.request("POST", "/check", &headers, &body)
    }
}

/// What holds for every page.
#[track_caller]
fn sound(page: &str) {
    assert_eq!(page.matches("<h1").count(), 1, "{page}");
    assert_eq!(page.matches("<script").count(), 1, "{page}");
    for bad in [" style=", " onclick", "href=\"javascript:", "<style"] {
        assert!(!page.contains(bad), "{bad}: {page}");
    }
    for kind in
        ["ul", "li", "details", "summary", "span", "div", "form", "section", "article", "pre"]
    {
        let opened =
            page.matches(&format!("<{kind}>")).count() + page.matches(&format!("<{kind} ")).count();
        assert_eq!(opened, page.matches(&format!("</{kind}>")).count(), "{kind}: {page}");
    }
    for field in page.split("<input ").skip(1).filter(|field| !field.starts_with("type=\"hidden\""))
    {
        let id = field.split("id=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        assert!(page.contains(&format!("<label for=\"{id}\"")), "{id}: {page}");
    }
}

#[track_caller]
fn contains(page: &str, parts: &[&str]) {
    for part in parts {
        assert!(page.contains(part), "{part:?} is not in\n{page}");
    }
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[test]
fn a_broken_document_is_explained() {
    let (visit, site) = (Visit::new(), Server::start());
    site.put("/s.xml", Reply::ok(BROKEN));
    let url = encoded(&site.url("/s.xml"));
    contains(
        &visit.page("/check"),
        &["<title>Check · Tidings</title>", "enctype=\"multipart/form-data\""],
    );
    let path = format!("/check?url={url}");
    let page = visit.done(&path);
    contains(
        &page,
        &[
            "Sitemap, 2 entries",
            "class=\"finding error\"",
            "What to do:",
            &format!("/document?url={url}#L3\">line 3</a>"),
            "Copy link",
            "severity=error",
            "entry 1",
        ],
    );
    assert!(!page.contains("alert(1)</script>"), "{page}");
    // The same link shows the same, without asking again.
    let asked = site.log().len();
    let only = visit.done(&format!("{path}&severity=error"));
    assert!(!only.contains("class=\"finding warning\""), "{only}");
    assert_eq!(site.log().len(), asked);
    // A document that is well.
    site.put("/good.xml", Reply::ok(good(&site.url("/"))));
    let page = visit.done(&format!("/check?url={}", encoded(&site.url("/good.xml"))));
    contains(&page, &["Nothing is wrong with it"]);
    // One that is not there, and one that is no address.
    let page = visit.done(&format!("/check?url={}", encoded(&site.url("/none.xml"))));
    contains(&page, &["role=\"alert\"", "404"]);
    for bad in ["javascript:alert(1)", "ftp://x/", "http://me:secret@x/", "a b"] {
        let answer = visit.get(&format!("/check?url={}", encoded(bad)));
        assert_eq!(answer.status, 400, "{bad}");
        assert!(!answer.text().contains("secret"), "{}", answer.text());
        sound(&answer.text());
    }
}

fn good(base: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
         <url><loc>{base}a</loc><lastmod>2026-01-01T00:00:00Z</lastmod></url>\n</urlset>\n"
    )
}

#[test]
fn the_index_and_a_post_of_a_webfeed_are_checked() {
    let (visit, site) = (Visit::new(), Server::start());
    let text = |body: &str| Reply::ok(body).with("Content-Type", "text/plain");
    site.put("/index.txt", text("/post-1\njavascript:<script>alert(1)</script>\n"));
    site.put("/post-1", Reply::ok("No section").with("Content-Type", "text/html"));
    let at = |path: &str| format!("/check?profile=webfeed&url={}", encoded(&site.url(path)));
    let page = visit.done(&at("/index.txt"));
    contains(&page, &["Index of a webfeed, ", "WF-index-address", "line 2", "selected>Webfeed"]);
    assert!(!page.contains("<script>alert"), "{page}");
    let methods: Vec<String> = site.log().into_iter().map(|request| request.method).collect();
    assert_eq!(methods, ["GET", "HEAD"], "its length is what followers ask for");
    let page = visit.done(&at("/post-1"));
    contains(&page, &["Post of a webfeed, 0 sections", "WF-post-section"]);
    contains(&visit.done(&at("/none")), &["role=\"alert\"", "404"]);
    // From this computer.
    let sent = visit.upload_as("webfeed", Some(&visit.guard), "", "index.txt", "post-1\npost-1\n");
    let page = visit.done(&sent.header("location").unwrap());
    contains(&page, &["Check of index.txt", "WF-index-twice"]);
}

#[test]
fn a_link_on_another_site_makes_us_fetch_nothing() {
    let (visit, site) = (Visit::new(), Server::start());
    site.put("/s.xml", Reply::ok(BROKEN));
    let url = encoded(&site.url("/s.xml"));
    let link =
        "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n";
    let part = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n";
    for (page, button) in [
        ("check", "Check it"),
        ("explore", "Explore it"),
        ("document", "Look at it"),
        ("robots", "Ask the site"),
    ] {
        let path = format!("/{page}?url={url}");
        let answer = visit.server.request("GET", &path, link, "");
        assert_eq!(answer.status, 200);
        contains(&answer.text(), &["A link on another site", button, &site.url("/s.xml")]);
        assert_eq!(visit.server.request("GET", &path, part, "").status, 403);
    }
    assert_eq!(site.log().len(), 0);
    // What is known already is shown.
    visit.done(&format!("/check?url={url}"));
    let known = visit.server.request("GET", &format!("/check?url={url}"), link, "");
    contains(&known.text(), &["class=\"finding error\""]);
    assert_eq!(visit.server.request("GET", &format!("/check?url={url}"), part, "").status, 403);
}

#[test]
fn a_file_is_checked_and_what_was_found_can_be_passed_on() {
    let visit = Visit::new();
    let answer = visit.upload(Some(&visit.guard), "", "<b>.xml", BROKEN);
    assert_eq!(answer.status, 303, "{} {}", answer.head, answer.text());
    let place = answer.header("location").unwrap();
    assert!(place.starts_with("/check/"), "{place}");
    let page = visit.done(&place);
    contains(
        &page,
        &["Check of &#60;b&#62;.xml", "class=\"finding error\"", "line 3", "for a day"],
    );
    assert!(!page.contains("/document?url="), "{page}");
    contains(&visit.done(&format!("{place}?severity=error")), &["aria-current=\"true\""]);
    // Somebody else with the link sees it, too.
    assert_eq!(visit.server.get(&place).status, 200);
    assert_eq!(visit.get("/check/unknown").status, 404);
    // Nothing was chosen.
    let nothing = visit.upload(Some(&visit.guard), "", "", "");
    assert_eq!(nothing.status, 400);
    contains(&nothing.text(), &["Choose a file"]);
    // What no page of ours sent is not read.
    let forged = [
        visit.upload(None, "", "a.xml", BROKEN),
        visit.upload(Some("wrong"), "", "a.xml", BROKEN),
        visit.upload(Some(&visit.guard), "Origin: https://evil.example\r\n", "a.xml", BROKEN),
        visit.upload(Some(&visit.guard), "Sec-Fetch-Site: cross-site\r\n", "a.xml", BROKEN),
    ];
    for answer in forged {
        assert_eq!(answer.status, 403, "{}", answer.head);
    }
}

#[test]
fn a_file_of_a_gigabyte_is_refused_before_it_is_read() {
    let visit = Visit::new();
    let head = |length: &str| {
        format!(
            "POST /check HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\nConnection: close\r\n\
             Content-Type: multipart/form-data; boundary=XX\r\n{length}\r\n",
            visit.server.address, visit.cookie
        )
    };
    let (answer, _) = visit.server.ask(&head("Content-Length: 1073741824\r\n"));
    // Nothing of it was sent: whoever reads it first says 408 in the end.
    assert!(answer.contains(" 413 "), "{answer}");
    // Without a length, it is refused where it is too much.
    let mut stream = TcpStream::connect(&visit.server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let first = format!(
        "--XX\r\nContent-Disposition: form-data; name=\"guard\"\r\n\r\n{}\r\n\
         --XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n",
        visit.guard
    );
    stream.write_all(head("Transfer-Encoding: chunked\r\n").as_bytes()).unwrap();
    stream.write_all(format!("{:x}\r\n{first}\r\n", first.len()).as_bytes()).unwrap();
    let piece = vec![b' '; 1 << 20];
    let mut sent = 0;
    for _ in 0..1024 {
        let chunk = [format!("{:x}\r\n", piece.len()).as_bytes(), &piece, b"\r\n"].concat();
        if stream.write_all(&chunk).is_err() {
            break;
        }
        sent += 1;
    }
    assert!((60..200).contains(&sent), "{sent} MiB were taken");
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert_eq!(visit.get("/check").status, 200);
}

#[test]
fn an_address_of_two_megabytes_is_refused() {
    let visit = Visit::new();
    let long = "a".repeat(2 << 20);
    for page in ["check", "explore", "document", "robots"] {
        let answer = visit.get(&format!("/{page}?url=https://example.com/{long}"));
        assert!(matches!(answer.status, 0 | 400 | 414 | 431), "{}", answer.head);
        let answer = visit.get(&format!("/{page}?url=https://example.com/{}", &long[..3_000]));
        assert_eq!(answer.status, 400, "{}", answer.head);
        contains(&answer.text(), &["too long"]);
        let login = encoded("https://me:secret@example.com/");
        let answer = visit.get(&format!("/{page}?url={login}"));
        assert_eq!(answer.status, 400, "{}", answer.head);
        assert!(!answer.text().contains("secret"), "{}", answer.text());
    }
    assert_eq!(visit.get("/check").status, 200);
}

#[test]
fn a_published_source_is_explored() {
    let source = Served::new(&[("a.txt", "one"), ("b/c.txt", "two")]);
    source.publish(&["--dump", "--no-cache"]);
    let visit = Visit::new();
    let url = source.url();
    let page = visit.done(&format!("/explore?url={}", encoded(&url)));
    contains(
        &page,
        &[
            "Found by its /.well-known/resourcesync",
            "<strong>Source Description</strong>",
            "<strong>Capability List</strong>",
            "<strong>Resource List</strong>",
            "2 entries",
            "package ",
            "/document?url=http",
            "/check?url=http",
        ],
    );
    // Where there is none, it is said where it was looked.
    let site = Server::start();
    let page = visit.done(&format!("/explore?url={}", encoded(&site.url("/"))));
    contains(&page, &["role=\"alert\"", "the well-known place", "What to do"]);
}

#[test]
fn three_hundred_documents_are_shown_in_a_small_page() {
    let (visit, site) = (Visit::new(), Server::start());
    let ns = "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"";
    let mut index = format!("<sitemapindex {ns}>");
    for number in 0..320 {
        let path = format!("/sitemaps/of-the-year/{number}.xml");
        index += &format!("<sitemap><loc>{}</loc></sitemap>", site.url(&path));
        site.put(&path, Reply::ok(good(&site.url("/sitemaps/of-the-year/"))));
    }
    site.put("/sitemap.xml", Reply::ok(index + "</sitemapindex>"));
    let path = format!("/explore?url={}", encoded(&site.url("/sitemap.xml")));
    let page = visit.done(&path);
    contains(&page, &["300 documents", "21 more not looked at"]);
    let small = visit.server.request("GET", &path, "Accept-Encoding: gzip\r\n", "");
    assert_eq!(small.header("content-encoding").as_deref(), Some("gzip"));
    assert!(small.body.len() < 100_000, "{} bytes", small.body.len());
}

#[test]
fn progress_is_told_while_it_lasts() {
    let (visit, site) = (Visit::new(), Server::start());
    site.put(
        "/s.xml",
        Reply::ok(good("https://example.com/")).by(Way::Drip(Duration::from_millis(20))),
    );
    let path = format!("/check?url={}", encoded(&site.url("/s.xml")));
    let page = visit.page(&path);
    contains(
        &page,
        &["class=\"working\"", "data-live=\"/check/", "http-equiv=\"refresh\"", "Getting "],
    );
    let events = page.split("data-live=\"").nth(1).unwrap().split('"').next().unwrap();
    let told = visit.get(events).text();
    contains(&told, &["event: progress\ndata: {\"line\":\"Getting ", "event: done\n"]);
    visit.done(&path);
}

#[test]
fn a_document_is_shown_and_does_nothing() {
    let (visit, site) = (Visit::new(), Server::start());
    let look = |path: &str| format!("/document?url={}", encoded(&site.url(path)));
    site.put("/s.xml", Reply::ok(BROKEN));
    let page = visit.page(&look("/s.xml"));
    contains(
        &page,
        &[
            "id=\"L4\" data-n=\"4\"",
            "&lt;<span class=\"n\">script</span>&gt;alert(1)",
            "<span class=\"a\">xmlns</span>",
            "<h1>Sitemap</h1>",
        ],
    );
    // Compressed, an index: its links lead on.
    let index = format!(
        "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><sitemap><loc>{}</loc></sitemap></sitemapindex>",
        site.url("/s.xml")
    );
    site.put("/i.xml.gz", Reply::ok(gzip(index.as_bytes())));
    let page = visit.page(&look("/i.xml.gz"));
    contains(&page, &["<h1>Sitemap Index</h1>", &format!("<a href=\"{}\">", look("/s.xml"))]);
    // Long, in parts.
    let lines: String = (1..=4_500).map(|number| format!("<!-- {number} -->\n")).collect();
    site.put("/long.xml", Reply::ok(lines));
    let page = visit.page(&look("/long.xml"));
    contains(&page, &["Lines 1 to 2,000 of 4,500", "id=\"L2000\"", "&#38;from=2001"]);
    assert!(!page.contains("id=\"L2001\""));
    let page = visit.page(&format!("{}&from=4000", look("/long.xml")));
    contains(&page, &["Lines 4,000 to 4,500 of 4,500", "id=\"L4500\"", "from=2000"]);
    for (path, body, part) in [
        ("/zip", b"PK\x03\x04\0\0".to_vec(), "ZIP file"),
        ("/empty", Vec::new(), "It is empty"),
        ("/bytes", b"<a>\xff\xfe\x80</a>".to_vec(), "not UTF-8"),
        ("/line", "<a b='".repeat(100_000).into_bytes(), "of 1, the first or last in part"),
    ] {
        site.put(path, Reply::ok(body));
        contains(&visit.page(&look(path)), &[part]);
    }
    // A little that becomes much.
    site.put("/bomb.gz", Reply::ok(gzip(&vec![b' '; 60 << 20])));
    for (path, part) in [("/bomb.gz", "more than 50 MiB"), ("/none", "404")] {
        let answer = visit.get(&look(path));
        assert_eq!(answer.status, 422);
        contains(&answer.text(), &[part]);
    }
}

#[test]
fn robots_are_told_what_decides() {
    let (visit, site) = (Visit::new(), Server::start());
    site.put(
        "/robots.txt",
        Reply::ok("User-agent: *\nDisallow: /private\n\nUser-agent: tidings\nAllow: /\n"),
    );
    let url = encoded(&site.url("/private/x"));
    contains(&visit.page("/robots"), &["value=\"tidings\""]);
    let page = visit.page(&format!("/robots?url={url}"));
    contains(&page, &["<strong>Allowed</strong>", "line 5", "class=\"l marked\" id=\"L5\""]);
    let page = visit.page(&format!("/robots?url={url}&agent=other"));
    contains(
        &page,
        &[
            "<strong>Disallowed</strong>",
            "class=\"l marked\" id=\"L2\"",
            "class=\"l marked\" id=\"L1\"",
            "decides",
        ],
    );
    let pasted = visit.post(
        "/robots",
        "",
        &[
            ("guard", &visit.guard),
            ("url", "example.com/a"),
            ("text", "User-agent: *\r\nDisallow: /a # <b>\r\n"),
        ],
    );
    assert_eq!(pasted.status, 200, "{}", pasted.text());
    sound(&pasted.text());
    contains(
        &pasted.text(),
        &["<strong>Disallowed</strong>", "Disallow: /a # &lt;b&gt;", "https://example.com/a"],
    );
    for (headers, guard) in
        [("", ""), ("", "wrong"), ("Origin: https://evil.example\r\n", visit.guard.as_str())]
    {
        let fields = [("guard", guard), ("url", "example.com"), ("text", "x")];
        assert_eq!(visit.post("/robots", headers, &fields).status, 403);
    }
}

/// A Source one of whose resources never comes, and a run that waits for it.
fn stuck(stage: &Stage, state: &std::path::Path) -> Child {
    let names: Vec<String> = (0..20).map(|number| format!("{number}.txt")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
    files.push(("last.txt", "x"));
    stage.files(&files);
    stage.list(&stage.items(&files));
    stage.put("/last.txt", Reply::ok("x").by(Way::Stalled));
    let mut command = tidings();
    command.env("XDG_STATE_HOME", state).args(["sync", &stage.url("/capabilitylist.xml")]);
    command.arg(stage.copy()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn copies_are_seen_at_work_and_can_be_forgotten() {
    let (stage, state) = (Stage::new(), tempfile::tempdir().unwrap());
    let visit = Visit::of(Follower::default(), &[], |command| {
        command.env("XDG_STATE_HOME", state.path());
    });
    contains(&visit.page("/copies"), &["tidings sync URL DIR", "data-live=\"/copies/events?seen="]);
    let mut child = stuck(&stage, state.path());
    let begun = Instant::now();
    let page = loop {
        let page = visit.page("/copies");
        if page.contains("A sync is at work") && page.contains("of 21 resources") {
            break page;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{page}");
        std::thread::sleep(Duration::from_millis(50));
    };
    contains(
        &page,
        &["<progress class=\"bar\" id=\"bar-", "max=\"21\"", stage.copy().to_str().unwrap()],
    );
    let key = page.split("id=\"bar-").nth(1).unwrap()[..32].to_owned();
    let forget = |headers: &str, guard: &str, key: &str| {
        visit.post("/copies/forget", headers, &[("guard", guard), ("key", key)])
    };
    assert_eq!(forget("", &visit.guard, &key).status, 409);
    // Who listens is told how far it is, and then that it is over.
    let events = page.split("data-live=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let address = visit.server.address.clone();
    let listening = std::thread::spawn(move || {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let request =
            format!("GET {events} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut all = String::new();
        let _ = stream.read_to_string(&mut all);
        all
    });
    std::thread::sleep(Duration::from_millis(1_500));
    child.kill().unwrap();
    child.wait().unwrap();
    let told = listening.join().unwrap();
    contains(
        &told,
        &["event: part\ndata: {", &format!("\"bar-{key}\":["), ",21]", "event: done\n"],
    );
    let page = visit.page("/copies");
    assert!(!page.contains("is at work"), "{page}");
    contains(&page, &["none has ended that is known here"]);
    for (headers, guard) in
        [("", ""), ("", "x"), ("Origin: https://evil.example\r\n", visit.guard.as_str())]
    {
        assert_eq!(forget(headers, guard, &key).status, 403);
    }
    assert_eq!(forget("", &visit.guard, "../..").status, 404);
    let forgotten = forget("", &visit.guard, &key);
    assert_eq!(forgotten.header("location").as_deref(), Some("/copies?said=copy-forgotten"));
    contains(
        &visit.page("/copies?said=copy-forgotten"),
        &["tidings sync URL DIR", "is not listed any more"],
    );
    assert!(stage.copy().exists());
}

#[test]
fn strangers_are_not_let_in() {
    let visit = Visit::of(Follower::default(), &["--base", "https://tidings.example/"], |_| {});
    for page in [
        "check",
        "explore",
        "document",
        "robots",
        "copies",
        "copies/events",
        "check/x",
        "check/x/events",
    ] {
        let answer = visit.get(&format!("/{page}"));
        assert_eq!(answer.status, 401, "{page}: {}", answer.head);
    }
}
