//! Steps 1 and 2 of IFCC-0001, "Checking for Updates": the Source Description and the Capability Lists.

use std::collections::BTreeMap;

use tidings_web::{Url, Validators};

use crate::details::Known;
use crate::fetch::Fetch;

/// The answers to whether the documents of a Source are as they were.
#[derive(Debug, Default)]
pub(super) struct SourceCheck {
    /// True if one of them is different, new or gone: the sets have to be found again.
    pub(super) is_different: bool,
    /// True if there is something to remember, though no document is different.
    pub(super) is_noted: bool,
    /// Why one of them could not be fetched.
    pub(super) problem: Option<String>,
}

/// Asks for each of the documents, if it is different from what is known of it.
pub(super) async fn check(fetch: &Fetch<'_>, known: &mut BTreeMap<String, Known>) -> SourceCheck {
    let mut check = SourceCheck::default();
    for (address, known) in known.iter_mut() {
        let Ok(url) = Url::parse(address) else { continue };
        match fetch.get(&url, Validators::from(&*known)).await {
            Ok(fetched) if fetched.is_unchanged() => {}
            Ok(mut fetched) => {
                let digest = fetched.body.digest().ok();
                if digest.is_none() || digest != known.digest {
                    check.is_different = true;
                    return check;
                }
                let now = Known { digest, ..Known::of(&fetched) };
                check.is_noted |= *known != now;
                *known = now;
            }
            // It was not there either when the sets were found.
            Err(_) if known.digest.is_none() => {}
            Err(error) if error.is_gone() => {
                check.is_different = true;
                return check;
            }
            Err(error) => {
                let is_of_the_host = error.is_of_the_host();
                check.problem.get_or_insert(error.to_string());
                if is_of_the_host {
                    return check;
                }
            }
        }
    }
    check
}
