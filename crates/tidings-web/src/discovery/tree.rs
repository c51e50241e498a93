//! From a document to the sets that it belongs to: up to a Capability List, down from a Source
//! Description.

use std::sync::Arc;

use tidings_document::{Capability, DocumentRequest, Entry, EntryTarget, SourceWalk};
use url::Url;

use super::DiscoveryFailure;
use super::document::ProbedDocument;
use super::explorer::{DISCOVERY_POLICY, Explorer};
use super::source::{DiscoveryAttempt, Offer, SourceSet};

/// The sets that a document led to.
pub(super) struct FoundSets {
    pub(super) description: Option<Url>,
    pub(super) sets: Vec<SourceSet>,
}

impl Explorer<'_> {
    /// The sets that a document belongs to: of a Source Description all, of another document its own,
    /// or with it all others of its Source Description, if all are wanted.
    pub(super) async fn sets_of(
        &mut self,
        document: &Arc<ProbedDocument>,
    ) -> Result<FoundSets, DiscoveryFailure> {
        let found = self.nearest_sets_of(document).await?;
        match self.policy.all_sets && document.capability() != Some(Capability::Description) {
            true => self.with_siblings(found).await,
            false => Ok(found),
        }
    }

    /// All sets of the document above some sets, if it knows these: a Source Description, or an index of
    /// Capability Lists that has none above it.
    async fn with_siblings(&mut self, found: FoundSets) -> Result<FoundSets, DiscoveryFailure> {
        let Some(mut url) = found.description.clone() else { return Ok(found) };
        let unread = self.unread.len();
        let mut above = self.follow("the Source Description", &url).await;
        if let Some(index) = &above
            && index.capability() == Some(Capability::CapabilityList)
            && let Some(up) = index.link("up")
        {
            above = self.follow("the Source Description", &up).await;
            url = up;
        }
        let Some(above) = above else {
            // Who takes one set for all takes the others for gone.
            return match self.unread.get(unread).filter(|_| self.is_strict()) {
                Some(DiscoveryAttempt { result: Err(failure), .. }) => Err(failure.clone()),
                _ => Ok(found),
            };
        };
        let top = self.topmost(&above).await;
        let sets = self.sets_below(&top).await;
        let leads_here = found
            .sets
            .iter()
            .all(|set| sets.iter().any(|other| other.capability_list == set.capability_list));
        if !leads_here {
            let reason = format!("{url} does not list the Capability List that links up to it");
            self.note("the Source Description", &url, DiscoveryFailure::Unusable(reason));
            return Ok(found);
        }
        Ok(FoundSets { description: Some(top.asked.clone()), sets })
    }

    /// A document as a plain Sitemap. A Resource List is one, too, for those who want no more.
    pub(super) fn sitemap_of(
        &mut self,
        what: &str,
        document: &Arc<ProbedDocument>,
    ) -> Option<FoundSets> {
        if !matches!(document.capability(), None | Some(Capability::ResourceList)) {
            let reason =
                format!("{} is a {}, not a Sitemap", document.asked, document.head.title());
            self.note(what, &document.asked, DiscoveryFailure::Unusable(reason));
            return None;
        }
        let mut set = document.alone();
        set.offers.iter_mut().for_each(|offer| offer.is_sitemap = true);
        Some(FoundSets { description: None, sets: vec![set] })
    }

    async fn nearest_sets_of(
        &mut self,
        document: &Arc<ProbedDocument>,
    ) -> Result<FoundSets, DiscoveryFailure> {
        match document.capability() {
            Some(Capability::Description) => {
                let top = self.topmost(document).await;
                let sets = self.sets_below(&top).await;
                if sets.is_empty() {
                    let reason =
                        format!("{} leads to no Capability List that could be had", top.asked);
                    return Err(DiscoveryFailure::Unusable(reason));
                }
                Ok(FoundSets { description: Some(top.asked.clone()), sets })
            }
            Some(Capability::CapabilityList) => {
                let sets = if document.is_index() {
                    self.sets_below(document).await
                } else {
                    vec![self.set_of(document, None).await]
                };
                Ok(FoundSets { description: document.link("up"), sets })
            }
            _ => self.climb(document).await,
        }
    }

    /// The document at the top of indexes: each has a link `index` to the one above it. It is the
    /// document itself if it has no index, or none that could be had and knows it.
    async fn topmost(&mut self, document: &Arc<ProbedDocument>) -> Arc<ProbedDocument> {
        let mut walk = SourceWalk::new(DISCOVERY_POLICY);
        let mut top = Arc::clone(document);
        while let Some(url) = top.link("index")
            && walk.climb(&top.asked, url.clone(), ())
        {
            let what = format!("the index of {}", top.asked);
            let Some(index) = self.follow(&what, &url).await else { break };
            // An index that is published as a list looks like one: it is taken at its link's word.
            let knows = !index.is_index() || index.lists(&top);
            if index.capability() != top.capability() || !knows {
                break;
            }
            top = index;
        }
        top
    }

    /// The set of a list, dump, or index or part of one: that of the Capability List above it, if
    /// there is one that leads to it; else the document stands alone.
    async fn climb(
        &mut self,
        document: &Arc<ProbedDocument>,
    ) -> Result<FoundSets, DiscoveryFailure> {
        let unread = self.unread.len();
        let top = self.topmost(document).await;
        let is_manifest = document.capability().is_some_and(Capability::is_manifest);
        if let Some(up) = top.link("up").or_else(|| document.link("up"))
            && let Some(above) = self.follow(&format!("the link up of {}", top.asked), &up).await
        {
            let (description, sets) = match above.capability() {
                Some(Capability::CapabilityList) if !above.is_index() => {
                    (above.link("up"), vec![self.set_of(&above, None).await])
                }
                Some(Capability::CapabilityList | Capability::Description) => {
                    (Some(above.asked.clone()), self.sets_below(&above).await)
                }
                _ => (None, Vec::new()),
            };
            let leads_here = |set: &SourceSet| set.offers.iter().any(|one| top.is_at(&one.url));
            let sets: Vec<SourceSet> =
                sets.into_iter().filter(|set| is_manifest || leads_here(set)).collect();
            if !sets.is_empty() {
                return Ok(FoundSets { description, sets });
            }
            let reason = format!("{up} does not list {}, which links up to it", top.asked);
            self.note("the link up", &up, DiscoveryFailure::Unusable(reason));
        }
        // Above it there may be more than it says of itself.
        if let Some(DiscoveryAttempt { result: Err(failure), .. }) = self.unread.get(unread)
            && self.is_strict()
        {
            return Err(failure.clone());
        }
        if is_manifest {
            return Err(DiscoveryFailure::Unusable(format!(
                "{} is the manifest of a package; name the dump that lists the package",
                document.asked
            )));
        }
        Ok(FoundSets { description: None, sets: vec![top.alone()] })
    }

    /// The sets below a Source Description, or an index of such or of Capability Lists.
    async fn sets_below(&mut self, top: &Arc<ProbedDocument>) -> Vec<SourceSet> {
        let mut sets = Vec::new();
        // What a Source Description lists without a Capability List is a set of its own.
        let mut direct = Vec::new();
        self.note_lost_entries("the list of sets", top);
        let mut walk = SourceWalk::new(DISCOVERY_POLICY);
        walk.start(top.asked.clone(), None);
        walk.next_request();
        walk.list(0, listed_in(top));
        while let Some(DocumentRequest { url, depth, context }) = walk.next_request() {
            let Some((parent, number)) = context else { continue };
            let entry = &parent.entries[number];
            let target = entry.metadata.capability;
            if let Some(capability) = target
                && !DISCOVERY_POLICY.scope.opens(EntryTarget::Document(target))
            {
                direct.push(listed(capability, url, entry));
                continue;
            }
            // What it is, the document itself says: in an index its entry need not, and elsewhere that is
            // missing often enough.
            self.listed.push(url.clone());
            let Some(child) = self.follow_listed(&parent, &url).await else { continue };
            match child.capability() {
                Some(Capability::CapabilityList) if !child.is_index() => {
                    sets.push(self.set_of(&child, Some((&parent, entry))).await);
                }
                Some(Capability::CapabilityList | Capability::Description) => {
                    self.note_lost_entries("the list of sets", &child);
                    walk.list(depth, listed_in(&child));
                }
                _ => direct.push(child.offer()),
            }
        }
        if !direct.is_empty() {
            sets.push(SourceSet {
                name: String::new(),
                capability_list: None,
                describes: None,
                described_otherwise: None,
                described_by: None,
                described_also_by: None,
                offers: direct,
                links: top.head.links.clone(),
            });
        }
        sets
    }

    /// The set of a Capability List, and of the entry for it in a document, if that is known.
    async fn set_of(
        &mut self,
        list: &ProbedDocument,
        listed_in: Option<(&ProbedDocument, &Entry<'static>)>,
    ) -> SourceSet {
        let link = |rel: &str| {
            let (document, entry) = listed_in?;
            document.resolve(&entry.link(rel)?.href)
        };
        let (describes, described_by) = (link("describes"), link("describedby"));
        let mut offers: Vec<Offer> = Vec::new();
        self.note_lost_entries("the Capability List", list);
        for entry in &list.entries {
            let Some(url) = list.resolve(&entry.loc) else { continue };
            if offers.iter().any(|offer| offer.url == url) {
                continue;
            }
            match entry.metadata.capability {
                Some(capability) if is_offer(capability) => {
                    let mut offer = listed(capability, url, entry);
                    offer.is_index = self.known(&offer.url).map(ProbedDocument::is_index);
                    offers.push(offer);
                }
                // A way up or sideways is not an offer.
                Some(_) => {}
                None => {
                    let document = self.follow_listed(list, &url).await;
                    offers.extend(document.map(|document| document.offer()));
                }
            }
        }
        SourceSet {
            name: String::new(),
            capability_list: Some(list.asked.clone()),
            described_otherwise: describes
                .clone()
                .filter(|url| list.link("describes").is_some_and(|own| own != *url)),
            describes: list.link("describes").or(describes),
            described_also_by: list
                .link("describedby")
                .filter(|own| described_by.as_ref().is_some_and(|url| url != own)),
            described_by: described_by.or_else(|| list.link("describedby")),
            offers,
            links: list.head.links.clone(),
        }
    }
}

/// The documents that a document lists, each with its entry.
fn listed_in(
    document: &Arc<ProbedDocument>,
) -> impl Iterator<Item = (Url, Option<(Arc<ProbedDocument>, usize)>)> {
    let entries = document.entries.iter().enumerate();
    entries.filter_map(|(number, entry)| {
        Some((document.resolve(&entry.loc)?, Some((Arc::clone(document), number))))
    })
}

fn listed(capability: Capability, url: Url, entry: &Entry<'static>) -> Offer {
    let metadata = entry.metadata.clone();
    Offer { capability, url, is_sitemap: false, metadata, is_index: None }
}

/// True for what a set can be copied or followed by.
fn is_offer(capability: Capability) -> bool {
    !matches!(capability, Capability::Description | Capability::CapabilityList)
}
