//! D4: Sources that seem to have lost everything.

use crate::support::documents::{AT, Item, capability_list, description, index, resource_list};
use crate::support::server::Reply;
use crate::support::stage::{Case, Stage, case};

const FILES: &[(&str, &str)] = &[("a.txt", "one"), ("b.txt", "two")];

/// A copy of many files, and then a list that has hardly any of them: nothing is removed.
fn held(name: &str, exit: i32, publish: fn(&Stage)) -> Case {
    case(format!("D4 {name}"), move || {
        let stage = Stage::new();
        let names: Vec<String> = (0..40).map(|number| format!("{number}.txt")).collect();
        let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
        stage.files(&files);
        stage.list(&stage.items(&files));
        stage.sync(&[]).exits(0);
        publish(&stage);
        stage.sync(&["--delete"]).exits(exit);
        assert_eq!(stage.found().len(), 40);
        // The good list is back, and all is well.
        stage.list(&stage.items(&files));
        stage.sync(&["--delete"]).exits(0);
        assert_eq!(stage.found().len(), 40);
    })
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        held("an empty list", 1, |stage| stage.list(&[])),
        held("1 of 40", 1, |stage| stage.list(&stage.items(&[("0.txt", "x")]))),
        held("a page in place of the list", 2, |stage| {
            stage.list_reply(Reply::ok("<html>Sign in</html>").with("Content-Type", "text/html"));
        }),
        held("a page in place of the Capability List", 2, |stage| {
            stage.text("/capabilitylist.xml", "<html>Sign in</html>");
            stage.server.remove("/resourcelist.xml");
        }),
        held("no list at all", 1, |stage| stage.server.remove("/resourcelist.xml")),
        held("a part is missing", 1, |stage| {
            let head = format!("<rs:md capability=\"resourcelist\" at=\"{AT}\"/>");
            stage.list_text(index(&head, &[stage.item("p.xml"), stage.item("q.xml")]));
            stage.text("/p.xml", resource_list(&[]));
        }),
        held("a part is a page", 1, |stage| {
            let head = format!("<rs:md capability=\"resourcelist\" at=\"{AT}\"/>");
            stage.list_text(index(&head, &[stage.item("p.xml"), stage.item("q.xml")]));
            stage.text("/p.xml", resource_list(&[]));
            stage.text("/q.xml", "<html>Sign in</html>");
        }),
        case("D4 1 of 1,000", || {
            let stage = Stage::new();
            let names: Vec<String> = (0..1_000).map(|number| format!("{number}.txt")).collect();
            let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
            stage.files(&files);
            stage.list(&stage.items(&files));
            stage.sync(&["--jobs", "64"]).exits(0);
            stage.list(&stage.items(&files[..1]));
            stage.sync(&["--delete"]).exits(1).counts("held", 999).counts("deleted", 0);
            assert_eq!(stage.found().len(), 1_000);
            // What is meant is done, and can be undone.
            stage.sync(&["--delete", "--force-delete", "--trash"]).exits(0).counts("deleted", 999);
            assert_eq!(stage.found().len(), 1);
            let kept = crate::support::stage::files_of(&stage.copy().join(".tidings/trash"));
            assert_eq!(kept.len(), 999);
        }),
        case("D4 a small copy is not emptied by an empty list", || {
            let stage = Stage::copied(FILES);
            stage.list(&[]);
            stage.sync(&["--delete"]).exits(1).counts("deleted", 0);
            stage.has(FILES);
        }),
        case("D4 a set is gone: what it had is removed, or the audit does not mind", || {
            let stage = Stage::new();
            stage.files(FILES);
            let offer = |set: &str, items: &[Item]| {
                stage.text(&format!("/{set}/l.xml"), resource_list(items));
                let offers = [("resourcelist", stage.url(&format!("/{set}/l.xml")))];
                stage.text(&format!("/{set}/c.xml"), capability_list(&offers));
                stage.url(&format!("/{set}/c.xml"))
            };
            let items = stage.items(FILES);
            let sets = [offer("x", &items[..1]), offer("y", &items[1..])];
            stage.text("/.well-known/resourcesync", description(&sets));
            stage.sync_from("/", &["--all"]).exits(0);
            stage.has(FILES);
            stage.text("/.well-known/resourcesync", description(&sets[..1]));
            stage.sync_from("/", &["--all", "--delete", "--baseline"]).exits(0);
            stage.in_sync("/", &["--all"]);
        }),
        case("D4 nothing is removed unless it is asked for", || {
            let stage = Stage::copied(FILES);
            stage.list(&stage.items(&FILES[..1]));
            stage.sync(&[]).exits(0).counts("kept", 1);
            stage.has(FILES);
            stage.sync(&["--delete"]).exits(0).counts("deleted", 1);
            stage.has(&FILES[..1]);
        }),
    ]
}
