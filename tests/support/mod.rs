//! What the end-to-end tests share: the binary, folders, a real web server.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part of it")]

pub mod copied;
pub mod documents;
pub mod farm;
pub mod follower;
pub mod server;
pub mod site;
pub mod stage;
pub mod zip;

use std::fs;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

pub fn tidings() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidings"));
    command.env_remove("NO_COLOR").stdin(Stdio::null());
    keep_apart(&mut command);
    command
}

/// What is remembered between runs is not to be the user's.
pub fn keep_apart(command: &mut Command) -> &mut Command {
    let folder = env!("CARGO_TARGET_TMPDIR");
    command.env("XDG_CACHE_HOME", folder).env("XDG_STATE_HOME", folder)
}

/// Runs the binary with these arguments.
pub fn run<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Output {
    tidings().args(arguments).output().unwrap()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs a command with something on its standard input; it may stop reading whenever it likes.
pub fn feed(
    mut command: Command,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()> + Send + 'static,
) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        let _ = write(&mut input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// The files of `tests/`.
pub fn tests_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests")
}

/// A real nginx that serves a folder on a free port of loopback, until it is dropped.
pub struct Nginx {
    child: Child,
    port: u16,
    _state: tempfile::TempDir,
}

impl Nginx {
    /// Serves `folder`; `extra` goes into the server block.
    pub fn serve(folder: &Path, extra: &str) -> Self {
        Self::serve_as(folder, "", extra)
    }

    /// The same over TLS, and HTTP/2 if the client will; `extra` has the certificate.
    pub fn serve_tls(folder: &Path, extra: &str) -> Self {
        Self::serve_as(folder, " ssl http2", extra)
    }

    fn serve_as(folder: &Path, kind: &str, extra: &str) -> Self {
        // Another process may take a free port before nginx does; then it is tried again.
        for _ in 0..20 {
            if let Some(server) = Self::try_serve(folder, kind, extra) {
                return server;
            }
        }
        panic!("nginx does not start; `cargo xtask setup` installs it");
    }

    fn try_serve(folder: &Path, kind: &str, extra: &str) -> Option<Self> {
        let state = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let configuration = format!(
            "daemon off; master_process off; pid {state}/pid; error_log {state}/error.log;
            events {{}}
            http {{
                access_log off; default_type application/octet-stream; types {{ application/xml xml; text/html html; }}
                client_body_temp_path {state}/a; proxy_temp_path {state}/b; fastcgi_temp_path {state}/c;
                uwsgi_temp_path {state}/d; scgi_temp_path {state}/e;
                server {{ listen 127.0.0.1:{port}{kind}; root {folder}; {extra} }}
            }}",
            state = state.path().display(),
            folder = folder.display(),
        );
        let file = state.path().join("nginx.conf");
        fs::write(&file, configuration).unwrap();
        let child = Command::new(program("nginx"))
            .arg("-e")
            .arg(state.path().join("error.log"))
            .arg("-c")
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("nginx; `cargo xtask setup` installs it");
        let mut server = Self { child, port, _state: state };
        loop {
            if TcpStream::connect(("127.0.0.1", port)).is_ok()
                && server.child.try_wait().unwrap().is_none()
            {
                return Some(server);
            }
            if server.child.try_wait().unwrap().is_some() {
                return None;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The server's own URL, with a slash at the end.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A program that may lie outside the PATH of an ordinary user.
fn program(name: &str) -> PathBuf {
    let system = Path::new("/usr/sbin").join(name);
    if system.exists() { system } else { name.into() }
}

/// Writes files below a folder.
pub fn write_all(folder: &Path, files: &[(&str, &str)]) {
    for (name, content) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}
