//! The inventory, scanned in the order of the URIs beside what was known before.

use std::cmp::Ordering;

use super::fixed;
use crate::inventory::{Folder, InventoryItem, ScanEvent, ScannedResource, glob_path};
use crate::layout::Layout;
use crate::previous::{Prior, PriorStream};
use crate::{InventoryKind, Options, PublishError};

/// Shows what the inventory has, and what it no longer has of what was published.
pub(super) fn scan_inventory(
    options: &Options,
    layout: &Layout,
    prior: PriorStream,
    mut show: impl FnMut(ScanEvent<'_>) -> Result<(), PublishError>,
) -> Result<(), PublishError> {
    match &options.inventory {
        InventoryKind::Folder(root) => {
            let folder = Folder {
                root: root.clone(),
                base: layout.base().to_owned(),
                algorithms: options.algorithms.clone(),
                selection: options.selection.clone(),
                leave_out: fixed::own_files(root, layout.place()),
            };
            folder.scan(prior, &mut show)
        }
        InventoryKind::Listed(inventory) => {
            let last = String::new();
            let mut scan = SortedScan { options, base: layout.base(), prior, show, last };
            inventory.visit(layout.base(), &mut |item| scan.take(item))?;
            scan.finish()
        }
    }
}

/// The scan of an inventory that shows its resources in the order of their URIs.
struct SortedScan<'s, S> {
    options: &'s Options,
    base: &'s str,
    prior: PriorStream,
    show: S,
    /// The last URI.
    last: String,
}

impl<S: FnMut(ScanEvent<'_>) -> Result<(), PublishError>> SortedScan<'_, S> {
    /// Takes what the inventory shows, if the selection has it.
    fn take(&mut self, item: InventoryItem) -> Result<(), PublishError> {
        let uri = match &item {
            InventoryItem::Passed(_) => None,
            InventoryItem::Resource(resource) => Some(resource.uri.as_str()),
            InventoryItem::Unknown(uri) => Some(uri.as_str()),
        };
        let mut published = Vec::new();
        if let Some(uri) = uri {
            if uri <= self.last.as_str() {
                let (uri, place) = (uri.to_owned(), self.options.inventory.to_string());
                return Err(PublishError::InventoryOrder { uri, place });
            }
            uri.clone_into(&mut self.last);
            if !self.options.selection.takes_path(&glob_path(self.base, uri)) {
                return Ok(());
            }
            published = loop {
                match self.prior.advance(|prior| prior.cmp(uri))? {
                    Prior::Before(gone) => (self.show)(ScanEvent::Gone(gone))?,
                    Prior::Here(published) => break published,
                }
            };
        }
        match item {
            InventoryItem::Resource(resource) => {
                let resource = ScannedResource { resource, stamp: None };
                (self.show)(ScanEvent::Present { resource, published })
            }
            InventoryItem::Unknown(_) => published
                .into_iter()
                .try_for_each(|published| (self.show)(ScanEvent::Kept(published))),
            InventoryItem::Passed(passed) => (self.show)(ScanEvent::Passed(passed)),
        }
    }

    /// Shows what was published behind the last resource.
    fn finish(mut self) -> Result<(), PublishError> {
        while let Prior::Before(gone) = self.prior.advance(|_| Ordering::Less)? {
            (self.show)(ScanEvent::Gone(gone))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use InventoryItem::Unknown;

    use super::*;
    use crate::Resource;
    use crate::previous::{ListAgreement, PublishedResource};

    fn bare(uri: &str) -> Resource {
        Resource { uri: uri.to_owned(), ..Resource::default() }
    }

    fn present(uri: &str) -> InventoryItem {
        InventoryItem::Resource(bare(uri))
    }

    /// What a scan shows of an inventory beside what was published.
    fn shown(
        published: &[&str],
        inventory: impl IntoIterator<Item = InventoryItem>,
    ) -> Result<Vec<String>, PublishError> {
        let published_of = |uri: &&str| {
            let (agreement, resource) = (ListAgreement::Agrees, bare(uri));
            Ok(PublishedResource { set: 0, agreement, resource, cached: None })
        };
        let options = Options::folder("/nowhere", "http://e.example/");
        let mut shown = Vec::new();
        let show = |event: ScanEvent<'_>| {
            shown.push(match event {
                ScanEvent::Present { resource, published } => {
                    format!("present {} {}", resource.resource.uri, published.len())
                }
                ScanEvent::Kept(published) => format!("kept {}", published.resource.uri),
                ScanEvent::Gone(published) => format!("gone {}", published.resource.uri),
                ScanEvent::Unchanged(_) | ScanEvent::Passed(_) => unreachable!(),
            });
            Ok(())
        };
        let before: Vec<_> = published.iter().map(published_of).collect();
        let prior = PriorStream::new(Box::new(before.into_iter()));
        let (base, last) = (options.base.as_str(), String::new());
        let mut scan = SortedScan { options: &options, base, prior, show, last };
        inventory.into_iter().try_for_each(|item| scan.take(item))?;
        scan.finish()?;
        Ok(shown)
    }

    #[test]
    fn unknown_resources_are_kept() {
        let inventory = [Unknown("b".into()), Unknown("d/".into()), present("d/1")];
        let shown = shown(&["a", "b", "d/", "d/1", "d/2", "e"], inventory).unwrap();
        assert_eq!(shown, ["gone a", "kept b", "kept d/", "present d/1 1", "gone d/2", "gone e"]);
    }

    #[test]
    fn published_resources_meet_the_inventory_in_order() {
        let shown = shown(&["a", "b", "b", "d"], ["b", "c", "e"].map(present)).unwrap();
        assert_eq!(shown, ["gone a", "present b 2", "present c 0", "gone d", "present e 0"]);
    }

    #[test]
    fn an_inventory_that_is_out_of_order_is_refused() {
        for wrong in [["b", "a"], ["a", "a"]] {
            let error = shown(&[], wrong.map(present)).unwrap_err();
            assert!(matches!(error, PublishError::InventoryOrder { .. }), "{error}");
        }
        assert!(shown(&[], [present("b"), Unknown("a".into())]).is_err());
    }
}
