//! The way through a publication, from its Source Description to its packages.

use std::collections::{BTreeMap, HashMap, VecDeque};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tidings_document::{Capability, Moment};
use tidings_web::{Client, FetchError, Fetched, StatusCode};
use tokio::task::JoinSet;

use super::RestoreError;
use super::keep::{Held, keep};
use super::role::Role;
use super::site::Site;
use super::want::Want;
use crate::PublishError;
use crate::layout::{DESCRIPTION, Layout};

/// How many files are fetched at a time.
const AT_ONCE: usize = 8;

/// How many files a publication may have: more than the largest of ours, and not so many that a host
/// could keep us busy for ever.
const MOST: usize = 100_000;

/// A walk through a publication.
pub(super) struct Walk<'w> {
    client: &'w Client,
    site: &'w Site,
    /// Where its files are gathered.
    pub(super) staged: Layout,
    /// What was come to already.
    seen: HashMap<String, Role>,
    queue: VecDeque<Want>,
    pub(super) held: Vec<Held>,
    /// Packages and their manifests, which are fetched only if they are needed.
    pub(super) packages: Vec<Want>,
}

impl<'w> Walk<'w> {
    pub(super) fn new(client: &'w Client, site: &'w Site, staged: Layout) -> Self {
        let (seen, queue) = (HashMap::new(), VecDeque::new());
        Self { client, site, staged, seen, queue, held: Vec::new(), packages: Vec::new() }
    }

    /// Gathers the Source Description and all that it leads to but the packages, and `besides`. False
    /// if nothing was published yet.
    pub(super) async fn gather_documents(
        &mut self,
        besides: Vec<Want>,
    ) -> Result<bool, RestoreError> {
        self.admit(vec![Want::new(DESCRIPTION, Role::Description)])?;
        self.gather().await?;
        if self.held.is_empty() {
            return Ok(false);
        }
        self.admit(besides)?;
        self.gather().await?;
        Ok(true)
    }

    /// Gathers the packages and their manifests.
    pub(super) async fn gather_packages(&mut self) -> Result<(), RestoreError> {
        self.queue.extend(self.packages.drain(..));
        self.gather().await
    }

    /// False if a Resource List is ahead of its Change List. That is a sign of a cache that has the
    /// one of the last publication and the other of the one before, but no proof: resources that
    /// moved from one set to another are in no Change List.
    pub(super) fn is_in_step(&self) -> bool {
        let mut latest: BTreeMap<&str, [Option<Moment>; 2]> = BTreeMap::new();
        for one in &self.held {
            let place = match one.role {
                Role::Top(Capability::ResourceList) | Role::Part(Capability::ResourceList) => 0,
                Role::Top(Capability::ChangeList) | Role::Part(Capability::ChangeList) => 1,
                _ => continue,
            };
            let folder = one.name.rsplit_once('/').map_or("", |(folder, _)| folder);
            let times = latest.entry(folder).or_default();
            times[place] = times[place].max(one.latest);
        }
        latest.values().all(|[list, changes]| list <= changes)
    }

    /// Takes in what a document leads to, once each.
    fn admit(&mut self, wants: Vec<Want>) -> Result<(), RestoreError> {
        for want in wants {
            match self.seen.get(&want.name) {
                Some(role) if *role == want.role => continue,
                Some(_) => {
                    let reason = "it is listed as two things at once".into();
                    return Err(RestoreError::Mismatch {
                        url: self.site.shown(&want.name),
                        reason,
                    });
                }
                None if self.seen.len() == MOST => {
                    let url = self.site.shown(DESCRIPTION);
                    return Err(RestoreError::TooMany { url, limit: MOST });
                }
                None => {}
            }
            self.seen.insert(want.name.clone(), want.role);
            match want.role {
                Role::Package | Role::Manifest(_) => self.packages.push(want),
                _ => self.queue.push_back(want),
            }
        }
        Ok(())
    }

    /// Fetches what is in the queue, and what that leads to.
    async fn gather(&mut self) -> Result<(), RestoreError> {
        let (client, site) = (self.client, self.site);
        let mut fetches = FuturesUnordered::new();
        // On threads of their own: a package may be large, and the disk slow.
        let mut stores = JoinSet::new();
        let result = loop {
            while fetches.len() + stores.len() < AT_ONCE
                && let Some(want) = self.queue.pop_front()
            {
                fetches.push(fetch(client, site, want));
            }
            let step = tokio::select! {
                Some(fetched) = fetches.next(), if !fetches.is_empty() => {
                    fetched.map(|fetched| {
                        if let Some((want, answer)) = fetched {
                            let (site, staged) = (site.clone(), self.staged.clone());
                            stores.spawn_blocking(move || keep(answer, want, &site, &staged));
                        }
                    })
                }
                Some(stored) = stores.join_next(), if !stores.is_empty() => {
                    let local = PublishError::io("could not store", self.staged.path(""));
                    stored
                        .unwrap_or_else(|error| Err(local(error.into()).into()))
                        .and_then(|kept| self.take(kept))
                }
                else => break Ok(()),
            };
            if step.is_err() {
                break step;
            }
        };
        drop(fetches);
        // These cannot be stopped, and would write into a folder that is being removed.
        while stores.join_next().await.is_some() {}
        result
    }

    fn take(&mut self, kept: Option<(Held, Vec<Want>)>) -> Result<(), RestoreError> {
        let Some((held, wants)) = kept else { return Ok(()) };
        self.held.push(held);
        self.admit(wants)
    }
}

/// Fetches one file; none if it need not be there, and is not.
async fn fetch(
    client: &Client,
    site: &Site,
    want: Want,
) -> Result<Option<(Want, Fetched)>, RestoreError> {
    let fetched = client.get(&site.url(&want.name), &site.options()).await;
    let status = match fetched {
        Ok(fetched) => return Ok(Some((want, fetched))),
        Err(FetchError::Status { status, .. }) => Some(status),
        Err(_) => None,
    };
    let gone = matches!(status, Some(StatusCode::NOT_FOUND | StatusCode::GONE));
    let denied = status.is_some_and(|status| status.is_client_error());
    match (want.role, fetched) {
        (Role::Description, _) if gone => Ok(None),
        (role, _) if role.is_optional() && denied => Ok(None),
        (_, Err(source)) if !gone => Err(RestoreError::Fetch { source: Box::new(source) }),
        _ => {
            let reason = "it is listed, but not there".into();
            Err(RestoreError::Mismatch { url: site.shown(&want.name), reason })
        }
    }
}
