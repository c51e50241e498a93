//! `--follow`: the whole Source.

use anyhow::{Context, Result, bail};
use tidings_document::{CheckOptions, CheckRequest, SourceCheck, SourceCheckOptions};
use url::Url;

use super::Checked;
use super::package;
use super::target::{Origin, web_url};
use crate::screen::Screen;

pub(super) fn follow(
    target: &str,
    options: &CheckOptions,
    documents: usize,
    origin: &Origin,
    screen: &Screen,
) -> Result<Vec<Checked>> {
    let start = web_url(target).with_context(|| {
        format!("--follow needs a URL, not {target}; --map takes what is below it from a folder")
    })?;
    let check_options = SourceCheckOptions { check: options.clone(), documents, resolve };
    let mut check = SourceCheck::new(start.as_str(), check_options);
    let mut first = true;
    while let Some(request) = check.next_request() {
        let (seen, left) = check.progress();
        screen.progress(&format!("{seen} documents, {left} to go: {}", request.url));
        match step(&mut check, &request, &start, origin, options) {
            Ok(()) => {}
            // Without its first document there is no Source to speak of.
            Err(error) if first => return Err(error),
            Err(error) => check.missing(&request, &format!("{error:#}")),
        }
        first = false;
    }
    let visited = check.finish();
    Ok(visited
        .into_iter()
        .map(|one| Checked { depth: one.depth, ..Checked::of(&one.url, one.report) })
        .collect())
}

fn step(
    check: &mut SourceCheck,
    request: &CheckRequest,
    start: &Url,
    origin: &Origin,
    options: &CheckOptions,
) -> Result<()> {
    let Some(url) = web_url(&request.url) else {
        bail!("{} is not a URL that can be fetched", request.url)
    };
    if request.context.is_package {
        let file = origin.fetch_package(&url, start)?;
        return package::check(check, request, file, &options.read);
    }
    let opened = origin.fetch(&url, start)?;
    let url = opened.url.unwrap_or_else(|| request.url.clone());
    Ok(check.visit(request, &url, opened.charset, opened.input)?)
}

/// A reference resolved, without its fragment.
fn resolve(base: &str, reference: &str) -> Option<String> {
    let mut url = Url::parse(base).ok()?.join(reference).ok()?;
    url.set_fragment(None);
    Some(url.into())
}
