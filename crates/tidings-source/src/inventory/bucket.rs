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

use std::path::{Path, PathBuf};

use tidings_base::Sorter;
use tidings_document::Algorithm;
use tokio::runtime::Builder;

use super::records::Held;
use super::{Inventory, InventoryItem, Passed, SORTED_IN_MEMORY, SharedShow, ShowItem};
use crate::PublishError;
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

/// The objects below a URL of an object store, as an inventory, each under the URI that its key gives it.
///
/// The URL is `s3://bucket/prefix`, `gs://bucket/prefix`, `az://container/prefix` (also `abfs:`), or
/// `file:///folder`. The prefix is percent-encoded, and is taken as a folder: below `s3://b/new` there is
/// no `news`.
///
/// Endpoint, region and credentials come from the environment: `AWS_ACCESS_KEY_ID`,
/// `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT_URL` (with `AWS_ALLOW_HTTP=true` if that has no
/// TLS), `AWS_SKIP_SIGNATURE=true` for a bucket that all may read; `GOOGLE_…` and `AZURE_…` likewise. The
/// profiles in `~/.aws` are not read.
///
/// A `file:` URL is for a bucket that was mounted or copied: links in it are followed wherever they lead,
/// as those of a folder that is published as such are not.
///
/// It must not be visited from asynchronous code: it waits in a runtime of its own.
#[derive(Debug, Clone)]
pub struct BucketInventory {
    /// Where the objects are.
    pub url: String,
    /// The digests that are wanted.
    pub digests: Digests,
}

impl Inventory for BucketInventory {
    fn place(&self) -> String {
        self.url.clone()
    }

    fn visit(&self, base: &str, show: &mut ShowItem<'_>) -> Result<(), PublishError> {
        let scratch = std::env::temp_dir();
        let store = Store::open(&self.url)?;
        let mut bucket = Bucket::over(store, base, &scratch, SORTED_IN_MEMORY);
        bucket.digests = self.digests.clone();
        // Those that were copied there to be served.
        let own = ["resourcesync/", crate::layout::SITEMAP, crate::layout::ROBOTS];
        bucket.leave_out = own.map(str::to_owned).to_vec();
        bucket.visit(show)
    }
}

/// The objects below a prefix in an object store, each under the URI that its key gives it.
#[derive(Debug)]
struct Bucket {
    store: Store,
    scratch: PathBuf,
    memory: usize,
    /// The URI of the prefix, with a slash at its end.
    base: String,
    /// The digests that are wanted; at first, none.
    digests: Digests,
    /// What is not looked at: our own documents. Each is a key below the prefix, `robots.txt`; with a
    /// slash at its end, `resourcesync/`, all that is below it. At first, nothing.
    leave_out: Vec<String>,
}

impl Bucket {
    /// As with records, up to about `memory` bytes of the listing are held, and the rest goes into unnamed
    /// temporary files in the folder `scratch`.
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
    fn visit(&self, show: &mut ShowItem<'_>) -> Result<(), PublishError> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(PublishError::io("could not begin to list", self.store.url()))?;
        let shared = SharedShow::new(show);
        let pass = |key: &str, reason: String| shared.pass(Passed { path: key.into(), reason });
        // Stores list in the byte order of the keys, or in none (folders, directory buckets). Neither
        // is the order of the URIs: "ü", the last of keys, becomes "%C3%BC" and stands before every
        // letter. As there is no bound to how far a key moves, nothing can be shown before the last
        // one is known. What comes in order costs the sorter no merging, only the writing down.
        let mut sorter = Sorter::new(&self.scratch, self.memory);
        runtime.block_on(self.list(&mut sorter, &pass))?;
        let mut twice = |held: &Held| pass(&held.resource.uri, "it was listed twice".into());
        let Digests::Read(algorithms) = &self.digests else {
            sorter
                .finish(|held| shared.show(InventoryItem::Resource(held.resource)), &mut twice)?;
            return shared.check();
        };
        let mut batch = Batch::new(&self.store, &self.base, algorithms);
        let show = |batch: &mut Batch<'_>| {
            for answer in runtime.block_on(batch.read())? {
                match answer.result {
                    Ok(()) => shared.show(InventoryItem::Resource(answer.resource))?,
                    Err(reason) => {
                        shared.show(InventoryItem::Unknown(answer.resource.uri))?;
                        pass(&answer.key, reason.describe(self.store.kind));
                    }
                }
            }
            Ok::<_, PublishError>(())
        };
        let add = |held: Held| {
            batch.add(held.resource);
            if batch.is_full() { show(&mut batch) } else { Ok(()) }
        };
        sorter.finish(add, &mut twice)?;
        show(&mut batch)?;
        shared.check()
    }
}
