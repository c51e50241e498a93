#![doc = include_str!("../README.md")]

mod error;
mod folder;
mod staging;
mod store;

pub use error::ByteStoreError;
pub use folder::{FolderStore, STATE_FOLDER};
pub use staging::{StagedFile, StagingArea};
pub use store::{
    ByteReader, ByteStore, CommitOutcome, FileDigest, FileStamp, ListedFile, Occupant,
};
