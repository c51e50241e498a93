//! The lines of an index that name files of its folder.

use std::path::{Component, Path, PathBuf};

use percent_encoding::{percent_decode_str, percent_encode_byte};
use url::{Position, Url};

/// A folder that is served somewhere below others: an address that leads out of it names no file of it.
const FOLDER: &str = "https://webfeed.invalid/folder/";

/// The line of a file in the folder, as readable as may be: what would mean something else in an index
/// or in an address is encoded.
pub(super) fn line_of(name: &Path) -> String {
    let mut line = String::new();
    for part in name.components().filter(|part| *part != Component::CurDir) {
        if !line.is_empty() && !line.ends_with('/') {
            line.push('/');
        }
        let is_first = line.is_empty();
        for chunk in part.as_os_str().as_encoded_bytes().utf8_chunks() {
            for letter in chunk.valid().chars() {
                push(&mut line, letter, is_first);
            }
            line.extend(chunk.invalid().iter().map(|byte| percent_encode_byte(*byte)));
        }
    }
    // Blanks around a line are none of its.
    if let Some(rest) = line.strip_prefix(' ') {
        line = format!("%20{rest}");
    }
    if let Some(rest) = line.strip_suffix(' ') {
        line = format!("{rest}%20");
    }
    line
}

fn push(line: &mut String, letter: char, is_first: bool) {
    // A colon before the first slash ends a scheme, and a page begins with `<`: no list of addresses.
    let is_sign = matches!(letter, '%' | '?' | '#' | '\\' | '<') || is_first && letter == ':';
    let is_blank = letter.is_whitespace() && letter != ' ' || letter == '\u{feff}';
    if is_sign || is_blank || letter.is_control() {
        let mut bytes = [0; 4];
        let bytes = letter.encode_utf8(&mut bytes).bytes();
        line.extend(bytes.map(percent_encode_byte));
    } else {
        line.push(letter);
    }
}

/// Where in the folder the file is that a line names, if it leads there at all.
pub(super) fn path_of(line: &str) -> Option<PathBuf> {
    let url = Url::parse(FOLDER).and_then(|folder| folder.join(line.trim())).ok()?;
    let path = url[..Position::AfterPath].strip_prefix(FOLDER)?;
    let path = named(percent_decode_str(path).collect())?;
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    Some(path).filter(|_| is_inside)
}

/// Names of files need not be UTF-8.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is none")]
fn named(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn named(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::edit::Edit;
    use super::*;
    use crate::Index;

    /// Where readers find the file, from its line in an index.
    fn found(line: &str) -> Vec<u8> {
        let at = Url::parse("https://a.example/f/index.txt").unwrap();
        let mut index = Edit::begun(&["mine"]);
        index.add(line, &at);
        let text = index.written(0);
        assert_eq!(Edit::of(&text).posts(), [line], "{text:?}");
        // Also where it is all that there is.
        let read = Index::parse(line.as_bytes(), &at).unwrap();
        let index = Index::parse(text.as_bytes(), &at).unwrap();
        assert!(index.odd.is_empty() && index.lines.len() == 1, "{index:?}");
        assert_eq!(read.lines[0].url, index.lines[0].url);
        let url = &index.lines[0].url;
        assert_eq!((url.query(), url.fragment(), url.host_str()), (None, None, Some("a.example")));
        percent_decode_str(url.path().strip_prefix("/f/").unwrap()).collect()
    }

    #[test]
    fn names_are_encoded_where_they_must_be_and_readable_elsewhere() {
        for (name, line) in [
            ("by hand.html", "by hand.html"),
            ("sub/ü – \"x\" & [y].html", "sub/ü – \"x\" & [y].html"),
            ("./a.html", "a.html"),
            ("Note: today.html", "Note%3A today.html"),
            ("sub/Note: today.html", "sub/Note: today.html"),
            (" lead.html", "%20lead.html"),
            ("  end ", "%20 end%20"),
            (" ", "%20"),
            ("\u{a0}x\u{3000}y", "%C2%A0x%E3%80%80y"),
            ("tab\tand\nline\r\u{85}\u{7f}", "tab%09and%0Aline%0D%C2%85%7F"),
            ("#1?50%25.html", "%231%3F50%2525.html"),
            ("<b>", "%3Cb>"),
            ("\u{feff}x", "%EF%BB%BFx"),
            ("%2e%2e", "%252e%252e"),
            ("https://x/..y", "https%3A/x/..y"),
        ] {
            assert_eq!(line_of(Path::new(name)), line, "{name:?}");
            let path: PathBuf = Path::new(name).components().collect();
            assert_eq!(path_of(line), Some(path.strip_prefix(".").unwrap_or(&path).to_owned()));
        }
    }

    #[cfg(unix)]
    #[test]
    fn backslashes_and_bytes_of_old_encodings_are_parts_of_names() {
        use std::os::unix::ffi::OsStrExt as _;
        for (name, line) in
            [(&b"back\\slash.html"[..], "back%5Cslash.html"), (b"caf\xe9.html", "caf%E9.html")]
        {
            let path = Path::new(std::ffi::OsStr::from_bytes(name));
            assert_eq!(line_of(path), line);
            assert_eq!(path_of(line).as_deref(), Some(path));
            assert_eq!(found(line), name);
        }
    }

    #[test]
    fn lines_that_lead_out_of_the_folder_name_no_file_of_it() {
        for line in
            ["../x", "/x", "%2e%2e/x", "a/..%2f..%2fx", "https://a.example/x", "//x/y", "note:x"]
        {
            assert_eq!(path_of(line), None, "{line}");
        }
        for line in ["x?lang=de", "x#top", "./x", " x ", "a/../x"] {
            assert_eq!(path_of(line), Some(PathBuf::from("x")), "{line}");
        }
    }

    proptest! {
        #[test]
        fn each_name_is_found_again_by_its_line(
            name in "[^/\0]{1,12}|[ -.0-~]{1,8}|[\u{0}-\u{20}%.:A\\\\]{1,6}",
            folder in proptest::option::of("[^/\0]{1,6}"),
        ) {
            let name = name.replace('\0', "x");
            let names: Vec<String> = folder.into_iter().chain([name]).collect();
            prop_assume!(!names.iter().any(|name| name == "." || name == ".."));
            let path: PathBuf = names.iter().collect();
            let line = line_of(&path);
            prop_assert_eq!(&found(&line)[..], path.as_os_str().as_encoded_bytes());
            prop_assert_eq!(path_of(&line), Some(path));
        }
    }
}
