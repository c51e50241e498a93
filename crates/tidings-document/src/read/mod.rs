//! The streaming reader.

mod attributes;
mod decode;
mod element;
mod error;
mod limits;
mod reader;
mod stream;
mod window;

pub use error::ReadError;
pub use limits::{Limits, ReadOptions};
pub use reader::Reader;
