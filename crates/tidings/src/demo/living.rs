//! The tour's site, served and changing, for as long as somebody looks.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::Result;

use crate::cli::{Cli, Command, Global};
use crate::following::{follow, serve};
use crate::publish;
use crate::screen::Screen;

/// How often something changes.
const PACE: Duration = Duration::from_secs(45);
/// How often it is looked whether the server is there, and for how long.
const LOOK: Duration = Duration::from_millis(100);
const LOOKS: u32 = 100;

/// Serves the pages until it is told to stop.
pub(super) fn serve(
    folder: &Path,
    base: &str,
    data: &str,
    global: &Global,
    screen: &Screen,
) -> Result<()> {
    let listen = free();
    let quiet = Global { quiet: true, json: false, ..global.clone() };
    let (site, base, known) = (folder.to_owned(), base.to_owned(), data.to_owned());
    // It ends with the program.
    thread::spawn(move || live(&site, &base, &known, listen, &quiet));
    let listen = listen.to_string();
    let words = ["tidings", "serve", "--data", data, "--listen", &listen];
    if let Command::Serve(arguments) = <Cli as clap::Parser>::try_parse_from(words)?.command {
        serve::serve(&arguments, global, screen)?;
    }
    Ok(())
}

/// The usual address, if nobody has it; else any.
fn free() -> SocketAddr {
    let usual = SocketAddr::from(([127, 0, 0, 1], 8420));
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let taken = TcpListener::bind(usual).or_else(|_| TcpListener::bind(any));
    taken.and_then(|listener| listener.local_addr()).unwrap_or(usual)
}

/// Follows the server's own sample, too, and writes into the site's diary now and then. Whatever goes
/// wrong with that, the pages are there.
fn live(site: &Path, base: &str, data: &str, server: SocketAddr, global: &Global) {
    let screen = Screen::new(global);
    if is_there(server) {
        let sample = format!("http://{server}/sample/");
        let words = ["tidings", "follow", &sample, "--data", data];
        if let Ok(Cli { command: Command::Follow(arguments), .. }) = parsed(&words) {
            let _ = follow::run(&arguments, global, &screen);
        }
    }
    let (folder, diary): (_, PathBuf) = (site.to_string_lossy(), site.join("diary.html"));
    for day in 1.. {
        let lines: String =
            (1..=day).map(|day| format!("<p>Entry {day}: all is well.</p>\n")).collect();
        let page = format!("<!doctype html><title>Diary</title><h1>Diary</h1>\n{lines}");
        let _ = fs::write(&diary, page);
        let words = ["tidings", "publish", &folder, "--base", base];
        if let Ok(Cli { command: Command::Publish(arguments), .. }) = parsed(&words) {
            let _ = publish::run(&arguments, global, &screen);
        }
        thread::sleep(PACE);
    }
}

fn parsed(words: &[&str]) -> Result<Cli, clap::Error> {
    <Cli as clap::Parser>::try_parse_from(words)
}

/// Waits until the server answers.
fn is_there(server: SocketAddr) -> bool {
    let ask = || -> std::io::Result<bool> {
        let mut stream = TcpStream::connect(server)?;
        stream
            .write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer.contains(" 200 "))
    };
    (0..LOOKS).any(|_| {
        let there = ask().unwrap_or(false);
        if !there {
            thread::sleep(LOOK);
        }
        there
    })
}
