//! quick-xml's bare event loop over a whole document in memory: nothing is copied, all is held.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use quick_xml::Reader;
use quick_xml::events::Event;
use tidings_peers::Count;

fn main() -> ExitCode {
    tidings_peers::run(read)
}

fn read(file: &Path) -> Count {
    let document = fs::read_to_string(file)?;
    let mut reader = Reader::from_str(&document);
    let mut entries = 0;
    loop {
        match reader.read_event()? {
            Event::Start(start) if start.name().as_ref() == "url" => entries += 1,
            Event::Eof => return Ok(entries),
            _ => {}
        }
    }
}
