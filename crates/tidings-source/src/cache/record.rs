//! One resource in the cache.

use std::io::{self, Read, Write};

use tidings_document::{Algorithm, Digest, Hash, Moment, Precision};

use super::Stamp;
use super::input::Input;
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
pub(super) fn read(input: &mut Input<impl Read>, uri: &mut String) -> io::Result<Option<Record>> {
    let Some(set) = input.number()?.checked_sub(1) else { return Ok(None) };
    let shared = usize::try_from(input.number()?).map_err(|_| damaged())?;
    let own = input.text()?;
    // In the order of the URIs: what follows the shared part is greater than it was.
    let before = uri.as_bytes().get(shared..).ok_or_else(damaged)?;
    if !uri.is_char_boundary(shared) || (!uri.is_empty() && own.as_bytes() <= before) {
        return Err(damaged());
    }
    uri.truncate(shared);
    uri.push_str(own);
    let stamp = match input.byte()? {
        0 => None,
        _ => Some(Stamp::of_bytes(input.array()?)),
    };
    let length = input.number()?.checked_sub(1);
    let lastmod = match input.byte()? {
        0 => None,
        1 => Moment::from_unix(i64::from_le_bytes(input.array()?), 0, Precision::Second),
        _ => Moment::parse(input.text()?).ok(),
    };
    let media_type = Some(input.text()?).filter(|text| !text.is_empty()).map(str::to_owned);
    let mut digests = Vec::new();
    for _ in 0..input.number()? {
        let code = usize::try_from(input.number()?).map_err(|_| damaged())?;
        let algorithm = *ALGORITHMS.get(code).ok_or_else(damaged)?;
        digests.extend(Digest::new(algorithm, input.bytes(algorithm.size())?));
    }
    let hash = (!digests.is_empty()).then(|| Hash::new(&digests));
    let set = usize::try_from(set).map_err(|_| damaged())?;
    let resource =
        Resource { uri: uri.clone(), lastmod, length, media_type, hash, links: Vec::new() };
    Ok(Some(Record { set, resource, stamp }))
}

pub(super) fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the cache is damaged")
}

/// Writes a number in as many bytes as it needs, seven bits in each.
fn number(out: &mut impl Write, mut number: u64) -> io::Result<()> {
    while number > 0x7f {
        out.write_all(&[(number & 0x7f) as u8 | 0x80])?;
        number >>= 7;
    }
    out.write_all(&[number as u8])
}

fn text(out: &mut impl Write, text: &[u8]) -> io::Result<()> {
    number(out, text.len() as u64)?;
    out.write_all(text)
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
        proptest::collection::vec(record, 0..20).prop_map(|mut records| {
            records.sort_by(|one, other| one.resource.uri.cmp(&other.resource.uri));
            records.dedup_by(|one, other| one.resource.uri == other.resource.uri);
            records.retain(|record| !record.resource.uri.is_empty());
            records
        })
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
            let (mut input, mut uri) = (Input::new(bytes.as_slice()), String::new());
            for record in &records {
                let got = read(&mut input, &mut uri).unwrap();
                prop_assert_eq!(got.as_ref(), Some(record));
            }
            prop_assert_eq!(read(&mut input, &mut uri).unwrap(), None);
        }

        #[test]
        fn whatever_is_read_is_an_answer_or_an_error(bytes: Vec<u8>) {
            let (mut input, mut uri) = (Input::new(bytes.as_slice()), String::new());
            while let Ok(Some(_)) = read(&mut input, &mut uri) {}
        }
    }
}
