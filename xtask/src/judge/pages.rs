//! Pages are looked at by those who know what everybody can use: axe-core, the Nu HTML checker and
//! Lighthouse, on a server with a year of history and on one that is new.

#[path = "../../../tests/support/folder.rs"]
#[allow(
    clippy::unwrap_used,
    dead_code,
    unreachable_pub,
    reason = "shared with the tests: what fails there ends the run"
)]
mod folder;
#[path = "../../../tests/support/town.rs"]
#[allow(
    clippy::unwrap_used,
    dead_code,
    unreachable_pub,
    reason = "shared with the tests: what fails there ends the run"
)]
mod town;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use self::town::{ADMIN, EMPTY, PASSWORD, Town, is_there, serve};
use crate::command::output;
use crate::workspace;

const PACKAGES: [&str; 4] =
    ["axe-core@4.14.0", "puppeteer-core@24.43.1", "lighthouse@12.8.2", "vnu-jar@26.9.27"];
/// The pages that Lighthouse looks at.
const MEASURED: [&str; 5] = ["home", "site", "collection", "batch", "check"];
/// What each of its categories has to reach.
const SCORE: u64 = 95;
/// Each thing that is wrong (`!`) or to be looked at (`?`), and the pages that have it.
type Wrong = BTreeMap<String, Vec<String>>;

/// What was found of one page.
#[derive(Default)]
struct Row {
    light: usize,
    dark: usize,
    unsure: usize,
    errors: usize,
    warnings: usize,
}

/// Builds both servers, has all look at them, and prints what they say.
pub(super) fn judge(folder: &Path) -> Result<()> {
    let home = folder.join("pages");
    let saved = home.join("served");
    fs::create_dir_all(&saved)?;
    fs::write(home.join("package.json"), "{\"type\": \"module\"}")?;
    let quiet = ["install", "--ignore-scripts", "--silent", "--no-audit", "--no-fund"];
    output(Command::new("npm").args(quiet).args(PACKAGES).current_dir(&home))?;
    let tidings = workspace::target().join("release/tidings");
    let town = Town::build(&tidings);
    let new = New::start(&tidings, &home.join("new"))?;
    let told = look(&home, &saved, &town, &new)?;
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let mut wrong = Wrong::new();
    for told in told.iter().filter(|told| told["kind"] == "axe") {
        axe(told, &mut rows, &mut wrong)?;
    }
    checker(&home, &saved, &mut rows, &mut wrong)?;
    println!(
        "\n{:<26} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "page", "axe light", "axe dark", "unsure", "errors", "warnings"
    );
    for (name, row) in &rows {
        println!(
            "{name:<26} {:>9} {:>9} {:>9} {:>9} {:>9}",
            row.light, row.dark, row.unsure, row.errors, row.warnings
        );
    }
    println!(
        "\n{:<26} {:>12} {:>14} {:>15} {:>5}",
        "page", "performance", "accessibility", "best-practices", "seo"
    );
    for told in told.iter().filter(|told| told["kind"] == "lighthouse") {
        lighthouse(told, &mut wrong);
    }
    println!();
    for (what, pages) in &wrong {
        println!("{what}\n    on {}", pages.join(", "));
    }
    let graves = wrong.keys().filter(|what| what.starts_with('!')).count();
    ensure!(graves == 0, "{graves} things fall short, see above");
    println!(
        "axe-core, the Nu HTML checker and Lighthouse: nothing falls short on {} pages",
        rows.len()
    );
    Ok(())
}

/// What the runner says, page by page.
fn look(home: &Path, saved: &Path, town: &Town, new: &New) -> Result<Vec<Value>> {
    let browser = output(Command::new("sh").args(["-c", "command -v chromium"]))?;
    let full =
        town.pages().into_iter().map(|(page, path)| json!({ "name": page.name, "path": path }));
    let empty = EMPTY.iter().filter(|(name, path)| is_there(&new.base, name, path));
    let empty = empty.map(|(name, path)| json!({ "name": format!("{name}-empty"), "path": path }));
    let plan = json!({
        "browser": browser.trim(),
        "out": saved,
        "lighthouse": MEASURED,
        "servers": [
            { "base": new.base, "pages": empty.collect::<Vec<_>>(), "forms": [
                { "name": "add-error", "path": "/add", "fields": { "#url": "http://127.0.0.1:1/" }, "seen": "[role=alert]" },
                { "name": "setup-error", "path": "/setup", "fields": { "#name": "ann", "#password": "not the same", "#again": "as this one" }, "seen": "[role=alert]" },
            ] },
            { "base": town.base, "user": ADMIN, "password": PASSWORD, "pages": full.collect::<Vec<_>>(), "forms": [
                { "name": "added", "path": "/add", "fields": { "#url": town.sites()[0].url() }, "seen": "ul.list" },
                { "name": "tokens-made", "path": "/tokens", "fields": { "#name": "a SCHEME token" }, "seen": ".said[role=status] code" },
            ] },
        ],
    });
    let file = home.join("plan.json");
    fs::write(&file, plan.to_string())?;
    fs::write(home.join("look.mjs"), include_str!("pages.mjs"))?;
    let said = output(Command::new("node").arg("look.mjs").arg(&file).current_dir(home))?;
    said.lines().map(|line| serde_json::from_str(line).context("the runner's words")).collect()
}

/// Notes what axe-core says of a page: what it finds wrong, and what it cannot tell.
fn axe(told: &Value, rows: &mut BTreeMap<String, Row>, wrong: &mut Wrong) -> Result<()> {
    let (page, scheme) = (text(&told["page"]), text(&told["scheme"]));
    ensure!(told["passes"].as_u64() > Some(5), "axe-core did not look at {page}");
    let row = rows.entry(page.clone()).or_default();
    let violations = told["violations"].as_array().map_or(&[][..], Vec::as_slice);
    let unsure = told["unsure"].as_array().map_or(&[][..], Vec::as_slice);
    if scheme == "dark" {
        row.dark = violations.len();
    } else {
        row.light = violations.len();
        row.unsure = unsure.len();
    }
    for (mark, all) in [('!', violations), ('?', unsure)] {
        for one in all {
            let [rule, impact, element, html, why] =
                ["rule", "impact", "element", "html", "why"].map(|name| text(&one[name]));
            // Addresses differ from page to page.
            let html = html.split(" data-copy=").next().unwrap_or_default();
            let what = format!("{mark} axe-core: {rule} ({impact}): {element} — {html} — {why}");
            wrong.entry(what).or_default().push(format!("{page} {scheme}"));
        }
    }
    Ok(())
}

/// The Nu HTML checker reads what was served.
fn checker(
    home: &Path,
    saved: &Path,
    rows: &mut BTreeMap<String, Row>,
    wrong: &mut Wrong,
) -> Result<()> {
    let jar = home.join("node_modules/vnu-jar/build/dist/vnu.jar");
    let mut command = Command::new("java");
    command.arg("-Xss4m").arg("-jar").arg(jar).args([
        "--format",
        "json",
        "--stdout",
        "--exit-zero-always",
    ]);
    fs::write(saved.join("probe.html"), "<p id=a><p id=a>")?;
    let said = output(command.arg(saved))?;
    let said: Value = serde_json::from_str(&said).context("the checker's words")?;
    let mut seen_probe = false;
    for message in said["messages"].as_array().context("the checker has no messages")? {
        let url = text(&message["url"]);
        let page = url.rsplit('/').next().unwrap_or_default().trim_end_matches(".html");
        if page == "probe" {
            seen_probe = true;
            continue;
        }
        let row = rows.entry(page.to_owned()).or_default();
        let is_error = message["type"] == "error" || message["type"] == "non-document-error";
        let mark = if is_error { "!" } else { "?" };
        if is_error {
            row.errors += 1;
        } else {
            row.warnings += 1;
        }
        let what = format!(
            "{mark} html: {} — {}",
            text(&message["message"]),
            text(&message["extract"]).replace('\n', " ")
        );
        wrong.entry(what).or_default().push(format!("{page} line {}", message["lastLine"]));
    }
    // Whoever finds nothing has to be able to.
    ensure!(seen_probe, "the checker does not find what is wrong with a page that is");
    Ok(())
}

fn lighthouse(told: &Value, wrong: &mut Wrong) {
    let page = text(&told["page"]);
    let score = |name: &str| told["scores"][name].as_u64().unwrap_or(0);
    println!(
        "{page:<26} {:>12} {:>14} {:>15} {:>5}",
        score("performance"),
        score("accessibility"),
        score("best-practices"),
        score("seo")
    );
    for name in ["performance", "accessibility", "best-practices", "seo"] {
        if score(name) < SCORE {
            let what = format!("! Lighthouse: {name} is {} of 100", score(name));
            wrong.entry(what).or_default().push(page.clone());
        }
    }
    for lost in told["lost"].as_array().into_iter().flatten() {
        let items = lost["items"].as_array().into_iter().flatten().map(text);
        let what = format!(
            "? Lighthouse: {} {}: {} {} {}",
            text(&lost["category"]),
            text(&lost["audit"]),
            text(&lost["title"]),
            text(&lost["shown"]),
            items.collect::<Vec<_>>().join(" ")
        );
        wrong.entry(what).or_default().push(page.clone());
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A server that follows nothing yet, until it is dropped.
struct New {
    child: Child,
    base: String,
}

impl New {
    fn start(tidings: &Path, place: &Path) -> Result<Self> {
        fs::create_dir(place)?;
        let (child, base) = serve(tidings, place, &["--no-poll"]);
        Ok(Self { child, base })
    }
}

impl Drop for New {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
