//! ZIP files by hand, so that each field can lie.

use std::io::Write as _;

/// A member, and what its two headers say of it.
#[derive(Clone)]
pub struct Member {
    pub name: Vec<u8>,
    pub content: Vec<u8>,
    /// 0 is stored, 8 is deflate.
    pub method: u16,
    pub flags: u16,
    pub crc: u32,
    /// What the directory says of its length.
    pub length: u64,
    /// What the header before it says of its name.
    pub local_name: Option<Vec<u8>>,
    /// What the header before it says of its length.
    pub local_length: Option<u32>,
    /// Its Unix mode, with the kind of file.
    pub mode: u32,
    /// What the directory adds to where it begins.
    pub shift: i64,
    pub extra: Vec<u8>,
    stored: Vec<u8>,
}

pub fn member(name: impl Into<Vec<u8>>, content: impl Into<Vec<u8>>) -> Member {
    let content = content.into();
    let mut crc = flate2::Crc::new();
    crc.update(&content);
    Member {
        name: name.into(),
        method: 0,
        flags: 0,
        crc: crc.sum(),
        length: content.len() as u64,
        local_name: None,
        local_length: None,
        mode: 0o100_644,
        shift: 0,
        extra: Vec::new(),
        stored: content.clone(),
        content,
    }
}

impl Member {
    pub fn deflated(mut self) -> Self {
        let mut encoder =
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(&self.content).unwrap();
        self.stored = encoder.finish().unwrap();
        self.method = 8;
        self
    }

    /// What lies in the file, whatever the headers say.
    pub fn stored(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stored = bytes.into();
        self
    }

    pub fn set(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

/// The whole file.
pub fn zip(members: &[Member]) -> Vec<u8> {
    zip_with(members, |_| {})
}

/// The same, with a change of the 22 bytes at its end.
pub fn zip_with(members: &[Member], change_end: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for member in members {
        let start = (out.len() as i64 + member.shift).unsigned_abs() as u32;
        let local_name = member.local_name.as_ref().unwrap_or(&member.name);
        out.extend(b"PK\x03\x04\x14\0");
        put16(&mut out, &[member.flags, member.method, 0, 0x21]);
        let length = member.length as u32;
        put32(&mut out, &[member.crc, member.stored.len() as u32]);
        put32(&mut out, &[member.local_length.unwrap_or(length)]);
        put16(&mut out, &[local_name.len() as u16, 0]);
        out.extend(local_name);
        out.extend(&member.stored);
        directory.extend(b"PK\x01\x02\x14\x03\x14\0");
        put16(&mut directory, &[member.flags, member.method, 0, 0x21]);
        put32(&mut directory, &[member.crc, member.stored.len() as u32, length]);
        put16(&mut directory, &[member.name.len() as u16, member.extra.len() as u16, 0, 0, 0]);
        put32(&mut directory, &[member.mode << 16, start]);
        directory.extend(&member.name);
        directory.extend(&member.extra);
    }
    let mut end = b"PK\x05\x06\0\0\0\0".to_vec();
    put16(&mut end, &[members.len() as u16, members.len() as u16]);
    put32(&mut end, &[directory.len() as u32, out.len() as u32]);
    put16(&mut end, &[0]);
    change_end(&mut end);
    [out, directory, end].concat()
}

fn put16(out: &mut Vec<u8>, numbers: &[u16]) {
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn put32(out: &mut Vec<u8>, numbers: &[u32]) {
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

/// The content of all members of an archive, one after the other; none if it is no archive.
pub fn members(bytes: &[u8]) -> Option<Vec<u8>> {
    let archive = rawzip::ZipArchive::from_slice(bytes).ok()?;
    let mut all = Vec::new();
    for entry in archive.entries() {
        let entry = entry.ok()?;
        all.extend_from_slice(entry.file_path().as_bytes());
        all.push(b'\n');
        let found = archive.get_entry(entry.wayfinder()).ok()?;
        if entry.compression_method() == rawzip::CompressionMethod::DEFLATE {
            let mut decoder = flate2::read::DeflateDecoder::new(found.data());
            std::io::Read::read_to_end(&mut decoder, &mut all).ok()?;
        } else {
            all.extend_from_slice(found.data());
        }
    }
    Some(all)
}
