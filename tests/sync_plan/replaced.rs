//! Open Change Lists that stay where they were after another document has taken their place.

use crate::support::documents::{
    capability_list, change_list, change_list_of, md5, resource_list_at,
};
use crate::support::server::Reply;
use crate::support::stage::Stage;
use crate::{FILES, at, changed};

/// A day has gone by since the Source was looked for.
fn let_a_day_pass(stage: &Stage) {
    let path = stage.copy().join(".tidings/state.sqlite");
    let state = rusqlite::Connection::open(path).unwrap();
    state.execute("UPDATE setting SET value = '0' WHERE name = 'discovered'", []).unwrap();
}

/// The first Change List; a server that `has_etags` knows it again.
fn write(stage: &Stage, list: &str, has_etags: bool) {
    stage.changes(list);
    let reply = Reply::ok(list);
    let reply = if has_etags { reply.etag(&md5(list.as_bytes())) } else { reply };
    stage.put("/changelist.xml", reply);
}

/// The Capability List names another Change List from now on.
fn offer(stage: &Stage, list: &str) {
    let offers = [("resourcelist", "/resourcelist.xml"), ("changelist", list)];
    let offers = offers.map(|(kind, path)| (kind, stage.url(path)));
    stage.text("/capabilitylist.xml", capability_list(&offers));
}

#[test]
fn a_change_list_at_another_url_is_found_within_a_day_and_by_a_baseline() {
    for (is_asked, from, has_etags) in [
        (true, "01-01", false),
        (false, "01-01", true),
        (true, "01-03", true),
        (false, "01-03", false),
        (false, "01-03", true),
    ] {
        let stage = Stage::followed(FILES);
        stage.files(&[("a.txt", "newer"), ("c.txt", "three")]);
        let updated = changed(&stage, "a.txt", "updated", "newer").at(&at("01-02"));
        write(&stage, &change_list(std::slice::from_ref(&updated)), has_etags);
        stage.sync(&[]).exits(0).counts("updated", 1);
        // The new list goes on from the last change, or leaves a gap that a Resource List covers.
        let created = changed(&stage, "c.txt", "created", "three").at(&at("01-04"));
        let mut changes = vec![updated, created];
        stage.text("/changes-2.xml", change_list_of(&at(from), None, &changes));
        offer(&stage, "/changes-2.xml");
        let new = [("a.txt", "newer"), FILES[1], ("c.txt", "three")];
        stage.text("/resourcelist.xml", resource_list_at(&at("01-03"), &stage.items(&new[..2])));
        // Until then a poll is one request.
        stage.sync(&[]).exits(0).counts("requests", 1).says("nothing is new");
        if !is_asked {
            let_a_day_pass(&stage);
        }
        let options: &[&str] = if is_asked { &["--baseline"] } else { &[] };
        stage.sync(options).exits(0);
        stage.has(&new);
        stage.in_sync("/capabilitylist.xml", &[]);
        // From then on it is the new one that is asked for.
        stage.files(&[("c.txt", "later")]);
        changes.push(changed(&stage, "c.txt", "updated", "later").at(&at("01-05")));
        stage.text("/changes-2.xml", change_list_of(&at(from), None, &changes));
        stage.sync(&[]).exits(0);
        stage.has(&[("a.txt", "newer"), FILES[1], ("c.txt", "later")]);
    }
}

#[test]
fn a_change_list_that_is_no_longer_offered_does_not_speak_for_the_source() {
    for has_etags in [false, true] {
        let stage = Stage::with(FILES);
        write(&stage, &change_list(&[]), has_etags);
        stage.sync(&[]).exits(0);
        // From now on there are Resource Lists only, and the last Change List stays where it was.
        stage.files(&[("a.txt", "newer")]);
        let new = [("a.txt", "newer"), FILES[1]];
        stage.list_text(resource_list_at(&at("02-01"), &stage.items(&new)));
        let_a_day_pass(&stage);
        stage.sync(&[]).exits(0);
        stage.has(&new);
        stage.in_sync("/capabilitylist.xml", &[]);
        stage.files(FILES);
        stage.list_text(resource_list_at(&at("03-01"), &stage.items(FILES)));
        stage.sync(&[]).exits(0);
        stage.has(FILES);
    }
}
