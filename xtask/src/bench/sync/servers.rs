//! The servers that all copy from, on loopback.

use std::cell::Cell;
use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::command::{output, works};

/// A web server with a Source, until it is dropped.
pub(crate) struct Nginx {
    _process: Process,
    /// Of the Source: its documents and its files.
    pub(crate) port: u16,
    /// Of the files alone, with pages that list the folders.
    pub(super) plain: u16,
    status: u16,
    /// How often the status was asked for.
    questions: Cell<u64>,
}

/// Rsync's own server, until it is dropped.
pub(super) struct Daemon {
    _process: Process,
    pub(super) port: u16,
}

/// A process that is asked to end when it is dropped.
struct Process(Child);

impl Nginx {
    /// With files in `tree`, documents in `out`, and its own things in `folder`.
    pub(crate) fn start(folder: &Path, tree: &Path, out: &Path) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let [port, plain, status] = [free_port()?, free_port()?, free_port()?];
        let configuration = folder.join("nginx.conf");
        fs::write(&configuration, settings(folder, (tree, out), [port, plain, status]))?;
        let mut command = Command::new(nginx_program());
        command.arg("-p").arg(folder).arg("-c").arg(&configuration);
        let _process = Process::start(command, port)?;
        Ok(Self { _process, port, plain, status, questions: Cell::new(0) })
    }

    /// How many it has had, the questions about that left out.
    pub(crate) fn requests(&self) -> Result<u64> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.status))?;
        stream.write_all(b"GET / HTTP/1.0\r\n\r\n")?;
        let mut said = String::new();
        stream.read_to_string(&mut said)?;
        self.questions.set(self.questions.get() + 1);
        let answered = answered(&said).with_context(|| format!("nginx says {said:?}"))?;
        Ok(answered - self.questions.get())
    }
}

/// The questions are requests, too, and this one is counted already.
fn answered(status: &str) -> Option<u64> {
    let line = status.lines().skip_while(|line| !line.starts_with("server accepts")).nth(1)?;
    line.split_whitespace().nth(2)?.parse().ok()
}

fn settings(folder: &Path, (tree, out): (&Path, &Path), ports: [u16; 3]) -> String {
    let [port, plain, status] = ports;
    let (folder, tree, out) = (folder.display(), tree.display(), out.display());
    let mut text = format!(
        "daemon off; user root; worker_processes auto; pid {folder}/pid; error_log stderr warn;\n\
         events {{ worker_connections 1024; }}\n\
         http {{\n\
         access_log off; sendfile on; tcp_nopush on; default_type application/octet-stream;\n\
         keepalive_requests 1000000000; keepalive_timeout 600s;\n"
    );
    for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"] {
        let _ = writeln!(text, "{kind}_temp_path {folder}/{kind};");
    }
    let _ = write!(
        text,
        "server {{ listen 127.0.0.1:{port}; root {out}; location /folder- {{ root {tree}; }} }}\n\
         server {{ listen 127.0.0.1:{plain}; root {tree}; autoindex on; }}\n\
         server {{ listen 127.0.0.1:{status}; location / {{ stub_status; }} }}\n}}\n"
    );
    text
}

/// It may lie outside the PATH of an ordinary user.
pub(crate) fn nginx_program() -> &'static str {
    if works("nginx", &["-v"]) { "nginx" } else { "/usr/sbin/nginx" }
}

impl Daemon {
    /// With the tree as its module `tree`; its settings are kept in `folder`.
    pub(super) fn start(folder: &Path, tree: &Path) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let (port, settings) = (free_port()?, folder.join("rsyncd.conf"));
        // Root's daemon becomes nobody, who may not look into a folder of root's.
        let root = output(Command::new("id").arg("-u"))?.trim() == "0";
        let user = if root { "uid = 0\ngid = 0\n" } else { "" };
        // Nothing that takes time and has nothing to do with copying.
        let quick = "use chroot = no\nreverse lookup = no\nlog file = /dev/null\n";
        let module = format!("[tree]\npath = {}\nread only = yes\n", tree.display());
        fs::write(&settings, format!("{user}{quick}{module}"))?;
        let mut command = Command::new("rsync");
        command.args(["--daemon", "--no-detach", "--address=127.0.0.1"]);
        command.arg(format!("--port={port}")).arg("--config").arg(&settings);
        Ok(Self { _process: Process::start(command, port)?, port })
    }
}

impl Process {
    /// Waits until it listens.
    fn start(mut command: Command, port: u16) -> Result<Self> {
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null());
        let mut process = Self(quiet.spawn().context("a server could not be started")?);
        for _ in 0..500 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Ok(process);
            }
            if let Some(status) = process.0.try_wait()? {
                bail!("a server ended at once ({status}): see above");
            }
            sleep(Duration::from_millis(10));
        }
        bail!("a server does not listen after 5 seconds");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // One that has ended no longer has its number: another one may.
        if !matches!(self.0.try_wait(), Ok(None)) {
            return;
        }
        // Killed without a word, nginx would leave its workers behind.
        let asked = Command::new("kill").arg(self.0.id().to_string()).status();
        if !asked.is_ok_and(|status| status.success()) {
            let _ = self.0.kill();
        }
        let _ = self.0.wait();
    }
}

pub(super) fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    use super::answered;

    #[test]
    fn the_third_figure_is_that_of_requests() {
        let said = "HTTP/1.1 200 OK\r\n\r\nActive connections: 1 \n\
                    server accepts handled requests\n 7 7 2003 \nReading: 0 Writing: 1\n";
        assert_eq!(answered(said), Some(2003));
        assert_eq!(answered("HTTP/1.1 404 Not Found\r\n"), None);
    }
}
