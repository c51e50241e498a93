//! Walks through a publication, from its Source Description to its packages.

use std::collections::{BTreeMap, HashMap};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tidings_document::{
    Capability, DocumentRequest, FailurePolicy, Listing, Moment, SourceWalk, WalkLimits, WalkOrder,
    WalkPolicy, WalkScope,
};
use tidings_web::{Client, FetchError, Fetched, StatusCode};
use tokio::task::JoinSet;

use super::keep::{Held, keep};
use super::role::Role;
use super::site::Site;
use super::want::Want;
use super::{FileMismatch, RestoreError};
use crate::PublishError;
use crate::layout::{DESCRIPTION, Layout};

/// The number of files that are fetched at a time.
const MAX_CONCURRENT_FETCHES: usize = 8;

/// All files of a publication or none: more than the largest of ours has, and not so many that a host
/// could keep us busy for ever.
const RESTORE_POLICY: WalkPolicy = WalkPolicy {
    limits: WalkLimits { max_listed: 100_000, ..WalkLimits::DEFAULT },
    order: WalkOrder::BreadthFirst,
    scope: WalkScope::Packages,
    on_failure: FailurePolicy::End,
};

/// A walk through a publication.
pub(super) struct RestoreWalk<'w> {
    client: &'w Client,
    site: &'w Site,
    /// Where its files are gathered.
    pub(super) staged: Layout,
    walk: SourceWalk<String, Want>,
    /// The role of each file that was listed.
    roles: HashMap<String, Role>,
    pub(super) held: Vec<Held>,
    /// Packages and their manifests, which are fetched only if they are needed.
    pub(super) packages: Vec<Want>,
}

impl<'w> RestoreWalk<'w> {
    pub(super) fn new(client: &'w Client, site: &'w Site, staged: Layout) -> Self {
        let (walk, roles) = (SourceWalk::new(RESTORE_POLICY), HashMap::new());
        Self { client, site, staged, walk, roles, held: Vec::new(), packages: Vec::new() }
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
        for want in self.packages.drain(..) {
            self.walk.reopen(want.name.clone(), want);
        }
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
            let (name, role) = (want.name.clone(), want.role);
            let listing = match role {
                Role::Package | Role::Manifest(_) => {
                    let listing = self.walk.reserve(&name);
                    if listing == Listing::Queued {
                        self.packages.push(want);
                    }
                    listing
                }
                _ => self.walk.start(name.clone(), want),
            };
            match listing {
                Listing::Known if self.roles.get(&name) == Some(&role) => {}
                Listing::Known => {
                    let reason = FileMismatch::TwoRoles;
                    return Err(RestoreError::Mismatch { url: self.site.shown(&name), reason });
                }
                Listing::TooDeep | Listing::TooMany => {
                    let url = self.site.shown(DESCRIPTION);
                    let limit = RESTORE_POLICY.limits.max_listed;
                    return Err(RestoreError::TooMany { url, limit });
                }
                Listing::Queued => {
                    self.roles.insert(name, role);
                }
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
            while fetches.len() + stores.len() < MAX_CONCURRENT_FETCHES
                && let Some(DocumentRequest { context: want, .. }) = self.walk.next_request()
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
            let reason = FileMismatch::Missing;
            Err(RestoreError::Mismatch { url: site.shown(&want.name), reason })
        }
    }
}
