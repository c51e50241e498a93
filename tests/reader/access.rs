//! Who may see and do what: signed in or not, with forged forms, and pictures of which nobody may ask.

use std::io::Write as _;
use std::process::Stdio;

use crate::browser::Browser;
use crate::stage::{Stage, at, follow, html, id_of, index};
use crate::support::follower::{Follower, Serving};
use crate::support::server::{Reply, Server};
use crate::tab::{Tab, to};
use crate::trap::PNG;

const PASSWORD: &str = "a rather long sentence";

fn account(follower: &Follower, name: &str, role: &str) {
    let mut command = follower.command(&["user", "add", name, "--role", role]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{PASSWORD}").unwrap();
    assert!(child.wait().unwrap().success(), "user add {name}");
}

fn sign_in(browser: &Browser, server: &Serving, name: &str) {
    browser.forget_cookies();
    browser.open(&at(server, "/login"));
    browser.fill("Name", name);
    browser.fill("Password", PASSWORD);
    browser.click("Sign in");
    browser.reach("/");
}

#[test]
fn what_is_read_is_marked_for_each_by_themselves_and_private_is_private() {
    let Some(stage) = Stage::set() else { return };
    stage.publish("ada", "Ada", &["fog", "rope"]);
    stage.follow("ada");
    account(&stage.follower, "ann", "admin");
    account(&stage.follower, "ben", "reader");
    let id = id_of(&stage.follower, "/fog");
    let server = stage.follower.serve(&["--no-poll", "--private"]);
    let stranger = Tab::new(&server);
    for path in [
        "/webfeeds",
        "/webfeeds.txt",
        &format!("/webfeeds/{}", stage.key("ada")),
        &format!("/webfeeds/posts/{id}"),
        &format!("/webfeeds/posts/{id}/plain"),
        &format!("/webfeeds/posts/{id}/lead"),
        &format!("/webfeeds/posts/{id}/sections/1"),
        &format!("/webfeeds/posts/{id}/text"),
    ] {
        let answer = stranger.get(path);
        assert!(matches!(answer.status, 303 | 401), "{path}: {}", answer.head);
        assert!(!String::from_utf8_lossy(&answer.body).contains("Ada"), "{path}");
    }
    sign_in(&stage.browser, &server, "ann");
    stage.open(&server, &format!("/webfeeds/posts/{id}"));
    stage.browser.see("1 of 5");
    stage.open(&server, "/webfeeds");
    assert_eq!(stage.browser.text().matches("✓ Read").count(), 1);
    assert!(stage.browser.has("Look at it"));
    sign_in(&stage.browser, &server, "ben");
    stage.open(&server, "/webfeeds");
    stage.browser.sees_no("✓ Read");
    assert!(!stage.browser.has("Look at it"), "who only reads follows nothing");
    stage.browser.click("Mark all as read");
    stage.browser.see("All posts are marked as read.");
    assert_eq!(stage.browser.text().matches("✓ Read").count(), 2);
    sign_in(&stage.browser, &server, "ann");
    stage.open(&server, "/webfeeds");
    assert_eq!(stage.browser.text().matches("✓ Read").count(), 1);
}

#[test]
fn forged_forms_do_nothing() {
    let Some(stage) = Stage::set() else { return };
    stage.publish("ada", "Ada", &["fog", "rope"]);
    stage.follow("ada");
    let (key, id) = (stage.key("ada"), id_of(&stage.follower, "/fog"));
    let server = stage.follower.serve(&["--no-poll"]);
    let tab = Tab::new(&server);
    tab.get(&format!("/webfeeds/posts/{id}"));
    let own = tab.guard("/webfeeds");
    let other = Tab::new(&server).guard("/webfeeds");
    let tiles = format!("/webfeeds/{key}/tiles");
    let (unread, retry) =
        (format!("/webfeeds/posts/{id}/unread"), format!("/webfeeds/posts/{id}/retry"));
    let forms: [(&str, &[(&str, &str)]); 5] = [
        ("/webfeeds/read", &[("until", "9999999999999")]),
        ("/webfeeds/import", &[("list", "http://127.0.0.1:1/")]),
        (&tiles, &[("tiles", "9")]),
        (&unread, &[]),
        (&retry, &[]),
    ];
    for (path, fields) in forms {
        for (what, answer) in [
            ("no guard", tab.post(path, "", fields, "")),
            ("of somebody else", tab.post(path, &other, fields, "")),
            ("from elsewhere", tab.post(path, &own, fields, "Origin: https://evil.example\r\n")),
            // As a frame that is of no origin would send it.
            ("from nowhere", tab.post(path, &own, fields, "Origin: null\r\n")),
            ("as the browser says", tab.post(path, &own, fields, "Sec-Fetch-Site: cross-site\r\n")),
        ] {
            assert_eq!(answer.status, 403, "{what} {path}: {}", answer.head);
        }
        assert_ne!(tab.get(path).status, 303, "a link does nothing");
    }
    let page = tab.get(&format!("/webfeeds/{key}")).text();
    assert!(page.contains("Tiles a day: 3") && page.contains("2 posts, 1 not read"), "{page}");
    // From our own page they do.
    to(&tab.post(&tiles, &own, &[("tiles", "9")], ""));
    assert!(tab.get(&format!("/webfeeds/{key}")).text().contains("Tiles a day: 9"));
    for wrong in ["101", "-1", "x", ""] {
        assert_eq!(tab.post(&tiles, &own, &[("tiles", wrong)], "").status, 400, "{wrong}");
    }
}

#[test]
fn pictures_are_had_by_their_marks_and_from_where_they_may_be() {
    let (web, inner) = (Server::start(), Server::start());
    for server in [&web, &inner] {
        server.put("/pic.png", Reply::ok(PNG).with("Content-Type", "image/png"));
    }
    web.put(
        "/script.png",
        Reply::ok("<script>alert(1)</script>").with("Content-Type", "image/png"),
    );
    web.put("/moved.png", Reply::redirect(inner.url("/pic.png")));
    let place = inner.url("/pic.png");
    let text = format!(
        "<section><img src=/pic.png><img src={place}><img src=/script.png><img src=/moved.png><img src='http://localhost:{}/pic.png'></section>",
        inner.port()
    );
    web.put("/post", html(text));
    web.put("/index.txt", index("post\n"));
    let follower = Follower::default();
    follow(&follower, &web.url("/index.txt"));
    let server = follower.serve(&["--no-poll"]);
    let frame = server.get(&format!("/webfeeds/posts/{}/lead", id_of(&follower, "/post"))).text();
    let pictures: Vec<&str> =
        frame.split("src=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(pictures.len(), 5, "{frame}");
    // Beside the post: that is where somebody on this machine said to look.
    let own = server.get(pictures[0]);
    assert_eq!((own.status, own.header("content-type").as_deref()), (200, Some("image/png")));
    assert_eq!(
        own.header("content-security-policy").as_deref(),
        Some("default-src 'none'; sandbox")
    );
    for other in &pictures[1..] {
        let answer = server.get(other);
        assert_eq!(answer.status, 502, "{other}: {}", answer.head);
        assert!(!answer.text().contains("127.0.0.1"), "it is not said where it was looked for");
    }
    assert_eq!(inner.connections(), 0, "nothing else on this machine is asked");
    let agents: Vec<_> = web
        .log()
        .iter()
        .map(|asked| asked.header("User-Agent").unwrap_or_default().to_owned())
        .collect();
    assert!(agents.iter().all(|agent| agent.starts_with("tidings")), "{agents:?}");
    // Another mark, or another address under the same mark.
    let (mark, name) = pictures[0]
        .rsplit_once('/')
        .map(|(before, name)| (before.rsplit_once('/').unwrap().1, name))
        .unwrap();
    let other = pictures[1].rsplit_once('/').unwrap().1;
    let flipped = format!("{}{}", if mark.starts_with('0') { '1' } else { '0' }, &mark[1..]);
    for path in [
        format!("{flipped}/{name}"),
        format!("{mark}/{other}"),
        format!("/{name}"),
        format!("{mark}/"),
        format!("{}/{name}", &mark[..30]),
        format!("{mark}/%2e%2e"),
        format!("{mark}/{name}x"),
    ] {
        assert_eq!(server.get(&format!("/webfeeds/pictures/{path}")).status, 404, "{path}");
    }
    assert_eq!(inner.connections(), 0);
}
