//! Where in a copy a resource is kept: from URIs to relative paths, and back.
//!
//! Nothing here touches a file system, and no URI can name what is not its own: different URIs have
//! different paths, and none leads out of the copy, into its state, or to a device.
//!
//! In the names `%` always begins an escape, and what follows says which:
//!
//! | in a name | stands for |
//! |---|---|
//! | `%XX` | the same in the URI: a percent-encoded byte that is not shown decoded |
//! | `%_XX` | a character that is so in the URI, and may not be so in a name |
//! | `%_`, `%_index` | an empty segment: inside the path, and at its end |
//! | `%_@` | before an authority that a folder of `--map` could be taken for |
//! | `%_~…` | a digest: of what was cut off, or of the URI of a twin |
//! | `%_long` | the folder of paths that are too long, by the SHA-256 of their URIs |
//! | `%_self`, `%_d` | a file where a folder is, and a folder where a file is |
//!
//! These rules are for ever: after a change of them, a copy would not know its own files.

mod authority;
mod conflict;
mod digest;
mod error;
mod escape;
mod reserved;
mod rule;
mod segment;
mod twin;
mod unescape;
mod uri;
mod visible;

use rule::Rule;

pub use conflict::{conflict_as_file, conflict_as_folder};
pub use error::{MappingError, UriError};
pub use twin::{folded, with_suffix};
pub use uri::Uri;

/// The most bytes of a path: with the copy's own path before it, less than the 4,096 that systems
/// take.
const LONGEST_PATH: usize = 3_000;

/// The folder of what would be longer.
const LONG: &str = "%_long";

/// From URIs to paths: a folder for each authority, and in it the path of the URI; or, for URIs that
/// begin as the user said, a folder of the user's choice.
///
/// ```
/// use tidings_destination::{Mapping, Uri};
///
/// let mapping = Mapping::new().with("https://example.org/books/", "library")?;
/// let path = |uri| Ok::<_, tidings_destination::UriError>(mapping.path(&Uri::parse(uri)?));
/// assert_eq!(path("https://example.org/a/caf%C3%A9.html")?, "example.org/a/café.html");
/// assert_eq!(path("http://example.org/a/?page=2")?, "example.org+80/a/%_index%_3Fpage=2");
/// assert_eq!(path("https://example.org/books/1.pdf")?, "library/1.pdf");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mapping {
    /// The longest prefixes first.
    rules: Vec<Rule>,
}

/// True of a path that may have a digest in the place of some of its URI.
pub(crate) fn is_shortened(path: &str) -> bool {
    path.contains(digest::MARK) || path.contains(LONG)
}

impl Mapping {
    /// The default layout, for every URI.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps the URIs below this one in this folder; where several are above, the longest counts.
    ///
    /// A prefix ends where a segment ends: `https://a.example/x` is `https://a.example/x/`, which
    /// neither `/xy` nor `/x` itself is below. The folder is a path in the copy, `.` the copy itself.
    /// No folder may be in another one, or be the same: two URIs could meet there.
    pub fn with(mut self, uri_prefix: &str, folder: &str) -> Result<Self, MappingError> {
        let rule = Rule::new(uri_prefix, folder)?;
        for other in &self.rules {
            rule.check_beside(other)?;
        }
        let place = self.rules.partition_point(|other| other.prefix.len() >= rule.prefix.len());
        self.rules.insert(place, rule);
        Ok(self)
    }

    /// The same, from one text `URI=FOLDER`. It is split at the last `=`: URIs have that character
    /// more often than folders. Of `https://a.example/b=c=d` the folder is `d`.
    pub fn with_rule(self, rule: &str) -> Result<Self, MappingError> {
        match rule.rsplit_once('=') {
            Some((uri_prefix, folder)) => self.with(uri_prefix, folder),
            None => Err(MappingError::NoFolder { rule: rule.to_owned() }),
        }
    }

    /// The rules as texts `URI=FOLDER`, from which the same mapping can be made.
    pub fn rules(&self) -> impl Iterator<Item = String> + '_ {
        let folder =
            |rule: &Rule| if rule.folder.is_empty() { ".".into() } else { rule.folder.clone() };
        self.rules.iter().map(move |rule| format!("{}={}", rule.prefix, folder(rule)))
    }

    /// The path of a resource, relative to the copy, with `/` between its names. It has no name `.`
    /// or `..`, no empty name, none of more than 243 bytes and none that means something else on some
    /// system, and its first is not `.tidings`.
    pub fn path(&self, uri: &Uri<'_>) -> String {
        let text = uri.as_str();
        let mut path = String::with_capacity(text.len() + 16);
        let rest = match self.rules.iter().find(|rule| text.starts_with(&rule.prefix)) {
            Some(rule) => {
                path.push_str(&rule.folder);
                &text[rule.prefix.len()..]
            }
            None => {
                let (authority, rest) = uri.split();
                authority.push_name(&mut path);
                if self.has_folder(&path) {
                    path.insert_str(0, authority::MARK);
                }
                rest
            }
        };
        if !path.is_empty() {
            path.push('/');
        }
        let start = path.len();
        segment::push_names(&mut path, rest);
        if path.len() > LONGEST_PATH {
            path.truncate(start);
            path.push_str(LONG);
            path.push('/');
            digest::push(&mut path, text, digest::WHOLE);
        }
        path
    }

    /// The URI whose path this is. None where a path does not say: of names that were shortened or
    /// given a suffix, of the forms for conflicts, and of files that were not put there by this
    /// mapping.
    pub fn uri(&self, path: &str) -> Option<String> {
        let (rule, rest) = match path.strip_prefix(authority::MARK) {
            Some(rest) => (None, rest),
            None => self.below(path).map_or((None, path), |(rule, rest)| (Some(rule), rest)),
        };
        let (mut uri, rest) = match rule {
            Some(rule) => (rule.prefix.clone(), rest),
            None => {
                let (name, rest) = rest.split_once('/')?;
                (authority::origin(name)? + "/", rest)
            }
        };
        unescape::push_names(&mut uri, rest)?;
        // Whoever reads leniently must look at the result: only what is written so is meant so.
        let parsed = Uri::parse(&uri).ok()?;
        (parsed.as_str() == uri && self.path(&parsed) == path).then_some(uri)
    }

    /// True if a path is in the folder of a rule.
    pub(crate) fn is_below_rule(&self, path: &str) -> bool {
        self.below(path).is_some()
    }

    /// What the URIs begin with that are kept in a folder of that name, if it is that of a host.
    pub(crate) fn origin_of(&self, folder: &str) -> Option<String> {
        let name = folder.strip_prefix(authority::MARK).unwrap_or(folder);
        Some(authority::origin(name)? + "/")
    }

    /// The rule whose folder a path is in, and the path there.
    fn below<'p>(&self, path: &'p str) -> Option<(&Rule, &'p str)> {
        self.rules.iter().find_map(|rule| match rule.folder.as_str() {
            "" => Some((rule, path)),
            folder => Some((rule, path.strip_prefix(folder)?.strip_prefix('/')?)),
        })
    }

    /// True if what is below an authority of this name could be taken for what is below a folder.
    fn has_folder(&self, authority: &str) -> bool {
        let first = |rule: &Rule| folded(rule.folder.split('/').next().unwrap_or_default());
        !self.rules.is_empty() && {
            let authority = folded(authority);
            self.rules.iter().any(|rule| rule.folder.is_empty() || first(rule) == authority)
        }
    }
}
