//! The objects of a bucket as an inventory.

mod carry;
mod connect;
mod fault;
mod key;
mod list;
mod read;
mod store;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use tidings_document::Algorithm;
use tokio::runtime::Builder;

use super::Passed;
use super::records::{Held, Sorter};
use crate::{PublishError, Resource};
use read::Batch;
use store::Store;

/// Where the digests of objects come from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Digests {
    /// Nowhere: a change shows in the length or the time.
    #[default]
    None,
    /// An `ETag` of 32 hexadecimal digits is the MD5. Only the owner can say so: it holds for objects
    /// that were put in one part and are not encrypted with keys of the customer or of KMS. An
    /// `ETag` that does not look so gives no digest.
    ETag,
    /// Each object is read whole, at every publication.
    Read(Vec<Algorithm>),
}

/// The objects below a prefix in an object store, each under the URI that its key gives it.
#[derive(Debug)]
pub struct Bucket {
    store: Store,
    scratch: PathBuf,
    memory: usize,
    /// The URI of the prefix, with a slash at its end.
    pub base: String,
    /// The digests that are wanted; at first, none.
    pub digests: Digests,
    /// What is not looked at: our own documents. Each is a key below the prefix, `robots.txt`; with a
    /// slash at its end, `resourcesync/`, all that is below it. At first, nothing.
    pub leave_out: Vec<String>,
}

impl Bucket {
    /// The objects below `url`: `s3://bucket/prefix`, `gs://bucket/prefix`, `az://container/prefix`
    /// (also `abfs:`), or `file:///folder`. The prefix is percent-encoded, and is taken as a folder:
    /// below `s3://b/new` there is no `news`.
    ///
    /// Endpoint, region and credentials come from the environment: `AWS_ACCESS_KEY_ID`,
    /// `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT_URL` (with `AWS_ALLOW_HTTP=true` if that
    /// has no TLS), `AWS_SKIP_SIGNATURE=true` for a bucket that all may read; `GOOGLE_…` and `AZURE_…`
    /// likewise. The profiles in `~/.aws` are not read. No connection is made yet.
    ///
    /// A `file:` URL is for a bucket that was mounted or copied: links in it are followed wherever
    /// they lead, as those of a folder that is published as such are not.
    ///
    /// As with [`Records`](crate::Records), up to about `memory` bytes of the listing are held, and
    /// the rest goes into unnamed temporary files in the folder `scratch`.
    pub fn open(
        url: &str,
        base: &str,
        scratch: &Path,
        memory: usize,
    ) -> Result<Self, PublishError> {
        Ok(Self::over(Store::open(url)?, base, scratch, memory))
    }

    fn over(store: Store, base: &str, scratch: &Path, memory: usize) -> Self {
        let (digests, leave_out) = (Digests::None, Vec::new());
        let (base, scratch) = (base.to_owned(), scratch.to_owned());
        Self { store, scratch, memory, base, digests, leave_out }
    }

    /// Shows each object, in the order of the URIs, after all of them were listed. What is hidden (a
    /// segment of its key begins with a dot) is left out, and so are the empty objects with a slash
    /// at the end of their key, which stand for folders. Of what cannot be read only the URI is
    /// shown, in its place; why is said to `passed`, under the key. So is what has a key that no URI
    /// below the base can say.
    ///
    /// A listing that breaks off is an error before anything was shown: half of it would have the
    /// other half deleted.
    ///
    /// Not to be called from asynchronous code: it waits in a runtime of its own.
    pub fn each(
        &self,
        mut resource: impl FnMut(Result<Resource, String>) -> Result<(), PublishError>,
        passed: impl FnMut(Passed),
    ) -> Result<(), PublishError> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(PublishError::io("could not begin to list", self.store.url()))?;
        let passed = RefCell::new(passed);
        let pass = |key: &str, reason: String| {
            passed.borrow_mut()(Passed { path: key.into(), reason });
        };
        // Stores list in the byte order of the keys, or in none (folders, directory buckets). Neither
        // is the order of the URIs: "ü", the last of keys, becomes "%C3%BC" and stands before every
        // letter. As there is no bound to how far a key moves, nothing can be shown before the last
        // one is known. What comes in order costs the sorter no merging, only the writing down.
        let mut sorter = Sorter::new(&self.scratch, self.memory);
        runtime.block_on(self.list(&mut sorter, &pass))?;
        let mut twice = |_, uri: &str| pass(uri, "it was listed twice".into());
        let Digests::Read(algorithms) = &self.digests else {
            return sorter.finish(|held| resource(Ok(held.resource)), &mut twice);
        };
        let mut batch = Batch::new(&self.store, &self.base, algorithms);
        let mut show = |batch: &mut Batch<'_>| {
            for answer in runtime.block_on(batch.read())? {
                match answer.result {
                    Ok(()) => resource(Ok(answer.resource))?,
                    Err(reason) => {
                        resource(Err(answer.resource.uri))?;
                        pass(&answer.key, reason);
                    }
                }
            }
            Ok(())
        };
        let add = |held: Held| {
            batch.add(held.resource);
            if batch.is_full() { show(&mut batch) } else { Ok(()) }
        };
        sorter.finish(add, &mut twice)?;
        show(&mut batch)
    }
}
