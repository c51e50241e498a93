//! A package of the Resource Dump, made while it is sent.

use std::io::{self, BufWriter, Read, Write};

use sha2::{Digest as _, Sha256};
use tidings_base::ZipWriter;
use tidings_document::{Algorithm, Digest, Hash, Writer};

use crate::documents::{Between, Documents};
use crate::journal::Millis;
use crate::listing::Listing;
use crate::page_meta::PageMeta;

/// What is written at a time.
const PIECE: usize = 64 << 10;
/// Pages shrink by much at once, and hardly more with more work.
const LEVEL: u32 = 3;

impl Documents<'_> {
    /// Writes a package: what is between these paths now, and a manifest, which comes last, since it has
    /// the digests. `open` gives what is sent at an object's URL; what it does not find is left out.
    pub fn package<R: Read>(
        &self,
        listing: &Listing,
        between: &Between,
        now: Millis,
        out: impl Write,
        mut open: impl FnMut(&PageMeta) -> io::Result<R>,
    ) -> io::Result<()> {
        let out = BufWriter::with_capacity(PIECE, out);
        let mut zip = ZipWriter::new(out, 0, LEVEL);
        let mut manifest =
            Writer::new(Vec::new(), &self.manifest(now)).map_err(io::Error::other)?;
        let all = listing.between(between.from.as_deref(), between.until.as_deref());
        for (place, meta) in all.enumerate() {
            let mut content = match open(meta) {
                Ok(content) => content,
                // It went away meanwhile, which the Change List tells.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let name = format!("resources/{place:06}");
            let packs = meta.mime.starts_with("text/") || meta.mime.ends_with("xml");
            let (mut length, mut sha) = (0, Sha256::new());
            zip.stream(&name, packs, |out| -> io::Result<()> {
                let mut buffer = vec![0; PIECE];
                loop {
                    let read = content.read(&mut buffer)?;
                    if read == 0 {
                        return Ok(());
                    }
                    sha.update(&buffer[..read]);
                    length += read as u64;
                    out.write_all(&buffer[..read])?;
                }
            })?;
            let mut said = self.packed(meta, format!("/{name}"), length);
            let digest = Digest::new(Algorithm::Sha256, &sha.finalize());
            said.metadata.hash = digest.map(|digest| Hash::new(&[digest]));
            manifest.write(&said).map_err(io::Error::other)?;
        }
        let (bytes, _) = manifest.finish().map_err(io::Error::other)?;
        zip.stream("manifest.xml", false, |out| out.write_all(&bytes))?;
        zip.finish().map(drop)
    }
}
