//! Snapshots of what Sitemaps say, and what is different from one to the next.
//!
//! A snapshot is made of runs: sorted parts of what one document says, small enough to be sorted in
//! memory. A document that is unchanged keeps its runs. All runs of the last snapshot are merged into
//! one sorted stream, those of the new one into another, and the two are walked side by side: the
//! memory that takes is that of one piece of each run, however many pages the site has.

mod difference;
mod merge;
mod moves;
mod run;

pub(crate) use difference::{Counted, Difference, compare};
pub(crate) use merge::Merge;
pub(crate) use moves::{MoveFinder, Moves};
pub(crate) use run::{Page, RunBuilder, SortedRun};
