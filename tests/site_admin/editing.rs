//! Pages that are made, changed, previewed, restored and deleted.

use crate::stage::{PAGE, Session, Site, hidden, text_of};

/// Makes a page, and says its id.
#[track_caller]
fn made(admin: &Session<'_>, fields: &[(&str, &str)]) -> String {
    let to = admin.done("new", fields);
    let id = to.strip_prefix("edit/").unwrap().strip_suffix("?said=created").unwrap();
    assert!(admin.page(&to).contains("The page is there."));
    id.to_owned()
}

/// What a page goes through, in whatever layout.
fn goes_through(site: &Site) {
    let admin = site.admin();
    let fields = [
        ("title", "News & more"),
        ("alias", "News/First"),
        ("tags", "press, b"),
        ("nav_title", "Latest"),
        ("nav_order", "7"),
        ("body", "# Hello\r\n\r\nSome *words*\r\n"),
        ("noindex", "yes"),
    ];
    let id = made(&admin, &fields);
    // It is served at once, to everybody.
    let public = site.get("/news/first");
    assert_eq!(public.status, 200);
    assert!(public.text().contains("Some <em>words</em>"), "{}", public.text());
    assert_eq!(public.header("x-robots-tag").as_deref(), Some("noindex"));
    let path = format!("edit/{id}");
    let page = admin.page(&path);
    for kept in
        ["News &#38; more", "value=\"press, b\"", "value=\"Latest\"", "value=\"7\"", "checked"]
    {
        assert!(page.contains(kept), "{kept} in {page}");
    }
    assert!(page.contains("# Hello\n\nSome *words*\n</textarea>"), "{page}");
    let seen = hidden(&page, "seen");
    // A preview saves nothing, and keeps what was typed.
    let shown = admin.post(
        &path,
        &[
            ("do", "preview"),
            ("seen", &seen),
            ("title", "Other"),
            ("body", "**bold** <script>x</script>"),
        ],
    );
    let html = admin.refused(&shown, 200, "Preview");
    assert!(html.contains("<strong>bold</strong>") && !html.contains("<script"), "{html}");
    assert!(html.contains("value=\"Other\"") && hidden(&html, "seen") == seen);
    assert!(site.get("/news/first").text().contains("Some <em>words</em>"));
    // An edit is there with the next request.
    let edit =
        [("do", "save"), ("seen", seen.as_str()), ("title", "Newer"), ("alias", "news/second")];
    let edit = [&edit[..], &[("body", "Mine")]].concat();
    assert_eq!(admin.done(&path, &edit), format!("edit/{id}?said=saved"));
    assert_eq!(site.get("/news/first").status, 404);
    assert!(site.get("/news/second").text().contains("Mine"));
    // Who saw the page before that is shown both.
    let late =
        [("do", "save"), ("seen", seen.as_str()), ("title", "Late"), ("alias", "news/second")];
    let late = [&late[..], &[("body", "From somebody else")]].concat();
    let answer = admin.post(&path, &late);
    let html = admin.refused(&answer, 409, "Somebody else saved this page while you wrote");
    assert!(html.contains("From somebody else</textarea>") && html.contains("Mine</textarea>"));
    assert!(html.contains("Newer") && html.contains("value=\"Late\""));
    assert!(site.get("/news/second").text().contains("Mine"));
    // Having seen theirs, mine can be saved.
    let seen = hidden(&html, "seen");
    let late =
        [("seen", seen.as_str()), ("title", "Late"), ("alias", "news/second"), ("body", "Over")];
    admin.done(&path, &late);
    assert!(site.get("/news/second").text().contains("Over"));
    // It is deleted on a page of its own, and only in the state that was seen.
    let page = admin.page(&format!("delete/{id}"));
    assert_eq!(site.get("/news/second").status, 200);
    let answer = admin.post(&format!("delete/{id}"), &[("seen", &seen)]);
    admin.refused(&answer, 409, "somebody else");
    let to = admin.done(&format!("delete/{id}"), &[("seen", &hidden(&page, "seen"))]);
    assert!(admin.page(&to).contains("It is gone from the site."));
    assert_eq!(site.get("/news/second").status, 404);
    // What somebody wrote about it meanwhile is not lost.
    let answer = admin.post(&path, &late);
    let html = admin.refused(&answer, 404, "not there any more");
    assert!(html.contains("Over</textarea>") && html.contains(&format!("{}new\"", site.admin)));
}

#[test]
fn a_page_of_the_plain_layout() {
    let site = Site::plain();
    goes_through(&site);
    let admin = site.admin();
    let page = admin.page("pages");
    let id = page.split(">About<").next().unwrap().rsplit("edit/").next().unwrap();
    let id = id.split('"').next().unwrap().to_owned();
    let page = admin.page(&format!("edit/{id}"));
    assert!(page.contains("name=\"roles\""), "{page}");
    let fields =
        [("seen", hidden(&page, "seen")), ("title", "About us".into()), ("body", "Who".into())];
    let fields: Vec<(&str, &str)> =
        fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    admin.done(&format!("edit/{id}"), &fields);
    // What the form does not have stays in the file.
    let file = String::from_utf8(site.files()["pages/about.md"].clone()).unwrap();
    assert!(file.contains("author: Ann") && file.contains("title: About us"), "{file}");
    assert!(site.get("/about").text().contains("About us"));
    // Without an alias, the title names the file; and that cannot be a reserved one either.
    made(&admin, &[("title", "Hello, World!"), ("body", "x")]);
    assert_eq!(site.get("/hello-world").status, 200);
    let answer = admin.post("new", &[("title", "Login"), ("body", "x")]);
    admin.refused(&answer, 422, "reserved");
    let answer = admin.post("new", &[("title", "About"), ("body", "x")]);
    admin.refused(&answer, 422, "has the alias \"about\" already");
}

#[test]
fn a_page_of_the_versioned_layout() {
    let site = Site::versioned();
    goes_through(&site);
    let admin = site.admin();
    let path = format!("edit/{PAGE}");
    let page = admin.page(&path);
    assert!(!page.contains("name=\"roles\""), "{page}");
    let seen = hidden(&page, "seen");
    let edit =
        [("seen", seen.as_str()), ("title", "Start"), ("alias", "docs/start"), ("body", "Second")];
    admin.done(&path, &edit);
    // A past version is listed, linked and brought back as a new one.
    let page = admin.page(&path);
    assert!(page.contains(&format!("/builtin/memento/{PAGE}.0")), "{page}");
    assert!(site.get(&format!("/builtin/memento/{PAGE}.0")).text().contains("First words"));
    let restore = [("seen", hidden(&page, "seen")), ("version", "0".to_owned())];
    let restore: Vec<(&str, &str)> =
        restore.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(
        admin.done(&format!("restore/{PAGE}"), &restore),
        format!("edit/{PAGE}?said=restored")
    );
    assert!(site.get("/docs/start").text().contains("First words"));
    assert!(site.files().contains_key(&format!("content/88/{PAGE}.2")));
    let answer = admin.post(&format!("restore/{PAGE}"), &restore);
    admin.refused(&answer, 409, "somebody else");
    // A menu names its pages by their ids, and people by their addresses.
    let id = made(&admin, &[("title", "Below"), ("nav_parent", "/docs/start"), ("body", "x")]);
    assert!(admin.page(&format!("edit/{id}")).contains(&format!("value=\"{PAGE}\"")));
    assert_eq!(site.get(&format!("/id/{id}")).status, 200);
}

#[test]
fn what_cannot_be_saved_is_said_at_its_field() {
    for site in [Site::plain(), Site::versioned()] {
        let admin = site.admin();
        let before = site.files();
        let taken = if site.get("/about").status == 200 { "about" } else { "docs/start" };
        let secret = site.admin.trim_matches('/').to_owned();
        for (field, value, reason) in [
            ("alias", "robots.txt", "is reserved"),
            ("alias", "Login/x", "is reserved"),
            ("alias", secret.as_str(), "is reserved"),
            ("alias", "a b", "' '"),
            ("alias", "../x", "dots"),
            ("alias", taken, "already"),
            ("title", "", "needs a title"),
            ("nav_order", "many", "whole number"),
            ("nav_parent", "no-such-page", "There is no such page"),
        ] {
            let mut fields = vec![("title", "Kept"), ("alias", "free"), ("body", "What I wrote")];
            fields.retain(|(known, _)| *known != field);
            fields.push((field, value));
            let html = admin.refused(&admin.post("new", &fields), 422, reason);
            assert!(html.contains("What I wrote</textarea>"), "{html}");
            assert!(html.contains(&format!("id=\"{field}-wrong\"")), "{field}: {html}");
        }
        assert_eq!(site.files(), before);
    }
}

#[test]
fn what_is_left_out_for_its_alias_can_be_mended() {
    let site = Site::start(&[
        ("pages/index.md", "---\ntitle: Home\n---\n"),
        ("pages/login.md", "---\ntitle: Mine\nid: 00000000000000ff\n---\nwords\n"),
        ("pages/bad.md", "---\ntitle: [\n---\nwords\n"),
    ]);
    let admin = site.admin();
    let page = admin.page("");
    assert!(page.contains("Reserved alias") && page.contains("Metadata that cannot be understood"));
    let id = page.split("edit/").nth(1).unwrap().split('"').next().unwrap();
    let list = admin.page("pages?finding=some");
    assert!(list.contains("pages/login.md") && list.contains("pages/bad.md"), "{list}");
    let html = admin.page(&format!("edit/{id}"));
    assert!(text_of(&html).contains("not served"));
    let fields = [("seen", hidden(&html, "seen")), ("alias", "sign-in-help".to_owned())];
    let fields: Vec<(&str, &str)> =
        fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let fields = [&fields[..], &[("title", "Mine"), ("body", "words")]].concat();
    assert_eq!(admin.done(&format!("edit/{id}"), &fields), "edit/00000000000000ff?said=saved");
    assert_eq!(site.get("/sign-in-help").status, 200);
}
