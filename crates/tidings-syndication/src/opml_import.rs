//! Plans what of a list of subscriptions is followed, and what is skipped.

use std::collections::HashSet;

use tidings_feed::{Opml, Outline};

/// What of a list is to be followed, and what is not.
#[derive(Debug, Default)]
pub struct ImportPlan {
    /// The outlines to follow, without what is in them, in the order of the list.
    pub wanted: Vec<Outline>,
    /// The others that are no folders.
    pub skipped: Vec<SkippedOutline>,
}

/// An outline of a list that is not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedOutline {
    /// What it is called.
    pub text: String,
    /// Why it is skipped.
    pub reason: &'static str,
}

impl ImportPlan {
    /// Looks at all outlines of a list: each is wanted, skipped, or a folder.
    #[must_use]
    pub fn from_opml(opml: &Opml) -> Self {
        let mut plan = Self::default();
        let mut known = HashSet::new();
        for outline in opml.all() {
            let address = outline.site.as_ref().map(|site| &site.url).or(outline.xml_url.as_ref());
            match address {
                Some(address) if known.insert(address.clone()) => {
                    plan.wanted.push(Outline { children: Vec::new(), ..outline.clone() });
                }
                Some(_) => plan.skip(outline, "its address is in the list already"),
                None if !outline.children.is_empty() => {}
                None if matches!(outline.kind.as_deref(), Some("link" | "include")) => {
                    plan.skip(outline, "it is a link or an inclusion, and no subscription");
                }
                None => plan.skip(outline, "it names no feed"),
            }
        }
        plan
    }

    fn skip(&mut self, outline: &Outline, reason: &'static str) {
        self.skipped.push(SkippedOutline { text: outline.text.clone(), reason });
    }
}
