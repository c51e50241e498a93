//! Telling how far a run is.

/// Who is told. The library never prints.
pub trait Progress {
    /// This is what is being done now.
    fn show(&mut self, step: &Step<'_>);
}

/// How far a run is.
#[derive(Debug, Clone, Copy)]
pub struct Step<'a> {
    /// What is being done.
    pub doing: &'a str,
    /// How many resources are done.
    pub done: u64,
    /// Of how many, as far as that is known.
    pub total: u64,
    /// How many bytes came over the network.
    pub bytes: u64,
}

/// Nobody is told.
impl Progress for () {
    fn show(&mut self, _: &Step<'_>) {}
}
