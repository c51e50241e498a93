//! `tidings site`.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use anyhow::{Context, Result};
use ipnet::IpNet;
use tidings_base::text::counted;
use tidings_http::connection_table::ConnectionLimits;
use tidings_site::{Finding, PageMetaCache, Reserved};
use tidings_site_serve::{SiteOptions, SiteServer};

use crate::Outcome;
use crate::cli::{self, Global};
use crate::config;
use crate::following::log;
use crate::running::{raise_limit, runtime, stopping};
use crate::screen::Screen;

pub(crate) fn run(arguments: &cli::Site, global: &Global, screen: &Screen) -> Result<Outcome> {
    if arguments.check {
        return check(arguments, global, screen);
    }
    log::begin(arguments.log, global);
    raise_limit();
    let options = options(arguments, global)?;
    runtime()?.block_on(async {
        let server = SiteServer::bind(options).await?;
        let stop = stopping()?;
        announce(&server, arguments, global, screen);
        server.run(stop).await;
        tracing::info!("stopped");
        Ok(Outcome::Well)
    })
}

fn options(arguments: &cli::Site, global: &Global) -> Result<SiteOptions> {
    let config = config::read(global.config.as_deref())?.config.site;
    let listen = match (arguments.listen, &config.listen) {
        (Some(listen), _) => listen,
        (None, Some(text)) => {
            text.parse().with_context(|| format!("listen: {text:?} is no address with a port"))?
        }
        (None, None) => SocketAddr::from(([127, 0, 0, 1], 8430)),
    };
    let proxies = arguments.trust_proxy.iter().chain(&config.trust_proxy);
    Ok(SiteOptions {
        root: arguments.root.clone(),
        listen,
        admin_path: arguments.admin_path.clone().or(config.admin_path),
        name: arguments.name.clone().or(config.name),
        language: arguments.language.clone().or(config.language).unwrap_or_else(|| "en".to_owned()),
        hosts: arguments.host.iter().cloned().chain(config.host).collect(),
        proxies: proxies.map(|proxy| network(proxy)).collect::<Result<_>>()?,
        settle: match &config.settle {
            None => SiteOptions::SETTLE,
            Some(text) => settle(text).context("settle")?,
        },
        connections: config.connections.unwrap_or(10_000),
        connections_per_network: config
            .connections_per_network
            .unwrap_or(ConnectionLimits::PER_NETWORK),
    })
}

/// A time as the other keys have it, or none at all.
fn settle(text: &str) -> Result<Duration> {
    if text.trim() == "0s" {
        return Ok(Duration::ZERO);
    }
    let millis = cli::time(text).map_err(anyhow::Error::msg)?;
    Ok(Duration::from_millis(millis.unsigned_abs()))
}

fn network(text: &str) -> Result<IpNet> {
    let network = text.parse::<IpNet>().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    network.with_context(|| format!("trust-proxy: {text:?} is no address and no network"))
}

/// How many findings are said at the start; `--check` says all.
const MOST_FINDINGS: usize = 20;

/// Says where it is, and at the first start, once, how to get in.
fn announce(server: &SiteServer, arguments: &cli::Site, global: &Global, screen: &Screen) {
    let (objects, listed) = server.counts();
    let base = format!("http://{}/", server.address());
    let findings = server.findings();
    tracing::info!(address = %server.address(), objects, listed, findings = findings.len(), "ready");
    let (path, first) = (server.new_admin_path(), server.first());
    let is_new_path = path.is_some();
    let text = if global.json {
        let ready = serde_json::json!({
            "base": base,
            "address": server.address(),
            "objects": objects,
            "sitemap": listed,
            "findings": findings.iter().take(MOST_FINDINGS).map(told).collect::<Vec<_>>(),
            "findings_in_all": findings.len(),
            "admin_path": path,
            "user": first.map(|first| &first.user),
            "password": first.map(|first| &first.password),
        });
        format!("{ready}\n")
    } else {
        let mut text = format!(
            "tidings serves {base}: {}, {} in the sitemap\n",
            counted(objects as u64, "page or file", "pages and files"),
            listed
        );
        for finding in findings.iter().take(MOST_FINDINGS) {
            text += &format!("  {finding}\n");
        }
        if let Some(more) = findings.len().checked_sub(MOST_FINDINGS).filter(|more| *more > 0) {
            text += &format!("  … and {more} more: tidings site --check says all of them\n");
        }
        if let Some(path) = path {
            text += &format!(
                "  The administration is at {path} (not said again; kept in {}).\n",
                arguments.root.join("state/tidings/admin-path").display()
            );
        }
        if let Some(first) = first {
            text += &format!(
                "  Sign in at {base}login/ as {} with the password {} (not said again).\n",
                first.user, first.password
            );
        }
        text
    };
    // What has to be known is said even to those who want no summary.
    if !global.quiet || first.is_some() || is_new_path {
        // Who started it may not listen.
        let _ = screen.print(&text);
    }
}

fn told(finding: &Finding) -> serde_json::Value {
    serde_json::json!({
        "place": finding.place,
        "fault": finding.fault.name(),
        "message": finding.message,
        "served": finding.fault.is_served(),
    })
}

/// Says what is wrong with the content.
fn check(arguments: &cli::Site, global: &Global, screen: &Screen) -> Result<Outcome> {
    let config = config::read(global.config.as_deref())?.config.site;
    let kept = std::fs::read_to_string(arguments.root.join("state/tidings/admin-path")).ok();
    let admin = arguments.admin_path.clone().or(config.admin_path).or(kept);
    // Where there is none, none is reserved.
    let admin = admin.unwrap_or_else(|| "not-made-yet".to_owned());
    let (findings, objects) = PageMetaCache::check(&arguments.root, &Reserved::new(admin.trim())?)?;
    if global.json {
        let all: Vec<_> = findings.iter().map(told).collect();
        screen
            .print(&format!("{}\n", serde_json::json!({ "objects": objects, "findings": all })))?;
    } else {
        let mut text = String::new();
        for finding in &findings {
            text += &format!("{finding}\n");
        }
        if !global.quiet {
            text += &format!(
                "{}, {}\n",
                counted(objects as u64, "page or file", "pages and files"),
                counted(findings.len() as u64, "finding", "findings")
            );
        }
        screen.print(&text)?;
    }
    Ok(if findings.is_empty() { Outcome::Well } else { Outcome::Differs })
}
