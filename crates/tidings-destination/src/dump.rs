//! Everything that the Source has, or everything that changed, in packages.

mod unpack;

use std::collections::HashMap;

use tidings_document::{Capability, Moment};
use url::Url;

use crate::SyncError;
use crate::bytes::Expected;
use crate::engine::Engine;
use crate::fetch::Brought;
use crate::parts::Parts;
use crate::replica::Draft;
use crate::seen::Seen;
use crate::state::{History, Role, SetRow, Validator};
use crate::wanted::Wanted;

/// What one request costs, as bytes: at 20 ms and 16 requests at once over a fast line it is about
/// that.
const REQUEST: u64 = 16 << 10;

/// How many packages are on the disk at once.
const AHEAD: usize = 2;

/// A package that is to be read.
struct Listed {
    url: Url,
    expected: Expected,
    /// Up to when it has the changes, if it has changes.
    until: Option<Moment>,
}

impl Engine<'_> {
    /// Weighs requests against bytes: whether all that is missing comes cheaper in packages.
    pub(crate) fn prefers_dump(
        &mut self,
        set: &SetRow,
        dump: &tidings_web::Offer,
        lists: &[Url],
    ) -> Result<bool, SyncError> {
        if set.complete || self.desk.has_copy() {
            // Most of it is here already, and packages cannot be had in part.
            return Ok(false);
        }
        let packages = self.packages(&dump.url, Capability::ResourceDump);
        let Ok(packages) = packages else { return Ok(false) };
        let bytes: Option<u64> = packages.0.iter().map(|listed| listed.expected.length).sum();
        let mut parts = Parts::new(lists.to_vec(), Some(Capability::ResourceList));
        let first = parts.next(&mut self.documents, |_| false)?;
        let Some((_, _, summary)) = first else { return Ok(true) };
        let documents = parts
            .top
            .map_or(1, |top| if top.summary.is_index() { top.summary.entries.max(1) } else { 1 });
        let resources = summary.entries * documents;
        let by_list = summary.length * documents + resources * REQUEST;
        // A package that does not give its length is not larger than what is in it.
        let by_dump =
            bytes.unwrap_or(summary.length * documents) + packages.0.len() as u64 * REQUEST;
        let (cheaper, verb) = if by_dump < by_list { (true, "take") } else { (false, "leave") };
        self.report.note(format!(
            "{verb} the Resource Dump: {} packages and {by_dump} bytes, beside {resources} requests \
             and {by_list} bytes, one request counted as {REQUEST}",
            packages.0.len()
        ));
        Ok(cheaper)
    }

    /// The packages of a dump, and the time that all of them have in common.
    fn packages(
        &mut self,
        dump: &Url,
        capability: Capability,
    ) -> Result<(Vec<Listed>, Option<Moment>), SyncError> {
        let mut parts = Parts::new([dump.clone()], Some(capability));
        let mut packages = Vec::new();
        let mut at = None;
        while let Some((_, mut document, summary)) = parts.next(&mut self.documents, |_| false)? {
            let own = summary.head.metadata.at;
            at = if at.is_none() { own } else { at.min(own) };
            document.each(|entry, base| {
                let metadata = &entry.metadata;
                let expected = Expected::of(metadata.length, metadata.hash.as_ref());
                let until = metadata.until.or(entry.lastmod);
                let url = base.join(entry.loc.trim()).ok();
                packages.extend(url.map(|url| Listed { url, expected, until }));
                Ok(())
            })?;
        }
        if let Some((url, reason)) = parts.missing.pop() {
            return Err(SyncError::Document { url, reason });
        }
        Ok((packages, at))
    }

    /// Takes everything out of the packages of a dump; false if one of them cannot be had, or is not to
    /// be trusted.
    pub(crate) fn baseline_from_dump(
        &mut self,
        set: &SetRow,
        dump: &Url,
    ) -> Result<bool, SyncError> {
        let (packages, at) = self.packages(dump, Capability::ResourceDump)?;
        if self.options.dry_run {
            self.report.note(format!("{} packages would be read", packages.len()));
            return Ok(true);
        }
        let mut seen = Seen::new(self.desk.state.last_id()?);
        if self.unpack_all(set, &packages, &mut seen)? < packages.len() {
            return Ok(false);
        }
        self.mark_unseen(set, &seen)?;
        self.finish_baseline(set, at)?;
        self.desk.state.commit()?;
        Ok(true)
    }

    /// Takes what changed out of the packages of a Change Dump that were not read before. What changed
    /// after the last of them is in the Change List.
    pub(crate) fn increment_from_dump(
        &mut self,
        set: &SetRow,
        dump: &Url,
    ) -> Result<(), SyncError> {
        let (mut packages, _) = self.packages(dump, Capability::ChangeDump)?;
        let known = self.desk.state.documents(set.id)?;
        let reached = set.reached.or(set.at);
        packages.retain(|listed| {
            let before = |until: Moment| reached.is_some_and(|reached| until.is_before(reached));
            !listed.until.is_some_and(before)
                && !known.iter().any(|history| history.url == listed.url.as_str())
        });
        if self.options.dry_run {
            return Ok(());
        }
        let mut seen = Seen::new(0);
        let read = self.unpack_all(set, &packages, &mut seen)?;
        self.desk.state.begin()?;
        // In their order, as far as nothing is missing.
        for listed in &packages[..read] {
            let (url, role) = (listed.url.to_string(), Role::Closed);
            let history = History { url, role, until: listed.until, ..History::default() };
            self.desk.state.remember(set.id, &history)?;
        }
        self.desk.state.commit()
    }

    /// Takes everything out of packages, one after another in their order, and says how many were
    /// read until one could not be.
    fn unpack_all(
        &mut self,
        set: &SetRow,
        packages: &[Listed],
        seen: &mut Seen,
    ) -> Result<usize, SyncError> {
        let mut asked = 0;
        let mut arrived: HashMap<String, Result<Draft, String>> = HashMap::new();
        for (read, listed) in packages.iter().enumerate() {
            while asked < packages.len() && asked < read + AHEAD {
                self.fetchers()?.ask(packages[asked].wanted());
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
            if let Err(reason) = result {
                self.report.fail(&url, &reason);
                // The others are no resources: nobody else is to find them.
                while let Some(outcome) = self.fetchers()?.take()? {
                    if let Ok(Brought::File(landed)) = outcome.brought {
                        landed.file.discard();
                    }
                }
                arrived.values().flatten().for_each(Draft::discard);
                self.drain()?;
                return Ok(read);
            }
        }
        self.drain()?;
        Ok(packages.len())
    }
}

impl Listed {
    fn wanted(&self) -> Wanted {
        Wanted {
            uri: self.url.to_string(),
            set: 0,
            expected: self.expected.clone(),
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
}
