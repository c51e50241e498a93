//! The commands about copies.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Copy a ResourceSync Source, or the pages of a Sitemap, exactly, and keep the copy in step
///
/// The first run copies everything, from packages where that is cheaper; later runs apply the changes,
/// and make one request if there are none. Every file is verified before it is put into place, so that
/// wrong bytes never replace right ones; the next run resumes an interrupted one. Exit code 0 means that
/// the copy equals what the documents of the Source say. Exit code 1 means that it may not: no document
/// tells what changed in some span of time (a gap), a listed document could not be read, a resource could
/// not be fetched, a file that the copy did not write is in the way, or deletes were held back. The
/// report names each of them, and the next run tries again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    tidings sync https://example.com/ copy\n  \
    tidings sync https://example.com/ copy --delete --watch\n  \
    tidings sync https://example.com/sitemap.xml pages --include 'blog/**'\n  \
    tidings sync https://example.com/ copy --map https://example.com/=.\n  \
    tidings sync --moved https://example.net/ copy\n\n\
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
    /// Which documents to copy from; packages serve the first copy and changes alike
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
    /// The Source of the copy has moved to URL: keep what was copied, and compare it with what is there
    ///
    /// URIs of the copy change with the Source, files stay where they are, and what has the same digest
    /// is not fetched. Give the URL in the form in which it was given before.
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) moved: bool,
    /// Replace files that lie where those of the copy should be, and that the copy did not write
    ///
    /// Without it such a file is left as it is, and the exit code is 1, unless it already has the bytes
    /// of the resource: then it becomes part of the copy.
    #[arg(long)]
    pub(crate) overwrite: bool,
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
    /// The cheapest chain of documents
    Auto,
    /// Resource Lists and Change Lists; each resource is fetched from its URL
    List,
    /// Packages as far as they reach: Resource Dumps and Change Dumps
    Dump,
    /// The Sitemap, even if the site has or had ResourceSync
    Sitemap,
}

/// Prove that a copy is what its Source is
///
/// Compares the copy with the newest state that the documents of the Source tell of (a Resource List or
/// Resource Dump and the changes after it), and the files with what was copied: their lengths and times,
/// with --deep every byte. Stray files, which lie in the folders of the copy and are no resources, are
/// differences, too. No file is touched, unless --repair is given; the copy remembers which files are
/// missing or corrupt, and the next sync fetches them again. The exit code is 0 if the copy is in sync, 1
/// if it is not or if the documents leave a gap.
#[derive(Debug, Args)]
#[command(
    override_usage = "tidings audit [OPTIONS] <URL> <DIR>\n       tidings audit [OPTIONS] --offline <DIR>",
    after_help = "Examples:\n  \
    tidings audit https://example.com/ copy\n  \
    tidings audit https://example.com/ copy --deep --report audit.json\n  \
    tidings audit https://example.com/ copy --deep --repair\n  \
    tidings audit copy --offline --deep"
)]
pub(crate) struct Audit {
    /// The site, or any document of its Source, as it was given to sync; with --offline it may be left out
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    /// The folder of the copy
    #[arg(value_name = "DIR", required_unless_present = "offline")]
    pub(crate) folder: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
    /// Read every byte of the copy
    #[arg(long)]
    pub(crate) deep: bool,
    /// Ask nothing of the Source: compare the files with what was recorded when they were copied
    #[arg(long)]
    pub(crate) offline: bool,
    /// Write a report with every difference to that file, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Check only N resources, spread over all of them, and do not look for stray files
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) sample: Option<u64>,
    /// Fetch again what is missing, changed or corrupt
    #[arg(long, conflicts_with_all = ["sample", "offline"])]
    pub(crate) repair: bool,
}

/// Publish a copy as a Source of its own
///
/// Each resource links to its original (via) and says what its Source said of it; digests are those that
/// were verified, times those of the copy; `canonical` and `collection` links are left out. A copy of several sets becomes a Source of several sets, with
/// the same names. Run it after each sync: what changed in the copy becomes the changes of this Source.
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
    /// Put all files into ZIP packages, too: a Resource Dump, for those who copy everything at once
    #[arg(long)]
    pub(crate) dump: bool,
    /// Put the changes of each run into a ZIP package, too: a Change Dump, for those who keep up
    #[arg(long)]
    pub(crate) change_dump: bool,
    /// Forget the last publication, and start the history again
    #[arg(long)]
    pub(crate) full: bool,
    /// Say what would change, and touch nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Show the history of a copy: its syncs and audits, the newest last
///
/// The copy keeps its last 1,000 runs. OUTCOME is well, differs (something could not be fetched, there
/// is a gap, deletes were held back, or the copy is not in sync) or failed. LAG is the time from the newest change that a
/// sync applied, by the Source's clock, until it was in the copy; ACCURACY is the share of the resources
/// that were in step when the run ended.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    tidings runs copy\n  \
    tidings runs copy --json | jq '.runs[] | select(.outcome != \"well\")'")]
pub(crate) struct Runs {
    /// The folder of the copy
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

/// Write a copy as a BagIt bag (RFC 8493), for an archive
///
/// The payload is the files that the Source still has. Each is verified while it is copied; one that is
/// not what was recorded stops the export. resources.jsonl in the bag says which URI, media type and
/// time each file has. A percent sign in a name becomes an equals sign, so that every validator accepts
/// the bag. The exit code is 1 if the copy lacks resources that could not be fetched.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    tidings export copy --bagit bag\n  \
    tidings audit https://example.com/ copy --deep && tidings export copy --bagit bag")]
pub(crate) struct Export {
    /// The folder of the copy
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The folder of the bag: one that does not exist yet, outside of DIR
    #[arg(long, value_name = "OUT", required = true)]
    pub(crate) bagit: PathBuf,
}
