//! `tidings webfeed`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Make a folder a webfeed, add posts to it, and say what is wrong with one
///
/// A webfeed is a text file of addresses, index.txt, and plain HTML posts behind it. Each section of a
/// post is one screen; the first is its lead, which readers show in a grid. Any static file server can
/// serve it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    tidings webfeed init feed --author Ada --about \"Boats, and fog\"\n  \
    tidings webfeed add feed fog.md\n  \
    tidings webfeed add feed fog.md --resize\n  \
    tidings webfeed edit feed fog.html fog.md\n  \
    tidings webfeed add feed https://friend.example/posts/a.html\n  \
    tidings webfeed remove feed fog.html\n  \
    tidings webfeed check feed\n  \
    tidings webfeed check https://example.com/feed/index.txt")]
pub(crate) struct Webfeed {
    #[command(subcommand)]
    pub(crate) verb: WebfeedVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WebfeedVerb {
    /// Make a folder a webfeed: index.txt, a style sheet, a page that says whose it is, a first post
    ///
    /// Files that are there already stay as they are. A webfeed that does not say yet where it is served
    /// comes to say it with --base.
    Init {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Who writes it
        #[arg(long, value_name = "NAME", default_value = "")]
        author: String,
        /// A line about them
        #[arg(long, value_name = "TEXT", default_value = "")]
        about: String,
        /// Their picture, relative to the folder
        #[arg(long, value_name = "FILE", default_value = "")]
        icon: String,
        /// The URL under which the folder is served: then there is an Atom feed of the posts, too
        #[arg(long, value_name = "URL")]
        base: Option<url::Url>,
        /// Say which files would be written and deleted, and do nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Add posts: Markdown, HTML, a page in the folder, or the address of somebody else's post
    ///
    /// In Markdown each line of --- ends a section, and in a long text each heading does; front matter
    /// (YAML or TOML) is left out, and drafts are refused. HTML that has sections is taken as it is; else
    /// what is in its body becomes one. The pictures, style sheets and icons that a file uses are copied
    /// into the folder with it. A file that was added before replaces what its post says, and the post
    /// keeps its place. An address becomes a repost. All posts are added, or none if anything is wrong with
    /// one; readers take no more than 1 MiB of each. The length of index.txt is another one after each
    /// edit, since that is what readers look at.
    Add {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Files (.md, .markdown, .txt, .html, .htm, .xhtml), addresses, or - for Markdown from standard
        /// input
        #[arg(required = true, value_name = "POST")]
        posts: Vec<String>,
        /// The name of the file that is made of the post; else it is made from its title
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// Make photographs (JPEG, PNG) smaller that have more pixels than that on their longer side, and
        /// leave out where they were taken
        #[arg(long, value_name = "PIXELS", num_args = 0..=1, require_equals = true,
              default_missing_value = "2048", value_parser = clap::value_parser!(u32).range(16..=20_000))]
        resize: Option<u32>,
        /// Say which files would be written and deleted, and do nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Replace what a post says, or edit its page
    ///
    /// With FILE the post says what that file says, and keeps its address and its place. Without it, the
    /// page is opened in the editor that $VISUAL or $EDITOR names. Readers are told by the length of
    /// index.txt, and show the post as edited.
    Edit {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// The line of the post in the index
        #[arg(value_name = "POST")]
        post: String,
        /// Markdown or HTML, or - for Markdown from standard input
        #[arg(value_name = "FILE")]
        file: Option<String>,
        /// As with `add`
        #[arg(long, value_name = "PIXELS", num_args = 0..=1, require_equals = true,
              default_missing_value = "2048", value_parser = clap::value_parser!(u32).range(16..=20_000))]
        resize: Option<u32>,
        /// Say which files would be written and deleted, and do nothing
        #[arg(long, requires = "file")]
        dry_run: bool,
    },
    /// Remove posts from the index, as if they had never been there
    ///
    /// All of them are removed, or none if one is not listed.
    Remove {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Lines of the index
        #[arg(value_name = "POST", required_unless_present = "keep")]
        posts: Vec<String>,
        /// Remove all but so many of the newest
        #[arg(long, value_name = "N", conflicts_with = "posts")]
        keep: Option<usize>,
        /// Delete their files, too
        #[arg(long)]
        delete: bool,
        /// Say which files would be written and deleted, and do nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Say what is wrong with a webfeed, in a folder or on the web, and why
    ///
    /// The same as `tidings validate --profile webfeed`.
    Check {
        /// Folders, the addresses of their text files, single posts, or - for standard input
        #[arg(required = true, value_name = "DIR|URL")]
        targets: Vec<String>,
        /// Look at no more posts of each than that, the newest first
        #[arg(long, default_value_t = 100, value_name = "N")]
        most: usize,
    },
}
