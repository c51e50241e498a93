//! The folder of the theme.

use super::Keeper;
use crate::root::ContentRoot;

pub(super) const THEME: &str = "themes/tidings";
/// How deep its folders are, and no theme's are deeper.
const MAX_THEME_DEPTH: usize = 4;

impl Keeper {
    /// Watches the folder of the theme, and those in it.
    pub(super) fn watch_theme(&mut self, root: &ContentRoot) {
        let mut folders = vec![THEME.to_owned()];
        while let Some(folder) = folders.pop() {
            self.watch.add(root, &folder);
            if folder.matches('/').count() > MAX_THEME_DEPTH {
                continue;
            }
            let found =
                std::fs::read_dir(root.path().join(&folder)).into_iter().flatten().flatten();
            let found = found.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
            let names = found.filter_map(|entry| entry.file_name().into_string().ok());
            folders.extend(names.map(|name| format!("{folder}/{name}")));
        }
    }
}
