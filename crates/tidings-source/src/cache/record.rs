//! One resource in the cache.

use std::io::{self, Read, Write};

use tidings_document::{Algorithm, Digest, Hash, Moment, Precision};

use super::Stamp;
use crate::Resource;

/// What is remembered of a resource: what was published of it, but for links that rules give, and by
/// what its file is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) set: usize,
    pub(crate) resource: Resource,
    pub(crate) stamp: Option<Stamp>,
}

const ALGORITHMS: [Algorithm; 6] = [
    Algorithm::Md5,
    Algorithm::Sha1,
    Algorithm::Sha224,
    Algorithm::Sha256,
    Algorithm::Sha384,
    Algorithm::Sha512,
];

/// No text in a record is longer.
const LONGEST: u64 = 1 << 20;

/// Writes a record. Of its URI only what differs from the one before is written.
pub(super) fn write(
    out: &mut impl Write,
    before: &str,
    set: usize,
    resource: &Resource,
    stamp: Option<&Stamp>,
) -> io::Result<()> {
    // One more than the set, so that 0 is the end.
    number(out, set as u64 + 1)?;
    let uri = resource.uri.as_bytes();
    let shared = uri.iter().zip(before.as_bytes()).take_while(|(one, other)| one == other).count();
    number(out, shared as u64)?;
    text(out, &uri[shared..])?;
    match stamp {
        Some(stamp) => out.write_all(&[1]).and_then(|()| out.write_all(&stamp.bytes()))?,
        None => out.write_all(&[0])?,
    }
    number(out, resource.length.map_or(0, |length| length.saturating_add(1)))?;
    match resource.lastmod {
        None => out.write_all(&[0])?,
        Some(moment) if moment.precision() == Precision::Second => {
            out.write_all(&[1])?;
            out.write_all(&moment.unix_seconds().to_le_bytes())?;
        }
        Some(moment) => {
            out.write_all(&[2])?;
            text(out, moment.to_string().as_bytes())?;
        }
    }
    text(out, resource.media_type.as_deref().unwrap_or_default().as_bytes())?;
    let digests: Vec<Digest> =
        resource.hash.iter().flat_map(|hash| hash.digests().flatten()).collect();
    number(out, digests.len() as u64)?;
    for digest in digests {
        let code = ALGORITHMS.iter().position(|known| *known == digest.algorithm());
        number(out, code.unwrap_or_default() as u64)?;
        out.write_all(digest.bytes())?;
    }
    Ok(())
}

/// Reads a record; none at the end. `uri` is the one before, and then that of this record.
pub(super) fn read(input: &mut impl Read, uri: &mut Vec<u8>) -> io::Result<Option<Record>> {
    let Some(set) = read_number(input)?.checked_sub(1) else { return Ok(None) };
    let shared = usize::try_from(read_number(input)?).map_err(|_| damaged())?;
    if shared > uri.len() {
        return Err(damaged());
    }
    uri.truncate(shared);
    uri.extend(read_text(input)?);
    let stamp = match read_byte(input)? {
        0 => None,
        _ => {
            let mut bytes = [0; Stamp::SIZE];
            input.read_exact(&mut bytes)?;
            Some(Stamp::of_bytes(bytes))
        }
    };
    let length = read_number(input)?.checked_sub(1);
    let lastmod = match read_byte(input)? {
        0 => None,
        1 => {
            let mut seconds = [0; 8];
            input.read_exact(&mut seconds)?;
            Moment::from_unix(i64::from_le_bytes(seconds), 0, Precision::Second)
        }
        _ => Moment::parse(&utf8(read_text(input)?)?).ok(),
    };
    let media_type = Some(utf8(read_text(input)?)?).filter(|text| !text.is_empty());
    let mut digests = Vec::new();
    for _ in 0..read_number(input)? {
        let code = usize::try_from(read_number(input)?).map_err(|_| damaged())?;
        let algorithm = *ALGORITHMS.get(code).ok_or_else(damaged)?;
        let mut bytes = [0; 64];
        let bytes = &mut bytes[..algorithm.size()];
        input.read_exact(bytes)?;
        digests.extend(Digest::new(algorithm, bytes));
    }
    let hash = (!digests.is_empty()).then(|| Hash::new(&digests));
    let uri = utf8(uri.clone())?;
    let set = usize::try_from(set).map_err(|_| damaged())?;
    let resource = Resource { uri, lastmod, length, media_type, hash, links: Vec::new() };
    Ok(Some(Record { set, resource, stamp }))
}

pub(super) fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the cache is damaged")
}

fn utf8(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| damaged())
}

/// Writes a number in as many bytes as it needs, seven bits in each.
fn number(out: &mut impl Write, mut number: u64) -> io::Result<()> {
    while number > 0x7f {
        out.write_all(&[(number & 0x7f) as u8 | 0x80])?;
        number >>= 7;
    }
    out.write_all(&[number as u8])
}

fn read_number(input: &mut impl Read) -> io::Result<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = read_byte(input)?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(damaged())
}

fn read_byte(input: &mut impl Read) -> io::Result<u8> {
    let mut byte = [0];
    input.read_exact(&mut byte)?;
    Ok(byte[0])
}

fn text(out: &mut impl Write, text: &[u8]) -> io::Result<()> {
    number(out, text.len() as u64)?;
    out.write_all(text)
}

fn read_text(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let length = read_number(input)?;
    if length > LONGEST {
        return Err(damaged());
    }
    let mut text = vec![0; length as usize];
    input.read_exact(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn records() -> impl Strategy<Value = Vec<Record>> {
        let stamp = proptest::option::of(any::<[u8; 32]>().prop_map(Stamp::of_bytes));
        let lastmod = proptest::option::of((0_i64..4_000_000_000, any::<bool>()));
        let digests = proptest::collection::vec((0_usize..6, any::<u8>()), 0..3);
        let fields = (0_usize..300, "[a-d/]{0,12}", stamp, any::<Option<u32>>(), lastmod, digests);
        let record = fields.prop_map(|(set, uri, stamp, length, lastmod, digests)| {
            let precision = |whole| if whole { Precision::Second } else { Precision::Fraction(3) };
            let digests: Vec<Digest> = digests
                .into_iter()
                .filter_map(|(code, byte)| {
                    Digest::new(ALGORITHMS[code], &vec![byte; ALGORITHMS[code].size()])
                })
                .collect();
            let resource = Resource {
                uri,
                lastmod: lastmod
                    .and_then(|(seconds, whole)| Moment::from_unix(seconds, 0, precision(whole))),
                length: length.map(u64::from),
                media_type: Some("text/html".into()),
                hash: (!digests.is_empty()).then(|| Hash::new(&digests)),
                links: Vec::new(),
            };
            Record { set, resource, stamp }
        });
        proptest::collection::vec(record, 0..20)
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(records in records()) {
            let mut bytes = Vec::new();
            let mut before = "";
            for Record { set, resource, stamp } in &records {
                write(&mut bytes, before, *set, resource, stamp.as_ref()).unwrap();
                before = &resource.uri;
            }
            bytes.push(0);
            let (mut input, mut uri) = (bytes.as_slice(), Vec::new());
            for record in &records {
                let got = read(&mut input, &mut uri).unwrap();
                prop_assert_eq!(got.as_ref(), Some(record));
            }
            prop_assert_eq!(read(&mut input, &mut uri).unwrap(), None);
        }

        #[test]
        fn whatever_is_read_is_an_answer_or_an_error(bytes: Vec<u8>) {
            let (mut input, mut uri) = (bytes.as_slice(), Vec::new());
            while let Ok(Some(_)) = read(&mut input, &mut uri) {}
        }
    }
}
