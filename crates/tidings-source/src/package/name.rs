//! Where bitstreams lie in a package.

/// The longest extension that is kept.
const LONGEST: usize = 10;

/// The path of a bitstream: its place in the package, and the extension that its URI has, for human
/// readers. Made of the place, it is unique and needs no care for what a URI may hold: `..`, names
/// that differ only in case, names that some systems reserve, any length.
pub(super) fn path(folder: &str, place: usize, uri: &str) -> String {
    match extension(uri) {
        Some(extension) => format!("/{folder}/{place:05}.{extension}"),
        None => format!("/{folder}/{place:05}"),
    }
}

/// What follows the last dot of the last segment of a URI's path, if that is a plain word.
fn extension(uri: &str) -> Option<&str> {
    let uri = uri.split(['?', '#']).next()?;
    // Without a path, what follows the last dot is a domain.
    let path = match uri.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?.1,
        None => uri,
    };
    let (stem, extension) = path.rsplit('/').next()?.rsplit_once('.')?;
    let plain = extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (!stem.is_empty() && plain && (1..=LONGEST).contains(&extension.len())).then_some(extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_extensions_are_kept() {
        for (uri, end) in [
            ("http://e.example/a.html", "00007.html"),
            ("http://e.example/a.tar.gz", "00007.gz"),
            ("http://e.example/a.PDF?x=y.z#k.l", "00007.PDF"),
            ("http://e.example/a.b/c", "00007"),
            ("http://e.example/a/", "00007"),
            ("http://e.example/.htaccess", "00007"),
            ("http://e.example", "00007"),
            ("http://e.example?a.b", "00007"),
            ("http://e.example/a.", "00007"),
            ("http://e.example/a.%C3%BC", "00007"),
            ("http://e.example/a.b\\c", "00007"),
            ("http://e.example/a.ü", "00007"),
            ("http://e.example/..", "00007"),
            ("http://e.example/a.averylongone", "00007"),
            ("urn:isbn:1.2", "00007.2"),
        ] {
            assert_eq!(path("resources", 7, uri), format!("/resources/{end}"), "{uri}");
        }
        assert_eq!(path("changes", 123_456, "x:"), "/changes/123456");
    }
}
