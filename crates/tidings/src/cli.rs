//! The command line.

mod copying;
mod following;
mod site;
mod webfeed;

use std::path::PathBuf;

pub(crate) use copying::{Audit, Common, Export, Republish, Runs, Sync, ViaChoice};
pub(crate) use following::{
    Backup, Follow, LogForm, Opml, OpmlVerb, Place, Poll, Restore, RoleChoice, Serve, Sites,
    StateChoice, Token, TokenVerb, Unfollow, User, UserVerb, Wishes, Work, Worker, time,
};

pub(crate) use site::Site;
pub(crate) use webfeed::{Webfeed, WebfeedVerb};

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Keep copies, followers and search engines in step with a changing website.
#[derive(Debug, Parser)]
#[command(name = "tidings", version, propagate_version = true, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 done and all well; 1 done, and something differs or failed; \
    2 not done (usage, unreachable, refused)."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command understands.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Print one JSON object on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print no progress and no summary
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print more: every document, every change, the plan of a sync and why it was chosen
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
    /// Fetch from private, loopback and link-local addresses, too
    ///
    /// The origin of a URL on the command line is always trusted; this is about what documents and
    /// redirects lead to from there.
    #[arg(long, global = true)]
    pub(crate) allow_private: bool,
    /// The configuration; else tidings.toml in the current folder, if there is one
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Where copies are registered; else with the other state of this user
    #[arg(long, global = true, value_name = "DIR", hide = true)]
    pub(crate) register: Option<PathBuf>,
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// In a terminal, unless `NO_COLOR` is set
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Validate(Validate),
    Publish(Publish),
    Sync(Sync),
    Audit(Audit),
    Republish(Republish),
    Runs(Runs),
    Export(Export),
    Explore(Explore),
    Robots(Robots),
    Site(Site),
    Webfeed(Webfeed),
    Serve(Serve),
    Worker(Worker),
    Follow(Follow),
    Unfollow(Unfollow),
    Poll(Poll),
    Sites(Sites),
    Opml(Opml),
    Backup(Backup),
    Restore(Restore),
    Token(Token),
    User(User),
    Demo(Demo),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual pages into a folder
    Man {
        /// The folder
        folder: PathBuf,
    },
}

/// Say what is wrong with Sitemaps, ResourceSync documents and webfeeds, and why
///
/// Each finding has the id of its rule, its line, what the specification wants and what to do. A
/// finding is an error (against a requirement), a warning (cannot be used or checked, or likely to
/// trip others) or a note (against a recommendation). The exit code is 1 if there is an error or a
/// warning, 2 if a target could not be had at all.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    tidings validate sitemap.xml changelist.xml.gz\n  \
    curl -s https://example.com/sitemap.xml | tidings validate -\n  \
    tidings validate --follow https://example.com/.well-known/resourcesync\n  \
    tidings validate --follow --map https://example.com/=public \
https://example.com/.well-known/resourcesync")]
pub(crate) struct Validate {
    /// Files, URLs, or - for standard input
    #[arg(required = true, value_name = "TARGET")]
    pub(crate) targets: Vec<String>,
    /// The version of ResourceSync that the documents follow
    ///
    /// Documents do not say which version they follow. With auto, what either allows is right.
    #[arg(long, value_enum, default_value_t = SpecChoice::Auto, value_name = "VERSION")]
    pub(crate) spec: SpecChoice,
    /// The use that is meant of the documents
    ///
    /// Without it, ResourceSync where a document says so, else the Sitemap protocol.
    #[arg(long, value_enum, value_name = "PROFILE")]
    pub(crate) profile: Option<ProfileChoice>,
    /// Walk over the whole Source, and check that its documents agree
    #[arg(long)]
    pub(crate) follow: bool,
    /// Take what lies below URI from a folder on this machine, before it is published
    #[arg(long, value_name = "URI=DIR")]
    pub(crate) map: Vec<String>,
    /// With --follow: look at no more documents than that
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    pub(crate) max_documents: usize,
    /// Read no more entries of one document than that
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    pub(crate) max_entries: u64,
    /// Read no more bytes of one document than that, uncompressed
    #[arg(long, default_value_t = 100 << 20, value_name = "N")]
    pub(crate) max_bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SpecChoice {
    Auto,
    #[value(name = "1.0")]
    V1_0,
    #[value(name = "1.1")]
    V1_1,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileChoice {
    /// ANSI/NISO Z39.99; a plain Sitemap will not do
    Resourcesync,
    /// IFCC-0001: what a site needs so that it can be followed
    Ifcc,
    /// A plain Sitemap for search engines
    Sitemap,
    /// A webfeed: a folder, or the text file of its posts
    Webfeed,
}

const STORES: &str = "The folder whose files are published, and into which the documents go; or an \
object store\n\nAn object store is s3://bucket/prefix, gs://… or az://…; its documents are written \
into the folder that --out names, to be copied there. Endpoint, region and credentials are taken from \
the environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL and so on. \
Objects are only listed; with --hash each is read.";

/// Make a folder a ResourceSync Source, and keep it one
///
/// Writes `.well-known/resourcesync`, `resourcesync/…`, a plain `sitemap.xml` and, if there is none, a
/// `robots.txt` into the folder. At each later run what has changed since is found out from these
/// documents themselves, and added to the Change List; where nothing changed, nothing is written. A
/// file whose digest is the same is the same, whatever its time says. The exit code is 1 if files had
/// to be passed over.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    tidings publish public --base https://example.com/\n  \
    tidings publish public --base https://example.com/ --dry-run\n  \
    export-records | tidings publish public --base https://example.com/ --from-jsonl -\n  \
    tidings publish s3://bucket/site --base https://example.com/ --out documents\n  \
    tidings validate --follow --map https://example.com/=public \
https://example.com/.well-known/resourcesync")]
pub(crate) struct Publish {
    /// The folder whose files are published, and into which the documents go; or an object store
    #[arg(value_name = "DIR", long_help = STORES)]
    pub(crate) folder: PathBuf,
    /// The URL under which the folder is served
    #[arg(long, value_name = "URL")]
    pub(crate) base: Option<String>,
    /// Write the documents below this folder instead
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Publish only the set of that name, and leave the others as they are
    ///
    /// Sets are described in the configuration.
    #[arg(long, value_name = "NAME")]
    pub(crate) set: Option<String>,
    /// Fetch the last publication from the site at that URL first, to go on with its history
    ///
    /// For a job that begins with an empty disk. Usually the URL is that of --base. If nothing was
    /// published there yet, this is the first publication.
    #[arg(long, value_name = "URL", conflicts_with_all = ["full", "watch"])]
    pub(crate) previous: Option<String>,
    /// Take what is there from JSON lines in a file, or from standard input with -, not from DIR
    ///
    /// One object to a line: uri, and where they are known lastmod, length, type, hash ("sha-256:…")
    /// and links. In any order; they are sorted on disk.
    #[arg(long, value_name = "FILE", conflicts_with = "from_csv")]
    pub(crate) from_jsonl: Option<PathBuf>,
    /// Take what is there from a CSV file, or from standard input with -, not from DIR
    ///
    /// The first line names the columns: uri, lastmod, length, type, hash, md5, sha1, sha256, and
    /// link:REL for links.
    #[arg(long, value_name = "FILE")]
    pub(crate) from_csv: Option<PathBuf>,
    /// Publish only what a glob matches; may be given more than once
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// Do not publish what a glob matches, nor what is in a folder that it matches
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// The digests of each file: md5, sha-1, sha-224, sha-256, sha-384, sha-512 [default: sha-256]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) hash: Vec<String>,
    /// The version of ResourceSync to write for [default: both at once]
    #[arg(long, value_enum, value_name = "VERSION")]
    pub(crate) spec: Option<PublishSpec>,
    /// Put no more entries than that into one document, 50,000 at the most [default: 50000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=50_000))]
    pub(crate) max_entries: Option<u64>,
    /// Put all files into ZIP packages, too: a Resource Dump, for those who copy everything at once
    #[arg(long, conflicts_with_all = ["from_jsonl", "from_csv"])]
    pub(crate) dump: bool,
    /// Put the changes of each run into a ZIP package, too: a Change Dump, for those who keep up
    #[arg(long, conflicts_with_all = ["from_jsonl", "from_csv"])]
    pub(crate) change_dump: bool,
    /// Forget the last publication, and start the history anew
    #[arg(long)]
    pub(crate) full: bool,
    /// Maximum number of deletions to announce, as a number or a share of what was published
    ///
    /// Past that nothing is published, and the exit code is 2: more likely files are missing than
    /// deleted. If it is a share, up to 20 deletions are always announced.
    #[arg(long, value_name = "N|N%", default_value = "50%")]
    pub(crate) max_delete: String,
    /// Announce any number of deletions, even of everything
    #[arg(long)]
    pub(crate) force_delete: bool,
    /// Read every file, and remember nothing of it
    ///
    /// Else digests of files are kept in the user's cache folder, so that files whose size and times
    /// are the same are not read again.
    #[arg(long)]
    pub(crate) no_cache: bool,
    /// Print what would change, and touch nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Stay, and publish again within a second of each change in DIR
    #[arg(long, conflicts_with_all = ["from_jsonl", "from_csv", "dry_run"])]
    pub(crate) watch: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
pub(crate) enum PublishSpec {
    #[serde(rename = "both")]
    Both,
    #[value(name = "1.0")]
    #[serde(rename = "1.0")]
    V1_0,
    #[value(name = "1.1")]
    #[serde(rename = "1.1")]
    V1_1,
}

/// Show what a Source has, as a tree: sets, documents, times, links, packages
///
/// The Source is found from its site, a page of it or any of its documents: at the well-known place,
/// by links, by the Sitemap lines of robots.txt. A plain Sitemap will do. Packages are named and not
/// fetched. The exit code is 1 if a document could not be had, 2 if no Source was found.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    tidings explore https://example.com/\n  \
    tidings explore --depth 2 https://example.com/resourcesync/capabilitylist.xml")]
pub(crate) struct Explore {
    /// The URL of a site, a page of it, or a document
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    /// Look at no more levels than that, the first document being the first
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<usize>,
}

/// Say whether URLs may be fetched, and which line of robots.txt says so
///
/// The rules are those of RFC 9309. Where there is no robots.txt everything is allowed; where it could
/// not be had, nothing is. The exit code is 1 if one of the URLs is disallowed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    tidings robots https://example.com/ https://example.com/private/\n  \
    tidings robots --agent ExampleBot https://example.com/\n  \
    tidings robots --file public/robots.txt https://example.com/private/")]
pub(crate) struct Robots {
    /// The URLs
    #[arg(required = true, value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// Take the rules from a file, before it is published
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Who wants to fetch them: the name in robots.txt
    #[arg(long, value_name = "NAME", default_value = tidings_web::Robots::PRODUCT)]
    pub(crate) agent: String,
}

/// Take a tour of all of it on this machine
///
/// Publishes a small site in a temporary folder, changes it, publishes it again, validates it as a
/// whole, breaks it, and shows what is said then. Then the pages of all that are served, and the site
/// goes on changing.
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Then serve what was made, until it is told to stop; usual in a terminal
    #[arg(long, conflicts_with = "no_serve")]
    pub(crate) serve: bool,
    /// Do not serve it
    #[arg(long)]
    pub(crate) no_serve: bool,
}
