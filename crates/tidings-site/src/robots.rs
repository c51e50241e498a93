//! `/robots.txt`, made anew for each request.

use crate::origin::Origin;
use crate::reserved::{Reserved, Robots};

/// What crawlers are told (RFC 9309): the rules of the registry that are no secret, and where the sitemap
/// is.
///
/// The theme is let through: crawlers that show pages want to see them as people do.
#[must_use]
pub fn robots(reserved: &Reserved, origin: &Origin) -> String {
    let mut text = "User-agent: *\n".to_owned();
    for path in reserved.iter().filter(|path| path.robots == Robots::Disallow) {
        text += &format!("Disallow: {}\n", path.rule());
    }
    text += "Allow: /builtin/theme/\nAllow: /\n\n";
    text += &format!("Sitemap: {origin}/sitemap.xml\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_admin_path_is_not_told() {
        let reserved = Reserved::new("back-room").unwrap();
        let text = robots(&reserved, &Origin::new(true, "example.com").unwrap());
        assert_eq!(
            text,
            "User-agent: *\nDisallow: /login/\nDisallow: /builtin/\nDisallow: /api/\n\
             Allow: /builtin/theme/\nAllow: /\n\nSitemap: https://example.com/sitemap.xml\n"
        );
    }
}
