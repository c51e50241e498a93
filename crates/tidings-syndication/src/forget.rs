//! Forgets what is older, or more, than is to be kept.

use std::time::Duration;

use tidings_store::StoreError;

use crate::Follower;

/// How long the store is left to others between two steps.
const PAUSE_BETWEEN_STEPS: Duration = Duration::from_millis(20);

impl Follower {
    /// Forgets the changes that are older, or more, than is to be kept, a few at a time, and says how many
    /// these were.
    pub async fn forget_old(&self) -> Result<u64, StoreError> {
        let retention = &self.options().retention;
        if retention.max_age.is_none() && retention.max_changes.is_none() {
            return Ok(0);
        }
        let (mut after, mut forgotten) = (0, 0);
        while let Some(step) = self.store().forget_step(retention, after).await? {
            forgotten += step.changes;
            if step.is_done {
                after = step.collection_id;
            } else {
                tokio::time::sleep(PAUSE_BETWEEN_STEPS).await;
            }
        }
        Ok(forgotten)
    }
}
