//! X8: a document that breaks off is never taken for a whole one, wherever it breaks off.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a test")]

use std::fs;
use std::path::Path;

use tidings_document::{CheckOptions, check};

#[test]
fn x8_a_cut_at_every_byte_of_every_kind_of_document_is_seen() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/valid");
    let (mut documents, mut cuts) = (0, 0);
    let folders = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    // The first of each folder: each kind of document has one.
    let files = folders.filter_map(|folder| {
        let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|extension| extension == "xml")).min()
    });
    for path in files {
        let bytes = fs::read(&path).unwrap();
        let end = b"</urlset>";
        let index = b"</sitemapindex>";
        let whole = bytes.trim_ascii_end();
        // Only where the last byte is the root's own is every shorter document broken.
        if !(whole.ends_with(end) || whole.ends_with(index)) {
            continue;
        }
        documents += 1;
        // A mark alone, or nothing, is a document that breaks off, too.
        for cut in 0..whole.len() {
            let report = check(&whole[..cut], &CheckOptions::default()).unwrap();
            assert!(!report.complete, "{} cut at {cut}", path.display());
            assert!(!report.findings.is_empty(), "{} cut at {cut}", path.display());
            cuts += 1;
        }
        assert!(check(whole, &CheckOptions::default()).unwrap().complete, "{}", path.display());
    }
    println!("{cuts} cuts of {documents} documents");
    assert!(documents >= 12, "only {documents} documents");
}
