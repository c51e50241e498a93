//! Files that are uploaded, replaced and deleted.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use crate::stage::{FILE, MULTIPART, Site, hidden, multipart};

#[test]
fn an_upload_is_served() {
    for site in [Site::plain(), Site::versioned()] {
        let admin = site.admin();
        let to = admin.sent(&admin.send(
            "upload",
            &[("folder", "images/2026"), ("alias", ""), ("tags", "")],
            &[("files", "My Photo.txt", "text/plain", "light\n")],
        ));
        assert!(to.starts_with("file/") && admin.page(&to).contains("Uploaded."), "{to}");
        let served = site.get("/images/2026/my-photo.txt");
        assert_eq!((served.status, served.text().as_str()), (200, "light\n"));
        // Several at once; one that is empty is one all the same, and none where none was chosen.
        let to = admin.sent(&admin.send(
            "upload",
            &[("folder", "many"), ("alias", "")],
            &[
                ("files", "a.txt", "text/plain", "A"),
                ("files", "b.txt", "text/plain", ""),
                ("files", "", "application/octet-stream", ""),
            ],
        ));
        assert_eq!(to, "pages?said=uploaded");
        assert_eq!(site.get("/many/a.txt").text(), "A");
        assert_eq!(site.get("/many/b.txt").status, 200);
        // A page comes as a page.
        let page = "---\ntitle: Came\n---\n*in*\n";
        let files = [("files", "came.md", "text/markdown", page)];
        let to = admin.sent(&admin.send("upload", &[], &files));
        assert!(to.starts_with("edit/"), "{to}");
        assert!(admin.page(&to).contains("value=\"Came\""));
    }
}

#[test]
fn an_upload_that_cannot_be_served_is_refused_with_the_reason() {
    let site = Site::plain();
    let admin = site.admin();
    let before = site.files();
    let file = [("files", "robots.txt", "text/plain", "x")];
    admin.refused(&admin.send("upload", &[], &file), 422, "is reserved");
    let file = [("files", "x.txt", "text/plain", "x")];
    let answer = admin.send("upload", &[("alias", "notes.txt")], &file);
    admin.refused(&answer, 422, "is at /notes.txt already");
    admin.refused(&admin.send("upload", &[("alias", "a b")], &file), 422, "' '");
    admin.refused(&admin.send("upload", &[("tags", "secret")], &file), 422, "have no tags");
    admin.refused(&admin.send("upload", &[], &[]), 422, "Choose a file");
    assert_eq!(site.files(), before);
    // Of several, those that can be are taken.
    let two = [file[0], ("files", "robots.txt", "text/plain", "x")];
    let html = admin.refused(&admin.send("upload", &[], &two), 200, "is reserved");
    assert!(html.contains(">x.txt</a>"), "{html}");
    assert_eq!(site.get("/x.txt").status, 200);
}

#[test]
fn a_file_is_described_and_replaced() {
    let site = Site::versioned();
    let admin = site.admin();
    let path = format!("file/{FILE}");
    let page = admin.page(&path);
    assert!(page.contains("text/plain") && page.contains("Logo.TXT"), "{page}");
    assert_eq!(admin.get(&format!("{}edit/{FILE}", site.admin)).status, 303);
    // Its metadata alone: what is in it stays.
    let seen = hidden(&page, "seen");
    let fields =
        [("seen", seen.as_str()), ("title", "Our logo"), ("alias", "brand/logo.txt"), ("tags", "")];
    assert_eq!(admin.sent(&admin.send(&path, &fields, &[])), format!("{path}?said=saved"));
    assert_eq!(site.get("/brand/logo.txt").text(), "a logo\n");
    assert_eq!(site.get("/logo.txt").status, 404);
    // Another one in its place, which nobody else replaced meanwhile.
    let file = [("file", "New.html", "text/css", "b{}")];
    let stale = admin.send(&path, &fields, &file);
    admin.refused(&stale, 409, "somebody else");
    let seen = hidden(&admin.page(&path), "seen");
    let fields =
        [("seen", seen.as_str()), ("title", "Our logo"), ("alias", "brand/logo.txt"), ("tags", "")];
    assert_eq!(admin.sent(&admin.send(&path, &fields, &file)), format!("{path}?said=replaced"));
    let served = site.get("/brand/logo.txt");
    assert_eq!(served.text(), "b{}");
    assert!(served.header("content-type").unwrap().starts_with("text/css"));
    // A past version comes back, and an alias of another is refused.
    let page = admin.page(&path);
    let restored = admin
        .done(&format!("restore/{FILE}"), &[("seen", &hidden(&page, "seen")), ("version", "0")]);
    assert_eq!(restored, format!("{path}?said=restored"));
    assert_eq!(site.get("/logo.txt").text(), "a logo\n");
    let seen = hidden(&admin.page(&path), "seen");
    let fields = [("seen", seen.as_str()), ("alias", "docs/start"), ("tags", "")];
    admin.refused(&admin.send(&path, &fields, &[]), 422, "already");
    let page = admin.page(&format!("delete/{FILE}"));
    admin.done(&format!("delete/{FILE}"), &[("seen", &hidden(&page, "seen"))]);
    assert_eq!(site.get("/logo.txt").status, 404);
}

#[test]
fn a_file_of_the_plain_layout_is_replaced_where_it_is() {
    let site = Site::plain();
    let admin = site.admin();
    let list = admin.page("pages?kind=file");
    let id = list.split("file/").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let page = admin.page(&format!("file/{id}"));
    let seen = hidden(&page, "seen");
    let to = admin.sent(&admin.send(&format!("file/{id}"), &[("seen", &seen)], &[]));
    assert!(admin.page(&to).contains("nothing to change"));
    let file = [("file", "other.txt", "text/plain", "other text\n")];
    admin.sent(&admin.send(&format!("file/{id}"), &[("seen", &seen)], &file));
    assert_eq!(site.get("/notes.txt").text(), "other text\n");
    let answer = admin.send(&format!("file/{id}"), &[("seen", &seen)], &file);
    admin.refused(&answer, 409, "somebody else");
}

#[test]
fn more_than_may_be_is_not_taken() {
    let site = Site::plain();
    let admin = site.admin();
    let path = format!("{}upload", site.admin);
    let file = [("files", "large.txt", "text/plain", "HERE")];
    let form = multipart(&[("guard", &admin.guard())], &file);
    let (before, after) = form.split_once("HERE").unwrap();
    let large: usize = (200 << 20) + 1;
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n{MULTIPART}{}\r\n",
        site.serving.address,
        before.len() + large + after.len(),
        admin.cookie(),
    );
    let mut stream = TcpStream::connect(&site.serving.address).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(before.as_bytes()).unwrap();
    // Who is refused may be so before all was sent.
    let _ = std::io::copy(&mut std::io::repeat(b'x').take(large as u64), &mut stream);
    let _ = stream.write_all(after.as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(answer.contains("large.txt is larger than 200 MiB"), "{answer}");
    assert_eq!(site.get("/large.txt").status, 404);
}

#[test]
fn what_cannot_be_edited_can_be_deleted() {
    let site = Site::plain();
    site.write("pages/broken.md", "---\ntitle: [\n---\n");
    let admin = site.admin();
    let list = admin.page("pages?finding=metadata");
    let path = list.split("delete/").nth(1).unwrap().split('"').next().unwrap();
    let page = admin.page(&format!("delete/{path}"));
    admin.done(&format!("delete/{path}"), &[("seen", &hidden(&page, "seen"))]);
    assert!(!site.files().contains_key("pages/broken.md"));
    assert!(admin.page("").contains("Nothing is wrong with the content."));
}
