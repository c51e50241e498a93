//! Any page, sheet and picture at all: nothing panics or hangs, no tag comes out of a sheet, and what has
//! been made safe is not changed any more.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tidings_webfeed::{Picture, Post, css};
use url::Url;

fuzz_target!(|data: &[u8]| {
    let Ok(at) = Url::parse("https://a.example/feed/post.html") else { return };
    // A picture that is had already stays what it is.
    let mut pictures = |url: &Url| {
        Some(match url.host_str() {
            Some("p.example") => url.to_string(),
            _ => "https://p.example/".to_owned(),
        })
    };
    let text = String::from_utf8_lossy(data);
    for section in Post::parse(&text, &at, &mut pictures).sections {
        let again = Post::parse(&section.html, &at, &mut pictures);
        assert_eq!(again.sections, [section]);
    }
    for section in Post::parse_undressed(&text, &at, &mut pictures).sections {
        let dressed = Post::parse(&section.html, &at, &mut pictures);
        assert_eq!(dressed.sections, [section]);
    }
    let sheet = css::sanitise(&text, &at, &mut pictures);
    assert!(!sheet.contains('<'));
    assert_eq!(css::sanitise(&sheet, &at, &mut pictures), sheet);
    if let Ok(picture) = Picture::read(data) {
        assert_eq!(Picture::read(&picture.bytes), Ok(picture));
    }
});
