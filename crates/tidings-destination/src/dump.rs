//! Takes resources, or changes of them, out of packages.

mod unpack;

use std::collections::HashMap;

use tidings_bytes::StagedFile;
use tidings_document::{Capability, Moment};
use tidings_web::Validators;
use url::Url;

use crate::SyncError;
use crate::documents::{Document, Summary, check_entries};
use crate::engine::Engine;
use crate::fetch::Brought;
use crate::moments::later;
use crate::seen::Seen;
use crate::state::{History, Role, SetRow, Validator};
use crate::survey::ListedPackage;
use crate::wanted::Wanted;
pub(crate) use unpack::PackageHead;

/// How many packages are on the disk at once.
const MAX_PACKAGES_ON_DISK: usize = 2;

/// What is known of packages that were read, up to the first that could not be.
pub(crate) struct Unpacked {
    /// What the manifests of those that were read say of themselves.
    heads: Vec<PackageHead>,
    /// The package that could not be read, and why.
    failed: Option<(String, String)>,
    /// The first package of which the manifest has entries that name nothing, and how many.
    lossy: Option<(Url, u64)>,
}

impl Engine<'_> {
    /// Takes everything out of the packages of a Resource Dump. Gives what is wrong with a package that
    /// could not be read, or not in full, if there is one: what was taken out stays, and the baseline is
    /// not complete.
    pub(crate) fn baseline_from_dump(
        &mut self,
        set: &SetRow,
        packages: &[ListedPackage],
        at: Option<Moment>,
    ) -> Result<Option<SyncError>, SyncError> {
        let mut seen = Seen::new(self.desk.state.last_id()?);
        let (doubtful, uncounted) = (self.source.doubtful_uris, self.report.uncounted_packages);
        let unpacked = self.unpack_all(set, packages, &mut seen)?;
        if let Some((url, reason)) = unpacked.failed {
            return Ok(Some(SyncError::Document { url, reason }));
        }
        if let Some((url, lost)) = unpacked.lossy {
            return Ok(check_entries(&url, lost).err());
        }
        let is_counted = self.report.uncounted_packages == uncounted;
        if self.source.doubtful_uris == doubtful && is_counted {
            self.mark_unseen(set, &seen)?;
        }
        // A dump may promise more than its packages keep.
        let oldest = unpacked.heads.iter().filter_map(|head| head.at).chain(at).min();
        self.finish_baseline(set, oldest)?;
        self.desk.state.commit()?;
        Ok(None)
    }

    /// Applies the changes in one package of a Change Dump, and remembers it if all its entries name
    /// something. Gives the number of those that do not, or the reason if the package could not be read.
    pub(crate) fn apply_package(
        &mut self,
        set: &SetRow,
        package: &ListedPackage,
        is_remembered: bool,
    ) -> Result<Result<u64, String>, SyncError> {
        let mut seen = Seen::new(0);
        let unpacked = self.unpack_all(set, std::slice::from_ref(package), &mut seen)?;
        if let Some((_, reason)) = unpacked.failed {
            return Ok(Err(reason));
        }
        let lost = unpacked.lossy.map_or(0, |(_, lost)| lost);
        if !is_remembered || lost > 0 {
            return Ok(Ok(lost));
        }
        let head = unpacked.heads.first();
        let from = package.from.or(head.and_then(|head| head.from));
        let until = package.until.or(head.and_then(|head| head.until));
        let history = History {
            url: package.url.to_string(),
            role: Role::Package,
            mark: package.identity,
            from,
            until,
            ..History::default()
        };
        self.desk.state.begin()?;
        self.desk.state.remember(set.id, &history)?;
        let newest = head.and_then(|head| head.newest);
        self.advance(set, until.or(later(from, newest)))?;
        self.desk.state.commit()?;
        Ok(Ok(0))
    }

    /// Takes everything out of packages, one after another in their order, until one cannot be read.
    fn unpack_all(
        &mut self,
        set: &SetRow,
        packages: &[ListedPackage],
        seen: &mut Seen,
    ) -> Result<Unpacked, SyncError> {
        let packages = self.wanted_packages(packages, seen)?;
        let mut unpacked = Unpacked { heads: Vec::new(), failed: None, lossy: None };
        if self.supply.is_forecast() {
            return self.foresee_all(set, &packages, seen);
        }
        let (mut asked, ahead) = (0, self.packages_ahead());
        let mut arrived: HashMap<String, Result<StagedFile, String>> = HashMap::new();
        for (read, listed) in packages.iter().enumerate() {
            while asked < packages.len() && asked < read + ahead {
                self.fetchers()?.ask(wanted(packages[asked]));
                asked += 1;
            }
            let url = listed.url.to_string();
            let result = loop {
                if let Some(result) = arrived.remove(&url) {
                    break result;
                }
                let Some(outcome) = self.fetchers()?.take()? else {
                    break Err("it did not come".to_owned());
                };
                self.report.bytes += outcome.bytes;
                let result = match outcome.brought {
                    Ok(Brought::File(landed)) => Ok(landed.file),
                    Ok(_) => Err("it did not come".to_owned()),
                    Err(failure) => Err(failure.reason),
                };
                arrived.insert(outcome.wanted.uri, result);
            };
            let result = match result {
                Ok(file) => self.unpack(set, &url, &file, seen)?,
                Err(reason) => Err(reason),
            };
            match result {
                Ok(head) => {
                    if head.lost > 0 && unpacked.lossy.is_none() {
                        unpacked.lossy = Some((listed.url.clone(), head.lost));
                    }
                    unpacked.heads.push(head);
                }
                Err(reason) => {
                    // The others are no resources: nobody else is to find them.
                    while let Some(outcome) = self.fetchers()?.take()? {
                        if let Ok(Brought::File(landed)) = outcome.brought {
                            landed.file.discard();
                        }
                    }
                    arrived.values().flatten().for_each(StagedFile::discard);
                    self.drain()?;
                    unpacked.failed = Some((url, reason));
                    return Ok(unpacked);
                }
            }
        }
        self.drain()?;
        Ok(unpacked)
    }

    /// Counts what would come out of packages.
    fn foresee_all(
        &mut self,
        set: &SetRow,
        packages: &[&ListedPackage],
        seen: &mut Seen,
    ) -> Result<Unpacked, SyncError> {
        let mut unpacked = Unpacked { heads: Vec::new(), failed: None, lossy: None };
        for package in packages {
            unpacked.heads.push(self.foresee_package(set, package, seen)?);
        }
        self.drain()?;
        Ok(unpacked)
    }

    /// How many packages are fetched at once. Descriptions are fetched between packages, and by the same
    /// threads: then no package may be on its way.
    fn packages_ahead(&self) -> usize {
        if self.options.descriptions { 1 } else { MAX_PACKAGES_ON_DISK }
    }

    /// The packages that have something that is wanted. Where only a part of the Source is, a copy of
    /// the manifest (`contents`) tells, and the rest need not be fetched.
    fn wanted_packages<'p>(
        &mut self,
        packages: &'p [ListedPackage],
        seen: &mut Seen,
    ) -> Result<Vec<&'p ListedPackage>, SyncError> {
        let mut wanted = Vec::with_capacity(packages.len());
        for package in packages {
            let skips = match &package.contents {
                Some(contents) if self.chooses() => self.skips_package(contents, seen)?,
                _ => false,
            };
            if skips {
                self.report.skipped_packages += 1;
            } else {
                wanted.push(package);
            }
        }
        Ok(wanted)
    }

    /// The copy of a manifest that stands beside its package, if all of it can be read.
    pub(crate) fn manifest_apart(&mut self, contents: &Url) -> Option<(Document, Summary)> {
        let mut manifest = self.documents.get(contents, Validators::default()).ok()??;
        let summary = manifest.summary().ok()?;
        let is_manifest = summary.head.capability().is_some_and(Capability::is_manifest);
        (is_manifest && manifest.lost_entries() == 0).then_some((manifest, summary))
    }

    /// True if a manifest names nothing that is wanted. One that cannot be read decides nothing.
    fn skips_package(&mut self, contents: &Url, seen: &mut Seen) -> Result<bool, SyncError> {
        let Some((mut manifest, _)) = self.manifest_apart(contents) else { return Ok(false) };
        let mut wants_any = false;
        let mut lookup = crate::state::Lookup::default();
        let mut passed = 0;
        manifest.each(|entry, base| {
            wants_any |= self.takes(entry, base);
            passed += 1;
            Ok(())
        })?;
        if wants_any {
            return Ok(false);
        }
        // What is passed over is not gone.
        manifest.each(|entry, _| self.pass(entry, &mut lookup, seen))?;
        self.report.passed += passed;
        Ok(true)
    }
}

/// A package as something to fetch.
fn wanted(package: &ListedPackage) -> Wanted {
    Wanted {
        uri: package.url.to_string(),
        set: 0,
        expected: package.expected.clone(),
        hash: None,
        lastmod: None,
        changed: None,
        media_type: None,
        links: Vec::new(),
        earlier: Vec::new(),
        known: None,
        validator: Validator::default(),
    }
}
