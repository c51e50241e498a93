//! `tidings explore`: what a Source has, as a tree.

mod json;
mod show;
mod visit;

use std::collections::HashSet;

use anyhow::{Context, Result};
use tidings_web::{Client, ClientOptions, GetOptions, Login, Source, Url, discover};

use crate::Outcome;
use crate::cli::{self, Global};
use crate::screen::Screen;
use visit::{Seen, visit};

/// How many documents are looked at.
const MOST_DOCUMENTS: usize = 10_000;

/// One document of the tree.
pub(crate) struct Node {
    pub(crate) url: Url,
    /// How deep below the top, which is 0.
    pub(crate) depth: usize,
    /// What is in it, or why it could not be had.
    pub(crate) seen: Result<Seen>,
}

/// The documents of a Source, each before those that it leads to.
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    /// How many documents are known and were not looked at: too deep, or too many.
    pub(crate) left: usize,
}

pub(crate) fn run(arguments: &cli::Explore, global: &Global, screen: &Screen) -> Result<Outcome> {
    let mut start = Url::parse(&arguments.url)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))
        .with_context(|| {
            format!("{} is not a URL; give it as https://example.com/", arguments.url)
        })?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let client = Client::new(ClientOptions {
        allow_private: global.allow_private,
        ..ClientOptions::default()
    })?;
    let options = GetOptions::trusting(&start);
    let (source, tree) = runtime.block_on(async {
        screen.progress("looking for a Source");
        let source = discover(&client, &start, &options).await?;
        let login = Login::take(&mut start);
        let depth = arguments.depth.map_or(usize::MAX, usize::from);
        let tree = explore(&source, depth, screen, async |url| {
            let request = login.as_ref().map_or_else(|| url.clone(), |login| login.add(url));
            visit(&client, &options, &request).await
        })
        .await;
        anyhow::Ok((source, tree))
    })?;
    screen.clear();
    if global.json {
        screen.print(&json::render(&source, &tree)?)?;
    } else {
        screen.print(&show::render(&source, &tree, global, screen))?;
    }
    let all = tree.nodes.iter().all(|node| node.seen.as_ref().is_ok_and(Seen::is_whole));
    Ok(if all { Outcome::Well } else { Outcome::Differs })
}

/// Looks at the documents of a Source, from the top down to so many levels.
async fn explore(
    source: &Source,
    levels: usize,
    screen: &Screen,
    visit: impl AsyncFn(&Url) -> Result<Seen>,
) -> Tree {
    let mut tree = Tree { nodes: Vec::new(), left: 0 };
    let mut met: HashSet<Url> = HashSet::new();
    // The last is the next; what discovery knows of comes after the Source Description, and only
    // where that does not lead to it.
    let mut stack: Vec<(Url, usize)> = Vec::new();
    for set in source.sets.iter().rev() {
        match &set.capability_list {
            Some(list) => stack.push((list.clone(), 0)),
            None => stack.extend(set.offers.iter().rev().map(|offer| (offer.url.clone(), 0))),
        }
    }
    stack.extend(source.description.iter().map(|url| (url.clone(), 0)));
    let mut passed_over: HashSet<Url> = HashSet::new();
    while let Some((url, depth)) = stack.pop() {
        if met.contains(&url) || depth == 0 && passed_over.contains(&url) {
            continue;
        }
        if depth >= levels || tree.nodes.len() >= MOST_DOCUMENTS {
            tree.left += usize::from(passed_over.insert(url));
            continue;
        }
        met.insert(url.clone());
        screen.progress(&format!("{} documents: {url}", tree.nodes.len()));
        let seen = visit(&url).await;
        if let Ok(seen) = &seen {
            stack.extend(seen.children.iter().rev().map(|child| (child.clone(), depth + 1)));
        }
        tree.nodes.push(Node { url, depth, seen });
    }
    tree
}
