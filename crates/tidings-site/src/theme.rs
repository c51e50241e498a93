//! What a page of the site is shown with.

mod error;
mod folder;
mod view;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, ErrorKind, Output, State};
use sha2::{Digest as _, Sha256};

use crate::markdown::push_text;
pub use error::ThemeError;
pub use view::{NavItem, View};

const PAGE: &str = "page.html";
/// What a theme can extend.
const BUILT_IN_PAGE: &str = "builtin/page.html";
const BUILT_IN: [(&str, &str); 2] =
    [(PAGE, include_str!("../theme/page.html")), ("style.css", include_str!("../theme/style.css"))];

/// Where the server has the assets.
const ASSETS: &str = "/builtin/theme/";

/// What a template may do, in steps: far more than a page takes, and soon over for one that loops.
const FUEL: u64 = 3_000_000;

/// What a page of the site is shown with: a template, and what it refers to.
pub struct Theme {
    templates: Environment<'static>,
    assets: BTreeMap<String, Bytes>,
    fingerprint: u64,
    modified: Option<SystemTime>,
}

impl fmt::Debug for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Theme")
            .field("assets", &self.assets.keys())
            .field("fingerprint", &format_args!("{:x}", self.fingerprint))
            .field("modified", &self.modified)
            .finish_non_exhaustive()
    }
}

impl Theme {
    /// The one that comes with the program.
    pub fn built_in() -> Self {
        #[expect(clippy::expect_used, reason = "a test renders it: it does not depend on anything")]
        Self::new(BTreeMap::new(), None).expect("the built-in theme is a template")
    }

    /// The theme of a folder: `page.html`, a template, and any other files as assets.
    ///
    /// What it lacks is taken from the built-in one, whose template it can also extend, as
    /// `builtin/page.html`. Files whose names begin with a dot are not part of it.
    pub fn load(folder: &Path) -> Result<Self, ThemeError> {
        let (files, modified) = folder::read(folder)?;
        Self::new(files, modified)
    }

    fn new(
        mut files: BTreeMap<String, Bytes>,
        modified: Option<SystemTime>,
    ) -> Result<Self, ThemeError> {
        for (name, text) in BUILT_IN {
            files.entry(name.to_owned()).or_insert_with(|| Bytes::from_static(text.as_bytes()));
        }
        let fingerprint = fingerprint(&files);
        let page = files.remove(PAGE).unwrap_or_default();
        let page = String::from_utf8(page.to_vec())
            .map_err(|_| ThemeError::new(PAGE, "it is not UTF-8"))?;
        let templates = templates(page, &files, fingerprint)?;
        Ok(Self { templates, assets: files, fingerprint, modified })
    }

    /// Changes when any of its files does.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// When the newest of its files was changed; of the built-in theme, nothing is known.
    pub fn modified(&self) -> Option<SystemTime> {
        self.modified
    }

    /// The navigation as templates see it: made once, for as many pages as it holds for.
    pub fn navigation(items: &[NavItem]) -> Value {
        view::navigation(items)
    }

    /// A page.
    pub fn page(&self, view: &View<'_>) -> Result<String, ThemeError> {
        let page = self.templates.get_template(PAGE)?;
        Ok(page.render(view::value(view))?)
    }

    /// What is served of it, with its media type: by its exact name only, which is that of the file
    /// within the folder, with `/` between the parts.
    pub fn asset(&self, name: &str) -> Option<(String, Bytes)> {
        let bytes = self.assets.get(name)?;
        let kind = mime_guess::from_path(name).first_or_octet_stream();
        let charset = if kind.type_() == "text" { "; charset=utf-8" } else { "" };
        Some((format!("{kind}{charset}"), bytes.clone()))
    }
}

/// There is no loader: a template can include nothing that is not here.
fn templates(
    page: String,
    assets: &BTreeMap<String, Bytes>,
    fingerprint: u64,
) -> Result<Environment<'static>, ThemeError> {
    let mut templates = Environment::new();
    templates.set_fuel(Some(FUEL));
    templates.set_recursion_limit(64);
    // Whatever it is called.
    templates.set_auto_escape_callback(|_| AutoEscape::Html);
    templates.set_formatter(write);
    let addresses: Arc<BTreeMap<String, Value>> = Arc::new(
        assets.keys().map(|name| (name.clone(), Value::from(address(name, fingerprint)))).collect(),
    );
    templates.add_function("asset", move |name: &str| {
        addresses.get(name).cloned().ok_or_else(|| {
            let reason = format!("the theme has no file \"{name}\"");
            minijinja::Error::new(ErrorKind::InvalidOperation, reason)
        })
    });
    templates.add_template(BUILT_IN_PAGE, BUILT_IN[0].1)?;
    templates.add_template_owned(PAGE, page)?;
    Ok(templates)
}

/// Like the usual formatter, but a slash is left as it is: addresses stay readable.
fn write(
    out: &mut Output<'_>,
    state: &mut State<'_, '_>,
    value: &Value,
) -> Result<(), minijinja::Error> {
    match value.as_str() {
        Some(text) if value.is_safe() => Ok(out.write_str(text)?),
        Some(text) if *state.auto_escape() == AutoEscape::Html => {
            if !text.bytes().any(|byte| matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\'')) {
                return Ok(out.write_str(text)?);
            }
            let mut escaped = String::with_capacity(text.len() + 16);
            push_text(&mut escaped, text);
            Ok(out.write_str(&escaped.replace('\'', "&#39;"))?)
        }
        _ => minijinja::escape_formatter(out, state, value),
    }
}

fn address(name: &str, fingerprint: u64) -> String {
    let name = percent_encoding::utf8_percent_encode(name, PATH);
    format!("{ASSETS}{name}?v={fingerprint:016x}")
}

/// What the path of an address cannot hold.
const PATH: &percent_encoding::AsciiSet = &percent_encoding::NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'.')
    .remove(b'-')
    .remove(b'_')
    .remove(b'~');

fn fingerprint(files: &BTreeMap<String, Bytes>) -> u64 {
    let mut hasher = Sha256::new();
    for (name, bytes) in files {
        // The lengths, so that no two lists of files are the same bytes.
        hasher.update((name.len() as u64).to_be_bytes());
        hasher.update(name);
        hasher.update((bytes.len() as u64).to_be_bytes());
        hasher.update(bytes);
    }
    let digest = hasher.finalize();
    digest.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}
