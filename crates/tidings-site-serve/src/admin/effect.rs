//! What other tags would change about who may see what.

use tidings_http::secret::hash;
use tidings_site::{Access, TagRules};

use crate::state::SiteState;

/// How many objects are for others than before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Effect {
    /// For everybody before, and not any more.
    pub(super) closed: usize,
    /// For everybody from then on.
    pub(super) opened: usize,
    /// For others than before, and for everybody neither before nor after.
    pub(super) moved: usize,
}

impl Effect {
    /// Of these rules on all that is there. It looks at every object.
    pub(super) fn of(state: &SiteState, rules: &TagRules) -> Self {
        let mut effect = Self::default();
        state.cache.each(|meta| {
            // What has no tags is as it was.
            if meta.tags.is_empty() {
                return;
            }
            let by_tags = rules.access(meta.tags.iter().map(|tag| &**tag));
            let after = meta.own_access.and(&by_tags);
            match (&meta.access, &after) {
                (Access::Public, Access::Public) => {}
                (Access::Public, _) => effect.closed += 1,
                (_, Access::Public) => effect.opened += 1,
                (before, after) if before != after => effect.moved += 1,
                _ => {}
            }
        });
        effect
    }

    pub(super) fn is_none(self) -> bool {
        self == Self::default()
    }

    /// What a form says that was agreed to: these rules, with this effect and no other.
    pub(super) fn word(self, rules: &TagRules) -> String {
        let Self { closed, opened, moved } = self;
        let digest = hash(&format!("{closed} {opened} {moved}\n{}", rules.write()));
        tidings_base::to_hex(&digest[..16])
    }
}
