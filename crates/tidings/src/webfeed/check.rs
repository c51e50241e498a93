//! Checks webfeeds, in a folder or on the web.

use std::fs;
use std::path::{Component, Path};

use anyhow::{Context, Result, bail};
use tidings_document::{Findings, Report, rule::webfeed as rules};
use tidings_web::{Client, ClientOptions, GetOptions, Url};
use tidings_webfeed::check::{self, Served};
use tidings_webfeed::{Identity, Index};
use tokio::runtime::Runtime;

use crate::cli::Global;
use crate::screen::{Screen, counted};
use crate::validate::Checked;

/// How many bytes of anything are read.
const MOST_BYTES: u64 = 16 << 20;

/// Where the files of a webfeed are had.
enum Place<'a> {
    Folder(&'a Path),
    Web(Box<Web>),
}

/// Who asks for them.
struct Web {
    client: Client,
    runtime: Runtime,
    options: GetOptions,
}

/// Something that was had.
struct Had {
    bytes: Vec<u8>,
    /// How many came over the wire.
    length: u64,
    content_type: Option<String>,
    url: Url,
}

/// The index of a webfeed and its newest posts, checked.
pub(crate) fn checked(
    target: &str,
    most: usize,
    global: &Global,
    screen: &Screen,
) -> Result<Vec<Checked>> {
    let (place, at) = place(target, global)?;
    let mut documents = Vec::new();
    let (name, index, findings, bytes) = read_index(&place, &at, target)?;
    let entries = index.as_ref().map_or(0, |index| index.lines.len());
    let what = format!("webfeed, {}", counted(entries as u64, "post", "posts"));
    documents.push(document(name, what, 0, findings, bytes));
    let Some(index) = index else { return Ok(documents) };
    let mut identity = folder_identity(&place, &at);
    let left = entries.saturating_sub(most);
    for (number, line) in index.lines.iter().rev().take(most).enumerate() {
        screen.progress(&format!("looking at post {} of {}", number + 1, entries.min(most)));
        let (findings, what, bytes, of) = post(&place, &line.url);
        if let (Some(of), false) = (of, line.is_repost) {
            identity = identity.or(of);
        }
        documents.push(document(line.text.clone(), what, 1, findings, bytes));
    }
    screen.clear();
    let whose = check::identity(&identity);
    for finding in &whose {
        documents[0].report.findings.push(finding.clone());
    }
    if left > 0 && !global.quiet {
        screen.warning(&format!(
            "{left} older posts of {target} were not looked at; --most says how many are"
        ));
    }
    Ok(documents)
}

fn document(name: String, what: String, depth: usize, findings: Findings, bytes: u64) -> Checked {
    let report = Report { head: None, entries: 0, bytes, complete: true, findings };
    Checked { name, report, depth, what: Some(what) }
}

fn place<'a>(target: &'a str, global: &Global) -> Result<(Place<'a>, Url)> {
    if target.starts_with("http://") || target.starts_with("https://") {
        let url = Url::parse(target).with_context(|| format!("{target} is no address"))?;
        let client = Client::new(ClientOptions {
            allow_private: global.allow_private,
            max_body_bytes: Some(MOST_BYTES),
            ..ClientOptions::default()
        })?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let options = GetOptions { identity: true, ..GetOptions::trusting(&url) };
        return Ok((Place::Web(Box::new(Web { client, runtime, options })), url));
    }
    let path = Path::new(target);
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new(".")) };
    if !path.exists() {
        bail!("{target} is not there; give a folder, its index.txt, or a URL");
    }
    let name = if path.is_dir() {
        "index.txt".to_owned()
    } else {
        path.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let at = Url::parse("https://webfeed.invalid/")?.join(&name)?;
    Ok((Place::Folder(folder), at))
}

type Read = (String, Option<Index>, Findings, u64);

fn read_index(place: &Place<'_>, at: &Url, target: &str) -> Result<Read> {
    let had = match place.get(at) {
        Ok(had) => had,
        Err(reason) if matches!(place, Place::Folder(_)) => {
            let mut findings = Findings::default();
            findings.push(check::finding(rules::INDEX_NONE, &reason));
            return Ok((target.to_owned(), None, findings, 0));
        }
        Err(reason) => bail!("{reason}"),
    };
    let served = match place {
        Place::Folder(_) => None,
        Place::Web(web) => {
            let head = web.runtime.block_on(web.client.head(at, &web.options));
            Some(Served {
                content_type: had.content_type.clone(),
                head_length: head.ok().and_then(|head| head.length),
                length: had.length,
            })
        }
    };
    let (findings, index) = check::index(&had.bytes, &had.url, served.as_ref());
    Ok((target.to_owned(), index, findings, had.bytes.len() as u64))
}

/// What the page of the folder says.
fn folder_identity(place: &Place<'_>, at: &Url) -> Identity {
    let folder = Index::folder(at);
    let url = match place {
        Place::Folder(_) => folder.join("index.html").unwrap_or(folder),
        Place::Web(_) => folder,
    };
    let had = place.get(&url);
    had.map(|had| check::post(&had.bytes, had.content_type.as_deref(), &had.url).1.identity)
        .unwrap_or_default()
}

fn post(place: &Place<'_>, url: &Url) -> (Findings, String, u64, Option<Identity>) {
    let mut findings = Findings::default();
    let is_here = matches!(place, Place::Web(_)) || url.host_str() == Some("webfeed.invalid");
    if !is_here {
        return (findings, "repost, not looked at".to_owned(), 0, None);
    }
    let had = match place.get(url) {
        Ok(had) => had,
        Err(reason) => {
            findings.push(check::finding(rules::POST_UNREACHABLE, &reason));
            return (findings, "not there".to_owned(), 0, None);
        }
    };
    check::not_a_page(had.content_type.as_deref()).into_iter().for_each(|it| findings.push(it));
    let (more, post) = check::post(&had.bytes, had.content_type.as_deref(), &had.url);
    for finding in &more {
        findings.push(finding.clone());
    }
    let what = counted((post.sections.len() + post.left_out) as u64, "section", "sections");
    (findings, what, had.bytes.len() as u64, Some(post.identity))
}

impl Place<'_> {
    /// What is at an address; or why it could not be had.
    fn get(&self, url: &Url) -> std::result::Result<Had, String> {
        match self {
            Self::Folder(folder) => {
                let path = url.path().trim_start_matches('/');
                let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
                let is_inside = Path::new(path.as_ref())
                    .components()
                    .all(|part| matches!(part, Component::Normal(_)));
                if !is_inside {
                    return Err(format!("{path} is not in the folder"));
                }
                let file = folder.join(path.as_ref());
                let bytes = fs::read(&file).or_else(|error| {
                    // Servers find a page without its extension.
                    fs::read(folder.join(format!("{path}.html"))).map_err(|_| error)
                });
                let bytes = bytes.map_err(|error| format!("{}: {error}", file.display()))?;
                let is_text = path.ends_with(".txt");
                let kind = if is_text { "text/plain" } else { guessed(&path) };
                let length = bytes.len() as u64;
                let content_type = Some(kind.to_owned());
                Ok(Had { bytes, length, content_type, url: url.clone() })
            }
            Self::Web(web) => {
                let got = web.runtime.block_on(web.client.whole(url, &web.options, MOST_BYTES));
                match got {
                    Ok(Some(whole)) => Ok(Had {
                        length: whole.length,
                        bytes: whole.bytes,
                        content_type: whole.content_type,
                        url: whole.url,
                    }),
                    Ok(None) => Err(format!("{url} was not sent")),
                    Err(error) => Err(error.to_string()),
                }
            }
        }
    }
}

/// As what a server would serve a file of that name.
fn guessed(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()) {
        None => "text/html",
        Some(extension) => match extension.as_str() {
            "html" | "htm" => "text/html",
            "xhtml" => "application/xhtml+xml",
            "png" => "image/png",
            "jpg" | "jpeg" => "image/jpeg",
            "md" => "text/markdown",
            _ => "application/octet-stream",
        },
    }
}
