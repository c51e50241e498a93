//! Counts what packages would do, for a dry run: from the copies of their manifests that a dump offers
//! (`contents`), as a dry run fetches no package.

use tidings_document::Moment;

use crate::SyncError;
use crate::documents::Document;
use crate::engine::Engine;
use crate::overlay::Overlay;
use crate::seen::Seen;
use crate::state::{Lookup, SetRow};
use crate::survey::ListedPackage;

impl Engine<'_> {
    /// Counts what taking everything out of the packages of a Resource Dump would do.
    pub(super) fn preview_dump(
        &mut self,
        set: &SetRow,
        packages: &[ListedPackage],
        at: Option<Moment>,
    ) -> Result<(), SyncError> {
        let mut seen = Seen::new(self.desk.state.last_id()?);
        let mut lookup = Lookup::default();
        let mut is_whole = true;
        for package in packages {
            let manifest = package.contents.as_ref().and_then(|url| self.manifest_apart(url));
            let Some((mut manifest, summary)) = manifest else {
                self.note_uncounted(package);
                is_whole = false;
                continue;
            };
            self.count_skipped(&mut manifest)?;
            self.total += summary.entries;
            let own = summary.head.metadata.at;
            self.compare(set, (&mut manifest, own), &mut lookup, &mut seen)?;
        }
        if is_whole {
            self.mark_changed_as_seen(&mut seen, at)?;
            self.mark_unseen(set, &seen)?;
            self.forecast.compare_set(set.id);
        }
        Ok(())
    }

    /// Collects the changes in a package of a Change Dump.
    pub(crate) fn preview_changes(
        &mut self,
        set: &SetRow,
        package: &ListedPackage,
        overlay: &mut Overlay,
    ) -> Result<(), SyncError> {
        let manifest = package.contents.as_ref().and_then(|url| self.manifest_apart(url));
        let Some((mut manifest, _)) = manifest else {
            self.note_uncounted(package);
            return Ok(());
        };
        self.count_skipped(&mut manifest)?;
        manifest.each(|entry, base| match self.uri_of(set.id, entry, base)? {
            Some(uri) => overlay.put(&uri, entry, base),
            None => Ok(()),
        })
    }

    /// Counts a package that has nothing that is wanted.
    fn count_skipped(&mut self, manifest: &mut Document) -> Result<(), SyncError> {
        let mut wants_any = !self.chooses();
        manifest.each(|entry, base| {
            wants_any |= self.takes(entry, base);
            Ok(())
        })?;
        self.report.skipped_packages += u64::from(!wants_any);
        Ok(())
    }

    fn note_uncounted(&mut self, package: &ListedPackage) {
        self.report.uncounted_packages += 1;
        self.report.note(format!(
            "{}: the number of its resources is not known before it is fetched, as its manifest \
             is nowhere else",
            package.url
        ));
    }
}
