//! The sets that one publication is of.

use crate::Options;
use crate::layout::Layout;

/// A set that is to be published.
pub(super) struct SetToPublish {
    /// Its place among all sets.
    pub(super) number: usize,
    pub(super) layout: Layout,
}

/// The sets that are to be published.
pub(super) fn sets_to_publish(options: &Options, layout: &Layout) -> Vec<SetToPublish> {
    let wanted = |name: Option<&str>| options.only.is_none() || options.only.as_deref() == name;
    let sets = options.sets.iter().enumerate().filter(|(_, set)| wanted(set.name.as_deref()));
    sets.map(|(number, set)| SetToPublish { number, layout: layout.of_set(set.name.as_deref()) })
        .collect()
}
