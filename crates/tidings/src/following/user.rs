//! `tidings user`: who may sign in.

use std::io::{self, BufRead, IsTerminal as _, Write as _};

use anyhow::{Context, Result, bail};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use tidings_http::password::hash_password;
use tidings_store::{NewAct, Role, Store, User, UserChange};

use super::{place, runtime};
use crate::Outcome;
use crate::cli::{self, Global, RoleChoice, UserVerb};
use crate::screen::Screen;

pub(crate) fn run(arguments: &cli::User, global: &Global, screen: &Screen) -> Result<Outcome> {
    runtime()?.block_on(async {
        match &arguments.verb {
            UserVerb::Add { name, role, place } => {
                let store = place::open(place, global).await?;
                let role = of(*role);
                if role != Role::Admin && !store.has_users().await? {
                    bail!("the first account has to be an admin, or nobody could make more: --role admin");
                }
                let hash = password(name)?;
                if store.add_user(name, role, &hash).await?.is_none() {
                    bail!("somebody is called {name:?} already; choose another name");
                }
                did(&store, "add user", name, role.name()).await?;
            }
            UserVerb::List { place } => {
                list(&place::open_existing(place, global).await?, global, screen).await?;
            }
            UserVerb::Role { name, role, place } => {
                let store = place::open_existing(place, global).await?;
                let (user, role) = (named(&store, name).await?, of(*role));
                done(store.set_role(user.id, role).await?, name)?;
                if role < user.role {
                    store.end_sessions(user.id, None).await?;
                }
                did(&store, "role", name, role.name()).await?;
            }
            UserVerb::Password { name, place } => {
                let store = place::open_existing(place, global).await?;
                let user = named(&store, name).await?;
                done(store.set_password(user.id, &password(name)?).await?, name)?;
                did(&store, "password", name, "").await?;
            }
            UserVerb::Remove { name, place } => {
                let store = place::open_existing(place, global).await?;
                let user = named(&store, name).await?;
                done(store.remove_user(user.id).await?, name)?;
                did(&store, "remove user", name, "").await?;
            }
        }
        Ok(Outcome::Well)
    })
}

fn of(role: RoleChoice) -> Role {
    match role {
        RoleChoice::Reader => Role::Reader,
        RoleChoice::Editor => Role::Editor,
        RoleChoice::Admin => Role::Admin,
    }
}

async fn named(store: &Store, name: &str) -> Result<User> {
    let found = store.user(name).await?;
    let (user, _) = found.with_context(|| {
        format!("nobody is called {name:?}; `tidings user list` lists those that there are")
    })?;
    Ok(user)
}

fn done(change: UserChange, name: &str) -> Result<()> {
    match change {
        UserChange::Done => Ok(()),
        UserChange::Unknown => bail!("nobody is called {name:?} any more"),
        UserChange::LastAdmin => {
            bail!("{name:?} is the last admin; make somebody else one first")
        }
    }
}

pub(super) async fn did(store: &Store, act: &str, object: &str, detail: &str) -> Result<()> {
    let actor = "(command line)";
    Ok(store.record_act(NewAct { actor, act, object, detail }).await?)
}

async fn list(store: &Store, global: &Global, screen: &Screen) -> Result<()> {
    let time = |millis| jiff::Timestamp::from_millisecond(millis).map(|time| time.to_string());
    let users = store.users().await?;
    if global.json {
        let mut all = Vec::new();
        for user in &users {
            all.push(serde_json::json!({
                "name": user.name,
                "role": user.role,
                "created_at": time(user.created_at)?,
                "signed_in_at": user.signed_in_at.map(time).transpose()?,
            }));
        }
        screen.print(&format!("{:#}\n", serde_json::json!({ "users": all })))?;
        return Ok(());
    }
    for user in &users {
        let last = user.signed_in_at.map(time).transpose()?;
        let last = last.unwrap_or_else(|| "never signed in".to_owned());
        screen.print(&format!("{}  {}  {last}\n", screen.bold(&user.name), user.role.name()))?;
    }
    Ok(())
}

/// The hash of a password that a person types, twice and unseen; or of the first line of standard input.
fn password(name: &str) -> Result<String> {
    let typed = if io::stdin().is_terminal() {
        let typed = unseen("Password: ")?;
        if typed != unseen("Once more: ")? {
            bail!("the two passwords are not the same");
        }
        typed
    } else {
        line()?
    };
    Ok(hash_password(&typed, name)?)
}

fn line() -> Result<String> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// Reads a line that is not shown, key by key, so that who goes away in the middle finds the terminal as it
/// was.
fn unseen(prompt: &str) -> Result<String> {
    let mut screen = io::stderr();
    write!(screen, "{prompt}")?;
    screen.flush()?;
    let stdin = io::stdin();
    let before = tcgetattr(&stdin)?;
    let mut quiet = before.clone();
    quiet.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
    tcsetattr(&stdin, OptionalActions::Flush, &quiet)?;
    let typed = keys(stdin.lock());
    tcsetattr(&stdin, OptionalActions::Flush, &before)?;
    writeln!(screen)?;
    typed
}

fn keys(input: impl BufRead) -> Result<String> {
    const CANCEL: u8 = 3;
    const END: u8 = 4;
    let mut typed = Vec::new();
    for key in input.bytes() {
        match key? {
            b'\r' | b'\n' | END => break,
            CANCEL => bail!("nothing was changed"),
            // Back over a whole letter, however many bytes it has.
            8 | 127 => while typed.pop().is_some_and(|byte: u8| byte & 0xC0 == 0x80) {},
            byte => typed.push(byte),
        }
    }
    String::from_utf8(typed).context("the password is not written in UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_become_a_password() {
        let read = |bytes: &[u8]| keys(bytes);
        assert_eq!(read(b"abc\nrest").unwrap(), "abc");
        assert_eq!(read("a\u{e9}\u{7f}b\u{7f}\u{7f}\u{7f}xy\r".as_bytes()).unwrap(), "xy");
        assert!(read(b"abc\x03").is_err());
        assert!(read(b"\xff\n").is_err());
    }
}
