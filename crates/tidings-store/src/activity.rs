//! How much changed, day by day.

/// How much changed on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    /// The day, counted from 1970, UTC.
    pub day: i64,
    /// How many resources were created.
    pub created: i64,
    /// How many were updated.
    pub updated: i64,
    /// How many were deleted.
    pub deleted: i64,
}
