//! The last publication, brought back from where it is served.

mod error;
mod follow;
mod keep;
mod mismatch;
mod moves;
mod place;
mod role;
mod site;
mod staging;
mod store;
mod walk;
mod want;

use std::path::Path;
use std::time::Duration;

use tidings_web::{Client, ClientOptions, FetchError, HeaderValue};

use crate::layout::{Layout, ROBOTS, SITEMAP};
use crate::publication::is_ours;
pub use error::RestoreError;
pub use mismatch::FileMismatch;
use role::Role;
use site::Site;
use staging::Staging;
use walk::RestoreWalk;
use want::Want;

/// What restoring the last publication came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Restored {
    /// How many documents were put into their places. None if the same ones were there already.
    pub documents: u64,
    /// How many packages were put into their places.
    pub packages: u64,
    /// How many bytes all of them have.
    pub bytes: u64,
    /// False if nothing was published there yet; what is in the folder stays as it is.
    pub found: bool,
    /// True if there was another publication in the folder, older or newer: that is gone.
    pub replaced: bool,
}

/// A client as [`restore`] wants it: it asks caches to look whether theirs is the last publication,
/// and takes packages of any length in as much time as they need, as long as something comes.
pub fn restore_client(mut options: ClientOptions) -> Result<Client, FetchError> {
    options.headers.insert("cache-control", HeaderValue::from_static("no-cache"));
    options.max_body_bytes = None;
    options.time_outs.whole = options.time_outs.whole.max(Duration::from_secs(3600));
    Client::new(options)
}

/// Fetches the last publication of a Source from where it is served into `out`, so that [`publish`]
/// goes on with its history in a folder that has nothing of it.
///
/// `from` is the URL of the root of the site, or of its Source Description. It is usually the
/// `base`; where it is another, every document below the base is fetched from the same path below
/// `from`. Its origin is trusted, as one that a person typed; see [`restore_client`] for the client.
///
/// What comes is the documents, and the packages that dumps list: each is verified as far as others
/// speak of it, and all are put into their places when all are there, or none. What readers see
/// counts: another publication in `out` is replaced; the same one is left alone. Files of the site
/// are never touched: a Sitemap and a robots.txt that this program did not write, and an
/// `about.xml`, stay as they are.
///
/// Caches may have documents of several publications. If they do not fit together, the walk is done
/// once more from the start before that is an error.
///
/// [`publish`]: crate::publish
pub async fn restore(
    client: &Client,
    from: &str,
    base: &str,
    out: &Path,
) -> Result<Restored, RestoreError> {
    let layout = Layout::of_folder(out, base)?;
    let site = Site::new(from)?;
    let mut staging = Staging::begin(&layout)?;
    let mut again = true;
    loop {
        let walk = RestoreWalk::new(client, &site, staging.fresh()?);
        match attempt(walk, &layout, again).await {
            Err(RestoreError::Mismatch { .. }) | Ok(None) if again => again = false,
            Ok(restored) => {
                let restored = restored.unwrap_or_default();
                if restored.documents > 0 {
                    staging.keep();
                }
                return Ok(restored);
            }
            Err(error) => return Err(error),
        }
    }
}

/// One walk, and what comes of it; none if it had better be done once more, and may be.
async fn attempt(
    mut walk: RestoreWalk<'_>,
    layout: &Layout,
    again: bool,
) -> Result<Option<Restored>, RestoreError> {
    if !walk.gather_documents(besides(layout)).await? {
        return Ok(Some(Restored::default()));
    }
    if again && !walk.is_in_step() {
        return Ok(None);
    }
    walk.held.retain(|one| one.role != Role::About || !layout.has(&one.name));
    let packages = walk.packages.iter().map(|want| want.name.as_str());
    if place::is_in_place(&walk.held, packages, &walk.staged, layout)? {
        return Ok(Some(Restored { found: true, ..Restored::default() }));
    }
    walk.gather_packages().await?;
    // Nothing is awaited any more: to put a publication into its place is not to be stopped half-way
    // by somebody who stops waiting.
    let replaced = place::has_publication(&walk.held, layout);
    place::put(&mut walk.held, &walk.staged, layout)?;
    let mut restored = Restored { found: true, replaced, ..Restored::default() };
    for one in &walk.held {
        restored.bytes += one.bytes;
        match one.role {
            Role::Package => restored.packages += 1,
            _ => restored.documents += 1,
        }
    }
    Ok(Some(restored))
}

/// What no document of the publication names: wanted unless the site has its own.
fn besides(layout: &Layout) -> Vec<Want> {
    let mut wants = Vec::new();
    if is_ours(layout, SITEMAP) {
        wants.push(Want::new(SITEMAP, Role::Sitemap));
    }
    if !layout.has(ROBOTS) {
        wants.push(Want::new(ROBOTS, Role::Robots));
    }
    wants
}
