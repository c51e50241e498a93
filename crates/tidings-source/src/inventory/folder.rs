//! A folder as an inventory.

mod batch;
mod children;
mod look;
mod media_type;
mod walk;

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use tidings_document::Algorithm;

use super::{Passed, Sight};
use crate::cache::CacheReader;
use crate::{PublishError, Selection};
use batch::{Answer, Batch};
use look::Look;
use walk::Walk;

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

/// Files on their way to a thread that looks at them, and where the answers go.
type Task = (Batch, SyncSender<Answers>);
type Answers = (Batch, Vec<Answer>);

impl Folder {
    /// Shows each file, in the order of the URIs. Hidden files and folders are left out, unless the
    /// selection says otherwise, and so are links that lead out of the folder. Of what cannot be read,
    /// or changes while it is read, only the URI is shown, in its place, with a slash at its end for a
    /// folder; why is said to `passed`.
    ///
    /// A file that is as `cache` remembers it is not read. With `gone`, what it remembers and is not
    /// there is shown, too, in its place.
    ///
    /// One thread walks, all cores look at files, and this one shows them.
    pub(crate) fn each(
        &self,
        cache: Option<CacheReader>,
        gone: bool,
        mut seen: impl FnMut(Sight<'_>) -> Result<(), PublishError>,
        mut passed: impl FnMut(Passed),
    ) -> Result<(), PublishError> {
        let mut walk = Walk::begin(self, cache, gone)?;
        // What was published is remembered only with just the digests that are wanted.
        let look = Look { algorithms: &self.algorithms, trusting: gone };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        // Dropped with this closure's end, whatever that is: then the walk ends, too.
        std::thread::scope(|scope| {
            let (order, in_order) = sync_channel::<Receiver<Answers>>(BATCHES);
            let (work, queue) = sync_channel::<Task>(BATCHES);
            scope.spawn(move || {
                loop {
                    let batch = walk.batch();
                    let (answer, answers) = sync_channel(1);
                    if batch.seen.is_empty() || order.send(answers).is_err() {
                        break;
                    }
                    if work.send((batch, answer)).is_err() {
                        break;
                    }
                }
            });
            let queue = std::sync::Arc::new(Mutex::new(queue));
            for _ in 0..threads {
                let (queue, look) = (queue.clone(), look.clone());
                scope.spawn(move || {
                    let mut buffer = Vec::new();
                    loop {
                        let task = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                        let Ok((mut batch, answer)) = task else { break };
                        let answers = look.at(&mut batch, &mut buffer);
                        // Nobody waits for it after an error.
                        let _ = answer.send((batch, answers));
                    }
                });
            }
            drop(queue);
            for answers in in_order {
                let (batch, answers) = answers.recv().unwrap_or_default();
                for answer in answers {
                    match answer {
                        Answer::Same(known) => seen(Sight::Same(batch.same(&known)))?,
                        Answer::Other(sight, why) => {
                            sight.map_or(Ok(()), |sight| seen(*sight))?;
                            why.into_iter().for_each(&mut passed);
                        }
                    }
                }
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests;
