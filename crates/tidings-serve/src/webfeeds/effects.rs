//! How much of what an author styled may be shown.

use tidings_webfeed::{Dress, Post};

/// How many elements a section may have in which there are filters and animations. Each may be drawn
/// anew for each picture of an animation, and one within the other many times.
const MAX_ELEMENTS_WITH_EFFECTS: usize = 60;

/// How the sections of a post are shown as screens.
pub(super) fn dress_of(post: &Post) -> Dress {
    let most = post.sections.iter().map(|section| section.elements).max().unwrap_or_default();
    if most > MAX_ELEMENTS_WITH_EFFECTS { Dress::Calm } else { Dress::Full }
}
