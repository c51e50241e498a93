//! `tidings token`: who may ask a server for more.

use anyhow::{Context, Result, bail};
use tidings_serve::NewToken;
use tidings_store::Scope;

use super::user::did;
use super::{place, runtime};
use crate::Outcome;
use crate::cli::{self, Global, TokenVerb};
use crate::screen::Screen;

pub(crate) fn run(arguments: &cli::Token, global: &Global, screen: &Screen) -> Result<Outcome> {
    runtime()?.block_on(async {
        match &arguments.verb {
            TokenVerb::Add { name, read, admin, place } => {
                let store = place::open(place, global).await?;
                let token = NewToken::make().context("no random numbers could be had")?;
                let scope = match (*read, *admin) {
                    (true, _) => Scope::Read,
                    (_, true) => Scope::Admin,
                    _ => Scope::Write,
                };
                if !store.add_token(name, scope, token.hash()).await? {
                    bail!("there is a token {name:?} already; take it back, or choose another name");
                }
                did(&store, "token", name, scope.name()).await?;
                if global.json {
                    let made = serde_json::json!({ "name": name, "scope": scope, "token": token.text() });
                    screen.print(&format!("{made:#}\n"))?;
                } else {
                    screen.print(&format!("{}\n", token.text()))?;
                    screen.warning("it is shown this once, and only its hash is kept");
                }
            }
            TokenVerb::List { place } => {
                let store = place::open_existing(place, global).await?;
                let tokens = store.tokens().await?;
                let time = |millis| jiff::Timestamp::from_millisecond(millis).map(|time| time.to_string());
                if global.json {
                    let mut all = Vec::new();
                    for token in &tokens {
                        all.push(serde_json::json!({
                            "name": token.name,
                            "scope": token.scope,
                            "created_at": time(token.created_at)?,
                            "used_at": token.used_at.map(time).transpose()?,
                        }));
                    }
                    screen.print(&format!("{:#}\n", serde_json::json!({ "tokens": all })))?;
                    return Ok(Outcome::Well);
                }
                for token in &tokens {
                    let used = token.used_at.map(time).transpose()?;
                    let scope = token.scope.name();
                    let used = used.unwrap_or_else(|| "never used".to_owned());
                    screen.print(&format!("{}  {scope}  {used}\n", screen.bold(&token.name)))?;
                }
            }
            TokenVerb::Remove { name, place } => {
                let store = place::open_existing(place, global).await?;
                if !store.remove_token(name).await? {
                    bail!("there is no token {name:?}; `tidings token list` lists those that there are");
                }
                did(&store, "take token back", name, "").await?;
            }
        }
        Ok(Outcome::Well)
    })
}
