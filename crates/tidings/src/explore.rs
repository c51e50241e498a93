//! `tidings explore`: what a Source has, as a tree.

mod json;
mod show;

use anyhow::{Context, Result};
use tidings_web::explore::{ExploreOptions, Node, explore};
use tidings_web::{Client, ClientOptions, GetOptions, Login, Url, discover};

use crate::Outcome;
use crate::cli::{self, Global};
use crate::remedy::REMEDIES;
use crate::screen::Screen;

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
        remedies: REMEDIES,
        ..ClientOptions::default()
    })?;
    let options = GetOptions::trusting(&start);
    let (source, tree) = runtime.block_on(async {
        screen.progress("looking for a Source");
        let source = discover(&client, &start, &options).await?;
        let login = Login::take(&mut start);
        let wanted = ExploreOptions {
            levels: arguments.depth.map_or(usize::MAX, usize::from),
            ..ExploreOptions::default()
        };
        let progress = |number: usize, url: &Url| {
            screen.progress(&format!("{number} documents: {url}"));
        };
        let tree = explore(&client, &source, &options, login.as_ref(), &wanted, &progress).await;
        anyhow::Ok((source, tree))
    })?;
    screen.clear();
    if global.json {
        screen.print(&json::render(&source, &tree)?)?;
    } else {
        screen.print(&show::render(&source, &tree, global, screen))?;
    }
    let all = tree.nodes.iter().all(Node::is_whole);
    Ok(if all { Outcome::Well } else { Outcome::Differs })
}
