//! The account of what operations may cost.

use super::document::Refusal;

/// What all operations together may take: elements moved, names compared, bytes copied. A step takes
/// some nanoseconds.
const STEPS: usize = 1 << 27;

/// What there is, in bytes without white space, and what there may be. Separators are counted to the
/// safe side: a value that is alone has one too many.
pub(super) struct Account {
    size: usize,
    most: usize,
    steps: usize,
}

impl Account {
    /// For a document of `size` bytes that may grow by `growth`.
    pub(super) fn new(size: usize, growth: usize) -> Self {
        Self { size, most: size.saturating_add(growth), steps: STEPS }
    }

    /// Whether there is room for `more` bytes.
    pub(super) fn check(&self, more: usize) -> Result<(), Refusal> {
        if more > self.most.saturating_sub(self.size) { Err(Refusal::TooLarge) } else { Ok(()) }
    }

    pub(super) fn grow(&mut self, more: usize) -> Result<(), Refusal> {
        self.check(more)?;
        self.size += more;
        Ok(())
    }

    pub(super) fn shrink(&mut self, less: usize) {
        self.size = self.size.saturating_sub(less);
    }

    pub(super) fn spend(&mut self, steps: usize) -> Result<(), Refusal> {
        self.steps = self.steps.checked_sub(steps).ok_or(Refusal::TooCostly)?;
        Ok(())
    }
}
