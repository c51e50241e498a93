//! Tags, and who may see what by them.

use crate::stage::{PAGE, Site, hidden};

const SECRET: &str = "correct horse battery";

#[test]
fn a_tag_restricts_a_page_to_those_who_have_its_role() {
    let site = Site::versioned();
    let admin = site.admin();
    let path = format!("edit/{PAGE}");
    let seen = hidden(&admin.page(&path), "seen");
    let fields = [
        ("seen", seen.as_str()),
        ("title", "Start"),
        ("alias", "docs/start"),
        ("tags", "inner"),
        ("body", "x"),
    ];
    admin.done(&path, &fields);
    // A tag that is not known says nothing, and that is said.
    assert!(admin.page(&path).contains("says nothing about who may see this"));
    assert_eq!(site.get("/docs/start").status, 200);
    let added = [("name", "bob"), ("roles", "staff"), ("password", SECRET), ("again", SECRET)];
    admin.done("users/add", &added);
    admin.done(
        "users/add",
        &[("name", "eve"), ("roles", "guest"), ("password", SECRET), ("again", SECRET)],
    );
    // It is said what it would change, before it does.
    let tag = [
        ("id.new", "inner"),
        ("name.new", "Inner"),
        ("roles.new", "staff, board"),
        ("rule.new", "union"),
    ];
    let seen = hidden(&admin.page("tags"), "seen");
    let tag = [&[("seen", seen.as_str())], &tag[..]].concat();
    let html = admin.refused(&admin.post("tags", &tag), 200, "Public now, restricted then: 1.");
    assert!(html.contains("value=\"staff, board\""), "{html}");
    assert_eq!(site.get("/docs/start").status, 200);
    let agreed = hidden(&html, "agreed");
    let wrong = [&tag[..], &[("agreed", "0-0-0")]].concat();
    admin.refused(&admin.post("tags", &wrong), 200, "This is not saved yet");
    let tag = [&tag[..], &[("agreed", agreed.as_str())]].concat();
    assert_eq!(admin.done("tags", &tag), "tags?said=tags");
    assert_eq!(site.get("/docs/start").status, 404);
    let (bob, eve) = (site.sign_in("bob", SECRET), site.sign_in("eve", SECRET));
    assert_eq!(bob.get("/docs/start").status, 200);
    assert_eq!(eve.get("/docs/start").status, 404);
    assert_eq!(admin.get("/docs/start").status, 200);
    assert!(!site.get("/sitemap.xml").text().contains("docs/start"));
    assert!(admin.page("pages?access=roles").contains("board, staff"));
    // Another who saw the tags before is not to undo it.
    admin.refused(&admin.post("tags", &tag), 409, "Somebody else changed the tags");
    // Others may see it now, and still not everybody.
    let seen = hidden(&admin.page("tags"), "seen");
    let change = [
        ("seen", seen.as_str()),
        ("id.0", "inner"),
        ("name.0", "Inner"),
        ("roles.0", "guest"),
        ("rule.0", ""),
    ];
    let html =
        admin.refused(&admin.post("tags", &change), 200, "Restricted to others than now: 1.");
    let agreed = hidden(&html, "agreed");
    admin.done("tags", &[&change[..], &[("agreed", agreed.as_str())]].concat());
    assert_eq!((bob.get("/docs/start").status, eve.get("/docs/start").status), (404, 200));
    // Without the tag it is for everybody, and that is said, too.
    let seen = hidden(&admin.page("tags"), "seen");
    let remove = [("seen", seen.as_str()), ("id.0", "inner"), ("remove.0", "yes")];
    let html = admin.refused(&admin.post("tags", &remove), 200, "Restricted now, public then: 1.");
    let agreed = hidden(&html, "agreed");
    admin.done("tags", &[&remove[..], &[("agreed", agreed.as_str())]].concat());
    assert_eq!(site.get("/docs/start").status, 200);
}

#[test]
fn tags_that_cannot_be_are_said_where_they_are() {
    let site = Site::plain();
    let admin = site.admin();
    let seen = hidden(&admin.page("tags"), "seen");
    let one = [("seen", seen.as_str()), ("id.new", "a"), ("roles.new", "x")];
    admin.done("tags", &one);
    let seen = hidden(&admin.page("tags"), "seen");
    let twice = [
        ("seen", seen.as_str()),
        ("id.0", "a"),
        ("roles.0", "x"),
        ("id.new", "a"),
        ("roles.new", "y"),
    ];
    admin.refused(&admin.post("tags", &twice), 422, "There is a tag of that id already");
    let bad = [("seen", seen.as_str()), ("id.0", "a"), ("id.new", ""), ("name.new", "No id")];
    admin.refused(&admin.post("tags", &bad), 422, "needs an id");
    let bad = [("seen", seen.as_str()), ("id.new", "a,b")];
    admin.refused(&admin.post("tags", &bad), 422, "no commas");
    // A file that cannot be read is not overwritten.
    site.write("state/sys/tags.yaml", "a: [\n");
    assert!(admin.page("tags").contains("mended on disk"));
    admin.refused(&admin.post("tags", &one), 409, "mended on disk");
    assert_eq!(site.files()["state/sys/tags.yaml"], b"a: [\n");
}

#[test]
fn roles_are_listed() {
    let site = Site::plain();
    let admin = site.admin();
    assert_eq!(admin.done("roles", &[("roles", "staff\r\nboard\r\n\r\nstaff")]), "tags?said=roles");
    let page = admin.page("tags");
    assert!(page.contains("board\nstaff</textarea>"), "{page}");
    assert!(admin.page("users").contains("<code>staff</code>"));
    // A page of this layout can name them itself.
    let to = admin.done("new", &[("title", "Inside"), ("roles", "staff"), ("body", "x")]);
    assert_eq!(site.get("/inside").status, 404);
    assert!(admin.page(&to).contains("<span class=\"tag held\">staff</span>"));
}
