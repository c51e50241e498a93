//! `docs/rules.md` is made from the rules themselves; `BLESS=1` makes it anew.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a test")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use tidings_document::{Rule, rule};

fn rendered() -> String {
    let mut out = String::from(
        "# The rules of `tidings validate`\n\n\
         An id names the specification, its section and what is amiss: scripts may rely on it. An *error* is against\n\
         a requirement, a *warning* is about something that cannot be used or checked or will trip others, a *note* is\n\
         against a recommendation.\n",
    );
    let groups: [(&str, &[&Rule]); 7] = [
        ("XML", rule::xml::ALL),
        ("Limits of the reader", rule::limit::ALL),
        ("Sitemap protocol", rule::sitemap::ALL),
        ("ResourceSync", rule::resourcesync::ALL),
        ("IFCC-0001", rule::ifcc::ALL),
        ("A whole Source (`--follow`)", rule::source::ALL),
        ("Webfeeds (`--profile webfeed`)", rule::webfeed::ALL),
    ];
    for (title, rules) in groups {
        let _ = writeln!(
            out,
            "\n## {title}\n\n| id | | what is wanted | what to do | from |\n|---|---|---|---|---|"
        );
        for rule in rules {
            let cell =
                |text: &str| text.replace('&', "&amp;").replace('|', "\\|").replace('<', "&lt;");
            let _ = writeln!(
                out,
                "| `{}` | {} | {} | {} | {} |",
                rule.id,
                rule.severity,
                cell(rule.wants),
                cell(rule.remedy),
                cell(rule.clause)
            );
        }
    }
    out
}

#[test]
fn the_list_of_rules_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules.md");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, rendered()).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == rendered(), "docs/rules.md is out of date: run this test with BLESS=1");
}
