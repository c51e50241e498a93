//! Content roots with very many pages.

use std::fs;
use std::path::Path;

use anyhow::Result;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Plain,
    Versioned,
}

/// How many folders the pages are in.
const FOLDERS: u64 = 500;

/// The path of a page.
pub(super) fn path(number: u64) -> String {
    format!("/s{:03}/page-{number:07}", number % FOLDERS)
}

/// 1 kB of prose with some marks in it.
fn text(number: u64) -> String {
    let line = format!(
        "A paragraph about lamp {number} with a [link](/s000/page-0000000), some *words* in another voice, \
         and more that has nothing to be told apart: the lamp is lit at dusk, and put out at dawn.\n\n"
    );
    format!("# Page {number}\n\n{}", line.repeat(5))
}

/// Makes the pages.
pub(super) fn fill(root: &Path, count: u64, layout: Layout) -> Result<()> {
    eprintln!("bench: making {count} pages");
    match layout {
        Layout::Plain => {
            for folder in 0..FOLDERS {
                fs::create_dir_all(root.join(format!("pages/s{folder:03}")))?;
            }
            for number in 0..count {
                fs::write(root.join(format!("pages{}.md", path(number))), text(number))?;
            }
        }
        Layout::Versioned => {
            for shard in 0..=255_u8 {
                fs::create_dir_all(root.join(format!("content/{shard:02x}")))?;
            }
            for number in 0..count {
                let id = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let blob = root.join(format!("content/{:02x}/{id:016x}.0", id & 0xff));
                let alias = path(number);
                let alias = alias.trim_start_matches('/');
                let sidecar = format!(
                    "(alias: \"{alias}\", title: \"Page {number}\", mime: \"text/markdown\")\n"
                );
                fs::write(&blob, text(number))?;
                fs::write(blob.with_extension("0.ron"), sidecar)?;
            }
        }
    }
    Ok(())
}
