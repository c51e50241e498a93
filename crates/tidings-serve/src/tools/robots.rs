//! Robots: may it be fetched, and which line says so.

use std::time::Duration;

use askama::Template;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{Response, StatusCode};
use serde::Deserialize;
use tidings_base::text::visible_on_page;
use tidings_web::{Reason, Robots, RobotsAnswer, Url, Verdict, ask_robots};

use super::asked::{Asked, Coming};
use super::{address, highlight};
use crate::api::Problem;
use crate::frame::{Frame, show, show_as};
use crate::parts::{encoded, short};
use crate::posted::Posted;
use crate::state::Shared;

/// How many lines of a robots.txt are shown.
const MOST_LINES: usize = 2_000;
/// How many rules for one agent.
const MOST_RULES: usize = 500;
/// How much of a line.
const MOST_CHARS: usize = 500;
/// How long it may take to have one.
const LONGEST: Duration = Duration::from_secs(45);

#[derive(Debug, Default, Deserialize)]
pub(super) struct Wanted {
    #[serde(default)]
    url: String,
    #[serde(default)]
    agent: String,
}

#[derive(Template)]
#[template(path = "robots.html")]
struct Page {
    f: Frame,
    url: String,
    agent: String,
    /// What was pasted.
    text: String,
    problem: Option<String>,
    asks: bool,
    found: Option<View>,
    /// The link that can be passed on; empty if a robots.txt was pasted.
    share: String,
}

/// What is said about an address.
struct View {
    is_allowed: bool,
    reason: String,
    /// The line that decides, and the one that names the agent.
    deciding: Option<(usize, usize)>,
    rules: Vec<RuleView>,
    more_rules: usize,
    /// What the rules are called that hold for this agent.
    group: String,
    delay: Option<String>,
    html: Option<String>,
    is_cut: bool,
}

struct RuleView {
    line: usize,
    text: String,
    is_deciding: bool,
    /// Whether the line is shown below.
    is_shown: bool,
}

pub(super) async fn page(
    State(state): State<Shared>,
    asked: Asked,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Response<Body>, Problem> {
    let Query(wanted) = wanted?;
    let agent = agent(&wanted.agent);
    let form = |is_wrong, url: String| form(&state, &asked, is_wrong, url, agent.clone());
    if wanted.url.is_empty() {
        return show(&form(false, String::new()));
    }
    let url = match address::parse(&wanted.url) {
        Ok(url) => url,
        Err(reason) => return refused(form(true, address::shown(&wanted.url)), reason),
    };
    if asked.coming(&state)? == Coming::Link {
        return show(&Page { asks: true, ..form(false, url.into()) });
    }
    asked.take(&state)?;
    let (client, getting) = (state.tools.client()?, asked.getting(&url));
    let answer = tokio::time::timeout(LONGEST, ask_robots(client, &url, &getting)).await;
    let mut page = form(false, url.to_string());
    let Ok(answer) = answer else {
        let reason = format!("The robots.txt of {url} did not come in time; try again later.");
        page.problem = Some(reason);
        return show_as(StatusCode::UNPROCESSABLE_ENTITY, &page);
    };
    let text = match &answer {
        RobotsAnswer::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    };
    page.found = Some(view(&Robots::from(answer), text.as_deref(), &agent, &url));
    let query = format!("robots?url={}&agent={}", encoded(url.as_str()), encoded(&agent));
    page.share = format!("{}{query}", state.base);
    show(&page)
}

/// The same by a robots.txt that somebody pasted, and nothing is fetched.
pub(super) async fn pasted(
    State(state): State<Shared>,
    asked: Asked,
    posted: Posted,
) -> Result<Response<Body>, Problem> {
    let agent = agent(posted.get("agent"));
    let text = posted.exact("text").replace("\r\n", "\n");
    let form = |is_wrong, url: String| Page {
        text: text.clone(),
        ..form(&state, &asked, is_wrong, url, agent.clone())
    };
    let url = match address::parse(posted.get("url")) {
        Ok(url) => url,
        Err(reason) => return refused(form(true, address::shown(posted.get("url"))), reason),
    };
    let robots = Robots::parse(text.as_bytes());
    let found = Some(view(&robots, Some(&text), &agent, &url));
    show(&Page { found, ..form(false, url.into()) })
}

fn form(state: &Shared, asked: &Asked, is_wrong: bool, url: String, agent: String) -> Page {
    Page {
        f: asked.frame(state, "robots", "Robots", is_wrong),
        url,
        agent,
        text: String::new(),
        problem: None,
        asks: false,
        found: None,
        share: String::new(),
    }
}

fn refused(page: Page, reason: &str) -> Result<Response<Body>, Problem> {
    let page = Page { problem: Some(reason.to_owned()), ..page };
    show_as(StatusCode::BAD_REQUEST, &page)
}

fn agent(text: &str) -> String {
    let agent = short(&visible_on_page(text.trim()), 200);
    if agent.is_empty() { Robots::PRODUCT.to_owned() } else { agent }
}

fn view(robots: &Robots, text: Option<&str>, agent: &str, url: &Url) -> View {
    let verdict = robots.verdict(agent, url);
    let deciding = verdict.rule().map(|rule| (rule.line, rule.group));
    let all = robots.lines_for(agent);
    let line = |number: usize| Some(number) == deciding.map(|(line, _)| line);
    let rules = all.iter().take(MOST_RULES).map(|rule| RuleView {
        line: rule.line,
        text: short(&visible_on_page(&rule.text), MOST_CHARS),
        is_deciding: line(rule.line),
        is_shown: rule.line <= MOST_LINES,
    });
    let lines: Vec<String> = text.map(lines).unwrap_or_default();
    let group = all.first().and_then(|rule| lines.get(rule.group - 1)).cloned();
    let marked = deciding.map(|(line, group)| [line, group]).unwrap_or_default();
    View {
        is_allowed: verdict.allowed,
        reason: reason(&verdict),
        deciding,
        rules: rules.collect(),
        more_rules: all.len().saturating_sub(MOST_RULES),
        group: group.map(|group| short(group.trim(), MOST_CHARS)).unwrap_or_default(),
        delay: robots.crawl_delay(agent).map(|delay| format!("{} s", delay.as_secs_f64())),
        is_cut: lines.len() > MOST_LINES,
        html: text.map(|_| html(&lines, &marked)),
    }
}

/// Why, in a sentence.
fn reason(verdict: &Verdict) -> String {
    let text = visible_on_page(&verdict.reason.to_string());
    let behind = match &verdict.reason {
        Reason::Rule(_) => ". Of all rules that match, the longest decides.",
        Reason::NoRule | Reason::NoGroup => ", and what is not forbidden is allowed.",
        Reason::Absent(_) => ". Without rules everything is allowed.",
        Reason::Unreachable(_) => ". As long as nobody knows the rules, nothing is allowed.",
        _ => ".",
    };
    let mut sentence = short(&text, 800) + behind;
    if !text.starts_with("robots.txt")
        && let Some(first) = sentence.get(..1).map(str::to_uppercase)
    {
        sentence.replace_range(..1, &first);
    }
    sentence
}

/// The lines of a robots.txt, as they are counted there: one ends with LF, CR, or both.
fn lines(text: &str) -> Vec<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.strip_suffix('\n').unwrap_or(&text);
    text.split('\n').map(visible_on_page).collect()
}

fn html(lines: &[String], marked: &[usize]) -> String {
    let mut out = String::new();
    for (index, line) in lines.iter().take(MOST_LINES).enumerate() {
        let number = index + 1;
        let class = if marked.contains(&number) { "l marked" } else { "l" };
        out += &format!("<span class=\"{class}\" id=\"L{number}\" data-n=\"{number}\">");
        highlight::escape(&short(line, MOST_CHARS), &mut out);
        out.push_str("</span>");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_decides_is_marked() {
        let text =
            "# <b>\r\nUser-agent: tidings\rDisallow: /\nAllow: /a\n\nUser-agent: *\nDisallow: /z\n";
        let robots = Robots::parse(text.as_bytes());
        let url = Url::parse("https://example.com/a/b").unwrap();
        let view = view(&robots, Some(text), "tidings", &url);
        assert!(view.is_allowed);
        assert_eq!(view.deciding, Some((4, 2)));
        assert_eq!(view.group, "User-agent: tidings");
        let rules: Vec<(usize, bool)> =
            view.rules.iter().map(|rule| (rule.line, rule.is_deciding)).collect();
        assert_eq!(rules, [(3, false), (4, true)]);
        let html = view.html.unwrap();
        assert!(
            html.contains("<span class=\"l marked\" id=\"L4\" data-n=\"4\">Allow: /a</span>"),
            "{html}"
        );
        assert!(html.contains("id=\"L1\" data-n=\"1\"># &lt;b&gt;</span>"), "{html}");
        assert_eq!(html.matches("marked").count(), 2, "{html}");
    }

    #[test]
    fn without_rules_there_is_still_a_reason() {
        let url = Url::parse("https://example.com/").unwrap();
        let empty = view(&Robots::parse(b""), Some(""), "x", &url);
        assert!(empty.is_allowed && empty.rules.is_empty());
        assert_eq!(
            empty.reason,
            "No group of robots.txt is for this agent, and what is not forbidden is allowed."
        );
        let none = view(&Robots::disallow_all(), None, "x", &url);
        assert!(!none.is_allowed && none.html.is_none());
        assert_eq!(agent("  "), "tidings");
    }
}
