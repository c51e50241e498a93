//! Who may see something.

use std::collections::BTreeSet;
use std::sync::Arc;

/// Who may see an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// Everybody, signed in or not.
    Public,
    /// Who has one of these roles, of which there is at least one.
    AnyOf(Arc<BTreeSet<String>>),
    /// Nobody.
    Deny,
}

impl Access {
    /// Who has one of these; nobody, if there are none.
    #[must_use]
    pub fn any_of(roles: impl IntoIterator<Item = String>) -> Self {
        let roles: BTreeSet<String> = roles.into_iter().collect();
        if roles.is_empty() { Self::Deny } else { Self::AnyOf(Arc::new(roles)) }
    }

    /// True if everybody may.
    #[must_use]
    pub fn is_public(&self) -> bool {
        matches!(self, Self::Public)
    }

    /// Whether somebody of these roles may. No role is more than its name here: that of who may edit
    /// everything is known to the caller.
    #[must_use]
    pub fn allows(&self, roles: &BTreeSet<String>) -> bool {
        match self {
            Self::Public => true,
            Self::AnyOf(wanted) => !wanted.is_disjoint(roles),
            Self::Deny => false,
        }
    }

    /// Who has a role that both allow. Of two different roles for the same object, one in each, no single
    /// role is enough, and nobody may.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Deny, _) | (_, Self::Deny) => Self::Deny,
            (Self::Public, wanted) | (wanted, Self::Public) => wanted.clone(),
            (Self::AnyOf(one), Self::AnyOf(other)) => {
                Self::any_of(one.intersection(other).cloned())
            }
        }
    }

    /// Whoever one of the two allows.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Public, _) | (_, Self::Public) => Self::Public,
            (Self::Deny, other) | (other, Self::Deny) => other.clone(),
            (Self::AnyOf(one), Self::AnyOf(other)) => Self::any_of(one.union(other).cloned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(roles: &str) -> Access {
        Access::any_of(roles.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn both_have_to_allow() {
        for (one, other, both) in [
            (Access::Public, Access::Public, Access::Public),
            (Access::Public, of("a b"), of("a b")),
            (of("a b"), of("b c"), of("b")),
            (of("a"), of("b"), Access::Deny),
            (Access::Deny, Access::Public, Access::Deny),
            (Access::Deny, of("a"), Access::Deny),
        ] {
            assert_eq!(one.and(&other), both);
            assert_eq!(other.and(&one), both);
        }
        assert_eq!(of(""), Access::Deny);
    }

    #[test]
    fn one_role_of_them_is_enough() {
        let has = |roles: &str| roles.split_whitespace().map(str::to_owned).collect();
        assert!(of("a b").allows(&has("b x")));
        assert!(!of("a b").allows(&has("x")));
        assert!(!of("a b").allows(&has("")));
        assert!(Access::Public.allows(&has("")) && Access::Public.is_public());
        assert!(!Access::Deny.allows(&has("a")) && !of("a").is_public());
    }
}
