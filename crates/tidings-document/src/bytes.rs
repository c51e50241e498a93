//! Questions about all bytes of a text at once.

/// True if one of the bytes is `odd`.
///
/// Sixteen or eight at a time, without leaving early inside of them and without a remainder: the
/// compiler makes vector instructions of it, where a plain loop over texts as short as ours costs
/// several instructions for each byte.
#[inline]
pub(crate) fn any(bytes: &[u8], odd: impl Fn(u8) -> bool + Copy) -> bool {
    let all = |chunk: &[u8]| chunk.iter().fold(false, |found, byte| found | odd(*byte));
    // The last ones overlap those before.
    if let Some(last) = bytes.last_chunk::<16>() {
        return bytes.as_chunks::<16>().0.iter().any(|chunk| all(chunk)) || all(last);
    }
    match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(first), Some(last)) => all(first) | all(last),
        _ => bytes.iter().any(|byte| odd(*byte)),
    }
}

/// The same for texts that are long.
pub(crate) fn any_of_many(bytes: &[u8], odd: impl Fn(u8) -> bool + Copy) -> bool {
    let (chunks, rest) = bytes.as_chunks::<256>();
    let all = |chunk: &[u8; 256]| chunk.iter().fold(false, |found, byte| found | odd(*byte));
    chunks.iter().any(all) || any(rest, odd)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_byte_is_looked_at() {
        for length in 0..70 {
            let mut bytes = vec![b'b'; length];
            assert!(!super::any(&bytes, |byte| byte == b'x'));
            for place in 0..length {
                bytes[place] = b'x';
                assert!(super::any(&bytes, |byte| byte == b'x'), "{place} of {length}");
                bytes[place] = b'b';
            }
        }
    }
}
