//! quick-xml's bare event loop over a buffered file: the yardstick for reading as a stream.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::ExitCode;

use quick_xml::Reader;
use quick_xml::events::Event;
use tidings_peers::Count;

fn main() -> ExitCode {
    tidings_peers::run(read)
}

fn read(file: &Path) -> Count {
    let mut reader = Reader::from_reader(BufReader::new(File::open(file)?));
    let mut buffer = Vec::new();
    let mut entries = 0;
    loop {
        match reader.read_event_into(&mut buffer)? {
            Event::Start(start) if start.name().as_ref() == "url" => entries += 1,
            Event::Eof => return Ok(entries),
            _ => {}
        }
        buffer.clear();
    }
}
