//! quick-xml with namespaces, every field decoded to a string, each entry dropped when complete.

use std::hint::black_box;
use std::path::Path;
use std::process::ExitCode;

use tidings_peers::Count;
use tidings_peers::fields::entries;

fn main() -> ExitCode {
    tidings_peers::run(read)
}

fn read(file: &Path) -> Count {
    let mut count = 0;
    entries(file, |entry| {
        black_box(entry);
        count += 1;
    })?;
    Ok(count)
}
