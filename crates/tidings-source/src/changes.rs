//! What changed: the inventory held against what was published.

use std::cmp::Ordering;

use tidings_document::Change;

use crate::Resource;

/// What became of one resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// As it was: what was published of it stays.
    Kept(Resource),
    /// Another one than before, or a new one.
    Changed(Change, Resource),
    /// No longer there.
    Gone(Resource),
}

/// Joins two sequences of resources, both in the order of their URIs. A file that moved is one that
/// went and one that came.
pub(crate) struct Join<P: Iterator> {
    published: std::iter::Peekable<P>,
}

impl<E, P: Iterator<Item = Result<Resource, E>>> Join<P> {
    pub(crate) fn new(published: P) -> Self {
        Self { published: published.peekable() }
    }

    /// Takes the next resource of the inventory and says what that means for it and for those
    /// before it. After the last one, take none.
    pub(crate) fn take(
        &mut self,
        current: Option<Resource>,
        step: &mut impl FnMut(Step) -> Result<(), E>,
    ) -> Result<(), E> {
        loop {
            let order = match (self.published.peek(), &current) {
                (None, None) => return Ok(()),
                (Some(Err(_)), _) | (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(Ok(published)), Some(current)) => published.uri.cmp(&current.uri),
            };
            if order == Ordering::Less {
                if let Some(gone) = self.published.next() {
                    step(Step::Gone(gone?))?;
                }
                continue;
            }
            let Some(current) = current else { return Ok(()) };
            if order == Ordering::Greater {
                return step(Step::Changed(Change::Created, current));
            }
            return match self.published.next() {
                Some(Ok(published)) if current.is_unchanged_from(&published) => {
                    step(Step::Kept(published))
                }
                Some(Ok(_)) => step(Step::Changed(Change::Updated, current)),
                Some(Err(error)) => Err(error),
                None => Ok(()),
            };
        }
    }
}

impl<E, P: Iterator<Item = Result<Resource, E>>> Join<P> {
    /// Takes a URI of which nothing can be said now, or with a slash at its end a folder of them: what
    /// was published of it stays. Not to be readable for a while is not to be gone.
    pub(crate) fn keep(
        &mut self,
        uri: &str,
        step: &mut impl FnMut(Step) -> Result<(), E>,
    ) -> Result<(), E> {
        let covers =
            |published: &str| published == uri || uri.ends_with('/') && published.starts_with(uri);
        while let Some(next) = self.published.next_if(|next| {
            next.as_ref()
                .map_or(true, |published| published.uri.as_str() < uri || covers(&published.uri))
        }) {
            let published = next?;
            step(if covers(&published.uri) {
                Step::Kept(published)
            } else {
                Step::Gone(published)
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn resources(state: &BTreeMap<String, u64>) -> Vec<Resource> {
        state
            .iter()
            .map(|(uri, length)| Resource {
                uri: uri.clone(),
                lastmod: None,
                length: Some(*length),
                media_type: None,
                hash: None,
            })
            .collect()
    }

    #[test]
    fn what_cannot_be_read_stays() {
        let state: BTreeMap<String, u64> =
            ["a", "b", "d/1", "d/2", "e"].map(|uri| (uri.to_owned(), 1)).into();
        let mut join = Join::new(resources(&state).into_iter().map(Ok::<_, ()>));
        let mut said = Vec::new();
        let mut step = |step: Step| {
            said.push(match step {
                Step::Kept(resource) => format!("kept {}", resource.uri),
                Step::Changed(_, resource) => format!("changed {}", resource.uri),
                Step::Gone(resource) => format!("gone {}", resource.uri),
            });
            Ok(())
        };
        join.keep("b", &mut step).unwrap();
        join.keep("d/", &mut step).unwrap();
        join.take(None, &mut step).unwrap();
        assert_eq!(said, ["gone a", "kept b", "kept d/1", "kept d/2", "gone e"]);
    }

    proptest! {
        #[test]
        fn applied_to_what_was_there_it_gives_what_is_there(
            before in proptest::collection::btree_map("[a-c]{1,3}", 0_u64..3, 0..20),
            after in proptest::collection::btree_map("[a-c]{1,3}", 0_u64..3, 0..20),
        ) {
            let mut join = Join::new(resources(&before).into_iter().map(Ok::<_, ()>));
            let mut state = before.clone();
            let mut kept = 0;
            let mut step = |step: Step| {
                match step {
                    Step::Kept(_) => kept += 1,
                    Step::Changed(change, resource) => {
                        let was = state.insert(resource.uri, resource.length.unwrap());
                        assert_eq!(was.is_some(), change == Change::Updated);
                    }
                    Step::Gone(resource) => assert!(state.remove(&resource.uri).is_some()),
                }
                Ok(())
            };
            for resource in resources(&after) {
                join.take(Some(resource), &mut step).unwrap();
            }
            join.take(None, &mut step).unwrap();
            prop_assert_eq!(&state, &after);
            let same = after.iter().filter(|(uri, length)| before.get(*uri) == Some(*length)).count();
            prop_assert_eq!(kept, same);
        }
    }
}
