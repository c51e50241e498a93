//! What every page has around it, for those who are not signed in.

use std::sync::{Arc, PoisonError};

use tidings_site::{Alias, Fault, Finding, NavItem, PageMeta, Theme, navigation};

use super::state::SiteState;

/// What every page has around it.
#[derive(Debug)]
pub(crate) struct Shell {
    /// Of the objects and of the themes, when it was made.
    made_of: (u64, u64),
    pub(crate) theme: Arc<Theme>,
    pub(crate) navigation: minijinja::Value,
    /// What the site is called, if it is called anything.
    pub(crate) name: Option<String>,
    /// Another for another shell.
    pub(crate) digest: u64,
    /// Since when it is like this, as far as is known, in seconds since 1970.
    pub(crate) modified: i64,
}

impl SiteState {
    /// The shell as it is now. It is made anew when something changed that it is made of.
    pub(crate) fn shell(&self) -> Arc<Shell> {
        let made_of = (self.cache.generation(), self.cache.themes());
        let mut kept = self.shell.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shell) = kept.as_ref().filter(|shell| shell.made_of == made_of) {
            return Arc::clone(shell);
        }
        let theme = match kept.as_ref().filter(|shell| shell.made_of.1 == made_of.1) {
            Some(shell) => Arc::clone(&shell.theme),
            None => self.theme(kept.as_ref()),
        };
        let (items, items_digest) = navigation(&self.cache, PageMeta::is_public);
        let name = self.called();
        let mut hasher = std::hash::DefaultHasher::new();
        std::hash::Hash::hash(&(theme.fingerprint(), items_digest, &name), &mut hasher);
        let digest = std::hash::Hasher::finish(&hasher);
        // Copies have to hear of it.
        if kept.as_ref().is_none_or(|shell| shell.digest != digest) {
            self.cache.set_shell(digest);
        }
        let modified = self.cache.journal().shell_since().unwrap_or(i64::MIN);
        let navigation = Theme::navigation(&items);
        let shell = Arc::new(Shell { made_of, theme, navigation, name, digest, modified });
        *kept = Some(Arc::clone(&shell));
        shell
    }

    /// The navigation for whoever may see more than everybody.
    pub(crate) fn navigation_for(
        &self,
        is_visible: impl Fn(&PageMeta) -> bool,
    ) -> minijinja::Value {
        let (items, _): (Vec<NavItem>, _) = navigation(&self.cache, is_visible);
        Theme::navigation(&items)
    }

    /// The theme of the site; the one before it where that cannot be used, else the built-in one.
    fn theme(&self, before: Option<&Arc<Shell>>) -> Arc<Theme> {
        let folder = self.cache.root().path().join("themes/tidings");
        let mut finding = self.theme_finding.lock().unwrap_or_else(PoisonError::into_inner);
        *finding = None;
        if !folder.is_dir() {
            return Arc::new(Theme::built_in());
        }
        match Theme::load(&folder) {
            Ok(theme) => Arc::new(theme),
            Err(error) => {
                tracing::warn!(%error, "the theme is not used");
                let message = error.to_string();
                *finding =
                    Some(Finding { place: "themes/tidings".into(), fault: Fault::Theme, message });
                before.map_or_else(|| Arc::new(Theme::built_in()), |shell| Arc::clone(&shell.theme))
            }
        }
    }

    /// As it was said, else as the home page is.
    fn called(&self) -> Option<String> {
        let home = || {
            let home =
                self.cache.find(Alias::home().as_str()).or_else(|| self.cache.find("index"))?;
            home.is_public().then(|| home.title.to_string())
        };
        self.name.clone().or_else(home)
    }
}
