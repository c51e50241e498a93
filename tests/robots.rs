//! `tidings robots`: what may be fetched, from a file and from a real server.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use serde_json::Value;
use support::{Nginx, run, stderr, stdout, write_all};

const RULES: &str = "User-agent: *\nDisallow: /private\nAllow: /private/notes\n\n\
    User-agent: ExampleBot\nDisallow: /\n";

#[test]
fn each_url_comes_with_the_line_that_decides() {
    let folder = tempfile::tempdir().unwrap();
    write_all(folder.path(), &[("robots.txt", RULES)]);
    let server = Nginx::serve(folder.path(), "");
    let [page, private, notes] =
        ["page", "private/x", "private/notes"].map(|path| server.url() + path);
    let output = run(["robots", &page, &private, &notes]);
    let width = notes.len();
    assert_eq!(
        stdout(&output),
        format!(
            "allowed     {page:width$}   no line of robots.txt is about it\n\
             disallowed  {private:width$}   robots.txt line 2: Disallow: /private\n\
             allowed     {notes:width$}   robots.txt line 3: Allow: /private/notes\n"
        )
    );
    assert_eq!(output.status.code(), Some(1));
    let output = run(["robots", &notes]);
    let line = format!("allowed  {notes}   robots.txt line 3: Allow: /private/notes\n");
    assert_eq!(stdout(&output), line);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn rules_can_be_tried_out_before_they_are_published() {
    let folder = tempfile::tempdir().unwrap();
    write_all(folder.path(), &[("rules", RULES)]);
    let file = folder.path().join("rules").display().to_string();
    let url = "https://shrine.example/a";
    let output = run(["robots", "--json", "--file", &file, "--agent", "ExampleBot/2", url]);
    assert_eq!(output.status.code(), Some(1));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["agent"], "ExampleBot/2");
    let found = &found["urls"][0];
    assert_eq!(found["url"], url);
    assert_eq!(found["allowed"], false);
    assert_eq!((&found["line"], &found["group"]), (&6.into(), &5.into()));
    assert_eq!(found["rule"], "Disallow: /");
    assert_eq!(found["reason"], "robots.txt line 6: Disallow: /");
}

#[test]
fn no_rules_allow_and_rules_that_cannot_be_had_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let server = Nginx::serve(folder.path(), "");
    let output = run(["robots", &server.url()]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("answered 404"), "{}", stdout(&output));

    let server = Nginx::serve(folder.path(), "location /robots.txt { return 503; }");
    let output = run(["robots", &server.url()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).starts_with("disallowed  "), "{}", stdout(&output));
    assert!(stdout(&output).contains("answered 503"), "{}", stdout(&output));

    let gone = server.url();
    drop(server);
    let output = run(["robots", &gone]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("robots.txt could not be had"), "{}", stdout(&output));
}

#[test]
fn what_cannot_be_asked_is_not_done() {
    for (arguments, said) in [
        (&["robots", "page.html"][..], "page.html is not a URL"),
        (&["robots", "--file", "no-such-file", "https://shrine.example/"], "no-such-file"),
    ] {
        let output = run(arguments.iter().copied());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
}

#[test]
fn s3_a_password_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    write_all(folder.path(), &[("robots.txt", RULES)]);
    let server = Nginx::serve(folder.path(), "");
    let file = folder.path().join("robots.txt").display().to_string();
    let url = server.url().replace("http://", "http://me:secret@");
    for arguments in [&["robots", &url][..], &["robots", "--json", "--file", &file, &url]] {
        let output = run(arguments.iter().copied());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stdout(&output).contains(&server.url()), "{}", stdout(&output));
        assert!(!stdout(&output).contains("secret"), "{}", stdout(&output));
    }
}

#[test]
fn nothing_in_a_rule_reaches_the_terminal_as_a_command() {
    let folder = tempfile::tempdir().unwrap();
    write_all(folder.path(), &[("rules", "User-agent: *\nDisallow: /\u{1b}[2J*\nDisallow: /")]);
    let file = folder.path().join("rules").display().to_string();
    let output = run(["robots", "--file", &file, "https://shrine.example/%1B[2J"]);
    assert!(!stdout(&output).contains('\u{1b}'), "{}", stdout(&output));
}
