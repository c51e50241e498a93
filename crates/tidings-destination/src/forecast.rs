//! What fetching would do, for a dry run, which asks no server for a resource and fetches no package.
//!
//! A dry run is a run over a trial of the copy: it records in the state what a run would record, all of which is
//! taken back at its end, and its store changes no file. Only what comes from the network is foreseen here.

use tidings_document::Capability;

use crate::SyncError;
use crate::desk::Desk;
use crate::dump::PackageHead;
use crate::engine::Engine;
use crate::moments::{is_past, later};
use crate::seen::Seen;
use crate::state::{Lookup, Record, SetRow, Validator};
use crate::survey::ListedPackage;
use crate::wanted::Wanted;

/// The time of a file that is not there yet, whatever the system says.
const NO_TIME: i64 = -1;

impl Engine<'_> {
    /// Counts and records what would become of a resource. Where only the bytes tell whether it has changed,
    /// that is what is counted.
    pub(crate) fn foresee(&mut self, mut wanted: Wanted) -> Result<(), SyncError> {
        self.meter.done += 1;
        let Some(row) = wanted.known.take() else {
            let id = self.desk.record_newcomer(&wanted)?;
            self.desk.note_listed(id, &wanted);
            self.desk.tally.count_arrival(id, false, &mut self.report);
            return Ok(());
        };
        // Of what two sets contest the server may have either, whatever the length says.
        let is_for_server = wanted.expected.other_set.is_some()
            || !wanted.expected.is_certain() && wanted.contradiction_with(&row).is_none();
        match is_for_server {
            true => self.desk.tally.count_comparison(row.id, &mut self.report),
            false => self.desk.tally.count_expected(row.id, &mut self.report),
        }
        self.desk.note_listed(row.id, &wanted);
        // The copy still has the bytes that it had: what is said of it later is compared with these.
        wanted.forget_statement();
        self.confirm_row(&row, &wanted, false)
    }

    /// Takes back what was foreseen of a resource that no set has any more: what an earlier document lists would
    /// not come.
    pub(crate) fn retract(&mut self, uri: &str, id: i64) -> Result<(), SyncError> {
        let is_foreseen = self.supply.is_forecast() && !self.desk.tally.comes_in_package(id);
        if !is_foreseen || !self.desk.state.find(uri)?.is_some_and(|row| row.gone) {
            return Ok(());
        }
        self.desk.tally.retract(id, &mut self.report);
        if self.desk.tally.is_newcomer(id) {
            self.desk.state.forget(id)?;
            self.desk.tally.set_last(self.desk.state.last_id()?);
        }
        Ok(())
    }

    /// Counts and records what would come out of a package: from the copy of its manifest that the dump offers
    /// (`contents`).
    pub(crate) fn foresee_package(
        &mut self,
        set: &SetRow,
        package: &ListedPackage,
        seen: &mut Seen,
    ) -> Result<PackageHead, SyncError> {
        let manifest = package.contents.as_ref().and_then(|url| self.manifest_apart(url));
        let Some((mut manifest, summary)) = manifest else {
            self.report.uncounted_packages += 1;
            self.report.note(format!(
                "{}: the number of its resources is not known before it is fetched, as its manifest \
                 is nowhere else",
                package.url
            ));
            return Ok(PackageHead {
                at: None,
                from: package.from,
                until: package.until,
                newest: None,
                lost: 0,
            });
        };
        self.meter.total += summary.entries;
        let metadata = &summary.head.metadata;
        let mut head = PackageHead {
            at: metadata.at,
            from: metadata.from,
            until: metadata.until,
            newest: None,
            lost: 0,
        };
        if summary.head.capability() == Some(Capability::ChangeDumpManifest) {
            let mut last = Default::default();
            manifest.each(|entry, base| {
                let time = entry.metadata.datetime.filter(|time| is_past(*time));
                head.newest = later(head.newest, time);
                self.collect(set, entry, base, true, &mut last)
            })?;
            self.act(set, &mut last)?;
        } else {
            self.desk.tally.is_in_package = true;
            let compared = self.compare(set, &mut manifest, &mut Lookup::default(), seen);
            self.desk.tally.is_in_package = false;
            compared?;
        }
        Ok(head)
    }
}

impl Desk {
    /// Records a resource of which the copy has no file, as if it had come.
    fn record_newcomer(&mut self, wanted: &Wanted) -> Result<i64, SyncError> {
        let known = self.state.find(&wanted.uri)?;
        let membership = known.as_ref().filter(|row| !row.gone).map(|row| (row.id, row.set));
        let path = known.and_then(|row| row.path);
        let sha256 = wanted.expected.sha256().and_then(|digest| digest.try_into().ok());
        let links = wanted.links_text();
        self.state.begin()?;
        let id = self.state.record(&Record {
            uri: &wanted.uri,
            set: wanted.set,
            path: path.as_deref(),
            length: wanted.expected.length.unwrap_or_default(),
            sha256: &sha256.unwrap_or_default(),
            mtime: NO_TIME,
            hash: wanted.other_hash(),
            lastmod: wanted.lastmod,
            lastmod_is_open: false,
            changed: wanted.changed,
            media_type: wanted.media_type.as_deref(),
            validator: &Validator::default(),
            links: links.as_deref(),
        })?;
        self.share(membership, wanted.set)?;
        if self.has_owed {
            self.state.settle(&wanted.uri, wanted.set)?;
        }
        Ok(id)
    }
}
