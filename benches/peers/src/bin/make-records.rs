//! Prints records of so many resources, in no order, as JSON lines: `COUNT BASE`, where the URI of a
//! record begins with the base.

use std::env;
use std::error::Error;
use std::io::{BufWriter, Write as _, stdout};
use std::process::ExitCode;

use tidings_peers::chance::{scattered, shuffled};

fn main() -> ExitCode {
    match print() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn print() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [count, base] = arguments.as_slice() else {
        return Err("usage: make-records COUNT BASE".into());
    };
    let count: u64 = count.parse()?;
    let mut out = BufWriter::with_capacity(1 << 20, stdout().lock());
    for number in shuffled(count) {
        let [a, b, c, d] = [1, 2, 3, 4].map(|part| scattered(number * 4 + part));
        let (day, hour, length) = (a % 28 + 1, b % 24, c % 100_000);
        writeln!(
            out,
            "{{\"uri\":\"{base}records/{number:08}\",\
             \"lastmod\":\"2026-01-{day:02}T{hour:02}:00:00Z\",\"length\":{length},\
             \"type\":\"text/html\",\"hash\":\"sha-256:{a:016x}{b:016x}{c:016x}{d:016x}\"}}"
        )?;
    }
    out.flush()?;
    Ok(())
}
