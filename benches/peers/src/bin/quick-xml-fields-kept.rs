//! quick-xml with namespaces, every field decoded to a string, all entries kept until the end.

use std::hint::black_box;
use std::path::Path;
use std::process::ExitCode;

use tidings_peers::Count;
use tidings_peers::fields::entries;

fn main() -> ExitCode {
    tidings_peers::run(read)
}

fn read(file: &Path) -> Count {
    let mut kept = Vec::new();
    entries(file, |entry| kept.push(entry))?;
    Ok(black_box(&kept).len() as u64)
}
