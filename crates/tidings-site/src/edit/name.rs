//! Names of files, made of what people type or upload.

use super::temporary::random;
use super::{EditError, Result};

/// The longest name of a file; file systems have 255 bytes, and temporary names and backups add some.
const LONGEST: usize = 200;

/// The longest path below `pages/`.
const LONGEST_PATH: usize = 1000;

/// Says what keeps a path from being one of a file that readers take for content.
pub(super) fn check(path: &str) -> Result<()> {
    let wrong = |reason| Err(EditError::Name { name: path.to_owned(), reason });
    if path.len() > LONGEST_PATH {
        return wrong("it is too long; shorten it");
    }
    for part in path.split('/') {
        if part.is_empty() {
            return wrong("it has an empty part; take out the slash too many");
        }
        // Also `.` and `..`, and what a crash leaves of an edit.
        if part.starts_with('.') {
            return wrong("a part of it begins with a dot, and such files are hidden");
        }
        if part.chars().any(|one| one.is_control() || one == '\\') {
            return wrong("it has a control character or a backslash");
        }
        if part.len() > LONGEST {
            return wrong("a part of it is too long; shorten it");
        }
    }
    Ok(())
}

/// The folder and the name of a path below `pages/`, with which it is opened.
pub(super) fn split(path: &str) -> Result<(String, &str)> {
    check(path)?;
    Ok(match path.rsplit_once('/') {
        Some((folder, name)) => (format!("pages/{folder}"), name),
        None => ("pages".to_owned(), path),
    })
}

/// An alias as the path of a file, without an extension of its own.
pub(super) fn of_alias(alias: &str) -> Result<String> {
    let alias = alias.trim().to_lowercase();
    let parts: Vec<&str> = alias.split('/').filter(|part| !part.is_empty()).collect();
    let path = parts.join("/");
    check(&path).map(|()| path)
}

/// What a page of that title is called: `Hello, World!` is `hello-world`.
pub(super) fn of_title(title: &str) -> Result<String> {
    let mut slug = String::new();
    for one in title.chars() {
        match one.to_ascii_lowercase() {
            one if one.is_ascii_alphanumeric() => slug.push(one),
            // Letters that no address has as they are; those of one word stay one.
            '\'' | '’' => {}
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
        if slug.len() >= 80 {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() {
        return Ok(format!("page-{:08x}", random()? >> 32));
    }
    Ok(slug.to_owned())
}

/// The last part of a name that a browser sent, fit to be shown.
pub(super) fn original(file_name: &str) -> String {
    let last = file_name.rsplit(['/', '\\']).next().unwrap_or_default();
    let shown: String = last.chars().filter(|one| !one.is_control()).collect();
    let (stem, extension) = split_extension(shown.trim());
    let stem: String = stem.chars().take(LONGEST).collect();
    joined(stem.trim_end(), extension)
}

/// The same, fit to be the name of a file and of an address.
pub(super) fn safe(file_name: &str) -> String {
    let original = original(file_name);
    let (stem, extension) = split_extension(original.trim_start_matches('.'));
    let is_fit = |one: char| one.is_ascii_alphanumeric() || matches!(one, '.' | '-' | '_');
    let stem: String = stem.chars().map(|one| if is_fit(one) { one } else { '-' }).collect();
    let stem = stem[..stem.len().min(100)].trim_matches(['.', '-']);
    joined(if stem.is_empty() { "file" } else { stem }, extension)
}

/// A name and its extension, which says what it is, and is never changed.
fn split_extension(name: &str) -> (&str, Option<&str>) {
    let is_one = |text: &str| {
        (1..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && is_one(extension) => (stem, Some(extension)),
        _ => (name, None),
    }
}

fn joined(stem: &str, extension: Option<&str>) -> String {
    extension.map_or_else(|| stem.to_owned(), |extension| format!("{stem}.{extension}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for good in ["a.md", "a/b.md", "é/ü x.md", "a..b", "a~!$&'()*+,;=:@"] {
            assert!(check(good).is_ok(), "{good}");
        }
        let (long, deep) = ("x".repeat(300), "x/".repeat(600));
        for bad in [
            "",
            "/",
            "/a",
            "a/",
            "a//b",
            ".",
            "..",
            "../x",
            ".hidden",
            "a/../../b",
            "a/./b",
            "a/.b",
            "a\0b",
            "a\nb",
            "a\\b",
            &long,
            &deep,
        ] {
            assert!(matches!(check(bad), Err(EditError::Name { .. })), "{bad}");
        }
        assert_eq!(of_alias(" /Docs//Start/ ").unwrap(), "docs/start");
        assert!(of_alias("a/../b").is_err() && of_alias("/").is_err());
    }

    #[test]
    fn a_title_makes_a_name() {
        assert_eq!(of_title("Hello, World!").unwrap(), "hello-world");
        assert_eq!(of_title("  Ann's C++ / Rust… ").unwrap(), "anns-c-rust");
        assert_eq!(of_title("../../etc/passwd").unwrap(), "etc-passwd");
        assert!(of_title("日本語").unwrap().starts_with("page-"));
        assert!(of_title(&"long ".repeat(100)).unwrap().len() <= 80);
    }

    #[test]
    fn what_is_uploaded_has_a_safe_name() {
        let long = format!("{}.jpeg", "x".repeat(300));
        for (name, expected) in [
            ("photo.JPG", "photo.JPG"),
            ("../x", "x"),
            (".hidden", "hidden"),
            ("a/../../b", "b"),
            ("C:\\Users\\me\\My Photo (1).png", "My-Photo--1.png"),
            ("a\0b\r\n.txt", "ab.txt"),
            ("..", "file"),
            ("", "file"),
            ("日本.png", "file.png"),
            ("a.tar.gz", "a.tar.gz"),
            ("a.not an extension", "a.not-an-extension"),
            ("a.", "a"),
            (long.as_str(), &format!("{}.jpeg", "x".repeat(100))),
        ] {
            assert_eq!(safe(name), expected);
            assert!(check(&safe(name)).is_ok());
        }
        assert_eq!(original("C:\\日本\r\n.png"), "日本.png");
    }
}
