//! What people write is text on every page of the administration.

use crate::stage::{Site, hidden};

const PAYLOAD: &str = "<img src=x onerror=alert(1)>\"'><script>alert(2)</script>";
/// The same as the name of a file, which has no slash.
const NAME: &str = "<img src=x onerror=alert(3)>\"'.txt";

#[track_caller]
fn assert_text(html: &str) {
    for bad in ["<img src=x", "<script", "onerror=alert(1)>\"", "\"'>"] {
        assert!(!html.contains(bad), "{bad} is in {html}");
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

#[test]
fn hostile_content_is_shown_as_text() {
    let matter = format!(
        "---\ntitle: {0}\ntags: [{0}]\nroles: [{0}]\nnav_title: {0}\nrobots: {0}\n---\n{PAYLOAD}\n",
        quoted(PAYLOAD)
    );
    let twice = format!("---\ntitle: {}\nalias: same\n---\n", quoted(PAYLOAD));
    let reserved = format!("---\ntitle: x\nalias: {}\n---\n", quoted(PAYLOAD));
    let rules = format!("{0}:\n  name: {0}\n  roles: [{0}]\n", quoted(PAYLOAD));
    let site = Site::start(&[
        ("pages/index.md", "Home"),
        ("pages/hostile.md", &matter),
        ("pages/one.md", &twice),
        ("pages/two.md", &twice),
        ("pages/reserved.md", &reserved),
        (&format!("pages/{NAME}"), "x"),
        (&format!("pages/{NAME}.md"), "---\ntitle: [\n---\n"),
        ("state/sys/tags.yaml", &rules),
        ("state/sys/roles.yaml", &format!("- {}\n", quoted(PAYLOAD))),
    ]);
    let admin = site.admin();
    let list = admin.page("pages");
    assert!(list.contains("&#60;img src=x"), "{list}");
    let query = crate::stage::encoded(&[("q", PAYLOAD), ("kind", PAYLOAD), ("finding", PAYLOAD)]);
    let mut paths: Vec<String> =
        ["", "pages", "new", "upload", "tags", "users", "account"].map(str::to_owned).to_vec();
    paths.push(format!("pages?{query}"));
    for verb in ["edit/", "file/"] {
        for piece in list.split(verb).skip(1) {
            let id = piece.split('"').next().unwrap();
            paths.push(format!("{verb}{id}"));
            paths.push(format!("delete/{id}"));
        }
    }
    assert!(paths.len() > 16, "{paths:?}");
    for path in &paths {
        let answer = admin.get(&format!("{}{path}", site.admin));
        assert!(matches!(answer.status, 200 | 404 | 422), "{path}: {}", answer.head);
        crate::stage::assert_whole(&answer.text());
        assert_text(&answer.text());
    }
}

#[test]
fn what_is_typed_comes_back_as_text() {
    for site in [Site::plain(), Site::versioned()] {
        let admin = site.admin();
        let fields = [
            "title",
            "alias",
            "tags",
            "roles",
            "nav_title",
            "nav_parent",
            "nav_order",
            "robots",
            "body",
        ];
        let fields = fields.map(|name| (name, PAYLOAD));
        let answer = admin.post("new", &fields);
        assert_text(&admin.refused(&answer, 422, "Not saved"));
        let preview = [&fields[..], &[("do", "preview")]].concat();
        let html = admin.post("new", &preview).text();
        // In the preview it is a picture that does nothing, and no script.
        assert!(!html.contains("onerror=alert(1)>") && !html.contains("<script"), "{html}");
        let seen = hidden(&admin.page("tags"), "seen");
        let tag =
            ["name.new", "roles.new", "rule.new", "id.0", "name.0"].map(|name| (name, PAYLOAD));
        let answer = admin.post("tags", &[&[("seen", seen.as_str())], &tag[..]].concat());
        assert_text(&answer.text());
        let user = [("name", PAYLOAD), ("roles", PAYLOAD), ("password", "x"), ("again", "x")];
        assert_text(&admin.post("users/add", &user).text());
        for verb in ["change", "password", "remove"] {
            let fields =
                [("name", PAYLOAD), ("password", "correct horse battery"), ("roles", PAYLOAD)];
            assert_text(&admin.post(&format!("users/{verb}"), &fields).text());
        }
        let fields = ["folder", "alias", "tags"].map(|name| (name, PAYLOAD));
        let answer = admin.send("upload", &fields, &[("files", PAYLOAD, "text/plain", "x")]);
        assert_text(&answer.text());
        // One that is taken is called so, and is text where it is shown.
        let to = admin.sent(&admin.send("upload", &[], &[("files", NAME, "text/plain", "x")]));
        assert_text(&admin.page(&to));
        assert_text(&admin.page("pages"));
        let fields = [("title", PAYLOAD), ("alias", "shown"), ("tags", PAYLOAD), ("body", PAYLOAD)];
        let to = admin.done("new", &fields);
        for path in [to.as_str(), "", "pages", "tags", "new"] {
            assert_text(&admin.page(path));
        }
    }
}
