//! Where the last publication is served.

use tidings_web::{GetOptions, Url};

use super::RestoreError;
use crate::layout::DESCRIPTION;

/// The root of the site that the documents are fetched from. It is usually the base, but may be a
/// staging or origin host that has the same files.
#[derive(Debug, Clone)]
pub(super) struct Site {
    root: Url,
}

impl Site {
    /// The site of that root, or of that Source Description.
    pub(super) fn new(from: &str) -> Result<Self, RestoreError> {
        let wrong = || RestoreError::From { from: from.to_owned() };
        let mut root = Url::parse(from).map_err(|_| wrong())?;
        let odd = root.query().is_some() || root.fragment().is_some();
        if !matches!(root.scheme(), "http" | "https") || odd {
            return Err(wrong());
        }
        let path = root.path();
        let above = path.strip_suffix(DESCRIPTION).filter(|above| above.ends_with('/'));
        let path = above.unwrap_or(path).trim_end_matches('/').to_owned();
        root.set_path(&format!("{path}/"));
        Ok(Self { root })
    }

    /// Where the document of that name is. Names are plain: see [`super::want::is_own`].
    pub(super) fn url(&self, name: &str) -> Url {
        let mut url = self.root.clone();
        url.set_path(&format!("{}{name}", self.root.path()));
        url
    }

    /// The same, as it may be shown: without credentials.
    pub(super) fn shown(&self, name: &str) -> String {
        let mut url = self.url(name);
        // Only URLs without a host take none, and have none.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.into()
    }

    /// Somebody typed this origin; what it redirects to is a stranger's.
    pub(super) fn options(&self) -> GetOptions {
        GetOptions::trusting(&self.root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_named_by_its_root_or_by_its_description() {
        for (from, list) in [
            ("https://e.example", "https://e.example/resourcesync/a.xml"),
            ("https://e.example/a/", "https://e.example/a/resourcesync/a.xml"),
            ("https://e.example/a", "https://e.example/a/resourcesync/a.xml"),
            (
                "https://e.example/a/.well-known/resourcesync",
                "https://e.example/a/resourcesync/a.xml",
            ),
            ("https://me:secret@e.example/", "https://e.example/resourcesync/a.xml"),
        ] {
            assert_eq!(Site::new(from).unwrap().shown("resourcesync/a.xml"), list);
        }
        for from in ["e.example", "", "ftp://e.example/", "https://e.example/?q", "/tmp"] {
            assert!(matches!(Site::new(from), Err(RestoreError::From { .. })), "{from}");
        }
    }
}
