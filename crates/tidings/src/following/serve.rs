//! `tidings serve` and `tidings worker`.

use std::time::Duration;

use anyhow::{Context, Result};
use tidings_destination::Register;
use tidings_serve::{Access, Server, ServerOptions};
use tidings_store::Store;
use tidings_syndication::{Follower, Worker, WorkerOptions};

use super::{log, options, place};
use crate::Outcome;
use crate::cli::{self, Global};
use crate::config::{self, ServeConfig};
use crate::running::{raise_limit, runtime, stopping};
use crate::screen::Screen;

pub(crate) fn serve(arguments: &cli::Serve, global: &Global, screen: &Screen) -> Result<Outcome> {
    log::begin(arguments.work.log, global);
    raise_limit();
    let config = config::read(global.config.as_deref())?.config;
    let mut config = config;
    // Who is told the base on the command line is known by it, too.
    config.serve.base = arguments.base.clone().or(config.serve.base);
    let wanted = server_options(arguments, &config.serve, global)?;
    let follow = options(&config, global)?;
    let worker_options = worker_options(&arguments.work, &config.serve)?;
    runtime()?.block_on(async {
        let server = Server::bind(wanted).await?;
        let location = place::location(&arguments.place, global)?;
        let store = Store::open(&location, place::authority(server.base()).as_deref()).await?;
        store.set_base(server.base()).await?;
        let follower = Follower::new(store.clone(), follow)?;
        let worker = Worker::new(follower.clone(), worker_options);
        let handle = worker.handle();
        let stop = stopping()?;
        tracing::info!(address = %server.address(), base = server.base(), "ready");
        if !global.quiet {
            let mut line = format!("tidings serves {}\n", server.base());
            if global.json {
                let ready =
                    serde_json::json!({ "base": server.base(), "address": server.address() });
                line = format!("{ready}\n");
            }
            // Who started it may not listen.
            let _ = screen.print(&line);
        }
        let working = async {
            if !arguments.no_poll {
                worker.run(stop.clone()).await;
            }
        };
        tokio::join!(server.run(store, follower, handle, stop.clone()), working);
        tracing::info!("stopped");
        Ok(Outcome::Well)
    })
}

pub(crate) fn worker(arguments: &cli::Worker, global: &Global) -> Result<Outcome> {
    log::begin(arguments.work.log, global);
    raise_limit();
    let config = config::read(global.config.as_deref())?.config;
    let follow = options(&config, global)?;
    let worker_options = worker_options(&arguments.work, &config.serve)?;
    runtime()?.block_on(async {
        let store = place::open(&arguments.place, global).await?;
        let worker = Worker::new(Follower::new(store, follow)?, worker_options);
        tracing::info!("ready");
        worker.run(stopping()?).await;
        tracing::info!("stopped");
        Ok(Outcome::Well)
    })
}

fn server_options(
    arguments: &cli::Serve,
    config: &ServeConfig,
    global: &Global,
) -> Result<ServerOptions> {
    let usual = ServerOptions::default();
    let listen = match (arguments.listen, &config.listen) {
        (Some(listen), _) => listen,
        (None, Some(text)) => {
            text.parse().with_context(|| format!("listen: {text:?} is no address with a port"))?
        }
        (None, None) => usual.listen,
    };
    let is_private = arguments.private || config.private;
    Ok(ServerOptions {
        listen,
        base: arguments.base.clone().or_else(|| config.base.clone()),
        access: if is_private { Access::Private } else { Access::Public },
        always_token: config.always_token || is_private,
        fetches_per_minute: config.fetches_per_minute.unwrap_or(usual.fetches_per_minute),
        connections: config.connections.unwrap_or(usual.connections),
        connections_per_network: config
            .connections_per_network
            .unwrap_or(usual.connections_per_network),
        open_tools: config.open_tools,
        copies: global.register.clone().or_else(|| config.copies.clone()).or_else(usual_copies),
    })
}

/// Where `tidings sync` and `tidings audit` register the copies of this user.
fn usual_copies() -> Option<std::path::PathBuf> {
    Register::usual().map(|register| register.folder().to_owned())
}

fn worker_options(work: &cli::Work, config: &ServeConfig) -> Result<WorkerOptions> {
    let usual = WorkerOptions::new();
    let jobs = work.jobs.or(config.jobs).map_or(usual.active, usize::from);
    let lease = match &config.lease {
        Some(text) => crate::cli::time(text).map_err(anyhow::Error::msg).context("lease")?,
        None => usual.lease,
    };
    Ok(WorkerOptions { active: jobs, lease, grace: Duration::from_secs(10), ..usual })
}
