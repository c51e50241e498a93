//! To everybody else there is nothing here.

use crate::stage::{FILE, PAGE, Site};

fn paths() -> Vec<String> {
    let below = [
        "",
        "pages",
        "new",
        "upload",
        "tags",
        "roles",
        "users",
        "users/add",
        "users/change",
        "users/password",
        "users/remove",
        "account",
        "nothing",
    ];
    let mut paths: Vec<String> = below.map(str::to_owned).to_vec();
    paths.extend(["edit", "delete", "restore"].map(|verb| format!("{verb}/{PAGE}")));
    paths.push(format!("file/{FILE}"));
    paths
}

#[test]
fn strangers_and_users_get_what_is_there_for_any_path() {
    let site = Site::versioned();
    let admin = site.admin();
    let password = "correct horse battery";
    let fields = [("name", "bob"), ("roles", "staff"), ("password", password), ("again", password)];
    admin.done("users/add", &fields);
    let bob = site.sign_in("bob", password);
    for headers in [String::new(), bob.cookie(), "Cookie: tidings-site-session=forged\r\n".into()] {
        for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"] {
            let nowhere = site.serving.request(method, "/not/to/be/found", &headers, "");
            for path in paths() {
                let path = format!("{}{path}", site.admin);
                for path in [path.as_str(), path.trim_end_matches('/')] {
                    let answer = site.serving.request(method, path, &headers, "");
                    assert_eq!(answer.status, nowhere.status, "{method} {path}");
                    assert_eq!(answer.body, nowhere.body, "{method} {path}");
                    assert_eq!(told(&answer.head), told(&nowhere.head), "{method} {path}");
                }
            }
        }
    }
    // Nor is it said anywhere else where it is.
    let secret = site.admin.trim_matches('/');
    for path in ["/", "/robots.txt", "/sitemap.xml", "/builtin/admin.css", "/login/", "/feed.atom"]
    {
        for answer in [site.get(path), bob.get(path)] {
            assert!(!answer.text().contains(secret) && !answer.head.contains(secret), "{path}");
        }
    }
}

/// A head without what is another each time.
fn told(head: &str) -> Vec<String> {
    let lines = head.lines().filter(|line| !line.to_ascii_lowercase().starts_with("date:"));
    lines.map(str::to_owned).collect()
}

#[test]
fn what_pages_are_sent_with() {
    let site = Site::versioned();
    let admin = site.admin();
    for path in paths().into_iter().filter(|path| path != "roles" && !path.starts_with("users/")) {
        let answer = admin.get(&format!("{}{path}", site.admin));
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; style-src 'self'; img-src 'self' data:;"));
        assert!(!policy.contains("script-src") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("cache-control").as_deref(), Some("no-store"));
        assert_eq!(answer.header("x-robots-tag").as_deref(), Some("noindex"));
        assert_eq!(answer.header("referrer-policy").as_deref(), Some("same-origin"));
        assert_eq!(answer.header("x-content-type-options").as_deref(), Some("nosniff"));
    }
    // Nothing is here, in the look of the administration.
    let answer = admin.get(&format!("{}nothing", site.admin));
    admin.refused(&answer, 404, "There is no such page in the administration");
    let answer = admin.get(&format!("{}edit/ffffffffffffffff", site.admin));
    admin.refused(&answer, 404, "it may have been deleted");
    let answer = admin.get(&format!("{}roles", site.admin));
    assert_eq!((answer.status, answer.header("allow").as_deref()), (405, Some("POST")));
    // Without its slash, an admin is shown the way.
    let answer = admin.get(site.admin.trim_end_matches('/'));
    assert_eq!(answer.header("location").as_deref(), Some(site.admin.as_str()));
    // The style sheet is there, for as long as anybody likes in this state.
    let page = admin.page("");
    let css = page.split("/builtin/admin.css").nth(1).unwrap().split('"').next().unwrap();
    let answer = site.get(&format!("/builtin/admin.css{css}"));
    assert!(answer.header("cache-control").unwrap().contains("immutable"));
    assert!(answer.header("content-type").unwrap().starts_with("text/css"));
}

#[test]
fn what_is_said_is_one_of_our_own_words() {
    let site = Site::plain();
    let admin = site.admin();
    assert!(admin.page("?said=saved").contains("Saved."));
    let page = admin.page("?said=%3Cb%3Ehacked");
    assert!(!page.contains("hacked") && !page.contains("role=\"status\""), "{page}");
}
