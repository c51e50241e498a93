//! Buckets of every kind.

mod listed;
mod read;
mod server;

use std::sync::Arc;

use object_store::memory::InMemory;
use object_store::path::Path as Key;
use object_store::{ObjectStore, ObjectStoreExt};

use super::store::Kind;
use super::*;
use crate::Resource;

const BASE: &str = "https://e.example/";

/// A store in memory with these objects, the content of each its key.
fn memory(keys: &[&str]) -> Arc<InMemory> {
    let store = Arc::new(InMemory::new());
    for key in keys {
        put(&*store, key, key);
    }
    store
}

fn put(store: &dyn ObjectStore, key: &str, content: &str) {
    let key = Key::parse(key).unwrap();
    wait(store.put(&key, content.to_owned().into())).unwrap();
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// A bucket that holds next to nothing in memory, so that all goes through files.
fn bucket(objects: Arc<dyn ObjectStore>, prefix: &str) -> (tempfile::TempDir, Bucket) {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::at(objects, Kind::S3, "s3://bucket/", Key::parse(prefix).unwrap());
    let bucket = Bucket::over(store, BASE, scratch.path(), 4 << 10);
    (scratch, bucket)
}

/// What a bucket shows, without the base, and the keys that it passes over with the reasons.
type Shown = (Vec<Result<Resource, String>>, Vec<(String, String)>);

fn shown(bucket: &Bucket) -> Shown {
    let (mut all, mut passed) = (Vec::new(), Vec::new());
    let short = |uri: &str| uri.strip_prefix(BASE).unwrap().to_owned();
    bucket
        .visit(&mut |item| {
            match item {
                InventoryItem::Resource(one) => {
                    all.push(Ok(Resource { uri: short(&one.uri), ..one }));
                }
                InventoryItem::Unknown(uri) => all.push(Err(short(&uri))),
                InventoryItem::Passed(one) => {
                    passed.push((one.path.to_str().unwrap().to_owned(), one.reason));
                }
            }
            Ok(())
        })
        .unwrap();
    (all, passed)
}

fn uris(all: &[Result<Resource, String>]) -> Vec<&str> {
    all.iter().map(|one| one.as_ref().unwrap().uri.as_str()).collect()
}
