//! Many runs as one.

use tidings_base::MergeHeads;
use tidings_store::{Run, Store};

use super::Page;
use super::run::PieceReader;
use crate::PollError;

/// The pages of many runs in the order of their URIs, each once. Of each run one piece is in memory.
pub(crate) struct Merge<'a> {
    store: &'a Store,
    site_id: i64,
    cursors: Vec<Cursor>,
    heads: MergeHeads<Page>,
}

struct Cursor {
    run: Run,
    next_piece: i64,
    reader: PieceReader,
    /// The page read last: the next one is told by what it has in common with it.
    last: Page,
}

impl<'a> Merge<'a> {
    /// Begins at the first page.
    pub(crate) async fn new(
        store: &'a Store,
        site_id: i64,
        runs: &[Run],
    ) -> Result<Self, PollError> {
        let cursor = |run: &Run| Cursor {
            run: run.clone(),
            next_piece: 0,
            reader: PieceReader::default(),
            last: Page::default(),
        };
        let cursors: Vec<Cursor> = runs.iter().map(cursor).collect();
        let mut merge = Self { store, site_id, cursors, heads: MergeHeads::new() };
        for index in 0..merge.cursors.len() {
            merge.advance(index).await?;
        }
        Ok(merge)
    }

    /// The next page. Of one that several runs have, the newest stamp counts.
    pub(crate) async fn next(&mut self) -> Result<Option<Page>, PollError> {
        let Some((mut page, index)) = self.heads.pop() else { return Ok(None) };
        self.advance(index).await?;
        while self.heads.peek().is_some_and(|(other, _)| other.uri == page.uri) {
            let Some((other, index)) = self.heads.pop() else { break };
            if other.stamp > page.stamp {
                page.stamp = other.stamp;
            }
            self.advance(index).await?;
        }
        Ok(Some(page))
    }

    async fn advance(&mut self, index: usize) -> Result<(), PollError> {
        let cursor = &mut self.cursors[index];
        loop {
            let damaged = |_| lost(&cursor.run);
            if cursor.reader.next(&mut cursor.last).map_err(damaged)? {
                self.heads.push(cursor.last.clone(), index);
                return Ok(());
            }
            if cursor.next_piece >= cursor.run.pieces {
                return Ok(());
            }
            let piece = self.store.piece(self.site_id, &cursor.run.id, cursor.next_piece).await?;
            cursor.reader = PieceReader::new(piece.ok_or_else(|| lost(&cursor.run))?);
            cursor.last.uri.clear();
            cursor.next_piece += 1;
        }
    }
}

/// A snapshot that is not whole.
fn lost(run: &Run) -> PollError {
    PollError::Site(format!(
        "what is remembered of {} is damaged; unfollow the site and follow it again",
        run.document
    ))
}
