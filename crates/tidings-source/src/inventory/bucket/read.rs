//! Objects that are read for their digests.

use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::path::Path;
use object_store::{Error, GetOptions, ObjectMeta, ObjectStore, ObjectStoreExt};
use tidings_document::{Algorithm, Digest, Hash};

use super::fault;
use super::list::modified;
use super::store::{Kind, Store};
use crate::fixity::Function;
use crate::{PublishError, Resource};

/// How many objects are gathered before they are read. More than are read at once, so that a large
/// one holds up few others.
const BATCH: usize = 256;

/// How many objects are read at once. Of each, no more is held than the network gives at a time.
const AT_ONCE: usize = 16;

/// How many objects one after the other may fail for want of an answer before the store counts as
/// gone. Each was tried again for minutes, by the client.
const MOST_UNANSWERED: usize = 32;

/// Resources whose objects are to be read.
pub(super) struct Batch<'a> {
    store: &'a Store,
    base: &'a str,
    algorithms: &'a [Algorithm],
    resources: Vec<Resource>,
    unanswered: usize,
}

/// What became of a resource.
pub(super) struct Answer {
    pub(super) resource: Resource,
    /// The key of its object.
    pub(super) key: String,
    /// Whether the object was read.
    pub(super) result: Result<(), ObjectReadError>,
}

/// Why an object was not read.
pub(super) enum ObjectReadError {
    Gone,
    Changed,
    Failed(Error),
}

impl ObjectReadError {
    /// The reason, and what helps with a store of that kind.
    pub(super) fn describe(&self, kind: Kind) -> String {
        match self {
            Self::Gone => "it was deleted after it was listed".into(),
            Self::Changed => "it changed while it was read".into(),
            Self::Failed(error) => fault::of(kind, error).to_string(),
        }
    }
}

impl<'a> Batch<'a> {
    pub(super) fn new(store: &'a Store, base: &'a str, algorithms: &'a [Algorithm]) -> Self {
        Self { store, base, algorithms, resources: Vec::with_capacity(BATCH), unanswered: 0 }
    }

    pub(super) fn is_full(&self) -> bool {
        self.resources.len() >= BATCH
    }

    pub(super) fn add(&mut self, resource: Resource) {
        self.resources.push(resource);
    }

    /// Reads all objects of the batch, which is empty then. The resources are in the order in which
    /// they were added.
    pub(super) async fn read(&mut self) -> Result<Vec<Answer>, PublishError> {
        let Self { store, base, algorithms, .. } = *self;
        let resources = std::mem::take(&mut self.resources);
        let reading = resources.into_iter().enumerate().map(|(place, mut resource)| async move {
            let key = store.key(resource.uri.strip_prefix(base).unwrap_or(&resource.uri));
            let (key, result) = match key {
                Ok(key) => {
                    let result = read(store, &key, algorithms, &mut resource).await;
                    (String::from(key), result)
                }
                Err(error) => (resource.uri.clone(), Err(ObjectReadError::Failed(error.into()))),
            };
            (place, resource, key, result)
        });
        // Not in order, so that none waits for a larger one before it.
        let mut reading = stream::iter(reading).buffer_unordered(AT_ONCE);
        let mut answers = Vec::with_capacity(BATCH);
        while let Some((place, resource, key, result)) = reading.next().await {
            self.unanswered = match &result {
                Err(ObjectReadError::Failed(error)) if !is_about_one(error) => self.unanswered + 1,
                _ => 0,
            };
            let result = match result {
                Err(ObjectReadError::Failed(error)) if self.unanswered >= MOST_UNANSWERED => {
                    return Err(store.failed("could not read the objects of", &error));
                }
                result => result,
            };
            answers.push((place, Answer { resource, key, result }));
        }
        answers.sort_unstable_by_key(|(place, _)| *place);
        Ok(answers.into_iter().map(|(_, answer)| answer).collect())
    }
}

/// True if an error says nothing of the other objects: each may have rights of its own.
fn is_about_one(error: &Error) -> bool {
    matches!(error, Error::PermissionDenied { .. })
}

/// Reads an object, twice if it has to be: one that is replaced may be away for a moment.
async fn read(
    store: &Store,
    key: &Path,
    algorithms: &[Algorithm],
    resource: &mut Resource,
) -> Result<(), ObjectReadError> {
    match read_once(store, key, algorithms, resource).await {
        Err(ObjectReadError::Gone | ObjectReadError::Changed) => {
            read_once(store, key, algorithms, resource).await
        }
        result => result,
    }
}

/// Reads an object. Time, length and digests are of the one version that the answer is of, which may
/// be newer than the one that was listed: to insist on that by its `ETag` would only fail more often.
/// The client does insist when it goes on after a connection broke.
async fn read_once(
    store: &Store,
    key: &Path,
    algorithms: &[Algorithm],
    resource: &mut Resource,
) -> Result<(), ObjectReadError> {
    let answer = store.objects.get_opts(key, GetOptions::default()).await?;
    let object: ObjectMeta = answer.meta.clone();
    let mut functions: Vec<Function> = algorithms.iter().copied().map(Function::new).collect();
    let mut length = 0;
    let mut bytes = answer.into_stream();
    while let Some(some) = bytes.try_next().await? {
        length += some.len() as u64;
        functions.iter_mut().for_each(|function| function.update(&some));
    }
    // Stores replace objects whole; only files are written to while they are read.
    let is_same =
        store.kind != Kind::Folder || store.objects.head(key).await?.e_tag == object.e_tag;
    if length != object.size || !is_same {
        return Err(ObjectReadError::Changed);
    }
    let digests: Vec<Digest> = functions.into_iter().filter_map(Function::finish).collect();
    resource.lastmod = modified(&object);
    resource.length = Some(length);
    resource.hash = (!digests.is_empty()).then(|| Hash::new(&digests));
    Ok(())
}

impl From<Error> for ObjectReadError {
    fn from(error: Error) -> Self {
        match error {
            Error::NotFound { .. } => Self::Gone,
            // By the client itself, when it went on after a connection broke.
            Error::Precondition { .. } => Self::Changed,
            other => Self::Failed(other),
        }
    }
}
