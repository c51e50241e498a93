//! What changes something is taken from our own pages alone.

use crate::stage::{FILE, FORM, MULTIPART, PAGE, Site, encoded, hidden, multipart};

/// A path, its fields, and whether it takes files.
type Route = (String, Vec<(&'static str, &'static str)>, bool);

/// All routes that change something, with what they would take.
fn routes() -> Vec<Route> {
    let seen = ("seen", "v0");
    let password = "correct horse battery";
    vec![
        ("new".into(), vec![("title", "Forged"), ("body", "x")], false),
        (format!("edit/{PAGE}"), vec![seen, ("title", "Forged"), ("body", "x")], false),
        (format!("file/{FILE}"), vec![seen, ("alias", "forged")], true),
        (format!("delete/{PAGE}"), vec![seen], false),
        (format!("restore/{PAGE}"), vec![seen, ("version", "0")], false),
        ("upload".into(), vec![("alias", "forged")], true),
        ("tags".into(), vec![("seen", "none"), ("id.new", "forged"), ("roles.new", "x")], false),
        ("roles".into(), vec![("roles", "forged")], false),
        (
            "users/add".into(),
            vec![("name", "forged"), ("password", password), ("again", password)],
            false,
        ),
        ("users/change".into(), vec![("name", "second"), ("roles", "forged")], false),
        ("users/password".into(), vec![("name", "second"), ("password", password)], false),
        ("users/remove".into(), vec![("name", "second")], false),
        ("account".into(), vec![("old", "x"), ("password", password), ("again", password)], false),
    ]
}

#[test]
fn forms_of_others_are_refused_on_every_route() {
    let site = Site::versioned();
    let (admin, other) = (site.admin(), site.admin());
    let password = "correct horse battery";
    let second =
        [("name", "second"), ("roles", "kept"), ("password", password), ("again", password)];
    admin.done("users/add", &second);
    let before = (site.files(), names(&admin.page("users")));
    let own = format!("Origin: http://{}\r\n", site.serving.address);
    for (path, fields, is_multipart) in routes() {
        let path = format!("{}{path}", site.admin);
        let send = |method: &str, headers: &str, guard: Option<&str>| {
            let guard = guard.map(|guard| ("guard", guard));
            let fields: Vec<(&str, &str)> = guard.into_iter().chain(fields.clone()).collect();
            let (kind, body) = if is_multipart {
                let files = [("files", "forged.txt", "text/plain", "forged")];
                (MULTIPART, multipart(&fields, &files))
            } else {
                (FORM, encoded(&fields))
            };
            if method == "GET" {
                let path = format!("{path}?{}", encoded(&fields));
                return site.serving.request("GET", &path, headers, "");
            }
            site.serving.request(method, &path, &format!("{kind}{headers}"), &body)
        };
        let guard = admin.guard();
        let cookie = admin.cookie();
        let mut wrong = guard.clone().into_bytes();
        wrong[50] = if wrong[50] == b'A' { b'B' } else { b'A' };
        let wrong = String::from_utf8(wrong).unwrap();
        let foreign = format!("{cookie}Origin: http://evil.example\r\n");
        let opaque = format!("{cookie}Origin: null\r\n");
        let cross = format!("{cookie}{own}Sec-Fetch-Site: cross-site\r\n");
        let same_site = format!("{cookie}Sec-Fetch-Site: same-site\r\n");
        let forbidden = [
            ("a wrong guard", send("POST", &cookie, Some(&wrong))),
            ("no guard", send("POST", &cookie, None)),
            ("a foreign origin", send("POST", &foreign, Some(&guard))),
            ("an opaque origin", send("POST", &opaque, Some(&guard))),
            ("a page elsewhere", send("POST", &cross, Some(&guard))),
            ("a neighbour", send("POST", &same_site, Some(&guard))),
            ("the guard of another session", send("POST", &cookie, Some(&other.guard()))),
        ];
        for (what, answer) in forbidden {
            assert_eq!(answer.status, 403, "{path}, {what}: {}", answer.text());
        }
        // Without the cookie there is nothing here that anything could be sent to.
        let answer = send("POST", &own, Some(&guard));
        assert_eq!(answer.status, 405, "{path}: {}", answer.head);
        assert!(answer.text().starts_with("This can be read, and no more."));
        let answer = send("GET", &cookie, Some(&guard));
        assert!(matches!(answer.status, 200 | 405), "{path}: {}", answer.head);
        for method in ["PUT", "DELETE", "PATCH"] {
            assert_eq!(send(method, &cookie, Some(&guard)).status, 405, "{method} {path}");
        }
    }
    assert_eq!((site.files(), names(&admin.page("users"))), before);
    assert_eq!(site.get("/forged").status, 404);
    // The same, as our own page would send it, is taken.
    let seen = hidden(&admin.page(&format!("edit/{PAGE}")), "seen");
    admin.done(&format!("edit/{PAGE}"), &[("seen", &seen), ("title", "Mine"), ("body", "x")]);
}

/// Scripts of other sites may send text without asking first, and no form of ours is text.
#[test]
fn forms_of_other_media_types_are_refused() {
    let site = Site::versioned();
    let admin = site.admin();
    let guard = admin.guard();
    let seen = hidden(&admin.page(&format!("edit/{PAGE}")), "seen");
    let fields = [("guard", guard.as_str()), ("seen", &seen), ("title", "Forged"), ("body", "x")];
    let (form, files) = (encoded(&fields), multipart(&fields, &[]));
    for (path, media_type, body) in [
        (format!("edit/{PAGE}"), "Content-Type: text/plain\r\n", &form),
        (format!("edit/{PAGE}"), "Content-Type: application/json\r\n", &form),
        (format!("edit/{PAGE}"), "", &form),
        (format!("edit/{PAGE}"), MULTIPART, &files),
        ("upload".to_owned(), FORM, &form),
        ("upload".to_owned(), "Content-Type: multipart/form-data\r\n", &files),
    ] {
        let headers = format!("{media_type}{}", admin.cookie());
        let path = format!("{}{path}", site.admin);
        let answer = site.serving.request("POST", &path, &headers, body);
        assert_eq!(answer.status, 415, "{path} {media_type}: {}", answer.text());
    }
    for path in ["/login/", "/login/out"] {
        let headers = format!("Content-Type: text/plain\r\n{}", admin.cookie());
        assert_eq!(site.serving.request("POST", path, &headers, &form).status, 415, "{path}");
    }
    assert!(admin.page(&format!("edit/{PAGE}")).contains(&seen), "nothing was changed");
}

/// Who there is, with their roles.
fn names(html: &str) -> Vec<String> {
    let lines = html.lines().filter(|line| line.contains("<div class=\"row\"><strong>"));
    lines.map(str::to_owned).collect()
}
