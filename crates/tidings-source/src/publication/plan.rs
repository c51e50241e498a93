//! What a publication is about to do.

use tidings_bytes::ByteStore;

use super::desk::Desk;
use super::inventory_scan::scan_inventory;
use super::prior_state::{PriorState, generation};
use super::run::{OpenMemory, PlannedLists, PublicationRun};
use super::set_to_publish::sets_to_publish;
use super::staged::Staged;
use super::{dump, fixed, sweep};
use crate::cache::{CacheWriter, Totals};
use crate::previous::Previous;
use crate::{Options, Outcome, Progress, PublishError, Set};

/// What a publication is about to do: which documents it writes, in which order, and which dumps it withdraws.
///
/// It takes no more memory for more resources. Of those that are created, updated and deleted it has the
/// numbers; each was told to [`Progress`] when it was found. The documents are spooled: each is whole in a
/// temporary file, and the plan has its name. The packages of dumps have only names: they are made from the
/// lists when these are in their places, so that a dump that fails keeps no change back.
pub struct PublicationPlan {
    /// What the publication will come to: `written` has the names of the documents and packages.
    pub outcome: Outcome,
    desk: Desk,
    patches: Option<Staged>,
    lists: Staged,
    static_documents: Staged,
    cache: Option<(CacheWriter, Totals)>,
}

impl PublicationPlan {
    /// Finds out what has changed since the last publication, and prepares the documents that say so.
    pub(super) fn prepare(
        options: &Options,
        desk: &Desk,
        open_memory: OpenMemory,
        progress: &mut dyn Progress,
    ) -> Result<Self, PublishError> {
        let layout = &desk.layout;
        let state = PriorState::open(options, layout)?;
        let (mut run, prior) = PublicationRun::begin(options, desk, state, open_memory, progress)?;
        scan_inventory(options, layout, prior, |event| run.apply(event))?;
        options.sets.iter().try_for_each(Set::check)?;
        let PlannedLists { mut outcome, patches, lists, cache } = run.into_lists()?;
        let mut static_documents = Staged::after(&lists);
        let withdrawn = &outcome.withdrawn;
        outcome.abandoned = fixed::stage(options, layout, withdrawn, &mut static_documents)?;
        for staged in patches.iter().chain([&lists, &static_documents]) {
            add_names(&mut outcome.written, staged.names());
        }
        let desk = desk.clone();
        Ok(Self { outcome, desk, patches, lists, static_documents, cache })
    }

    /// Names the dumps and packages that will be written, too. For that the lists are read as they will be.
    pub(super) fn with_dumps(mut self, options: &Options) -> Result<Self, PublishError> {
        let Some(root) = dump::root(options) else { return Ok(self) };
        let planned = self.lists.files().chain(self.static_documents.files()).collect();
        let layout = self.desk.layout.with_planned(planned);
        let mut names: Vec<String> = self.patches.iter().flat_map(Staged::names).collect();
        names.extend(self.lists.names());
        for set in sets_to_publish(options, &layout) {
            let desk = self.desk.with_layout(set.layout);
            names.extend(dump::planned_names(&desk, root, options)?);
        }
        add_names(&mut names, self.static_documents.names());
        self.outcome.written = names;
        Ok(self)
    }

    /// Carries the plan out. Whatever ends it in the middle, the Source is whole: as it was, or with the
    /// changes.
    pub(super) fn execute(
        self,
        options: &Options,
        store: &mut dyn ByteStore,
        progress: &mut dyn Progress,
    ) -> Result<Outcome, PublishError> {
        let Self { mut outcome, desk, patches, lists, static_documents, cache } = self;
        let layout = &desk.layout;
        outcome.written.clear();
        if let Some(patches) = patches {
            outcome.written.extend(patches.commit(store)?);
        }
        for name in &outcome.withdrawn {
            dump::begin_grace_period(&desk, name, store);
        }
        outcome.written.extend(lists.commit(store)?);
        if let Some((cache, totals)) = cache {
            let mut previous = Vec::new();
            for set in sets_to_publish(options, layout) {
                previous.push((set.number, Previous::open(&set.layout)?));
            }
            let generation = generation(options, layout, &previous);
            // What cannot be remembered is found out again.
            let _ = cache.finish(&generation, totals);
        }
        if let Some(root) = dump::root(options) {
            for set in sets_to_publish(options, layout) {
                let desk = desk.with_layout(set.layout);
                outcome.written.extend(dump::renew(&desk, root, options, store, progress)?);
            }
        }
        // A Capability List from which a dump was withdrawn may be written twice.
        add_names(&mut outcome.written, static_documents.commit(store)?);
        if options.full {
            dump::forget(options, layout, store);
        }
        // Where a list cannot be read, nothing is removed.
        let _ = sweep::superseded(layout, options, store);
        Ok(outcome)
    }
}

fn add_names(written: &mut Vec<String>, names: impl IntoIterator<Item = String>) {
    for name in names {
        if !written.contains(&name) {
            written.push(name);
        }
    }
}
