//! Every rule, by the specification that it comes from.
//!
//! The ids are part of the interface: scripts match on them. A rule may be added or dropped; its id
//! never comes to mean something else.

pub mod ifcc;
pub mod limit;
pub mod resourcesync;
pub mod sitemap;
pub mod source;
pub mod webfeed;
pub mod xml;

use crate::Rule;

/// Declares the rules of a module and gathers them in its `ALL`.
macro_rules! rules {
    ($($name:ident = $severity:ident $id:literal, $clause:expr, $wants:literal, $remedy:literal;)*) => {
        $(
            #[doc = concat!("The rule `", $id, "`.")]
            pub const $name: &$crate::Rule = &$crate::Rule {
                id: $id,
                severity: $crate::Severity::$severity,
                clause: $clause,
                wants: $wants,
                remedy: $remedy,
            };
        )*
        /// All rules of this module.
        pub const ALL: &[&$crate::Rule] = &[$($name),*];
    };
}
use rules;

/// Every rule there is.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    [xml::ALL, limit::ALL, sitemap::ALL, resourcesync::ALL, ifcc::ALL, source::ALL, webfeed::ALL]
        .into_iter()
        .flatten()
        .copied()
}

/// The rule of that id.
pub fn by_id(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    #[test]
    fn ids_are_unique_and_sentences_whole() {
        let mut seen = HashSet::new();
        for rule in super::all() {
            assert!(seen.insert(rule.id), "{} twice", rule.id);
            assert!(rule.wants.ends_with('.') && rule.remedy.ends_with('.'), "{}", rule.id);
            assert!(
                rule.id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte)),
                "{}",
                rule.id
            );
        }
    }
}
