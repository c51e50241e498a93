//! The live Markdown site: whatever is on disk now is what a visitor, a crawler and a follower gets now.

mod object_id;

pub use object_id::ObjectId;
