//! The commands about copies.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Copy a ResourceSync Source, or the pages of a Sitemap, exactly, and keep the copy in step
///
/// The first run brings everything, from packages where that is cheaper; later runs bring what
/// changed, and ask one question if nothing did. Every file is verified before it is put into its
/// place, so that wrong bytes never replace right ones; a run that was stopped is gone on with by the
/// next. The exit code is 1 if something could not be had or deletes were held back; what could not be
/// had is tried again by the next run.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    tidings sync https://example.com/ copy\n  \
    tidings sync https://example.com/ copy --delete --watch\n  \
    tidings sync https://example.com/sitemap.xml pages --include 'blog/**'\n  \
    tidings sync https://example.com/ copy --map https://example.com/=.\n\n\
    A file lies at HOST/PATH below DIR; --map puts what is below a URI elsewhere.")]
pub(crate) struct Sync {
    /// The site, or any document of its Source
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    /// The folder of the copy
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) common: Common,
    /// How the first copy comes
    #[arg(long, value_enum, default_value_t = ViaChoice::Auto, value_name = "WAY")]
    pub(crate) via: ViaChoice,
    /// Copy only what a glob matches, by the path of its URL; may be given more than once
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// Do not copy what a glob matches
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Copy only what says that it belongs to that collection
    #[arg(long, value_name = "URI")]
    pub(crate) collection: Option<String>,
    /// Where a resource has several representations, take the one of that media type
    #[arg(long, value_name = "TYPE")]
    pub(crate) prefer: Option<String>,
    /// Fetch the metadata that resources link to (describedby), too
    #[arg(long)]
    pub(crate) with_metadata: bool,
    /// Remove from the copy what the Source has no more
    #[arg(long)]
    pub(crate) delete: bool,
    /// How much may be removed at once, as a number or a share
    ///
    /// Past that nothing is removed, and the exit code is 1: the Source is more likely broken than
    /// empty. If it is a share, up to 20 are always removed, and never all there are.
    #[arg(long, value_name = "N|N%", default_value = "10%")]
    pub(crate) max_delete: String,
    /// Remove however many there are
    #[arg(long, requires = "delete")]
    pub(crate) force_delete: bool,
    /// Move what is removed to .tidings/trash and a folder of the run
    #[arg(long, requires = "delete")]
    pub(crate) trash: bool,
    /// Compare with everything that the Source has, and with the files, whatever was read before
    #[arg(long)]
    pub(crate) baseline: bool,
    /// Say what would be done, and do nothing
    #[arg(long, conflicts_with = "watch")]
    pub(crate) dry_run: bool,
    /// Stay, and keep the copy in step
    #[arg(long)]
    pub(crate) watch: bool,
    /// With --watch: the shortest time between two polls, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=604_800))]
    pub(crate) interval: u64,
}

/// How the Source is reached, and what of it.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// The set, if the Source has several; may be given more than once
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    pub(crate) set: Vec<String>,
    /// All sets
    #[arg(long)]
    pub(crate) all: bool,
    /// Put what lies below a URI into that folder of the copy; may be given more than once
    #[arg(long, value_name = "URI=DIR")]
    pub(crate) map: Vec<String>,
    /// How many requests at once, at the most
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: u16,
    /// No more requests to one host than that in a second
    #[arg(long, value_name = "N")]
    pub(crate) rate: Option<f64>,
    /// Take at most so many bytes in a second, over all requests together: a number, with k, M or G after
    /// it for thousands, millions or billions
    #[arg(long, value_name = "RATE")]
    pub(crate) bwlimit: Option<String>,
    /// A header for requests to the origin of URL, such as 'Authorization: Bearer …'
    #[arg(long, value_name = "HEADER")]
    pub(crate) header: Vec<String>,
    /// Take the user name and password for the host of URL from ~/.netrc, or the file that NETRC names
    #[arg(long)]
    pub(crate) netrc: bool,
    /// Fetch what robots.txt says not to, too
    #[arg(long)]
    pub(crate) no_robots: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ViaChoice {
    /// What is cheaper
    Auto,
    /// Resource by resource
    List,
    /// In packages
    Dump,
    /// Page by page from its Sitemap, even if it has or had ResourceSync
    Sitemap,
}

/// Prove that a copy is what its Source is
///
/// Compares what the Source has, its Resource List and the changes since, with what the copy has, and
/// the files with what was put there: their lengths and times, with --deep every byte. Nothing is
/// written, unless --repair is given. The exit code is 0 if the copy is in sync, 1 if not.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    tidings audit https://example.com/ copy\n  \
    tidings audit https://example.com/ copy --deep --json\n  \
    tidings audit https://example.com/ copy --deep --repair")]
pub(crate) struct Audit {
    /// The site, or any document of its Source: as it was given to sync
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    /// The folder of the copy
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) common: Common,
    /// Read every byte of the copy
    #[arg(long)]
    pub(crate) deep: bool,
    /// Look only at N resources, spread over all of them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) sample: Option<u64>,
    /// Fetch again what is missing, changed or corrupt
    #[arg(long, conflicts_with = "sample")]
    pub(crate) repair: bool,
}

/// Publish a copy as a Source of its own
///
/// Each resource links to its original (via) and says what its Source said of it; times are those of
/// the copy. Run it after each sync: what changed in the copy becomes the changes of this Source.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    tidings sync https://example.com/ copy\n  \
    tidings republish copy --base https://mirror.example/")]
pub(crate) struct Republish {
    /// The folder of the copy, into which the documents go, too
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The URL under which the folder is served
    #[arg(long, value_name = "URL")]
    pub(crate) base: String,
    /// As it was given to sync
    #[arg(long, value_name = "URI=DIR")]
    pub(crate) map: Vec<String>,
    /// Say what would change, and touch nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}
