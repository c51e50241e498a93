//! `tidings validate`: what is wrong with documents, and why.

mod follow;
mod hint;
mod json;
mod package;
mod show;
mod target;

use anyhow::{Context, Result, bail};
use tidings_document::{CheckOptions, Limits, Profile, ReadOptions, Report, Severity, Spec, check};

use crate::Outcome;
use crate::cli::{Global, ProfileChoice, SpecChoice, Validate};
use crate::screen::Screen;
use target::Origin;

/// One document, checked.
pub(crate) struct Checked {
    /// The target or URL.
    pub(crate) name: String,
    /// What it is shown by where what is around it says the rest.
    pub(crate) short: Option<String>,
    pub(crate) report: Report,
    /// How deep below the first document of its Source.
    pub(crate) depth: usize,
    /// What it is, if that is not said by its head.
    pub(crate) what: Option<String>,
    /// How else it might have been checked, in a sentence.
    pub(crate) hint: Option<&'static str>,
}

impl Checked {
    /// A target that was checked by itself.
    pub(crate) fn of(name: &str, report: Report) -> Self {
        Self { name: name.to_owned(), short: None, report, depth: 0, what: None, hint: None }
    }
}

/// A target that could not be had.
pub(crate) struct Unreadable {
    pub(crate) name: String,
    pub(crate) reason: String,
}

pub(crate) fn run(arguments: &Validate, global: &Global, screen: &Screen) -> Result<Outcome> {
    if arguments.profile == Some(ProfileChoice::Webfeed) {
        if !arguments.map.is_empty() {
            bail!("--map is not for webfeeds; give the folder itself as the target");
        }
        return webfeeds(&arguments.targets, arguments.max_documents, global, screen);
    }
    let origin = Origin::new(&arguments.map, global.allow_private, arguments.max_bytes)?;
    let options = options(arguments);
    let mut checked = Vec::new();
    let mut unreadable = Vec::new();
    for target in &arguments.targets {
        let result = if arguments.follow {
            follow::follow(target, &options, arguments.max_documents, &origin, screen)
        } else {
            one(target, &options, &origin).map(|one| vec![one])
        };
        match result {
            Ok(documents) => checked.extend(documents),
            Err(error) => {
                unreadable.push(Unreadable { name: target.clone(), reason: format!("{error:#}") })
            }
        }
    }
    show(&checked, &unreadable, global, screen)
}

/// Checks webfeeds, and so many of the newest posts of each.
pub(crate) fn webfeeds(
    targets: &[String],
    most: usize,
    global: &Global,
    screen: &Screen,
) -> Result<Outcome> {
    let mut checked = Vec::new();
    let mut unreadable = Vec::new();
    for target in targets {
        match crate::webfeed::checked(target, most, global, screen) {
            Ok(documents) => checked.extend(documents),
            Err(error) => {
                unreadable.push(Unreadable { name: target.clone(), reason: format!("{error:#}") });
            }
        }
    }
    show(&checked, &unreadable, global, screen)
}

fn show(
    checked: &[Checked],
    unreadable: &[Unreadable],
    global: &Global,
    screen: &Screen,
) -> Result<Outcome> {
    screen.clear();
    if global.json {
        screen.print(&json::render(checked, unreadable)?)?;
    } else {
        screen.print(&show::render(checked, global, screen))?;
        for one in unreadable {
            screen.error(&one.reason);
        }
    }
    Ok(outcome(checked, unreadable))
}

fn outcome(checked: &[Checked], unreadable: &[Unreadable]) -> Outcome {
    if !unreadable.is_empty() {
        return Outcome::NotDone;
    }
    let wrong = |one: &Checked| {
        one.report.findings.of(Severity::Error) + one.report.findings.of(Severity::Warning)
    };
    if checked.iter().map(wrong).sum::<u64>() > 0 { Outcome::Differs } else { Outcome::Well }
}

fn one(target: &str, options: &CheckOptions, origin: &Origin) -> Result<Checked> {
    let opened = origin.open(target)?;
    let mut options = CheckOptions { url: opened.url, ..options.clone() };
    options.read.charset = opened.charset;
    let mut input = opened.input;
    let hint = input.fill_buf().ok().and_then(hint::of);
    let report = check(input, &options).with_context(|| format!("could not read {target}"))?;
    let hint = hint.filter(|_| report.head.is_none());
    Ok(Checked { hint, ..Checked::of(target, report) })
}

fn options(arguments: &Validate) -> CheckOptions {
    let limits =
        Limits { entries: arguments.max_entries, bytes: arguments.max_bytes, ..Limits::default() };
    CheckOptions {
        spec: match arguments.spec {
            SpecChoice::Auto => Spec::Auto,
            SpecChoice::V1_0 => Spec::V1_0,
            SpecChoice::V1_1 => Spec::V1_1,
        },
        profile: match arguments.profile {
            None => Profile::Auto,
            Some(ProfileChoice::Resourcesync) => Profile::ResourceSync,
            Some(ProfileChoice::Ifcc) => Profile::Ifcc,
            // Webfeeds are checked elsewhere, and never come here.
            Some(ProfileChoice::Sitemap | ProfileChoice::Webfeed) => Profile::Sitemap,
        },
        read: ReadOptions { limits, charset: None },
        url: None,
    }
}
