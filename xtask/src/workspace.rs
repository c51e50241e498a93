//! Where things are.

use std::env;
use std::path::{Path, PathBuf};

/// The root of the checkout.
pub(crate) fn root() -> PathBuf {
    // At run time first: with a shared target folder, this program may have been built elsewhere.
    let here =
        env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&here).parent().map_or_else(|| PathBuf::from("."), Path::to_owned)
}

/// The folder for build results.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |set| root().join(set))
}
