//! The crate `sitemap`: a stream of entries over xml-rs.

use std::fs::File;
use std::hint::black_box;
use std::io::BufReader;
use std::path::Path;
use std::process::ExitCode;

use sitemap::reader::{SiteMapEntity, SiteMapReader};
use tidings_peers::Count;

fn main() -> ExitCode {
    tidings_peers::run(read)
}

fn read(file: &Path) -> Count {
    let mut entries = 0;
    for entity in SiteMapReader::new(BufReader::new(File::open(file)?)) {
        match entity {
            SiteMapEntity::Url(entry) => {
                black_box(entry);
                entries += 1;
            }
            SiteMapEntity::SiteMap(_) => {}
            SiteMapEntity::Err(error) => return Err(error.into()),
        }
    }
    Ok(entries)
}
