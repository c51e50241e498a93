//! The inventory, taken in the order of the URIs.

use std::fs::File;
use std::path::PathBuf;

use super::fixed;
use super::known::PublishedResources;
use super::run::{MOST_PASSED, Run};
use crate::cache::{CacheReader, Stamp};
use crate::changes::{Join, Step, steps};
use crate::inventory::{Folder, Found, Records, Sight, file_of};
use crate::layout::Layout;
use crate::{Bucket, Inventory, Options, PublishError, Resource};

/// How many bytes of records are sorted in memory before they go to a file.
const SORTED_IN_MEMORY: usize = 32 << 20;

/// By what globs know a resource: its path below the base as a file would have it, else its URI.
pub(super) fn subject(base: &str, uri: &str) -> PathBuf {
    uri.strip_prefix(base).and_then(file_of).unwrap_or_else(|| PathBuf::from(uri))
}

/// Takes each resource of the inventory that belongs to a set.
pub(super) fn each(
    options: &Options,
    layout: &Layout,
    run: &mut Run<'_>,
    join: &mut Join<PublishedResources>,
) -> Result<(), PublishError> {
    let mut passed = Vec::new();
    let mut pass = |one| {
        if passed.len() < MOST_PASSED {
            passed.push(one);
        }
    };
    let mut take = |run: &mut Run<'_>, found: Result<Found, String>| match found {
        Ok(found) => {
            let currents = run.admit(found);
            currents
                .into_iter()
                .try_for_each(|current| join.take(Some(current), &mut |step| run.step(step)))
        }
        Err(uri) => join.keep(&uri, &mut |step| run.step(step)),
    };
    match &options.inventory {
        Inventory::Folder(root) => {
            let folder = Folder {
                root: root.clone(),
                base: layout.base().to_owned(),
                algorithms: options.algorithms.clone(),
                selection: options.selection.clone(),
                leave_out: fixed::own_files(root, &options.out),
            };
            let memory = run.memory().clone();
            let current = memory.current;
            let cache = memory.path.as_deref().and_then(CacheReader::open);
            let seen = |sight: Sight<'_>| match (sight, current) {
                (Sight::Exhausted(path, reason), _) => {
                    let source = std::io::Error::other(format!(
                        "{reason}; raise the number of files that may be open (ulimit -n)"
                    ));
                    Err(PublishError::io("could not open", path)(source))
                }
                (Sight::Damaged, _) => Err(memory.damaged()),
                (sight, true) => known(run, sight),
                (Sight::Same(same), false) => match same.body.record(same.set, same.uri) {
                    Ok(record) => {
                        // What is published may have another time; the file has this one.
                        let lastmod = record.stamp.and_then(Stamp::lastmod);
                        let resource = Resource { lastmod, ..record.resource };
                        take(run, Ok(Found { resource, stamp: record.stamp }))
                    }
                    Err(_) => Err(memory.damaged()),
                },
                (Sight::Read(found, _), false) => take(run, Ok(found)),
                (Sight::Unknown(uri, _), false) => take(run, Err(uri)),
                (Sight::Gone(_), false) => Ok(()),
            };
            folder.each(cache, current, seen, &mut pass)?;
        }
        Inventory::Records(path, format) => {
            let each = |found| selected(options, layout, run, found, &mut take);
            let (format, scratch) = (*format, std::env::temp_dir());
            match path {
                None => Records::new(std::io::stdin(), format, &scratch, SORTED_IN_MEMORY)
                    .each(each, &mut pass)?,
                Some(path) => {
                    let file =
                        File::open(path).map_err(PublishError::io("could not read", path))?;
                    Records::new(file, format, &scratch, SORTED_IN_MEMORY).each(each, &mut pass)?;
                }
            }
        }
        Inventory::Bucket(url, digests) => {
            let scratch = std::env::temp_dir();
            let mut bucket = Bucket::open(url, layout.base(), &scratch, SORTED_IN_MEMORY)?;
            bucket.digests = digests.clone();
            // Those that were copied there to be served.
            let own = ["resourcesync/", crate::layout::SITEMAP, crate::layout::ROBOTS];
            bucket.leave_out = own.map(str::to_owned).to_vec();
            bucket.each(|found| selected(options, layout, run, found, &mut take), &mut pass)?;
        }
    }
    passed.into_iter().for_each(|one| run.pass(one));
    Ok(())
}

/// Takes what was seen where all that was published is remembered.
fn known(run: &mut Run<'_>, sight: Sight<'_>) -> Result<(), PublishError> {
    let (remembered, current) = match sight {
        Sight::Same(same) => return run.same(same),
        Sight::Unknown(_, remembered) => {
            return remembered.map_or(Ok(()), |remembered| {
                let published = run.published(remembered);
                run.step(Step::Kept { published, current: None })
            });
        }
        // What is remembered is of one set.
        Sight::Read(found, remembered) => (remembered, run.admit(found).pop()),
        Sight::Gone(remembered) => (Some(remembered), None),
        Sight::Damaged | Sight::Exhausted(..) => return Ok(()),
    };
    let published = remembered.map(|remembered| run.published(remembered));
    steps(published, current).into_iter().try_for_each(|step| run.step(step))
}

/// Takes a resource that was not walked to, if the selection has it.
fn selected(
    options: &Options,
    layout: &Layout,
    run: &mut Run<'_>,
    found: Result<Resource, String>,
    take: &mut impl FnMut(&mut Run<'_>, Result<Found, String>) -> Result<(), PublishError>,
) -> Result<(), PublishError> {
    let uri = found.as_ref().map_or_else(String::as_str, |resource| &resource.uri);
    if !options.selection.takes_path(&subject(layout.base(), uri)) {
        return Ok(());
    }
    take(run, found.map(|resource| Found { resource, stamp: None }))
}
