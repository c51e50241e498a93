//! What is wrong with a package.

use std::io;

/// Why a package, or a member of it, is not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackageError {
    /// The file could not be read: nothing is known of the package.
    #[error("could not read the package")]
    Read {
        /// Why.
        source: io::Error,
    },
    /// It is no ZIP file, or its end is missing.
    #[error("the package is not a whole ZIP file: {reason}")]
    NotZip {
        /// What was missed.
        reason: String,
    },
    /// Its directory contradicts itself.
    #[error("the package's directory is damaged: {reason}")]
    Directory {
        /// How.
        reason: String,
    },
    /// It goes on in other files.
    #[error("the package is a part of a ZIP file in several parts")]
    Parts,
    /// It has more entries than the limits allow.
    #[error("the package has {entries} entries or more, {most} are allowed")]
    Entries {
        /// How many it has, or how many were counted when it was enough.
        entries: u64,
        /// How many are allowed.
        most: usize,
    },
    /// All its members together are more than the limits allow.
    #[error("the package is refused: together its members are {fault}")]
    Total {
        /// What is too much.
        fault: Fault,
    },
    /// There is no `manifest.xml` at its top level.
    #[error("the package has no manifest.xml at its top level")]
    NoManifest,
    /// Two members have one name, or names that are one on some systems.
    #[error("the package has two members `{name}` and `{other}`, which some systems take for one")]
    Twins {
        /// One name.
        name: String,
        /// The other one.
        other: String,
    },
    /// Two members have bytes in common.
    #[error("the package's members `{name}` and `{other}` lie over each other")]
    Overlap {
        /// The one that begins first.
        name: String,
        /// The other one.
        other: String,
    },
    /// Something is wrong with one member.
    #[error("the package's member `{name}` is {fault}")]
    Member {
        /// Its name, with what cannot be seen escaped.
        name: String,
        /// What.
        fault: Fault,
    },
}

impl From<io::Error> for PackageError {
    /// Takes the error out that reading a member put in.
    fn from(error: io::Error) -> Self {
        match error.downcast() {
            Ok(error) => error,
            Err(source) => Self::Read { source },
        }
    }
}

/// What is wrong with a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// It is encrypted.
    #[error("encrypted")]
    Encrypted,
    /// It is compressed by a method that is neither 0, stored, nor 8, deflate.
    #[error("compressed by method {method}, neither stored nor deflated")]
    Method {
        /// The method, as the format counts them.
        method: u16,
    },
    /// It is a link, a device or the like, or a folder that has content.
    #[error("not a plain file")]
    NotAFile,
    /// It has a name that no path is long enough for.
    #[error("named with more than 4,096 bytes")]
    Name,
    /// It is said to lie where the package's directory is, or beyond the end.
    #[error("not inside the package")]
    Outside,
    /// It has more bytes than the limits allow.
    #[error("{length} bytes long, {most} are allowed")]
    TooLong {
        /// How many bytes it is said to have.
        length: u64,
        /// How many are allowed.
        most: u64,
    },
    /// It is compressed so well that it seems to be made to fill disks.
    #[error("{length} bytes long and stored in {stored}, which is too good to be true")]
    Ratio {
        /// How many bytes it is said to have.
        length: u64,
        /// How many it has in the package.
        stored: u64,
    },
    /// What stands before it or behind it says other things of it than the directory.
    #[error("said to have another {what} by its header than by the package's directory")]
    Header {
        /// What is different.
        what: &'static str,
    },
    /// Its bytes cannot be decompressed.
    #[error("damaged: its bytes are not deflated ones")]
    Deflate,
    /// It has more or fewer bytes than the directory says.
    #[error("damaged: it has not the length that the directory says")]
    Length,
    /// Its sum is wrong.
    #[error("damaged: it has not the CRC that the directory says")]
    Sum,
    /// It is not known here.
    #[error("a member of another package")]
    Foreign,
    /// An error ended the reading before; there is no way to go on.
    #[error("not readable any more after an error")]
    Stopped,
}
