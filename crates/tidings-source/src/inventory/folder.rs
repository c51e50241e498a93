//! A folder as an inventory.

mod batch;
mod children;
mod file_scanner;
mod media_type;
mod walk;

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use tidings_document::Algorithm;

use super::ScanEvent;
use crate::previous::PriorStream;
use crate::{PublishError, Selection};
use batch::{FileBatch, WalkItem};
use file_scanner::FileScanner;
use walk::FolderWalk;

/// How many batches may be under way.
const BATCHES: usize = 12;

/// The files below a folder, each under the URI that its path gives it.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    /// The folder.
    pub(crate) root: PathBuf,
    /// The URI of the folder, with a slash at its end.
    pub(crate) base: String,
    /// The digests that are wanted.
    pub(crate) algorithms: Vec<Algorithm>,
    /// What is published of it.
    pub(crate) selection: Selection,
    /// Paths below the folder, relative to it, that are not looked at: our own documents.
    pub(crate) leave_out: Vec<PathBuf>,
}

/// Files on their way to a thread that looks at them, and where they go from there.
type ScanTask = (FileBatch, SyncSender<FileBatch>);

impl Folder {
    /// Shows each file, in the order of the URIs, and what is published and not there, in its place. Hidden
    /// files and folders are left out, unless the selection says otherwise, and so are links that lead out
    /// of the folder. What was published of a file that cannot be read, or changes while it is read, and
    /// of all that is in such a folder, is shown as kept.
    ///
    /// A file that is as the cache has it is not read.
    ///
    /// One thread walks, all cores look at files, and this one shows them.
    pub(crate) fn scan(
        &self,
        prior: PriorStream,
        show: &mut impl FnMut(ScanEvent<'_>) -> Result<(), PublishError>,
    ) -> Result<(), PublishError> {
        let is_cache_current = prior.is_cache_current();
        let cache_path = prior.cache_path().to_owned();
        let cache_path = cache_path.as_path();
        let mut walk = FolderWalk::begin(self, prior)?;
        let scanner = FileScanner { algorithms: &self.algorithms, is_cache_current, cache_path };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        // Dropped with this closure's end, whatever that is: then the walk ends, too.
        std::thread::scope(|scope| {
            let (order, in_order) = sync_channel::<Receiver<FileBatch>>(BATCHES);
            let (work, queue) = sync_channel::<ScanTask>(BATCHES);
            scope.spawn(move || {
                loop {
                    let batch = walk.batch();
                    let (answer, answers) = sync_channel(1);
                    if batch.items.is_empty() || order.send(answers).is_err() {
                        break;
                    }
                    if work.send((batch, answer)).is_err() {
                        break;
                    }
                }
            });
            let queue = std::sync::Arc::new(Mutex::new(queue));
            for _ in 0..threads {
                let (queue, scanner) = (queue.clone(), scanner.clone());
                scope.spawn(move || {
                    let mut buffer = Vec::new();
                    loop {
                        let task = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                        let Ok((mut batch, answer)) = task else { break };
                        scanner.scan_batch(&mut batch, &mut buffer);
                        // Nobody waits for it after an error.
                        let _ = answer.send(batch);
                    }
                });
            }
            drop(queue);
            for batch in in_order {
                let mut batch = batch.recv().unwrap_or_default();
                for item in std::mem::take(&mut batch.items) {
                    match item {
                        WalkItem::Unchanged(file) => {
                            batch
                                .cached(&file)
                                .map_or(Ok(()), |cached| show(ScanEvent::Unchanged(cached)))?;
                        }
                        WalkItem::Event(event) => show(*event)?,
                        WalkItem::Failed(error) => return Err(*error),
                        WalkItem::File(_) => unreachable!("each file was looked at"),
                    }
                }
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests;
