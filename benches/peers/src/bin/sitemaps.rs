//! The crate `sitemaps`: the whole document as a vector of entries, over quick-xml 0.31.

use std::fs::File;
use std::hint::black_box;
use std::io::BufReader;
use std::path::Path;
use std::process::ExitCode;

use sitemaps::Sitemaps;
use sitemaps::sitemap::Sitemap;
use tidings_peers::Count;

fn main() -> ExitCode {
    tidings_peers::run(read)
}

fn read(file: &Path) -> Count {
    let sitemap = Sitemap::read_from(BufReader::new(File::open(file)?))?;
    Ok(black_box(&sitemap.entries).len() as u64)
}
