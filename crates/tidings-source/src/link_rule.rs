//! Links by rule: what resources are related to (section 14).

mod template;

use std::path::Path;

use tidings_document::Link;

use crate::Resource;
use crate::selection::{Globs, PatternError};
pub use template::{Template, TemplateError};

/// A rule that gives resources a link.
#[derive(Debug, Clone)]
pub struct LinkRule {
    members: Option<Globs>,
    rel: String,
    href: Template,
    /// The priority among links of that relation type: of mirrors, for example.
    pub pri: Option<u32>,
    /// The media type of what is linked to.
    pub media_type: Option<String>,
    /// The content codings applied to it.
    pub encoding: Option<String>,
}

impl LinkRule {
    /// A link of that relation type from what one of the globs matches, or from everything if there
    /// is none, to what the template gives.
    pub fn new(
        patterns: &[String],
        rel: impl Into<String>,
        href: Template,
    ) -> Result<Self, PatternError> {
        let members = if patterns.is_empty() { None } else { Some(Globs::new(patterns)?) };
        let rel = rel.into();
        // What a TimeMap is (RFC 7089, section 5) need not be said in every configuration.
        let media_type = (rel == "timemap").then(|| "application/link-format".to_owned());
        Ok(Self { members, rel, href, pri: None, media_type, encoding: None })
    }

    /// The link of a resource at that path below the base; none where the rule is not about it, or
    /// where the resource lacks what the template asks for.
    fn link(&self, base: &str, path: &Path, resource: &Resource) -> Option<Link<'static>> {
        let about = self.members.as_ref().is_none_or(|members| members.is_match(path));
        let href = about.then(|| self.href.filled(base, resource)).flatten()?;
        // An alternate of itself says nothing, and is against section 14.2.
        if href == resource.uri {
            return None;
        }
        let mut link = Link::new(self.rel.clone(), href);
        link.pri = self.pri;
        link.media_type = self.media_type.clone().map(Into::into);
        link.encoding = self.encoding.clone().map(Into::into);
        Some(link)
    }
}

/// The links that the rules give a resource, after those that it has of its own.
pub(crate) fn add_links(rules: &[LinkRule], base: &str, path: &Path, resource: &mut Resource) {
    for rule in rules {
        let link = rule.link(base, path, resource);
        resource.links.extend(link);
    }
}

/// True if a link still holds when its resource is gone: that it once was, and of what.
pub(crate) fn outlives(link: &Link<'_>) -> bool {
    ["timegate", "timemap", "collection"].iter().any(|rel| link.is(rel))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_about_what_its_globs_match() {
        let href = Template::parse("https://mirror.example/{path}").unwrap();
        let mut rule = LinkRule::new(&["pictures/**".into()], "duplicate", href).unwrap();
        rule.pri = Some(1);
        let mut resource =
            Resource { uri: "http://e.example/pictures/a%20b.png".into(), ..Resource::default() };
        let rules = [rule];
        add_links(&rules, "http://e.example/", Path::new("pictures/a b.png"), &mut resource);
        assert_eq!(resource.links[0].href, "https://mirror.example/pictures/a%20b.png");
        assert_eq!(resource.links[0].pri, Some(1));
        let mut other = Resource { uri: "http://e.example/a".into(), ..Resource::default() };
        add_links(&rules, "http://e.example/", Path::new("a"), &mut other);
        assert!(other.links.is_empty());
    }
}
