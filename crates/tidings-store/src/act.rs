//! Who did what.

use crate::Millis;

/// Something that somebody did, to be remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewAct<'a> {
    /// Who, by name.
    pub actor: &'a str,
    /// What they did.
    pub act: &'a str,
    /// What they did it to.
    pub object: &'a str,
    /// What else there is to say.
    pub detail: &'a str,
}

/// Something that somebody did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Act {
    /// Its number: what is done later has a higher one.
    pub id: i64,
    /// When.
    pub at: Millis,
    /// See [`NewAct::actor`].
    pub actor: String,
    /// See [`NewAct::act`].
    pub act: String,
    /// See [`NewAct::object`].
    pub object: String,
    /// See [`NewAct::detail`].
    pub detail: String,
}
