//! What fetching would do, for a dry run, which asks no server for a resource and fetches no package.
//!
//! A dry run is a run over a trial of the copy: it records in the state what a run would record, all of which is
//! taken back at its end, and its store changes no file. Only what comes from the network is foreseen here.

use tidings_document::Capability;

use crate::SyncError;
use crate::desk::Desk;
use crate::dump::PackageHead;
use crate::engine::{Engine, contradiction_of};
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
        self.done += 1;
        // Of what two sets contest the server may have either, whatever the length says.
        let is_contested = wanted.expected.other_set.is_some();
        let is_for_server =
            is_contested || !wanted.expected.is_certain() && contradiction_of(&wanted).is_none();
        if let Some(row) = wanted.known.clone().filter(|_| is_for_server) {
            self.desk.tally.count_comparison(row.id, &mut self.report);
            if is_contested {
                wanted.forget_statement();
            }
            self.desk.note_listed(row.id, &wanted);
            return self.confirm_row(&row, &wanted, false);
        }
        let id = self.desk.record_foreseen(&wanted)?;
        self.desk.note_listed(id, &wanted);
        self.desk.tally.count_arrival(id, wanted.known.is_some(), &mut self.report);
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
                is_whole: false,
            });
        };
        self.total += summary.entries;
        let metadata = &summary.head.metadata;
        let mut head = PackageHead {
            at: metadata.at,
            from: metadata.from,
            until: metadata.until,
            newest: None,
            is_whole: true,
        };
        if summary.head.capability() == Some(Capability::ChangeDumpManifest) {
            let mut last = Default::default();
            manifest.each(|entry, base| {
                let time = entry.metadata.datetime.filter(|time| is_past(*time));
                head.newest = later(head.newest, time);
                self.collect(set, entry, base, true, &mut last);
                Ok(())
            })?;
            self.act(set, &mut last)?;
        } else {
            self.compare(set, &mut manifest, &mut Lookup::default(), seen)?;
        }
        Ok(head)
    }
}

impl Desk {
    /// Records a resource as if its bytes had come. A file that is there stays, and counts as the one that
    /// would take its place.
    fn record_foreseen(&mut self, wanted: &Wanted) -> Result<i64, SyncError> {
        let row = match &wanted.known {
            Some(row) => Some(row.clone()),
            None => self.state.find(&wanted.uri)?,
        };
        let sha256 = wanted.expected.sha256().and_then(|digest| digest.try_into().ok());
        let links = wanted.links_text();
        let known = wanted.known.as_ref();
        self.state.begin()?;
        let id = self.state.record(&Record {
            uri: &wanted.uri,
            set: wanted.set,
            path: row.as_ref().and_then(|row| row.path.as_deref()),
            length: known.map_or(wanted.expected.length.unwrap_or_default(), |row| row.length),
            sha256: &sha256.unwrap_or_default(),
            mtime: known.map_or(NO_TIME, |row| row.mtime),
            hash: wanted.other_hash(),
            lastmod: wanted.lastmod,
            lastmod_is_open: false,
            changed: wanted.changed,
            media_type: wanted.media_type.as_deref(),
            validator: &Validator::default(),
            links: links.as_deref(),
        })?;
        self.share(wanted)?;
        if self.has_owed {
            self.state.settle(&wanted.uri, wanted.set)?;
        }
        Ok(id)
    }
}
