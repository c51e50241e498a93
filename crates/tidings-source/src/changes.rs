//! What changed: the inventory held against what was published.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use tidings_document::Change;

use crate::Resource;
use crate::cache::Stamp;
use crate::previous::{Published, Standing};

/// A resource of the inventory, in its set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Current {
    pub(crate) set: usize,
    pub(crate) resource: Resource,
    pub(crate) stamp: Option<Stamp>,
}

/// What became of one resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// As it was. What is there now, if it could be looked at, may have more digests.
    Kept { published: Published, current: Option<Current> },
    /// Another one than before, or a new one.
    Changed { change: Change, current: Current, published: Option<Resource> },
    /// No longer there.
    Gone(Published),
    /// Gone before, and said so: only the Resource List still has it.
    Left(Published),
}

/// Joins two sequences of resources, both in the order of their URIs, and of their sets where a
/// resource is in several. A file that moved, be it to another set, is one that went and one that
/// came.
pub(crate) struct Join<P: Iterator> {
    published: std::iter::Peekable<P>,
}

impl<E, P: Iterator<Item = Result<Published, E>>> Join<P> {
    pub(crate) fn new(published: P) -> Self {
        Self { published: published.peekable() }
    }

    /// Takes the next resource of the inventory, and says what that means for it and
    /// for those before it. After the last one, take none.
    pub(crate) fn take(
        &mut self,
        current: Option<Current>,
        step: &mut impl FnMut(Step) -> Result<(), E>,
    ) -> Result<(), E> {
        loop {
            let order = match (self.published.peek(), &current) {
                (None, None) => return Ok(()),
                (Some(Err(_)), _) | (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(Ok(published)), Some(current)) => {
                    let before = (&published.resource.uri, published.set);
                    match before.cmp(&(&current.resource.uri, current.set)) {
                        // Gone from where it was.
                        Ordering::Equal if published.standing == Standing::Left => Ordering::Less,
                        order => order,
                    }
                }
            };
            if order == Ordering::Less {
                if let Some(published) = self.published.next() {
                    step(gone(published?))?;
                }
                continue;
            }
            let Some(current) = current else { return Ok(()) };
            let published = match order {
                Ordering::Equal => self.published.next().transpose()?,
                _ => None,
            };
            return step(compared(published, current));
        }
    }

    /// Takes a URI of which nothing can be said now, or with a slash at its end a folder of them: what
    /// was published of it stays. Not to be readable for a while is not to be gone.
    pub(crate) fn keep(
        &mut self,
        uri: &str,
        step: &mut impl FnMut(Step) -> Result<(), E>,
    ) -> Result<(), E> {
        let covers =
            |published: &str| published == uri || uri.ends_with('/') && published.starts_with(uri);
        let due = |next: &Result<Published, E>| match next {
            Ok(Published { resource, .. }) => resource.uri.as_str() < uri || covers(&resource.uri),
            Err(_) => true,
        };
        while let Some(next) = self.published.next_if(due) {
            let published = next?;
            let stays = covers(&published.resource.uri) && published.standing != Standing::Left;
            step(if stays { Step::Kept { published, current: None } } else { gone(published) })?;
        }
        Ok(())
    }
}

fn is_unchanged(published: &Published, current: &Current) -> bool {
    match published.standing {
        Standing::Ahead => current.resource.is_unchanged_since_change(&published.resource),
        _ => current.resource.is_unchanged_from(&published.resource),
    }
}

/// What became of a resource that is there, by what was published of it in the same set.
fn compared(published: Option<Published>, current: Current) -> Step {
    match published {
        Some(published) if is_unchanged(&published, &current) => {
            Step::Kept { published, current: Some(current) }
        }
        published => Step::Changed {
            change: if published.is_some() { Change::Updated } else { Change::Created },
            current,
            published: published.map(|published| published.resource),
        },
    }
}

/// What became of a resource that was published, and is there or not.
pub(crate) fn steps(published: Option<Published>, current: Option<Current>) -> Vec<Step> {
    match (published, current) {
        (published, Some(current)) => {
            let same = |published: &Published| published.set == current.set;
            let (mut steps, mut published) = (Vec::new(), published);
            // It went from one set to another.
            steps.extend(published.take_if(|published| !same(published)).map(gone));
            steps.push(compared(published, current));
            steps
        }
        (published, None) => published.map(gone).into_iter().collect(),
    }
}

fn gone(published: Published) -> Step {
    match published.standing {
        Standing::Left => Step::Left(published),
        Standing::Listed | Standing::Ahead => Step::Gone(published),
    }
}
