//! The last known restriction of an object, which stays while its file says nothing.

use serde::{Deserialize, Serialize};

use crate::access::Access;
use crate::load;
use crate::tag_rules::TagRules;

/// The restriction of one version of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Guard {
    /// The version; 0 in the plain layout.
    pub(crate) number: u32,
    pub(crate) tags: Vec<String>,
    /// Who may see it by itself.
    pub(crate) own: Access,
}

/// A guard as it is in the journal.
#[derive(Serialize, Deserialize)]
struct Written {
    tags: Vec<String>,
    is_public: bool,
    roles: Vec<String>,
}

impl Guard {
    /// Reads what [`Self::written`] wrote. Of what cannot be read, nobody may see anything.
    pub(crate) fn parse(number: u32, text: &str) -> Self {
        match ron::from_str::<Written>(text) {
            Ok(Written { tags, is_public: true, .. }) => Self { number, tags, own: Access::Public },
            Ok(Written { tags, roles, .. }) => Self { number, tags, own: Access::any_of(roles) },
            Err(_) => Self { number, tags: Vec::new(), own: Access::Deny },
        }
    }

    pub(crate) fn written(&self) -> String {
        let roles = match &self.own {
            Access::AnyOf(roles) => roles.iter().cloned().collect(),
            Access::Public | Access::Deny => Vec::new(),
        };
        let written = Written { tags: self.tags.clone(), is_public: self.own.is_public(), roles };
        // A text without meaning denies everything.
        ron::to_string(&written).unwrap_or_default()
    }

    /// Who may see the object by this, under these rules.
    pub(crate) fn access(&self, rules: &[TagRules]) -> Access {
        self.own.and(&load::access(rules, self.tags.iter().map(String::as_str)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_is_read_as_it_was_written() {
        for own in [Access::Public, Access::Deny, Access::any_of(["a b\n".to_owned()])] {
            let guard = Guard { number: 3, tags: vec!["x,\"y".to_owned()], own };
            assert_eq!(Guard::parse(3, &guard.written()), guard);
        }
        assert_eq!(Guard::parse(0, "nonsense").own, Access::Deny);
    }
}
