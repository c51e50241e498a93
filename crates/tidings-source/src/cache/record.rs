//! One resource in the cache.

use std::io::{self, Write};

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

/// Writes a record. Of its URI only what differs from the one before is written. `body` is for use
/// here.
pub(super) fn write(
    out: &mut impl Write,
    body: &mut Vec<u8>,
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
    body.clear();
    match stamp {
        Some(stamp) => {
            body.push(1);
            body.extend(stamp.bytes());
        }
        None => body.push(0),
    }
    body.push(u8::from(resource.is_page()));
    number(body, resource.length.map_or(0, |length| length.saturating_add(1)))?;
    match resource.lastmod {
        None => body.push(0),
        Some(moment) if moment.precision() == Precision::Second => {
            body.push(1);
            body.extend(moment.unix_seconds().to_le_bytes());
        }
        Some(moment) => {
            body.push(2);
            text(body, moment.to_string().as_bytes())?;
        }
    }
    text(body, resource.media_type.as_deref().unwrap_or_default().as_bytes())?;
    let digests: Vec<Digest> =
        resource.hash.iter().flat_map(|hash| hash.digests().flatten()).collect();
    number(body, digests.len() as u64)?;
    for digest in digests {
        let code = ALGORITHMS.iter().position(|known| *known == digest.algorithm());
        number(body, code.unwrap_or_default() as u64)?;
        body.extend(digest.bytes());
    }
    let sum = sum(set, [&uri[..shared], &uri[shared..]], body);
    body.extend(sum);
    text(out, body)
}

/// What tells a record that was damaged on the disk: else it would be taken for a change. The URI is in
/// two parts, that of the one before and its own.
pub(super) fn sum(set: usize, uri: [&[u8]; 2], body: &[u8]) -> [u8; SUM] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&set.to_le_bytes());
    uri.iter().for_each(|part| hasher.update(part));
    hasher.update(body);
    hasher.finalize().to_le_bytes()
}

/// How long the sum behind a record is.
pub(super) const SUM: usize = 4;

/// What a record says besides the URI, as it is written: most of it is not looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EncodedRecord<'b>(&'b [u8]);

impl<'b> EncodedRecord<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn bytes(self) -> &'b [u8] {
        self.0
    }

    /// True if the file is known by that.
    pub(crate) fn is_of(self, stamp: &Stamp) -> bool {
        self.0.split_first().is_some_and(|(some, rest)| {
            *some == 1 && rest.get(..Stamp::SIZE) == Some(&stamp.bytes()[..])
        })
    }

    fn after_stamp(self) -> io::Result<(Option<Stamp>, Input<'b>)> {
        let mut input = Input::new(self.0);
        let stamp = match input.byte()? {
            0 => None,
            _ => Some(Stamp::of_bytes(input.array()?)),
        };
        Ok((stamp, input))
    }

    /// How long the resource is, and whether it is a page.
    pub(crate) fn outline(self) -> io::Result<(Option<u64>, bool)> {
        let (_, mut input) = self.after_stamp()?;
        let page = input.byte()? != 0;
        Ok((input.number()?.checked_sub(1), page))
    }

    /// All that it says, of a URI in a set.
    pub(crate) fn record(self, set: usize, uri: &str) -> io::Result<Record> {
        let (stamp, mut input) = self.after_stamp()?;
        input.byte()?;
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
        let (uri, links) = (uri.to_owned(), Vec::new());
        Ok(Record {
            set,
            resource: Resource { uri, lastmod, length, media_type, hash, links },
            stamp,
        })
    }
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
        let stamp =
            proptest::option::of(proptest::array::uniform32(any::<u8>()).prop_map(|half| {
                let mut bytes = [7; Stamp::SIZE];
                bytes[..32].copy_from_slice(&half);
                Stamp::of_bytes(bytes)
            }));
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

    /// Writes records to a file, and reads them.
    fn written(records: &[Record]) -> Vec<Record> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache");
        let mut writer = super::super::CacheWriter::new(path.clone(), false).unwrap();
        for Record { set, resource, stamp } in records {
            writer.add(*set, resource, stamp.as_ref(), None).unwrap();
        }
        let totals = super::super::Totals { files: 1, bytes: 2 };
        writer.finish(&[7; 32], totals).unwrap();
        let mut reader = super::super::CacheReader::open(&path).unwrap();
        assert_eq!((reader.generation(), reader.totals()), (&[7; 32], totals));
        let mut read = Vec::new();
        while reader.advance().unwrap() {
            let file = reader.file();
            let record = file.record().unwrap();
            let (length, page) = file.body.outline().unwrap();
            assert_eq!((length, page), (record.resource.length, record.resource.is_page()));
            assert_eq!(
                record.stamp.is_some(),
                record.stamp.is_some_and(|stamp| file.body.is_of(&stamp))
            );
            read.push(record);
        }
        read
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(records in records()) {
            prop_assert_eq!(written(&records), records);
        }

        #[test]
        fn whatever_is_read_is_an_answer_or_an_error(bytes: Vec<u8>) {
            let _ = EncodedRecord::new(&bytes).record(0, "");
            let _ = EncodedRecord::new(&bytes).outline();
        }
    }
}
