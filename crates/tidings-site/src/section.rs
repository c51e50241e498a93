//! Pages that speak for more than themselves: those of sections in Hugo and Zola, and names that have a date in
//! Jekyll.

use jiff::civil;

/// The folder that Jekyll has its posts in.
const POSTS: &str = "_posts";

/// Whether a page is that of a section: `_index.md`, or one of its languages.
pub(crate) fn is_section_page(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.to_lowercase().starts_with("_index.")
}

/// Whether a file has data that Eleventy takes for the front matter of all pages in its folder: `posts/posts.json`.
pub(crate) fn is_folder_data(path: &str) -> bool {
    const ENDINGS: [&str; 5] =
        ["json", "11tydata.json", "11tydata.js", "11tydata.cjs", "11tydata.mjs"];
    let Some((folders, name)) = path.rsplit_once('/') else { return false };
    let folder = folders.rsplit('/').next().unwrap_or(folders);
    let ending = name.strip_prefix(folder).and_then(|rest| rest.strip_prefix('.'));
    ending.is_some_and(|ending| ENDINGS.contains(&ending))
}

/// Whether front matter of a section's page that cannot be read may say that the section is for nobody.
pub(crate) fn may_close_section(bytes: &[u8]) -> bool {
    let lower = bytes.to_ascii_lowercase();
    let has = |word: &[u8]| lower.windows(word.len()).any(|part| part == word);
    has(b"cascade") || has(b"draft")
}

/// When a post of Jekyll is to appear, in seconds since 1970, by the date that its name begins with.
pub(crate) fn post_moment(path: &str) -> Option<i64> {
    let (folders, name) = path.rsplit_once('/')?;
    if !folders.split('/').any(|folder| folder.eq_ignore_ascii_case(POSTS)) {
        return None;
    }
    let mut parts = name.splitn(4, '-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    parts.next()?;
    let date = civil::Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()?;
    let time = date.at(0, 0, 0, 0).to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(time.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_post_appears_on_the_date_of_its_name() {
        assert_eq!(post_moment("_posts/2030-01-02-x.md"), Some(1_893_542_400));
        assert_eq!(post_moment("blog/_Posts/a/2030-1-2-x.md"), Some(1_893_542_400));
        for other in [
            "2030-01-02-x.md",
            "posts/2030-01-02-x.md",
            "_posts/2030-01-x.md",
            "_posts/2030-13-02-x.md",
        ] {
            assert_eq!(post_moment(other), None, "{other}");
        }
        assert!(is_folder_data("a/posts/posts.json") && is_folder_data("posts/posts.11tydata.js"));
        assert!(!is_folder_data("posts/post.json") && !is_folder_data("posts.json"));
        assert!(is_section_page("a/_index.md") && is_section_page("_Index.de.md"));
        assert!(!is_section_page("a/index.md") && !is_section_page("_indexes.md"));
    }
}
