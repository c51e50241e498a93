//! Checks webfeeds, in a folder or on the web.

mod place;
mod subresources;

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};
use tidings_base::text::counted;
use tidings_document::{Findings, Report, rule::webfeed as rules};
use tidings_web::Url;
use tidings_webfeed::check;
use tidings_webfeed::{Identity, Index};

use crate::cli::Global;
use crate::screen::Screen;
use crate::validate::Checked;
use place::{Had, MOST_BYTES, Missing, Place, Web, is_absent};
use subresources::Subresources;

/// What stands for wherever a folder will be served.
const ANYWHERE: &str = "https://webfeed.invalid/index.txt";

/// A webfeed whose index was read.
struct Webfeed {
    place: Place,
    index: Index,
    /// The address of the index.
    at: Url,
}

/// The index of a webfeed and its newest posts, checked; or a post.
pub(crate) fn checked(
    target: &str,
    most: usize,
    global: &Global,
    screen: &Screen,
) -> Result<Vec<Checked>> {
    let (mut index, webfeed) = if target == "-" {
        (standard_input()?, None)
    } else if target.starts_with("http://") || target.starts_with("https://") {
        on_the_web(target, global)?
    } else {
        in_a_folder(target)?
    };
    let Some(webfeed) = webfeed else { return Ok(vec![index]) };
    let (posts, identity) = webfeed.posts(most, &mut index.report.findings, screen);
    for finding in &check::identity(&identity) {
        index.report.findings.push(finding.clone());
    }
    let left = index.report.entries.saturating_sub(most as u64);
    if left > 0 && !global.quiet {
        screen.warning(&format!(
            "{left} older posts of {target} were not looked at; --most says how many are"
        ));
    }
    Ok([index].into_iter().chain(posts).collect())
}

/// The index, or a post. Where there are posts to be looked at, what is known of them.
type First = (Checked, Option<Webfeed>);

fn standard_input() -> Result<Checked> {
    let mut bytes = Vec::new();
    let read = io::stdin().take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.context("could not read standard input")?;
    if bytes.len() as u64 > MOST_BYTES {
        bail!("standard input is longer than {} MiB", MOST_BYTES >> 20);
    }
    let anywhere = Url::parse(ANYWHERE)?;
    if check::is_post("", None, &bytes) {
        return Ok(lone_post("-", &bytes, None, &anywhere));
    }
    let (findings, index, _) = check::index_file(&bytes, &anywhere);
    Ok(of_index("-", index.as_ref(), findings, &bytes))
}

fn on_the_web(target: &str, global: &Global) -> Result<First> {
    let url = Url::parse(target).with_context(|| format!("{target} is no address"))?;
    let web = Web::of(&url, global)?;
    let had = web.get(&url)?;
    // The page of a folder came where its index was meant.
    let is_folder = had.url.path().ends_with('/');
    let name = url.path();
    let is_post = || check::is_post(name, had.content_type.as_deref(), &had.bytes);
    if check::is_page_name(name) || !is_folder && is_post() {
        let mut post = lone_post(target, &had.bytes, had.content_type.as_deref(), &had.url);
        let findings = &mut post.report.findings;
        let place = Place::Web(Box::new(web));
        Subresources::default().check(&place, &had.bytes, &had.url, findings);
        let not_a_page = check::not_a_page(had.content_type.as_deref());
        not_a_page.into_iter().for_each(|it| post.report.findings.push(it));
        return Ok((post, None));
    }
    let served = web.served(&had, &url);
    let (findings, index) = check::index(&had.bytes, &had.url, Some(&served));
    let first = of_index(target, index.as_ref(), findings, &had.bytes);
    let place = Place::Web(Box::new(web));
    Ok((first, index.map(|index| Webfeed { place, index, at: url })))
}

fn in_a_folder(target: &str) -> Result<First> {
    let path = Path::new(target);
    let is_folder = is_folder(path)?;
    let around = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = if is_folder { path } else { around };
    let file = if is_folder { path.join("index.txt") } else { path.to_owned() };
    let bytes = match fs::read(&file) {
        Ok(bytes) => bytes,
        Err(error) if is_absent(&error) => {
            let mut findings = Findings::default();
            let reason = Missing::file(&file, &error).reason;
            findings.push(check::finding(rules::INDEX_NONE, &reason));
            return Ok((of_index(target, None, findings, &[]), None));
        }
        Err(error) => bail!("{}", Missing::file(&file, &error).reason),
    };
    let anywhere = Url::parse(ANYWHERE)?;
    if check::is_post(&file.to_string_lossy(), None, &bytes) {
        let mut post = lone_post(target, &bytes, None, &anywhere);
        let place = Place::Folder(folder.to_owned(), Index::folder(&anywhere));
        let findings = &mut post.report.findings;
        Subresources::default().check(&place, &bytes, &anywhere, findings);
        return Ok((post, None));
    }
    let (findings, index, at) = check::index_file(&bytes, &anywhere);
    let first = of_index(target, index.as_ref(), findings, &bytes);
    let place = Place::Folder(folder.to_owned(), Index::folder(&at));
    Ok((first, index.map(|index| Webfeed { place, index, at })))
}

fn is_folder(path: &Path) -> Result<bool> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(metadata.is_dir()),
        Err(error) => {
            let reason = Missing::file(path, &error).reason;
            let remedy =
                if is_absent(&error) { "; give a folder, its index.txt, or a URL" } else { "" };
            bail!("{reason}{remedy}")
        }
    }
}

fn of_index(target: &str, index: Option<&Index>, findings: Findings, bytes: &[u8]) -> Checked {
    let posts = index.map(|index| (index.lines.len() + index.left_out) as u64);
    let what = posts.map(|posts| format!("webfeed, {}", counted(posts, "post", "posts")));
    let what = what.unwrap_or_else(|| "no webfeed".to_owned());
    let report = report(posts.unwrap_or_default(), bytes.len(), findings);
    Checked { what: Some(what), ..Checked::of(target, report) }
}

/// A post that was asked for by itself.
fn lone_post(target: &str, bytes: &[u8], content_type: Option<&str>, at: &Url) -> Checked {
    let (findings, post) = check::post(bytes, content_type, at);
    let sections = (post.sections.len() + post.left_out) as u64;
    let what = format!("post, {}", counted(sections, "section", "sections"));
    Checked { what: Some(what), ..Checked::of(target, report(sections, bytes.len(), findings)) }
}

fn report(entries: u64, bytes: usize, findings: Findings) -> Report {
    Report { head: None, entries, bytes: bytes as u64, complete: true, findings }
}

impl Webfeed {
    /// The newest posts, checked, and whose webfeed it is: as for readers, by the page of the folder and
    /// by the newest post.
    fn posts(
        &self,
        most: usize,
        of_folder: &mut Findings,
        screen: &Screen,
    ) -> (Vec<Checked>, Identity) {
        let mut files = Subresources::default();
        let count = self.index.lines.len().min(most);
        let (mut posts, mut newest) = (Vec::new(), None);
        for (number, line) in self.index.lines.iter().rev().take(most).enumerate() {
            screen.progress(&format!("looking at post {} of {count}", number + 1));
            let (report, what, identity) = self.post(&line.url, line.is_repost, &mut files);
            if !line.is_repost {
                newest = newest.or(identity);
            }
            let (short, what) = (Some(line.text.clone()), Some(what));
            let name = self.place.name(&line.url);
            posts.push(Checked { short, what, depth: 1, ..Checked::of(&name, report) });
        }
        let identity = self.folder_identity(&mut files, of_folder).or(newest.unwrap_or_default());
        screen.clear();
        (posts, identity)
    }

    /// The post that is below the folder of the index, and not where its line leads.
    fn below(&self, url: &Url, findings: &mut Findings) -> Option<Had> {
        let folder = Index::folder(&self.at);
        let is_outside = folder.origin() == url.origin() && !url.path().starts_with(folder.path());
        let other = folder.join(url.path().strip_prefix('/')?).ok().filter(|_| is_outside)?;
        let had = self.place.get(&other).ok()?;
        let detail = format!("{url} is not there; readers take {other}");
        findings.push(check::finding(rules::INDEX_BELOW, &detail));
        Some(had)
    }

    /// What the page of the folder says.
    fn folder_identity(&self, files: &mut Subresources, findings: &mut Findings) -> Identity {
        let Ok(had) = self.place.get(&Index::folder(&self.at)) else { return Identity::default() };
        if check::not_a_page(had.content_type.as_deref()).is_none() {
            files.check(&self.place, &had.bytes, &had.url, findings);
        }
        check::post(&had.bytes, had.content_type.as_deref(), &had.url).1.identity
    }

    fn post(
        &self,
        url: &Url,
        is_repost: bool,
        files: &mut Subresources,
    ) -> (Report, String, Option<Identity>) {
        let mut findings = Findings::default();
        if !self.place.has(url) {
            let what = if is_repost { "repost" } else { "outside of the folder" };
            return (report(0, 0, findings), format!("{what}, not looked at"), None);
        }
        let had = match self
            .place
            .get(url)
            .or_else(|missing| self.below(url, &mut findings).ok_or(missing))
        {
            Ok(had) => had,
            Err(Missing { what, reason, .. }) => {
                findings.push(check::finding(rules::POST_UNREACHABLE, &reason));
                return (report(0, 0, findings), what.to_owned(), None);
            }
        };
        let not_a_page = check::not_a_page(had.content_type.as_deref());
        not_a_page.into_iter().for_each(|it| findings.push(it));
        let (more, post) = check::post(&had.bytes, had.content_type.as_deref(), &had.url);
        for finding in &more {
            findings.push(finding.clone());
        }
        // What others wrote is theirs to mend.
        if !is_repost {
            files.check(&self.place, &had.bytes, &had.url, &mut findings);
        }
        let sections = (post.sections.len() + post.left_out) as u64;
        let what = counted(sections, "section", "sections");
        (report(sections, had.bytes.len(), findings), what, Some(post.identity))
    }
}
