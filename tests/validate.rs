//! `tidings validate`, from the command line.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a test")]

mod support;

use std::fs;
use std::path::Path;

use serde_json::Value;
use support::{Nginx, run, stderr, stdout, tidings, write_all};

const SITEMAP: &str = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
    <url><loc>http://example.com/</loc></url></urlset>";
const NAMESPACES: &str = "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:rs=\"http://www.openarchives.org/rs/terms/\"";

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_all(folder.path(), files);
    folder
}

fn path(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

#[test]
fn a_valid_file_is_answered_with_0() {
    let folder = folder(&[("sitemap.xml", SITEMAP)]);
    let output = run(["validate", &path(&folder, "sitemap.xml")]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert!(stdout(&output).contains("Sitemap, 1 entry"), "{}", stdout(&output));
    assert!(stderr(&output).is_empty());
}

#[test]
fn findings_are_answered_with_1_and_shown_with_their_line() {
    let document = format!(
        "<urlset {NAMESPACES}>\n<rs:md capability=\"changelist\"\n  form=\"2026\"/>\n</urlset>"
    );
    let folder = folder(&[("changes.xml", &document)]);
    let output = run(["validate", &path(&folder, "changes.xml")]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    for wanted in [
        "RS-12.1-from-missing",
        "RS-12.1-up-missing",
        "RS-7-attribute-unknown",
        "3 | form=\"2026\"/>",
        "-> Add from=",
    ] {
        assert!(text.contains(wanted), "no {wanted} in\n{text}");
    }
}

#[test]
fn notes_alone_are_answered_with_0() {
    let document = format!("<urlset {NAMESPACES}><rs:md capability=\"description\"/></urlset>");
    let folder = folder(&[("description.xml", &document)]);
    let output = run(["validate", &path(&folder, "description.xml")]);
    assert!(stdout(&output).contains("RS-8-describedby"));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn what_cannot_be_had_is_answered_with_2_and_the_rest_still_checked() {
    let folder = folder(&[("sitemap.xml", SITEMAP)]);
    let (missing, good) = (path(&folder, "missing.xml"), path(&folder, "sitemap.xml"));
    let output = run(["validate", &missing, &good]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains(&missing), "{}", stderr(&output));
    assert!(stdout(&output).contains("Sitemap, 1 entry"));
    let output = run(["validate", folder.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("is a folder"), "{}", stderr(&output));
    assert_eq!(run(["validate"]).status.code(), Some(2));
    assert_eq!(run(["validate", "--spec", "2.0", "-"]).status.code(), Some(2));
    assert_eq!(run(["validate", "--follow", &good]).status.code(), Some(2));
    assert_eq!(run(["validate", "--map", "nonsense", &good]).status.code(), Some(2));
}

#[test]
fn standard_input_is_read() {
    let mut command = tidings();
    command.args(["validate", "-"]);
    let output = support::feed(command, |input| input.write_all(SITEMAP.as_bytes()));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn json_is_one_object_with_everything_in_it() {
    let document = format!(
        "<urlset {NAMESPACES}>\n<rs:md capability=\"resourcelist\" at=\"yesterday\"/>\n</urlset>"
    );
    let folder = folder(&[("list.xml", &document)]);
    let list = path(&folder, "list.xml");
    let output = run(["validate", "--json", &list, "/nonexistent"]);
    assert_eq!(output.status.code(), Some(2));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let document = &found["documents"][0];
    assert_eq!(document["target"], *list);
    assert_eq!(document["kind"], "Resource List");
    assert_eq!(document["rules"]["RS-7-time"], 1);
    let finding = &document["findings"][0];
    assert_eq!((finding["rule"].as_str(), finding["line"].as_u64()), (Some("RS-7-time"), Some(2)));
    assert_eq!(document["findings"][1]["line"], 2, "{document}");
    for field in ["severity", "detail", "excerpt", "clause", "wants", "remedy"] {
        assert!(finding[field].is_string(), "{field}");
    }
    assert_eq!(found["unreadable"][0]["target"], "/nonexistent");
    assert_eq!(found["errors"], 2);
}

#[test]
fn versions_and_profiles_are_told_apart() {
    let document = format!(
        "<urlset {NAMESPACES}><rs:ln rel=\"up\" href=\"http://e.example/c.xml\"/><rs:md capability=\"changelist\" from=\"2026-01-01\"/>\
        <url><loc>http://e.example/</loc><rs:md change=\"updated\"/></url></urlset>"
    );
    let folder = folder(&[("changes.xml", &document), ("sitemap.xml", SITEMAP)]);
    let (changes, sitemap) = (path(&folder, "changes.xml"), path(&folder, "sitemap.xml"));
    for (arguments, rule) in [
        (vec!["validate", &changes], ""),
        (vec!["validate", "--spec", "1.1", &changes], ""),
        (vec!["validate", "--spec", "1.0", &changes], "RS-12.1-lastmod-missing"),
        (vec!["validate", "--profile", "ifcc", &changes], "IFCC-changelist-datetime-missing"),
        (vec!["validate", "--profile", "resourcesync", &sitemap], "RS-7-md-missing"),
        (vec!["validate", "--profile", "sitemap", &sitemap], ""),
    ] {
        let output = run(arguments.iter().copied());
        assert_eq!(
            output.status.code(),
            Some(i32::from(!rule.is_empty())),
            "{arguments:?}: {}",
            stdout(&output)
        );
        assert!(stdout(&output).contains(rule), "{arguments:?}: {}", stdout(&output));
    }
}

#[test]
fn documents_are_fetched_from_a_server() {
    let folder = folder(&[("sitemap.xml", SITEMAP), ("page.html", "<!doctype html><p>hello")]);
    let server = Nginx::serve(
        folder.path(),
        "gzip on; gzip_types *; gzip_min_length 1; location /moved { return 302 /sitemap.xml; }",
    );
    for (name, code, wanted) in [
        ("sitemap.xml", 0, "Sitemap, 1 entry"),
        ("moved", 0, "Sitemap, 1 entry"),
        ("page.html", 1, "XML-2.1-html"),
    ] {
        let output = run(["validate", &(server.url() + name)]);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{name}: {}{}",
            stdout(&output),
            stderr(&output)
        );
        assert!(stdout(&output).contains(wanted), "{name}: {}", stdout(&output));
    }
    let output = run(["validate", &(server.url() + "missing.xml")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("404"), "{}", stderr(&output));
    let url = server.url();
    drop(server);
    let output = run(["validate", &url]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("refused"), "{}", stderr(&output));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let folder = folder(&[("sitemap.xml", SITEMAP)]);
    let script = format!(
        "{} validate --json {} | true",
        env!("CARGO_BIN_EXE_tidings"),
        path(&folder, "sitemap.xml")
    );
    let output = std::process::Command::new("bash")
        .args(["-o", "pipefail", "-c", &script])
        .output()
        .unwrap();
    assert!(stderr(&output).is_empty(), "{}", stderr(&output));
}

#[test]
fn the_demo_runs() {
    let output = run(["demo"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("4 documents: nothing wrong") && text.contains("RS-7-change"), "{text}");
    let folder =
        text.split("Three pages in ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert!(Path::new(folder).join(".well-known/resourcesync").exists());
    fs::remove_dir_all(Path::new(folder).parent().unwrap()).unwrap();
}

#[test]
fn completions_and_manual_pages_are_made() {
    assert!(stdout(&run(["completions", "bash"])).contains("tidings"));
    let folder = tempfile::tempdir().unwrap();
    let output = run(["man", folder.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let page = fs::read_to_string(folder.path().join("tidings-validate.1")).unwrap();
    assert!(page.contains("ResourceSync"));
}
