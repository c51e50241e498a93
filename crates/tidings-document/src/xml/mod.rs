//! XML as far as these documents need it: a scanner, namespaces, escaping.
//!
//! Why not a general XML crate: the documents have no DTD, so a conforming processor for them is
//! small; the general ones are lenient where a validator has to be strict (names, characters,
//! `]]>`, text around the root), let a single token grow without bound, and cost several times the
//! instructions (`cargo xtask bench documents`). quick-xml checks this one in the tests.

pub(crate) mod escape;
pub(crate) mod namespace;
pub(crate) mod scan;
