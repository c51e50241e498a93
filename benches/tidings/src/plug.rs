//! Where the product is plugged in: the only file here that knows its interface.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;

use tidings_document::{
    Capability, CheckOptions, Digest, Entry, Form, Hash, Head, Limits, Moment, ReadOptions, Reader, Writer,
};

use crate::Result;
use crate::sample::Sample;

/// An entry as the writer takes it.
pub(crate) type Prepared = Entry<'static>;

fn options() -> ReadOptions {
    // The longest documents here are longer than any that is read by default.
    ReadOptions { limits: Limits::default().of_any_size(), charset: None }
}

/// Reads the document as a stream to typed entries, each dropped when it has been looked at, and
/// counts them. Must fail, not count less, when the document cannot be read to its end.
pub(crate) fn read(file: &Path) -> Result<u64> {
    let mut reader = Reader::with_options(BufReader::new(File::open(file)?), options());
    let mut entries = 0;
    while let Some(entry) = reader.next_entry()? {
        entries += u64::from(!std::hint::black_box(entry).loc.is_empty());
    }
    Ok(entries)
}

/// As [`read`], with every conformance rule applied.
pub(crate) fn check(file: &Path) -> Result<u64> {
    let options = CheckOptions { read: options(), ..CheckOptions::default() };
    let report = tidings_document::check(BufReader::new(File::open(file)?), &options)?;
    if !report.complete {
        return Err("the document could not be read to its end".into());
    }
    Ok(report.entries)
}

/// The samples as entries for the writer. Not timed.
pub(crate) fn prepare(samples: &[Sample]) -> Result<Vec<Prepared>> {
    samples.iter().map(prepared).collect()
}

fn prepared(sample: &Sample) -> Result<Prepared> {
    let mut entry = Entry::new(sample.loc.clone());
    entry.lastmod = Some(Moment::parse(&sample.lastmod)?);
    entry.metadata.hash = Some(Hash::new(&[Digest::parse(&format!("sha-256:{}", sample.sha256))?]));
    entry.metadata.length = Some(sample.length.parse()?);
    entry.metadata.media_type = Some(sample.media_type.to_string().into());
    Ok(entry)
}

/// Writes one Resource List of these entries. `out` is buffered; it need not be flushed.
pub(crate) fn write<'a>(entries: impl Iterator<Item = &'a Prepared>, out: impl Write) -> Result<()> {
    let at = Moment::parse("2026-01-01T00:00:00Z")?;
    let up = "https://data.example.org/resourcesync/capabilitylist.xml";
    let head = Head::snapshot(Capability::ResourceList, Form::List, at, up);
    let mut writer = Writer::new(out, &head)?;
    for entry in entries {
        writer.write(entry)?;
    }
    writer.finish()?;
    Ok(())
}
