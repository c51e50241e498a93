//! Accounts: who is let in, for how long, and to do what.

use std::time::{Duration, Instant};

use crate::browser::{Tab, to};
use crate::stage::{SITE, with_batches};
use crate::support::follower::{Follower, Serving};
use crate::support::stderr;

pub const PASSWORD: &str = "a long password";

/// Makes an account as its owner would on the command line.
pub fn user(follower: &Follower, name: &str, role: &str) {
    use std::io::Write as _;
    let mut command = follower.command(&["user", "add", name, "--role", role]);
    command.stdin(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{PASSWORD}").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}

fn database(follower: &Follower) -> rusqlite::Connection {
    rusqlite::Connection::open(follower.data().join("tidings.db")).unwrap()
}

fn with_ann(arguments: &[&str]) -> (Follower, Serving) {
    let (follower, _store) = with_batches(1);
    user(&follower, "ann", "admin");
    let server = follower.serve(&[&["--no-poll"], arguments].concat());
    (follower, server)
}

#[test]
fn the_first_account_is_made_on_this_machine_and_once() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    let fields = [("name", "ann"), ("password", PASSWORD), ("again", PASSWORD)];
    // Not from a page whose name was made to lead here, and not through a proxy.
    for more in ["Host: rebound.example\r\n", "X-Forwarded-For: 192.0.2.1\r\n"] {
        let tab = Tab { more: more.to_owned(), ..Tab::new(&server) };
        assert_eq!(tab.get("/setup").status, 403, "{more}");
    }
    let tab = Tab::new(&server);
    for (bad, said) in [
        ([("name", ""), ("password", PASSWORD), ("again", PASSWORD)], "A name has"),
        ([("name", "a b"), ("password", PASSWORD), ("again", PASSWORD)], "A name has"),
        ([("name", "ann"), ("password", PASSWORD), ("again", "another")], "not the same"),
        ([("name", "ann"), ("password", "short"), ("again", "short")], "too short"),
        ([("name", "ann"), ("password", "password123"), ("again", "password123")], "first that"),
    ] {
        let answer = tab.send("/setup", "/setup", &bad);
        assert_eq!(answer.status, 422, "{bad:?}");
        assert!(answer.text().contains(said), "{bad:?}: {}", answer.text());
    }
    let late = Tab::new(&server);
    let guard = late.guard("/setup");
    assert_eq!(to(&tab.send("/setup", "/setup", &fields)), "/?said=welcome");
    assert!(tab.get("/account").text().contains("signed in as admin"));
    // Whoever is on this machine is nobody from now on.
    assert_eq!(late.post("/setup", &guard, &fields, "").status, 403);
    assert_eq!(to(&late.get("/add")), "/login?next=%2Fadd");
    assert_eq!(server.post("/api/tokens", &serde_json::json!({})).status, 401);
    let kept: String =
        database(&follower).query_row("SELECT password FROM users", [], |row| row.get(0)).unwrap();
    assert!(kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{kept}");
}

#[test]
fn who_signs_in_comes_to_where_they_wanted_to_and_out_again() {
    let (_follower, server) = with_ann(&[]);
    let tab = Tab::new(&server);
    assert_eq!(to(&tab.get("/tokens")), "/login?next=%2Ftokens");
    for (name, password) in [("ann", "wrong password"), ("nobody", PASSWORD), ("ann", ""), ("", "")]
    {
        let answer = tab.sign_in(name, password);
        assert_eq!(answer.status, 401, "{name}");
        assert!(answer.text().contains("The name or the password is wrong."), "{name}");
        assert!(tab.cookie("tidings-session").is_none());
    }
    let fields = [("name", "ANN"), ("password", PASSWORD), ("next", "/tokens")];
    assert_eq!(to(&tab.send("/login", "/login", &fields)), "/tokens");
    assert_eq!(tab.get("/tokens").status, 200);
    let secret = tab.cookie("tidings-session").unwrap();
    assert!(secret.len() >= 43, "{secret}");
    let out = tab.send("/account", "/logout", &[]);
    assert_eq!(to(&out), "/login?said=signed-out");
    // The cookie of then is worth nothing.
    tab.cookies.borrow_mut().insert("tidings-session".to_owned(), secret);
    assert_eq!(to(&tab.get("/tokens")), "/login?next=%2Ftokens");
}

#[test]
fn a_session_is_not_one_that_somebody_else_put_there() {
    let (follower, server) = with_ann(&[]);
    let tab = Tab::new(&server);
    let guard = tab.guard("/login");
    // Put there after the form was loaded: the answer must not have the browser forget the new one.
    tab.cookies.borrow_mut().insert("tidings-session".to_owned(), "A".repeat(43));
    let fields = [("name", "ann"), ("password", PASSWORD)];
    let signed = tab.post("/login", &guard, &fields, "");
    assert_eq!(signed.status, 303, "{}", signed.text());
    assert_eq!(signed.head.matches("tidings-session=").count(), 1, "{}", signed.head);
    let first = tab.cookie("tidings-session").unwrap();
    assert_ne!(first, "A".repeat(43));
    // Who signs in again gets another, and the first is over.
    let again = Tab::new(&server);
    again.cookies.borrow_mut().insert("tidings-session".to_owned(), first.clone());
    let guard = again.guard("/account");
    let fields = [("name", "ann"), ("password", PASSWORD)];
    assert_eq!(again.post("/login", &guard, &fields, "").status, 303);
    assert_ne!(again.cookie("tidings-session").unwrap(), first);
    assert_eq!(tab.get("/account").status, 303, "the first session is over");
    // What is kept is no secret.
    let kept: Vec<Vec<u8>> = {
        let database = database(&follower);
        let mut statement = database.prepare("SELECT digest FROM sessions").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let secret = again.cookie("tidings-session").unwrap();
    assert!(kept.iter().all(|digest| digest.len() == 32 && !digest.starts_with(secret.as_bytes())));
}

#[test]
fn a_session_ends_by_itself() {
    let (follower, server) = with_ann(&[]);
    for change in ["expires_at = 1", "used_at = 1"] {
        let tab = Tab::new(&server);
        assert_eq!(tab.sign_in("ann", PASSWORD).status, 303);
        assert_eq!(tab.get("/account").status, 200);
        database(&follower).execute(&format!("UPDATE sessions SET {change}"), []).unwrap();
        assert_eq!(tab.get("/account").status, 303, "{change}");
    }
}

#[test]
fn cookies_say_how_they_are_to_be_kept() {
    let (_follower, server) = with_ann(&["--base", "https://tidings.example/"]);
    let more = "Host: tidings.example\r\nX-Forwarded-For: 192.0.2.7\r\n".to_owned();
    let tab = Tab { more, ..Tab::new(&server) };
    let answer = tab.sign_in("ann", PASSWORD);
    assert_eq!(answer.status, 303, "{}", answer.text());
    let set = answer.head.lines().find(|line| line.contains("__Host-tidings-session=")).unwrap();
    for part in ["Secure", "HttpOnly", "SameSite=Lax", "Path=/", "Max-Age="] {
        assert!(set.contains(part), "{set}");
    }
    assert!(!set.contains("Domain"), "{set}");
    assert_eq!(tab.get("/account").status, 200);
    // One that another host could have set is not looked at.
    let secret = tab.cookie("__Host-tidings-session").unwrap();
    let more = tab.more.clone();
    let other = Tab { more, ..Tab::new(&server) };
    other.cookies.borrow_mut().insert("tidings-session".to_owned(), secret.clone());
    assert_eq!(other.get("/account").status, 303);
    // Nor one in a URL.
    assert_eq!(other.get(&format!("/account?session={secret}")).status, 303);
}

#[test]
fn guessing_is_slow_and_says_when_to_go_on() {
    let (_follower, server) = with_ann(&[]);
    let tab = Tab::new(&server);
    let guard = tab.guard("/login");
    let attempt = |name: &str, password: &str| {
        tab.post("/login", &guard, &[("name", name), ("password", password)], "")
    };
    let mut refused = None;
    for number in 0..15 {
        let answer = attempt("ann", &format!("guess number {number}"));
        if answer.status == 429 {
            refused = Some(answer);
            break;
        }
        assert_eq!(answer.status, 401);
    }
    let refused = refused.expect("it can be guessed without end");
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=61).contains(&wait), "{wait}");
    assert!(refused.text().contains("too often"));
    // By any spelling; and the right one does not help, either.
    assert_eq!(attempt("ANN", PASSWORD).status, 429);
    // Those who look are not kept waiting.
    assert_eq!(tab.get("/").status, 200);
}

/// Who guesses from elsewhere keeps the owner out of nothing.
#[test]
fn nobody_is_locked_out_by_others() {
    let (_follower, server) = with_ann(&["--base", "https://tidings.example/"]);
    let from = |address: &str| {
        let more = format!("Host: tidings.example\r\nX-Forwarded-For: {address}\r\n");
        Tab { more, ..Tab::new(&server) }
    };
    for number in 0..14 {
        let stranger = from(&format!("192.0.2.{number}"));
        assert_eq!(stranger.sign_in("ann", "a guess of mine").status, 401);
    }
    let one = from("198.51.100.1");
    let statuses: Vec<u16> = (0..12).map(|_| one.sign_in("ann", "another guess").status).collect();
    assert!(statuses.contains(&429), "{statuses:?}");
    let owner = from("203.0.113.5");
    assert_eq!(owner.sign_in("ann", PASSWORD).status, 303);
    assert_eq!(owner.get("/account").status, 200);
}

/// A proxy may pass the name on by which it was asked, or not, and may have a path of its own.
#[test]
fn behind_a_proxy_with_a_path_all_links_and_forms_work() {
    let (_follower, server) = with_ann(&["--base", "https://news.example/tid/"]);
    for host in ["127.0.0.1:8420", "news.example"] {
        let more = format!(
            "Host: {host}\r\nX-Forwarded-For: 192.0.2.9\r\nOrigin: https://news.example\r\n\
             Sec-Fetch-Site: same-origin\r\n"
        );
        let tab = Tab { more, ..Tab::new(&server) };
        let page = tab.get("/").text();
        assert!(!page.contains("href=\"/sites"), "{page}");
        assert!(page.contains(&format!("href=\"/tid/sites/{SITE}\"")), "{page}");
        assert_eq!(to(&tab.get("/account")), "/tid/login?next=%2Faccount");
        let fields = [("name", "ann"), ("password", PASSWORD), ("next", "/account")];
        assert_eq!(to(&tab.send("/login", "/login", &fields)), "/tid/account", "{host}");
        assert_eq!(tab.get("/account").status, 200);
        assert_eq!(tab.get("/sample/").status, 404, "the sample is for this machine");
        assert_eq!(tab.get("/.well-known/resourcesync").status, 404);
    }
    let more =
        "Host: news.example\r\nX-Forwarded-Host: evil.example\r\nOrigin: https://evil.example\r\n";
    let tab = Tab { more: more.to_owned(), ..Tab::new(&server) };
    assert_eq!(tab.sign_in("ann", PASSWORD).status, 403);
}

#[test]
fn the_first_account_of_the_command_line_is_an_admin() {
    let (follower, _store) = with_batches(1);
    let output = follower.run(&["user", "add", "bob"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--role admin"), "{}", stderr(&output));
    user(&follower, "ann", "admin");
    for bad in ["", " bob ", "a b"] {
        let mut command = follower.command(&["user", "add", bad]);
        let output = command.stdin(std::process::Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{bad:?}");
    }
}

#[test]
fn a_name_that_is_not_known_takes_as_long() {
    let (_follower, server) = with_ann(&[]);
    let tab = Tab::new(&server);
    let guard = tab.guard("/login");
    let time = |name: &str| {
        let begun = Instant::now();
        let fields = [("name", name), ("password", "wrong password")];
        assert_eq!(tab.post("/login", &guard, &fields, "").status, 401);
        begun.elapsed()
    };
    let median = |name: &dyn Fn(usize) -> String| {
        let mut times: Vec<Duration> = (0..5).map(|number| time(&name(number))).collect();
        times.sort();
        times[2]
    };
    time("first");
    let known = median(&|_| "ann".to_owned());
    let unknown = median(&|number| format!("nobody{number}"));
    let ratio = known.as_secs_f64() / unknown.as_secs_f64();
    assert!((0.2..5.0).contains(&ratio), "{known:?} and {unknown:?}");
}

#[test]
fn each_role_does_what_it_may() {
    let (follower, server) = with_ann(&[]);
    user(&follower, "bob", "editor");
    user(&follower, "cat", "reader");
    let signed = |name: &str| {
        let tab = Tab::new(&server);
        assert_eq!(tab.sign_in(name, PASSWORD).status, 303, "{name}");
        tab
    };
    let (ann, bob, cat) = (signed("ann"), signed("bob"), signed("cat"));
    let pause = format!("/sites/{SITE}/pause");
    for (path, fields, allowed) in [
        (pause.as_str(), &[("paused", "on")][..], [true, true, false]),
        ("/tokens", &[("name", "t"), ("scope", "read")], [true, false, false]),
        ("/users", &[("name", "x"), ("role", "admin")], [true, false, false]),
        ("/add", &[("url", "")], [true, true, false]),
    ] {
        for (tab, allowed) in [&ann, &bob, &cat].into_iter().zip(allowed) {
            let answer = tab.send("/", path, fields);
            assert_eq!(answer.status == 403, !allowed, "{path}: {}", answer.head);
        }
    }
    for path in ["/users", "/log", "/tokens"] {
        assert_eq!(ann.get(path).status, 200, "{path}");
        assert_eq!((bob.get(path).status, cat.get(path).status), (403, 403), "{path}");
    }
    // A reader is shown nothing that would be refused.
    let page = cat.get(&format!("/sites/{SITE}")).text();
    assert!(!page.contains("Check now") && !page.contains("/remove\""), "{page}");
    // The log says who did it, and who was refused.
    let log = ann.get("/log").text();
    assert!(
        log.contains("bob") && log.contains("pause") && log.contains("garden.example"),
        "{log}"
    );
}

#[test]
fn what_an_account_may_do_changes_at_once() {
    let (follower, server) = with_ann(&[]);
    user(&follower, "bob", "admin");
    let (ann, bob) = (Tab::new(&server), Tab::new(&server));
    ann.sign_in("ann", PASSWORD);
    bob.sign_in("bob", PASSWORD);
    assert_eq!(bob.get("/users").status, 200);
    let users = follower.json(&["user", "list"])["users"].as_array().unwrap().len();
    assert_eq!(users, 2);
    let page = ann.get("/users").text();
    let id = page.split("action=\"/users/").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert_eq!(ann.send("/users", &format!("/users/{id}"), &[("role", "reader")]).status, 303);
    assert_eq!(bob.get("/users").status, 303, "signed out");
    bob.sign_in("bob", PASSWORD);
    assert_eq!(bob.get("/users").status, 403);
    assert_eq!(ann.send("/users", &format!("/users/{id}/remove"), &[]).status, 303);
    assert_eq!(bob.get("/account").status, 303, "gone");
    assert_eq!(bob.sign_in("bob", PASSWORD).status, 401);
    // The last admin stays one.
    let output = follower.run(&["user", "role", "ann", "reader"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("last admin"), "{}", stderr(&output));
    assert_eq!(follower.run(&["user", "remove", "ann"]).status.code(), Some(2));
}

#[test]
fn a_new_password_ends_all_other_sessions() {
    let (_follower, server) = with_ann(&[]);
    let (here, there) = (Tab::new(&server), Tab::new(&server));
    here.sign_in("ann", PASSWORD);
    there.sign_in("ann", PASSWORD);
    let next = "quite another one";
    let change = |tab: &Tab<'_>, old: &str| {
        tab.send(
            "/account",
            "/account/password",
            &[("old", old), ("password", next), ("again", next)],
        )
    };
    assert_eq!(change(&here, "wrong").status, 422);
    assert_eq!(to(&change(&here, PASSWORD)), "/account?said=password");
    assert_eq!(here.get("/account").status, 200);
    assert_eq!(there.get("/account").status, 303);
    assert_eq!(there.sign_in("ann", PASSWORD).status, 401);
    assert_eq!(there.sign_in("ann", next).status, 303);
    assert_eq!(there.send("/account", "/account/sessions", &[]).status, 303);
    assert_eq!(here.get("/account").status, 303, "ended from elsewhere");
}

#[test]
fn tokens_do_what_they_are_for() {
    let (follower, server) = with_ann(&[]);
    let token = |name: &str, more: &[&str]| {
        let made = follower.json(&[&["token", "add", name], more].concat());
        made["token"].as_str().unwrap().to_owned()
    };
    let (read, write, admin) = (token("r", &["--read"]), token("w", &[]), token("a", &["--admin"]));
    let json = "Content-Type: application/json\r\n";
    let ask = |token: &str, method: &str, path: &str, body: &str| {
        let headers = format!("Authorization: Bearer {token}\r\n{json}");
        server.request(method, path, &headers, body).status
    };
    let patch = format!("/api/sites/{SITE}");
    let paused = "{\"paused\": true}";
    assert_eq!(ask(&read, "GET", &patch, ""), 200);
    assert_eq!(ask(&read, "PATCH", &patch, paused), 403);
    assert_eq!(ask(&write, "PATCH", &patch, paused), 200);
    assert_eq!(ask(&write, "GET", "/api/tokens", ""), 403);
    assert_eq!(ask(&write, "POST", "/api/tokens", "{\"name\":\"x\",\"scope\":\"admin\"}"), 403);
    assert_eq!(ask(&admin, "GET", "/api/tokens", ""), 200);
    // A token to read makes nobody fetch anything.
    assert_eq!(ask(&read, "GET", "/robots?url=http://127.0.0.1:9/", ""), 403);
    assert_ne!(ask(&write, "GET", "/robots?url=http://127.0.0.1:9/", ""), 403);
    // A session alone changes nothing there: that could be a page of another site.
    let tab = Tab::new(&server);
    tab.sign_in("ann", PASSWORD);
    assert_eq!(tab.ask("PATCH", &patch, json, paused).status, 401);
    assert_eq!(tab.ask("DELETE", &patch, "", "").status, 401);
}

#[test]
fn where_reading_is_private_a_session_is_enough() {
    let (_follower, server) = with_ann(&["--private"]);
    let tab = Tab::new(&server);
    for path in ["/", "/search", "/subscriptions", "/copies", "/check"] {
        assert!(to(&tab.get(path)).starts_with("/login?next="), "{path}");
    }
    assert_eq!(tab.get("/login").status, 200);
    assert_eq!(tab.get("/feeds.opml").status, 401);
    tab.sign_in("ann", PASSWORD);
    for path in ["/", "/search", "/feeds.opml"] {
        assert_eq!(tab.get(path).status, 200, "{path}");
    }
    assert_eq!(tab.get(&format!("/sites/{SITE}.atom")).status, 200);
}
