#![doc = include_str!("../README.md")]

mod audit;
mod cli;
mod config;
mod demo;
mod explore;
mod export;
mod following;
mod publish;
mod remedy;
mod republish;
mod robots;
mod running;
mod runs;
mod screen;
mod site;
mod sync;
mod validate;
mod webfeed;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use clap::{CommandFactory, Parser};

use cli::{Cli, Command};
use screen::Screen;

/// How a command ended, short of not being done at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Done, and all well.
    Well,
    /// Done, and something differs or failed.
    Differs,
    /// Not done, or not all of it.
    NotDone,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let screen = Screen::new(&cli.global);
    let result = match &cli.command {
        Command::Validate(arguments) => validate::run(arguments, &cli.global, &screen),
        Command::Publish(arguments) => publish::run(arguments, &cli.global, &screen),
        Command::Explore(arguments) => explore::run(arguments, &cli.global, &screen),
        Command::Audit(arguments) => audit::run(arguments, &cli.global, &screen),
        Command::Republish(arguments) => republish::run(arguments, &cli.global, &screen),
        Command::Export(arguments) => export::run(arguments, &cli.global, &screen),
        Command::Runs(arguments) => runs::run(arguments, &cli.global, &screen),
        Command::Sync(arguments) => sync::run(arguments, &cli.global, &screen),
        Command::Robots(arguments) => robots::run(arguments, &cli.global, &screen),
        Command::Site(arguments) => site::run(arguments, &cli.global, &screen),
        Command::Webfeed(arguments) => webfeed::run(arguments, &cli.global, &screen),
        Command::Serve(arguments) => following::serve::serve(arguments, &cli.global, &screen),
        Command::Worker(arguments) => following::serve::worker(arguments, &cli.global),
        Command::Follow(arguments) => following::follow::run(arguments, &cli.global, &screen),
        Command::Unfollow(arguments) => following::unfollow::run(arguments, &cli.global, &screen),
        Command::Poll(arguments) => following::poll::run(arguments, &cli.global, &screen),
        Command::Sites(arguments) => following::sites::run(arguments, &cli.global, &screen),
        Command::Opml(arguments) => following::opml::run(arguments, &cli.global, &screen),
        Command::Backup(arguments) => following::backup::backup(arguments, &cli.global, &screen),
        Command::Restore(arguments) => following::backup::restore(arguments, &cli.global, &screen),
        Command::Token(arguments) => following::token::run(arguments, &cli.global, &screen),
        Command::User(arguments) => following::user::run(arguments, &cli.global, &screen),
        Command::Demo(arguments) => demo::run(arguments, &cli.global, &screen),
        Command::Completions { shell } => completions(*shell, &screen),
        Command::Man { folder } => man(folder),
    };
    let code = match result {
        Ok(Outcome::Well) => 0,
        Ok(Outcome::Differs) => 1,
        Ok(Outcome::NotDone) => 2,
        // A reader that has seen enough, such as `head`, is not an error.
        Err(error) if is_broken_pipe(&error) => 0,
        Err(error) => {
            let error = remedy::text(&error);
            screen.error(&error);
            if cli.global.json {
                let object = serde_json::json!({ "error": error });
                // Whoever reads it may have gone.
                let _ = screen.print(&format!("{object}\n"));
            }
            2
        }
    };
    ExitCode::from(code)
}

pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.chain().find_map(|cause| cause.downcast_ref::<std::io::Error>());
    io.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

fn completions(shell: clap_complete::Shell, screen: &Screen) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "tidings", &mut script);
    screen.print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Well)
}

fn man(folder: &Path) -> anyhow::Result<Outcome> {
    clap_mangen::generate_to(Cli::command(), folder)
        .with_context(|| format!("could not write the manual pages into {}", folder.display()))?;
    Ok(Outcome::Well)
}
