//! The work to be measured, one process for each measurement. `cargo xtask bench documents` runs it.
//!
//! ```text
//! generate COUNT FILE           the input: a Resource List
//! read FILE N                   read it N times to typed entries; prints entries
//! check FILE N                  read it N times and apply every rule; prints entries
//! write COUNT memory|FILE       write with Tidings; prints bytes and seconds
//! floor COUNT memory|FILE       the same bytes by hand; prints bytes and seconds
//! same COUNT                    fails when `write` and `floor` write different bytes
//! ```

mod floor;
mod plug;
mod sample;
mod write;

use std::env;
use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::process::ExitCode;

use sample::document;
use write::Target;

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

const USAGE: &str = "usage: tidings-bench \
    generate COUNT FILE | read FILE N | check FILE N | \
    write COUNT memory|FILE | floor COUNT memory|FILE | same COUNT";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<()> {
    match arguments {
        ["generate", count, file] => generate(count.parse()?, file),
        ["read", file, n] => repeat(n.parse()?, || plug::read(Path::new(file))),
        ["check", file, n] => repeat(n.parse()?, || plug::check(Path::new(file))),
        ["write", count, target] => write::with_tidings(count.parse()?, target_of(target)),
        ["floor", count, target] => write::by_hand(count.parse()?, target_of(target)),
        ["same", count] => write::same(count.parse()?),
        _ => Err(USAGE.into()),
    }
}

fn generate(count: u64, file: &str) -> Result<()> {
    document(count, BufWriter::with_capacity(1 << 16, File::create(file)?))?;
    Ok(())
}

fn repeat(times: u32, mut read: impl FnMut() -> Result<u64>) -> Result<()> {
    let mut entries = 0;
    for _ in 0..times {
        entries += read()?;
    }
    println!("{entries}");
    Ok(())
}

fn target_of(name: &str) -> Target<'_> {
    if name == "memory" { Target::Memory } else { Target::File(Path::new(name)) }
}
