#![doc = include_str!("../README.md")]

mod access;
mod busy;
mod clock;
mod hex;
mod html;
mod join;
mod merge;
mod new_file;
mod replacement;
mod sorter;
mod sync;
pub mod text;
mod xml;
mod zip;

pub use access::Access;
pub use busy::retry_while_busy;
pub use clock::{unix_millis, unix_millis_after};
pub use hex::{from_hex, push_hex, to_hex, upper_hex};
pub use html::{Quotes, escape_html, push_html};
pub use join::{JoinHeads, Joined, MergeJoin};
pub use merge::{Merge, MergeHeads};
pub use new_file::{NewFile, TEMPORARY_PREFIX, rename_new};
pub use replacement::Replacement;
pub use sorter::{Sorter, SpillError, SpillRecord};
pub use sync::{PlaceError, parent_of, sync_file, sync_file_system, sync_folder, sync_parents};
pub use xml::{XmlWriter, is_xml_character};
pub use zip::{PackedFile, Packer, ZipWriter};
