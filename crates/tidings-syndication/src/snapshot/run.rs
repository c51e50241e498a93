//! A run: pages in the order of their URIs, coded in pieces.

/// How large a piece is, about.
const PIECE: usize = 16 << 10;
/// How many bytes a run is sorted in.
const ROOM: usize = 8 << 20;

/// A page, as a Sitemap has it: its URI, and what it was last changed by.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Page {
    pub(crate) uri: String,
    /// `lastmod`, else the digest, else nothing.
    pub(crate) stamp: String,
}

/// A run that is done.
#[derive(Debug)]
pub(crate) struct SortedRun {
    pub(crate) entries: i64,
    pub(crate) pieces: Vec<Vec<u8>>,
}

/// Gathers the pages of a run.
#[derive(Debug, Default)]
pub(crate) struct RunBuilder {
    pages: Vec<Page>,
    bytes: usize,
}

impl RunBuilder {
    /// Takes a page; true if there should not be more of them.
    pub(crate) fn push(&mut self, page: Page) -> bool {
        self.bytes += page.uri.len() + page.stamp.len() + size_of::<Page>();
        self.pages.push(page);
        self.bytes >= ROOM
    }

    /// The run, and room for the next.
    pub(crate) fn finish(&mut self) -> SortedRun {
        let mut pages = std::mem::take(&mut self.pages);
        self.bytes = 0;
        pages.sort_unstable();
        // Of a page that is there twice the newer stamp counts, which is the last.
        pages.reverse();
        pages.dedup_by(|one, other| one.uri == other.uri);
        pages.reverse();
        let mut pieces = Vec::new();
        let mut piece = Vec::with_capacity(PIECE + 512);
        let mut before = "";
        for page in &pages {
            encode(&mut piece, before, page);
            before = &page.uri;
            if piece.len() >= PIECE {
                pieces.push(std::mem::replace(&mut piece, Vec::with_capacity(PIECE + 512)));
                before = "";
            }
        }
        if !piece.is_empty() {
            pieces.push(piece);
        }
        SortedRun { entries: i64::try_from(pages.len()).unwrap_or(i64::MAX), pieces }
    }
}

/// Appends a page: how much of its URI is that of the one before, the rest of it, its stamp.
fn encode(piece: &mut Vec<u8>, before: &str, page: &Page) {
    let shared = before.bytes().zip(page.uri.bytes()).take_while(|(one, other)| one == other);
    let shared = shared.count();
    let rest = &page.uri.as_bytes()[shared..];
    for (number, bytes) in
        [(shared, &[][..]), (rest.len(), rest), (page.stamp.len(), page.stamp.as_bytes())]
    {
        put_number(piece, number);
        piece.extend_from_slice(bytes);
    }
}

/// Seven bits to a byte, the lowest first; the eighth says that there is more.
fn put_number(piece: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        piece.push(number as u8 | 0x80);
        number >>= 7;
    }
    piece.push(number as u8);
}

/// Reads the pages of a piece one after the other.
#[derive(Debug, Default)]
pub(super) struct PieceReader {
    bytes: Vec<u8>,
    at: usize,
}

/// A piece is not what was written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Damaged;

impl PieceReader {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self { bytes, at: 0 }
    }

    /// Puts the next page into `page`, which has to be the one before; false at the end.
    pub(super) fn next(&mut self, page: &mut Page) -> Result<bool, Damaged> {
        if self.at >= self.bytes.len() {
            return Ok(false);
        }
        // A piece stands alone: its first page shares nothing.
        let shared = self.number()?;
        let uri = std::mem::take(&mut page.uri);
        let mut uri = uri.into_bytes();
        if shared > uri.len() {
            return Err(Damaged);
        }
        uri.truncate(shared);
        let length = self.number()?;
        uri.extend_from_slice(self.take(length)?);
        page.uri = String::from_utf8(uri).map_err(|_| Damaged)?;
        let length = self.number()?;
        page.stamp.clear();
        page.stamp.push_str(std::str::from_utf8(self.take(length)?).map_err(|_| Damaged)?);
        Ok(true)
    }

    fn number(&mut self) -> Result<usize, Damaged> {
        let mut number = 0;
        for shift in (0..35).step_by(7) {
            let byte = *self.bytes.get(self.at).ok_or(Damaged)?;
            self.at += 1;
            number |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Damaged)
    }

    fn take(&mut self, length: usize) -> Result<&[u8], Damaged> {
        let end = self.at.checked_add(length).ok_or(Damaged)?;
        let bytes = self.bytes.get(self.at..end).ok_or(Damaged)?;
        self.at = end;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(uri: &str, stamp: &str) -> Page {
        Page { uri: uri.to_owned(), stamp: stamp.to_owned() }
    }

    #[test]
    fn pages_come_back_sorted_and_once() {
        let mut builder = RunBuilder::default();
        let count = 20_000;
        for number in (0..count).rev() {
            builder.push(page(&format!("http://a.example/päge/{number:07}"), "2022-11-06"));
        }
        builder.push(page("http://a.example/päge/0000007", "2023-01-01"));
        let run = builder.finish();
        assert!(run.pieces.len() > 1);
        assert_eq!(run.entries, count);
        let mut pages = Vec::new();
        for piece in run.pieces {
            let mut reader = PieceReader::new(piece);
            let mut page = Page::default();
            while reader.next(&mut page).unwrap() {
                pages.push(page.clone());
            }
        }
        assert!(pages.is_sorted());
        assert_eq!(pages.len(), 20_000);
        assert_eq!(pages[7].stamp, "2023-01-01");
    }

    #[test]
    fn damage_is_noticed_and_nothing_worse() {
        let mut builder = RunBuilder::default();
        builder.push(page("http://a.example/ä", "x"));
        builder.push(page("http://a.example/b", "y"));
        let piece = builder.finish().pieces.remove(0);
        for at in 0..piece.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut damaged = piece.clone();
                damaged[at] = value;
                let mut reader = PieceReader::new(damaged);
                let mut page = Page::default();
                while reader.next(&mut page) == Ok(true) {}
            }
            let mut reader = PieceReader::new(piece[..at].to_vec());
            let mut page = Page::default();
            while reader.next(&mut page) == Ok(true) {}
        }
    }
}
