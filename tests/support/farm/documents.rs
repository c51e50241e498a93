//! The documents of a site, as IFCC-0001 wants them.

use std::fmt::Write as _;

use super::sites::Sites;

const NAMESPACES: &str = "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
                          xmlns:rs=\"http://www.openarchives.org/rs/terms/\"";

fn document(head: &str, entries: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <urlset {NAMESPACES}>\n{head}\n{entries}</urlset>\n"
    )
}

/// What names the collection of a site, which is all of it.
fn describes(base: &str) -> String {
    format!(
        "<rs:ln rel=\"describes\" href=\"{base}\"/>\
         <rs:ln rel=\"describedby\" href=\"{base}\" type=\"text/html\"/>"
    )
}

pub(super) fn description(base: &str) -> String {
    let collection = describes(base);
    document(
        &format!("<rs:ln rel=\"describedby\" href=\"{base}\"/><rs:md capability=\"description\"/>"),
        &format!(
            "<url><loc>{base}capabilitylist.xml</loc>\
             <rs:md capability=\"capabilitylist\"/>{collection}</url>\n"
        ),
    )
}

pub(super) fn capability_list(base: &str) -> String {
    let collection = describes(base);
    document(
        &format!(
            "<rs:ln rel=\"up\" href=\"{base}.well-known/resourcesync\"/>{collection}\
             <rs:md capability=\"capabilitylist\"/>"
        ),
        &format!("<url><loc>{base}changelist.xml</loc><rs:md capability=\"changelist\"/></url>\n"),
    )
}

/// Page after page is new, and every third change is another one of a page that was there.
pub(super) fn change_list(sites: &Sites, base: &str, changes: u64) -> String {
    let mut entries = String::new();
    for change in 0..changes {
        let (page, kind) =
            if change % 3 == 2 { (change / 2, "updated") } else { (change, "created") };
        let time = sites.time(change);
        let _ = writeln!(
            entries,
            "<url><loc>{base}page-{page}.html</loc><lastmod>{time}</lastmod>\
             <rs:md change=\"{kind}\" datetime=\"{time}\"/></url>"
        );
    }
    document(
        &format!(
            "<rs:ln rel=\"up\" href=\"{base}capabilitylist.xml\"/>\
             <rs:md capability=\"changelist\" from=\"{}\"/>",
            sites.time(0)
        ),
        &entries,
    )
}

pub(super) fn sitemap(sites: &Sites, base: &str, pages: u64) -> String {
    let mut entries = String::new();
    for page in 0..pages {
        let time = sites.time(page);
        let _ = writeln!(
            entries,
            "<url><loc>{base}page-{page}.html</loc><lastmod>{time}</lastmod></url>"
        );
    }
    document("", &entries)
}

pub(super) fn page(title: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><title>{title}</title>\n<h1>{title}</h1>\n</html>\n"
    )
}

/// The index of a webfeed with so many posts.
pub(super) fn webfeed(posts: u64) -> String {
    let mut index = String::from("# A webfeed\n");
    for number in 1..=posts {
        let _ = writeln!(index, "post-{number}.html");
    }
    index
}

/// A post.
pub(super) fn post(site: u64, name: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<meta name=\"author\" content=\"Site {site}\">\n\
         <section><h1>{name} of site {site}</h1></section>\n<section><p>More of it.</p></section>\n"
    )
}
