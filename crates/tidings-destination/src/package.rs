//! Packages: the ZIP files of Resource Dumps and Change Dumps (sections 11, 13), read as what they
//! are, files of strangers.
//!
//! A package is read through the directory at its end, and never unpacked: the names in it are only
//! held against the paths in its manifest. What two readers could read differently is refused, so
//! that nobody sees another package than the one that was checked.

mod directory;
mod end;
mod error;
mod header;
mod limits;
mod name;
mod number;
mod raw;
mod reader;
mod verify;

use std::fs::File;
use std::io::Read;

use directory::Directory;
use raw::{Raw, Stop};
use rawzip::FileReader;
use reader::MemberReader;

pub use error::{Fault, PackageError};
pub use limits::PackageLimits;
pub use verify::Mismatch;

/// The manifest's name, at the top level of every package (section 11.2).
const MANIFEST: &str = "manifest.xml";

/// A package that is open. It is read at places, not onwards: any number of threads may read members
/// at once.
#[derive(Debug)]
pub struct Package {
    file: FileReader,
    directory: Directory,
    /// The place of the manifest in the directory.
    manifest: usize,
}

impl Package {
    /// Reads the directory of a package, and refuses the package as a whole if something is wrong
    /// with it: if it is no ZIP file or only a part of one, if it is encrypted, compressed in another
    /// way than by deflate, or longer than the limits allow; if names are there twice, members lie
    /// over each other or are no plain files; or if there is no manifest.
    ///
    /// What stands before each member is only looked at when the member is read, or by
    /// [`Package::check_headers`].
    pub fn open(file: File, limits: &PackageLimits) -> Result<Self, PackageError> {
        let (file, directory) = Directory::read(file, limits)?;
        let manifest = directory.find(MANIFEST.as_bytes()).ok_or(PackageError::NoManifest)?;
        let length = directory.entry(manifest).map_or(0, |entry| entry.length);
        if length > limits.manifest_bytes {
            let fault = Fault::TooLong { length, most: limits.manifest_bytes };
            return Err(PackageError::Member { name: MANIFEST.to_owned(), fault });
        }
        Ok(Self { file, directory, manifest })
    }

    /// The manifest.
    pub fn manifest(&self) -> Result<Vec<u8>, PackageError> {
        let mut bytes = Vec::new();
        match self.reader(self.manifest).read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(error) => Err(error.into()),
        }
    }

    /// Looks at what stands before each member, for those who want to know before they read the first
    /// one. It reads the file at as many places as there are members.
    pub fn check_headers(&self) -> Result<(), PackageError> {
        self.directory.iter().try_for_each(|(entry, name)| {
            Raw::check(&self.file, entry, name).map_err(|stop| match stop {
                Stop::Io(source) => PackageError::Read { source },
                Stop::Fault(fault) => PackageError::Member { name: name::shown(name), fault },
            })
        })
    }

    /// The member that a manifest's `path` names, with or without the slash that the standard has
    /// before it (section 13.2). A path that leads anywhere but straight down names none, and neither
    /// does that of the manifest.
    pub fn member(&self, manifest_path: &str) -> Option<Member> {
        let place = self.directory.find(name::of(manifest_path)?.as_bytes())?;
        let entry = self.directory.entry(place).filter(|_| place != self.manifest)?;
        Some(Member { place, length: entry.length, is_stored: !entry.is_deflated() })
    }

    /// How many members there are beside the manifest, folders not counted.
    pub fn members(&self) -> usize {
        self.directory.len() - 1
    }

    /// How many members there are beside the manifest and these, which its entries name.
    pub fn unlisted<'m>(&self, listed: impl IntoIterator<Item = &'m Member>) -> usize {
        let mut is_listed = vec![false; self.directory.len()];
        is_listed[self.manifest] = true;
        for member in listed {
            if let Some(is_listed) = is_listed.get_mut(member.place) {
                *is_listed = true;
            }
        }
        is_listed.iter().filter(|is_listed| !**is_listed).count()
    }

    /// The bytes of a member of this package. Before the last of them is given, all of them are known
    /// to be those that were packed, by length and by sum: what ends without an error is whole.
    ///
    /// What is wrong with the package is an error of the kind `InvalidData`, with a
    /// [`PackageError`] in it; every other error is one of reading the file.
    pub fn read<'a>(&'a self, member: &Member) -> impl Read + 'a {
        self.reader(member.place)
    }

    fn reader(&self, place: usize) -> MemberReader<'_> {
        MemberReader::new(&self.file, &self.directory, place)
    }
}

/// A file in a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    place: usize,
    length: u64,
    is_stored: bool,
}

impl Member {
    /// How many bytes it has when it is not compressed.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// True if it is not compressed in the package either.
    pub fn is_stored(&self) -> bool {
        self.is_stored
    }
}
