//! Any bytes at all: the reader neither panics nor hangs, and what it takes for well-formed is
//! taken by an independent parser, too.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quick_xml::Reader as Other;
use quick_xml::events::Event;
use tidings_document::{CheckOptions, Profile, Spec, check};

fuzz_target!(|data: &[u8]| {
    let (options, document) = match data.split_first() {
        Some((first, rest)) if first.is_ascii_digit() => (options(*first), rest),
        _ => (CheckOptions::default(), data),
    };
    let Ok(report) = check(document, &options) else { unreachable!("memory can always be read") };
    let lenient = report.findings.by_rule().any(|(id, _)| id.starts_with("XML"));
    if let (true, false, Ok(text)) = (report.complete, lenient, std::str::from_utf8(document)) {
        let mut other = Other::from_str(text.trim_start_matches('\u{feff}'));
        loop {
            match other.read_event() {
                Ok(Event::Eof) => break,
                Ok(_) => {}
                Err(error) => panic!("taken here, refused elsewhere: {error}\n{text}"),
            }
        }
    }
});

fn options(choice: u8) -> CheckOptions {
    let mut options = CheckOptions::default();
    (options.spec, options.profile) = match choice {
        b'0' => (Spec::V1_0, Profile::ResourceSync),
        b'1' => (Spec::V1_1, Profile::ResourceSync),
        b'2' => (Spec::Auto, Profile::Ifcc),
        b'3' => (Spec::Auto, Profile::Sitemap),
        _ => (Spec::Auto, Profile::Auto),
    };
    if choice == b'4' {
        options.read.charset = Some("iso-8859-1".into());
    }
    options
}
