//! Makes a tree of files to publish: `FOLDER FOLDERS FILES BYTES text|noise`, with so many folders
//! of so many files of so many bytes. The same call makes the same tree.

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use tidings_peers::chance::scattered;

const WORDS: [&str; 16] = [
    "the",
    "source",
    "of",
    "all",
    "resources",
    "is",
    "a",
    "list",
    "and",
    "each",
    "change",
    "in",
    "it",
    "has",
    "been",
    "published",
];

fn main() -> ExitCode {
    match make() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn make() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [root, folders, files, bytes, kind] = arguments.as_slice() else {
        return Err("usage: make-tree FOLDER FOLDERS FILES BYTES text|noise".into());
    };
    let (folders, files, bytes): (u64, u64, usize) =
        (folders.parse()?, files.parse()?, bytes.parse()?);
    let (fill, ending): (fn(u64, usize, &mut Vec<u8>), _) = match kind.as_str() {
        "text" => (text, "txt"),
        "noise" => (noise, "bin"),
        _ => return Err("neither text nor noise".into()),
    };
    let mut content = Vec::with_capacity(bytes + 16);
    for folder in 0..folders {
        let path = Path::new(root).join(format!("folder-{folder:04}"));
        fs::create_dir_all(&path)?;
        for file in 0..files {
            content.clear();
            fill(folder * files + file, bytes, &mut content);
            fs::write(path.join(format!("file-{file:06}.{ending}")), &content)?;
        }
    }
    Ok(())
}

/// Nothing that could be made smaller.
fn noise(seed: u64, bytes: usize, content: &mut Vec<u8>) {
    let mut at = scattered(seed);
    while content.len() < bytes {
        at = at.wrapping_add(1);
        content.extend_from_slice(&scattered(at).to_le_bytes());
    }
    content.truncate(bytes);
}

/// Lines of words.
fn text(seed: u64, bytes: usize, content: &mut Vec<u8>) {
    let mut at = scattered(seed);
    while content.len() < bytes {
        at = at.wrapping_add(1);
        let mut picks = scattered(at);
        for _ in 0..12 {
            content.extend_from_slice(WORDS[(picks % 16) as usize].as_bytes());
            content.push(b' ');
            picks >>= 4;
        }
        content.extend_from_slice(format!("{picks}\n").as_bytes());
    }
    content.truncate(bytes);
}
