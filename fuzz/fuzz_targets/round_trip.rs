//! Whatever can be read is refused by the writer or written so that it is read as the same, without
//! an error, and written to the same bytes again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tidings_document::{CheckOptions, Entry, Head, Reader, Severity, Writer, check};

fuzz_target!(|data: &[u8]| {
    let Some((head, entries)) = read(data) else { return };
    let Some((bytes, kept)) = write(&head, &entries) else { return };
    let report =
        check(bytes.as_slice(), &CheckOptions::default()).expect("memory can always be read");
    for finding in report.findings.iter() {
        let twice = finding.rule.id == "RS-10.1-loc-duplicate";
        assert!(
            twice || finding.rule.severity < Severity::Error,
            "{finding}\n{}",
            String::from_utf8_lossy(&bytes)
        );
    }
    let (head_again, entries_again) = read(&bytes).expect("what was written can be read");
    assert_eq!(kept, entries_again);
    let (bytes_again, _) =
        write(&head_again, &entries_again).expect("what was written can be written");
    assert_eq!(String::from_utf8_lossy(&bytes), String::from_utf8_lossy(&bytes_again));
});

fn read(data: &[u8]) -> Option<(Head<'static>, Vec<Entry<'static>>)> {
    let mut reader = Reader::new(data);
    let head = reader.head().ok()?.clone();
    let mut entries = Vec::new();
    while let Some(entry) = reader.next_entry().ok()? {
        entries.push(entry.into_owned());
    }
    Some((head, entries))
}

fn write(
    head: &Head<'static>,
    entries: &[Entry<'static>],
) -> Option<(Vec<u8>, Vec<Entry<'static>>)> {
    let mut writer = Writer::new(Vec::new(), head).ok()?;
    let kept = entries.iter().filter(|entry| writer.write(entry).is_ok()).cloned().collect();
    Some((writer.finish().ok()?.0, kept))
}
