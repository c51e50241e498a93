#![doc = include_str!("../README.md")]

mod error;
mod folder;
mod served_folder;
mod staging;
mod store;

pub use error::ByteStoreError;
pub use folder::{FolderStore, STATE_FOLDER};
pub use served_folder::ServedFolder;
pub use staging::{StagedFile, StagingArea};
pub use store::{
    ByteReader, ByteStore, CommitOutcome, FileDigest, FileStamp, FolderEntry, ListedFile, Occupant,
};
