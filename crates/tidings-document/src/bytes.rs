//! Questions about all bytes of a text at once.

/// True if one of the bytes is `odd`.
///
/// Sixteen at a time, without leaving early inside of sixteen and without a remainder: the compiler
/// makes vector instructions of it, where a plain loop over texts as short as ours costs several
/// instructions for each byte.
#[inline]
pub(crate) fn any(bytes: &[u8], odd: impl Fn(u8) -> bool + Copy) -> bool {
    let all = |chunk: &[u8; 16]| chunk.iter().fold(false, |found, byte| found | odd(*byte));
    match bytes.last_chunk::<16>() {
        // The last sixteen overlap those before.
        Some(last) => bytes.as_chunks::<16>().0.iter().any(all) || all(last),
        None => bytes.iter().any(|byte| odd(*byte)),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_byte_is_looked_at() {
        for length in 0..70 {
            let mut bytes = vec![b'a'; length];
            assert!(!super::any(&bytes, |byte| byte == b'x'));
            for place in 0..length {
                bytes[place] = b'x';
                assert!(super::any(&bytes, |byte| byte == b'x'), "{place} of {length}");
                bytes[place] = b'a';
            }
        }
    }
}
