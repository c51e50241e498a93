//! Other people's readers, each as a program that is called alike: `NAME FILE ITERATIONS`; the
//! floors of publishing, `NAME FOLDER THREADS`; and the makers of what is published.
//!
//! Each reader opens and reads the file anew in every iteration and prints how many entries it saw in all,
//! so that a reader that skips or stops early is found out.

pub mod chance;
pub mod fields;
pub mod tree;

use std::env;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

/// What a reader returns: the number of entries in the document.
pub type Count = Result<u64, Box<dyn Error>>;

/// Runs `read` over the file and as often as the command line says, and prints the entries counted.
pub fn run(read: impl Fn(&Path) -> Count) -> ExitCode {
    match count(read) {
        Ok(entries) => {
            println!("{entries}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn count(read: impl Fn(&Path) -> Count) -> Count {
    let mut arguments = env::args_os().skip(1);
    let (Some(file), Some(iterations), None) =
        (arguments.next(), arguments.next(), arguments.next())
    else {
        return Err("usage: NAME FILE ITERATIONS".into());
    };
    let iterations: u32 =
        iterations.to_str().and_then(|text| text.parse().ok()).ok_or("ITERATIONS: not a number")?;
    let mut entries = 0;
    for _ in 0..iterations {
        entries += read(Path::new(&file))?;
    }
    Ok(entries)
}
