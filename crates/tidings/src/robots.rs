//! `tidings robots`: may it be fetched, and which line says so.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use serde::Serialize;
use tidings_base::text::visible_in_terminal;
use tidings_web::{Client, ClientOptions, GetOptions, Login, Robots, RobotsCache, Verdict};
use url::Url;

use crate::Outcome;
use crate::cli::{self, Global};
use crate::remedy::REMEDIES;
use crate::screen::Screen;

pub(crate) fn run(arguments: &cli::Robots, global: &Global, screen: &Screen) -> Result<Outcome> {
    let urls = arguments.urls.iter().map(|url| parse(url)).collect::<Result<Vec<_>>>()?;
    let rules = match &arguments.file {
        Some(file) => {
            let robots = Arc::new(read(file)?);
            vec![robots; urls.len()]
        }
        None => ask(&urls, global, screen)?,
    };
    let verdict = |(mut url, robots): (Url, Arc<Robots>)| {
        // A password has done its work, and is not to be shown.
        let _ = Login::take(&mut url);
        let verdict = robots.verdict(&arguments.agent, &url);
        (url, verdict)
    };
    let verdicts: Vec<(Url, Verdict)> = urls.into_iter().zip(rules).map(verdict).collect();
    if global.json {
        screen.print(&json(&arguments.agent, &verdicts)?)?;
    } else {
        screen.print(&text(&verdicts, screen))?;
    }
    let all = verdicts.iter().all(|(_, verdict)| verdict.allowed);
    Ok(if all { Outcome::Well } else { Outcome::Differs })
}

fn parse(text: &str) -> Result<Url> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    url.with_context(|| format!("{text} is not a URL; give it as https://example.com/page"))
}

fn read(file: &Path) -> Result<Robots> {
    let bytes =
        std::fs::read(file).with_context(|| format!("could not read {}", file.display()))?;
    Ok(Robots::parse(&bytes))
}

/// Has the rules of each URL's own origin.
fn ask(urls: &[Url], global: &Global, screen: &Screen) -> Result<Vec<Arc<Robots>>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let client = Client::new(ClientOptions {
        allow_private: global.allow_private,
        remedies: REMEDIES,
        ..ClientOptions::default()
    })?;
    let cache = RobotsCache::new();
    let mut rules = Vec::new();
    for url in urls {
        screen.progress(&format!("robots.txt of {}", url.host_str().unwrap_or_default()));
        rules.push(runtime.block_on(cache.of(&client, url, &GetOptions::trusting(url))));
    }
    screen.clear();
    Ok(rules)
}

fn word(verdict: &Verdict) -> &'static str {
    if verdict.allowed { "allowed" } else { "disallowed" }
}

fn text(verdicts: &[(Url, Verdict)], screen: &Screen) -> String {
    let words = verdicts.iter().map(|(_, verdict)| word(verdict).len()).max().unwrap_or(0);
    let urls = verdicts.iter().map(|(url, _)| url.as_str().len()).max().unwrap_or(0);
    let mut out = String::new();
    for (url, verdict) in verdicts {
        let word = screen.bold(&format!("{:words$}", word(verdict)));
        let reason = visible_in_terminal(&verdict.reason.to_string());
        let _ = writeln!(out, "{word}  {:urls$}   {reason}", url.as_str());
    }
    out
}

/// The shape is part of the interface: fields may be added.
#[derive(Serialize)]
struct Output<'a> {
    agent: &'a str,
    urls: Vec<UrlOutput<'a>>,
}

#[derive(Serialize)]
struct UrlOutput<'a> {
    url: &'a str,
    allowed: bool,
    reason: String,
    /// The line that decided, its text, and the line that named the agent.
    line: Option<usize>,
    rule: Option<&'a str>,
    group: Option<usize>,
}

fn json(agent: &str, verdicts: &[(Url, Verdict)]) -> serde_json::Result<String> {
    let urls = verdicts.iter().map(|(url, verdict)| UrlOutput {
        url: url.as_str(),
        allowed: verdict.allowed,
        reason: verdict.reason.to_string(),
        line: verdict.rule().map(|rule| rule.line),
        rule: verdict.rule().map(|rule| rule.text.as_str()),
        group: verdict.rule().map(|rule| rule.group),
    });
    Ok(serde_json::to_string_pretty(&Output { agent, urls: urls.collect() })? + "\n")
}
