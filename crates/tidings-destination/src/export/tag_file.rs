//! The tag files of a bag, written with a digest of what is in them.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tidings_document::{Algorithm, Digest};
use tidings_source::Function;

/// A file that is hashed while it is written.
pub(super) struct TagFile {
    name: String,
    out: BufWriter<File>,
    function: Function,
}

impl TagFile {
    pub(super) fn create(folder: &Path, name: String) -> io::Result<Self> {
        let out = BufWriter::new(File::create_new(folder.join(&name))?);
        Ok(Self { name, out, function: Function::new(Algorithm::Sha256) })
    }

    /// A file with that text.
    pub(super) fn write(folder: &Path, name: &str, text: &str) -> io::Result<(String, Digest)> {
        let mut file = Self::create(folder, name.to_owned())?;
        file.add(text)?;
        file.finish()
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn add(&mut self, text: &str) -> io::Result<()> {
        self.function.update(text.as_bytes());
        self.out.write_all(text.as_bytes())
    }

    /// Its name and digest, once all of it is written.
    pub(super) fn finish(mut self) -> io::Result<(String, Digest)> {
        self.out.flush()?;
        let digest = self.function.finish().ok_or(io::ErrorKind::Other)?;
        Ok((self.name, digest))
    }
}

/// A line of a manifest. In its path CR, LF and the percent sign are percent-encoded, and nothing else
/// (RFC 8493, 2.1.3).
pub(super) fn manifest_line(digest: &Digest, path: &str) -> String {
    let mut line = String::with_capacity(160);
    tidings_base::push_hex(&mut line, digest.bytes());
    line.push_str("  ");
    for character in path.chars() {
        match character {
            '%' => line.push_str("%25"),
            '\r' => line.push_str("%0D"),
            '\n' => line.push_str("%0A"),
            other => line.push(other),
        }
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_line_of_a_manifest() {
        let digest = Digest::new(Algorithm::Md5, &[0x0a; 16]).unwrap();
        let line = manifest_line(&digest, "data/100% a\r\nb ü?.txt");
        assert_eq!(line, format!("{}  data/100%25 a%0D%0Ab ü?.txt\n", "0a".repeat(16)));
    }
}
