//! What stands before a member, and behind it.

use super::Fault;
use super::directory::Entry;
use super::number::{number16, number32, number64};

/// The part of a header that is always there (APPNOTE 4.3.7).
pub(super) const FIXED: usize = 30;

/// The longest data descriptor (APPNOTE 4.3.9).
pub(super) const DESCRIPTOR: usize = 24;

/// A flag: sum and lengths stand behind the member (APPNOTE 4.4.4, bit 3).
const IS_BEHIND: u16 = 1 << 3;

/// A length that is in the field of ZIP64, or the number of that field (APPNOTE 4.5.3).
const ELSEWHERE: u32 = u32::MAX;
const ZIP64: u16 = 1;

/// How long the header is that begins with these bytes.
pub(super) fn length(fixed: &[u8; FIXED]) -> Result<usize, Fault> {
    if !fixed.starts_with(b"PK\x03\x04") {
        return Err(Fault::Header { what: "place" });
    }
    Ok(FIXED + usize::from(number16(fixed, 26)) + usize::from(number16(fixed, 28)))
}

/// Holds a header against what the directory says. It is as long as [`length`] says.
pub(super) fn check(header: &[u8], entry: &Entry, name: &[u8]) -> Result<(), Fault> {
    let differs = |what| Err(Fault::Header { what });
    let (flags, method) = (number16(header, 6), number16(header, 8));
    let (named, extra) = header[FIXED..].split_at(usize::from(number16(header, 26)));
    if named != name {
        return differs("name");
    }
    if method != entry.method {
        return differs("method");
    }
    // Encryption and the descriptor: the others say how hard the compressor tried, or speak of names.
    if (flags ^ entry.flags) & (IS_BEHIND | 0x2041) != 0 {
        return differs("kind");
    }
    // What is not known when the header is written stands behind, and is nothing here; the same in
    // the field of ZIP64.
    let is_behind = flags & IS_BEHIND != 0;
    let is_same = |here: u64, said: u64| here == said || is_behind && here == 0;
    let (sum, stored, length) = (number32(header, 14), number32(header, 18), number32(header, 22));
    if !is_same(sum.into(), entry.sum.into()) {
        return differs("CRC");
    }
    let mut wide = wide(extra).chunks_exact(8).map(|number| number64(number, 0));
    let mut full = |short: u32| match short {
        // Where there is no such field the number means itself.
        ELSEWHERE => wide.next().unwrap_or(short.into()),
        _ => short.into(),
    };
    if !is_same(full(length), entry.length) || !is_same(full(stored), entry.stored) {
        return differs("length");
    }
    Ok(())
}

pub(super) fn has_descriptor(entry: &Entry) -> bool {
    entry.flags & IS_BEHIND != 0
}

/// Holds what stands behind a member against what the directory says. The numbers are short or long,
/// and there is a signature or none: nothing tells which (APPNOTE 4.3.9.3).
pub(super) fn check_descriptor(bytes: &[u8], entry: &Entry) -> Result<(), Fault> {
    let bare = |bytes: &[u8]| {
        let is_sum = bytes.get(..4).is_some_and(|sum| number32(sum, 0) == entry.sum);
        let short = bytes.get(4..12).is_some_and(|lengths| {
            let (stored, length) = (number32(lengths, 0), number32(lengths, 4));
            u64::from(stored) == entry.stored && u64::from(length) == entry.length
        });
        let long = || {
            bytes.get(4..20).is_some_and(|lengths| {
                number64(lengths, 0) == entry.stored && number64(lengths, 8) == entry.length
            })
        };
        is_sum && (short || long())
    };
    if bare(bytes) || bytes.strip_prefix(b"PK\x07\x08").is_some_and(bare) {
        return Ok(());
    }
    Err(Fault::Header { what: "descriptor" })
}

/// The content of the field of ZIP64.
fn wide(mut extra: &[u8]) -> &[u8] {
    while extra.len() >= 4 {
        let length = usize::from(number16(extra, 2));
        let Some(content) = extra.get(4..4 + length) else { break };
        if number16(extra, 0) == ZIP64 {
            return content;
        }
        extra = &extra[4 + length..];
    }
    &[]
}
