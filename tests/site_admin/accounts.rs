//! Accounts.

use crate::stage::Site;

const SECRET: &str = "correct horse battery";
const OTHER: &str = "staple battery horse";

#[test]
fn accounts_are_made_changed_and_removed() {
    let site = Site::plain();
    let admin = site.admin();
    for (fields, reason) in [
        ([("name", "a b"), ("password", SECRET), ("again", SECRET)], "a name has"),
        ([("name", "ann"), ("password", "short"), ("again", "short")], "too short"),
        ([("name", "ann"), ("password", SECRET), ("again", OTHER)], "not the same"),
    ] {
        let answer = admin.post("users/add", &fields);
        let html = admin.refused(&answer, 422, &reason[2..]);
        assert!(!html.contains(SECRET));
    }
    let fields =
        [("name", "ann"), ("roles", "staff, press"), ("password", SECRET), ("again", SECRET)];
    admin.done("users/add", &fields);
    admin.refused(&admin.post("users/add", &fields), 409, "already");
    let page = admin.page("users");
    assert!(page.contains("Change ann") && page.contains("press, staff"), "{page}");
    let ann = site.sign_in("ann", SECRET);
    assert_eq!(ann.get(&site.admin).status, 404);
    // What she may do holds from now on, in the session that she has.
    admin.done("users/change", &[("name", "ann"), ("roles", ""), ("admin", "yes")]);
    assert_eq!(ann.get(&site.admin).status, 200);
    admin.done("users/change", &[("name", "ann"), ("roles", "press")]);
    assert_eq!(ann.get(&site.admin).status, 404);
    // Another password ends her sessions.
    admin.done("users/password", &[("name", "ann"), ("password", OTHER)]);
    assert!(!ann.get("/login/").text().contains("signed in as"));
    assert_eq!(site.try_sign_in("ann", SECRET).1.status, 401);
    site.sign_in("ann", OTHER);
    admin.refused(
        &admin.post("users/password", &[("name", "ANN"), ("password", "x")]),
        422,
        "too short",
    );
    admin.done("users/remove", &[("name", "ann")]);
    assert_eq!(site.try_sign_in("ann", OTHER).1.status, 401);
    admin.refused(&admin.post("users/remove", &[("name", "ann")]), 404, "no account");
}

#[test]
fn the_last_admin_stays() {
    let site = Site::plain();
    let admin = site.admin();
    for path in ["users/remove", "users/change"] {
        let answer = admin.post(path, &[("name", "admin"), ("roles", "")]);
        admin.refused(&answer, 409, "make somebody else an admin first");
    }
    let fields = [("name", "ann"), ("admin", "yes"), ("password", SECRET), ("again", SECRET)];
    admin.done("users/add", &fields);
    // Who is no admin any more is not told where the administration is.
    let answer = admin.post("users/change", &[("name", "Admin"), ("roles", "")]);
    assert_eq!((answer.status, answer.header("location").as_deref()), (303, Some("/")));
    assert_eq!(admin.get(&site.admin).status, 404);
    let ann = site.sign_in("ann", SECRET);
    ann.refused(&ann.post("users/remove", &[("name", "ann")]), 409, "make somebody else an admin");
}

#[test]
fn ones_own_password_is_changed_with_the_old_one() {
    let site = Site::plain();
    let (admin, elsewhere) = (site.admin(), site.admin());
    let wrong = [("old", "not it at all"), ("password", SECRET), ("again", SECRET)];
    admin.refused(&admin.post("account", &wrong), 422, "old password is not right");
    let own = [("name", "admin"), ("password", SECRET)];
    admin.refused(&admin.post("users/password", &own), 422, "with the old one");
    let old = site.password().to_owned();
    let differ = [("old", old.as_str()), ("password", SECRET), ("again", OTHER)];
    admin.refused(&admin.post("account", &differ), 422, "not the same");
    let right = [("old", old.as_str()), ("password", SECRET), ("again", SECRET)];
    let answer = admin.post("account", &right);
    assert_eq!(admin.sent(&answer), "account?said=password");
    assert!(answer.header("set-cookie").unwrap().contains("tidings-site-session="));
    // All sessions of before are over.
    for session in [&admin, &elsewhere] {
        assert_eq!(session.get(&site.admin).status, 404);
    }
    let again = site.sign_in("admin", SECRET);
    // Guessing is slow.
    let statuses = (0..12).map(|_| again.post("account", &wrong).status).collect::<Vec<_>>();
    assert!(statuses.contains(&429), "{statuses:?}");
}
