//! A PostgreSQL server for tests and benchmarks: its own, in a temporary folder, gone afterwards.

use std::env;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;

use crate::command::{output, works};

/// The variable that names the server to the tests: the URL of a database to start from. Each test
/// makes another one beside it.
pub(crate) const VARIABLE: &str = "TIDINGS_POSTGRES";

/// Finds the programs also where Debian keeps them, which is not in the PATH.
pub(crate) const PROBE: &[&str] =
    &["sh", "-c", "command -v initdb || ls /usr/lib/postgresql/*/bin/initdb"];

/// How long the server may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs the server until its input ends, which it does when we end, however that comes to be. An
/// interruption at the terminal reaches both: the server stops by it, and the folder still goes.
const KEEPER: &str = r#"trap '' INT
folder=$1; shift
"$@" </dev/null & server=$!
read -r _
kill -QUIT $server
wait $server
rm -rf "$folder""#;

/// A server that runs. It is stopped when this is dropped.
pub(crate) struct Postgres {
    programs: PathBuf,
    folder: TempDir,
    server: Child,
    port: u16,
}

impl Postgres {
    /// Makes a database and starts a server for it.
    pub(crate) fn start() -> Result<Self> {
        let programs = programs()?;
        let folder = tempfile::Builder::new().prefix("tidings-postgres-").tempdir()?;
        let data = folder.path().join("data");
        if is_root()? {
            // PostgreSQL refuses to run as root.
            output(Command::new("chown").arg("postgres").arg(folder.path()))
                .context("there is no user postgres to run the server as")?;
        }
        let mut initdb = unprivileged(&programs.join("initdb"))?;
        initdb.arg("--pgdata").arg(&data).args([
            "--auth=trust",
            "--username=postgres",
            "--encoding=UTF8",
            "--no-locale",
            "--no-sync",
        ]);
        output(&mut initdb).context("no database could be made for the tests")?;
        let port = free_port()?;
        let log = fs::File::create(folder.path().join("log"))?;
        let mut postgres = unprivileged(Path::new("sh"))?;
        postgres.args(["-c", KEEPER, "sh"]).arg(folder.path()).arg(programs.join("postgres"));
        postgres.arg("-D").arg(&data).arg("-k").arg(folder.path());
        postgres.args(["-h", "127.0.0.1", "-p", &port.to_string()]);
        // What the tests write need not outlive them.
        for setting in ["fsync=off", "full_page_writes=off", "max_connections=200"] {
            postgres.args(["-c", setting]);
        }
        let server = postgres.stdin(Stdio::piped()).stdout(log.try_clone()?).stderr(log).spawn()?;
        let mut started = Self { programs, folder, server, port };
        started.wait()?;
        Ok(started)
    }

    /// The URL of its first database.
    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Lets it see what there is now, as it would by itself after a while.
    pub(crate) fn analyze(&self) -> Result<()> {
        let mut psql = Command::new(self.programs.join("psql"));
        let said = psql.args(["--quiet", "--no-psqlrc", "--command=VACUUM ANALYZE"]);
        output(said.arg(self.url())).map(drop)
    }

    fn wait(&mut self) -> Result<()> {
        let probe = self.programs.join("pg_isready");
        let port = self.port.to_string();
        let begun = Instant::now();
        while !works(&probe, &["-q", "-h", "127.0.0.1", "-p", &port]) {
            let ended = self.server.try_wait()?.is_some();
            if ended || begun.elapsed() > PATIENCE {
                let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
                bail!(
                    "PostgreSQL did not start: {}",
                    log.lines().last().unwrap_or("it says nothing")
                );
            }
            sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // What keeps it reads until here.
        drop(self.server.stdin.take());
        drop(self.server.wait());
    }
}

/// What it says of itself.
pub(crate) fn version() -> Result<String> {
    output(Command::new(programs()?.join("postgres")).arg("--version"))
}

/// The folder of PostgreSQL's programs, the newest of them where there are several.
fn programs() -> Result<PathBuf> {
    let in_path = env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = env::split_paths(&in_path).collect();
    let mut versions: Vec<_> = fs::read_dir("/usr/lib/postgresql")
        .map(|entries| entries.flatten().map(|entry| entry.path().join("bin")).collect())
        .unwrap_or_default();
    versions.sort_by_key(|folder: &PathBuf| {
        let version = folder.parent().and_then(Path::file_name);
        version.and_then(|version| version.to_str()?.parse::<u32>().ok())
    });
    folders.extend(versions.into_iter().rev());
    let has_all = |folder: &PathBuf| {
        ["initdb", "postgres", "pg_isready"].iter().all(|name| folder.join(name).is_file())
    };
    folders
        .into_iter()
        .find(has_all)
        .context("PostgreSQL is not installed: run `cargo xtask setup`")
}

fn is_root() -> Result<bool> {
    Ok(output(Command::new("id").arg("-u"))?.trim() == "0")
}

/// A program that is not run as root, in a folder that everybody may be in.
fn unprivileged(program: &Path) -> Result<Command> {
    let mut command = if is_root()? {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
        command
    } else {
        Command::new(program)
    };
    command.current_dir("/");
    Ok(command)
}

/// A port that is free now, and most likely still so in a moment.
fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
