//! Waiting for a folder to change.

use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use notify::event::{EventKind, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

/// After a change, how long nothing has to happen: a build writes many files.
const QUIET: Duration = Duration::from_millis(150);

/// How long a change waits at the most, however much happens.
const LONGEST: Duration = Duration::from_millis(600);

/// After that time all is looked at again, whatever was said: what happens on another machine that
/// shares the folder is not told.
const ANYWAY: Duration = Duration::from_secs(600);

/// A folder that is watched, from before it is first looked at.
pub(super) struct Watch {
    folder: PathBuf,
    events: Receiver<notify::Result<Event>>,
    _watcher: RecommendedWatcher,
}

impl Watch {
    pub(super) fn begin(folder: &Path) -> Result<Self> {
        let said = || {
            format!(
                "could not watch {}; if it has very many folders, raise \
                 fs.inotify.max_user_watches, or publish from time to time without --watch",
                folder.display()
            )
        };
        let (tell, events) = channel();
        let folder = folder.canonicalize().with_context(said)?;
        let mut watcher = notify::recommended_watcher(tell).with_context(said)?;
        watcher.watch(&folder, RecursiveMode::Recursive).with_context(said)?;
        Ok(Self { folder, events, _watcher: watcher })
    }

    /// Waits until something has changed that may be published, and then until it is quiet.
    pub(super) fn wait(&self) -> Result<()> {
        let anyway = Instant::now() + ANYWAY;
        while !self.next(anyway)? {}
        let longest = Instant::now() + LONGEST;
        loop {
            let until = longest.min(Instant::now() + QUIET);
            match self.events.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(_) if Instant::now() < longest => {}
                _ => return Ok(()),
            }
        }
    }

    /// Waits for one event: true if it counts, or the time has come.
    fn next(&self, until: Instant) -> Result<bool> {
        match self.events.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Ok(event)) => Ok(self.counts(&event)),
            // Something may have been missed.
            Ok(Err(_)) | Err(RecvTimeoutError::Timeout) => Ok(true),
            Err(RecvTimeoutError::Disconnected) => anyhow::bail!("the folder is watched no longer"),
        }
    }

    /// True if it is about something that may be published: not of what this program writes itself.
    fn counts(&self, event: &Event) -> bool {
        let content = match event.kind {
            EventKind::Access(_) => false,
            EventKind::Modify(kind) => !matches!(kind, ModifyKind::Metadata(_)),
            _ => true,
        };
        let own = |path: &PathBuf| is_own(path.strip_prefix(&self.folder).unwrap_or(path));
        event.need_rescan() || content && (event.paths.is_empty() || !event.paths.iter().all(own))
    }
}

/// True for the path of a document below the folder, and of what is not yet one.
fn is_own(path: &Path) -> bool {
    let mut parts = path.components().map(Component::as_os_str);
    let first = parts.next().and_then(|part| part.to_str()).unwrap_or_default();
    let last = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let top = parts.next().is_none();
    ["resourcesync", ".well-known"].contains(&first)
        || last.starts_with(".tidings-")
        || top && (first == "robots.txt" || first.starts_with("sitemap") && first.ends_with(".xml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_here_is_no_change() {
        for (path, own) in [
            ("resourcesync/changelist.xml", true),
            ("resourcesync", true),
            (".well-known/resourcesync", true),
            ("sitemap.xml", true),
            ("robots.txt", true),
            (".tidings-aBc", true),
            ("a/sitemap.xml", false),
            ("index.html", false),
            ("", false),
        ] {
            assert_eq!(is_own(Path::new(path)), own, "{path}");
        }
    }
}
