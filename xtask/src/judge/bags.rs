//! A copy that is exported is a valid bag.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::command::output;
use crate::workspace;

/// Reads every byte of a bag, and prints how many files it has.
const VALIDATE: &str = "import sys, bagit\n\
    bag = bagit.Bag(sys.argv[1])\n\
    bag.validate()\n\
    print(len(list(bag.payload_files())))";

/// Exports a copy, and has the reference implementation of the Library of Congress validate the bag; and
/// asserts that it notices one byte that is another.
pub(super) fn judge(python: &Path, copy: &Path, folder: &Path) -> Result<()> {
    let bag = folder.join("bag");
    let tidings = workspace::root().join("target/release/tidings");
    let said = output(Command::new(tidings).arg("export").arg(copy).arg("--bagit").arg(&bag))?;
    print!("tidings export: {said}");
    let validate = || output(Command::new(python).args(["-c", VALIDATE]).arg(&bag));
    let files = validate()?;
    println!("bagit: the bag is valid, {} files", files.trim());
    let manifest = fs::read_to_string(bag.join("manifest-sha256.txt"))?;
    let path = manifest.lines().next().and_then(|line| line.split_once("  "));
    if let Some((_, path)) = path {
        let file = bag.join(path);
        let mut bytes = fs::read(&file)?;
        bytes.iter_mut().take(1).for_each(|byte| *byte ^= 1);
        fs::write(&file, bytes)?;
        ensure!(validate().is_err(), "bagit takes a bag for valid that is not");
    }
    Ok(())
}
