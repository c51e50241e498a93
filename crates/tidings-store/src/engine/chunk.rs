//! Many values in one statement.
//!
//! Statements are prepared once and kept, so there must not be one for each number of values: lists
//! are cut into pieces of few sizes.

use super::Value;

/// How many at once, the most first.
const SIZES: [usize; 3] = [128, 16, 1];

/// Cuts a list into pieces of the sizes that statements are made for.
pub(crate) fn chunks<T>(mut list: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let size = SIZES.into_iter().find(|size| *size <= list.len())?;
        let (chunk, rest) = list.split_at(size);
        list = rest;
        Some(chunk)
    })
}

/// Cuts a list into pieces, the last of which is filled up with its last value to the next size:
/// for `IN`, where saying something twice does no harm.
pub(crate) fn padded(list: &[Value]) -> impl Iterator<Item = Vec<Value>> {
    list.chunks(SIZES[0]).map(|chunk| {
        let mut chunk = chunk.to_vec();
        let size = SIZES.into_iter().rev().find(|size| *size >= chunk.len());
        if let (Some(size), Some(last)) = (size, chunk.last().cloned()) {
            chunk.resize(size, last);
        }
        chunk
    })
}

/// `$from, $from+1, …`, so many.
pub(crate) fn places(from: usize, count: usize) -> String {
    let all: Vec<_> = (from..from + count).map(|place| format!("${place}")).collect();
    all.join(", ")
}

/// `($1, $2), ($3, $4), …`: so many rows of so many columns.
pub(crate) fn rows(count: usize, columns: usize) -> String {
    let all: Vec<_> =
        (0..count).map(|row| format!("({})", places(row * columns + 1, columns))).collect();
    all.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_few_sizes() {
        let list = vec![0; 128 + 16 + 16 + 2];
        let sizes: Vec<_> = chunks(&list).map(<[i32]>::len).collect();
        assert_eq!(sizes, [128, 16, 16, 1, 1]);
        let list: Vec<_> = (0..140).map(Value::Int).collect();
        let filled: Vec<_> = padded(&list).collect();
        assert_eq!(filled.iter().map(Vec::len).collect::<Vec<_>>(), [128, 16]);
        assert_eq!(filled[1][15], Value::Int(139));
        assert_eq!(padded(&[]).count(), 0);
    }

    #[test]
    fn numbered() {
        assert_eq!(places(2, 3), "$2, $3, $4");
        assert_eq!(rows(2, 2), "($1, $2), ($3, $4)");
    }
}
