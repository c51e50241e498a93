//! The command line of following.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use tidings_store::Settings;

/// Where the state of the service is.
#[derive(Debug, Args)]
#[command(next_help_heading = "State")]
pub(crate) struct Place {
    /// The folder that all is remembered in [default: tidings in the user's data folder]
    #[arg(long, value_name = "DIR", env = "TIDINGS_DATA", conflicts_with = "database")]
    pub(crate) data: Option<PathBuf>,
    /// A PostgreSQL database instead, for many machines, as `postgres://user@host/name`
    #[arg(long, value_name = "URL", env = "TIDINGS_DATABASE", hide_env_values = true)]
    pub(crate) database: Option<String>,
}

/// Follow sites, and serve a feed of what changes on each of their collections
///
/// Polls what is followed when it is due, and serves feeds (Atom, RSS, JSON Feed), an API, and pages.
/// Everybody may read; to change something takes an account or a token, except on a loopback address
/// while there are no accounts.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    tidings serve\n  \
    tidings follow https://example.com/\n  \
    tidings serve --listen 0.0.0.0:8420 --base https://feeds.example.org/\n  \
    tidings serve --database postgres://tidings@db/tidings")]
pub(crate) struct Serve {
    /// Where to listen [default: 127.0.0.1:8420]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<SocketAddr>,
    /// The URL at which others reach it, if a proxy stands before it
    #[arg(long, value_name = "URL")]
    pub(crate) base: Option<String>,
    /// Ask for an account or a token to read, too
    #[arg(long)]
    pub(crate) private: bool,
    /// Serve, and leave the polling to others
    #[arg(long)]
    pub(crate) no_poll: bool,
    #[command(flatten)]
    pub(crate) work: Work,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Poll what is due, on one more machine
///
/// Shares the work with all others on the same database. A machine may vanish at any time: what it was
/// doing is done by another a minute later, and nothing is recorded twice.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tidings worker --database postgres://tidings@db/tidings")]
pub(crate) struct Worker {
    #[command(flatten)]
    pub(crate) work: Work,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// How to work.
#[derive(Debug, Args)]
pub(crate) struct Work {
    /// How many polls to work on at once; those that wait for slow sites do not count [default: 64]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) jobs: Option<u16>,
    /// How the log looks
    #[arg(long, value_enum, value_name = "FORM", default_value_t = LogForm::Text)]
    pub(crate) log: LogForm,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogForm {
    /// Lines for people
    Text,
    /// An object to a line
    Json,
}

/// Follow the site that a URL is on
///
/// If the site has ResourceSync, each of its sets is a collection with a feed of its own. Else its
/// Sitemap is looked at again and again, and what is new, different or gone in it makes the feed. If
/// there is no Sitemap either, a feed of its own is taken over. With --pages, the pages of a site that has
/// nothing of that are read and compared. The text file of a webfeed is followed as
/// such, and its posts are read at /webfeeds of `tidings serve`. The exit code is 1 if the first poll
/// failed, 2 if there is nothing to follow.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    tidings follow https://example.com/\n  \
    tidings follow --split --every 6h https://example.com/\n  \
    tidings follow --diff https://example.com/news.html\n  \
    tidings follow --pages https://example.com/     # a site without Sitemap and feed")]
pub(crate) struct Follow {
    /// Any URL on the site
    #[arg(required = true, value_name = "URL")]
    pub(crate) urls: Vec<String>,
    #[command(flatten)]
    pub(crate) wishes: Wishes,
    /// Do not poll it right now
    #[arg(long)]
    pub(crate) no_poll: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// How to follow.
#[derive(Debug, Args)]
pub(crate) struct Wishes {
    /// Of a Sitemap: a collection for each first segment of a path
    #[arg(long)]
    pub(crate) split: bool,
    /// Ignore changes without datetime, whatever the source (IFCC-0001)
    #[arg(long)]
    pub(crate) strict: bool,
    /// Fetch the titles of so many changed pages at each poll, 100 at the most [default: 20]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) titles: Option<u32>,
    /// Keep the text of changed pages, and show what is different in them
    #[arg(long)]
    pub(crate) diff: bool,
    /// Poll this often, such as 30min, 6h or 2d, and not as the site's changes suggest
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) every: Option<i64>,
    /// Of a webfeed: so many tiles a day in the grid, and one for all the rest [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=i64::from(Settings::MOST_TILES)))]
    pub(crate) tiles: Option<u32>,
    /// If a site offers nothing else, read its pages, up to so many, one a second
    ///
    /// They are on the host of the URL, and linked from it or from one another. What they are called and
    /// what they say is compared at each poll [default: 100]
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "100",
        value_parser = clap::value_parser!(u32).range(1..=i64::from(Settings::MAX_PAGES))
    )]
    pub(crate) pages: Option<u32>,
    /// A webfeed is meant, and nothing else: its text file, or a page that offers it
    #[arg(long)]
    pub(crate) webfeed: bool,
}

/// Forget sites, their feeds and all
#[derive(Debug, Args)]
pub(crate) struct Unfollow {
    /// URLs or keys of sites, as `tidings sites` has them
    #[arg(required = true, value_name = "SITE")]
    pub(crate) sites: Vec<String>,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Look for changes now
///
/// Polls the sites that are named, or all, whatever their state: also those that fail, are paused or
/// are not due. The exit code is 1 if a poll failed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    tidings poll\n  \
    tidings poll https://example.com/\n  \
    tidings poll --due          # from cron, without a server")]
pub(crate) struct Poll {
    /// URLs or keys of sites; all if none is named
    #[arg(value_name = "SITE")]
    pub(crate) sites: Vec<String>,
    /// Of all sites, only those that are due
    #[arg(long, conflicts_with = "sites")]
    pub(crate) due: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// List what is followed, how it is, and where its feeds are
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    tidings sites\n  \
    tidings sites --state failing\n  \
    tidings sites --json example.com")]
pub(crate) struct Sites {
    /// Only those with this in their URL, title or key
    #[arg(value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Only those in this state
    #[arg(long, value_enum, value_name = "STATE")]
    pub(crate) state: Option<StateChoice>,
    /// The URL of the server that has the feeds [default: that of the last one that ran]
    #[arg(long, value_name = "URL")]
    pub(crate) base: Option<String>,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StateChoice {
    /// Not polled yet
    New,
    /// The last poll went well
    Well,
    /// The last poll went well but for some of the collections
    PartlyFailing,
    /// The last poll failed
    Failing,
    /// Not polled until somebody says so
    Paused,
}

/// Lists of subscriptions, as feed readers have them
#[derive(Debug, Args)]
pub(crate) struct Opml {
    #[command(subcommand)]
    pub(crate) verb: OpmlVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum OpmlVerb {
    /// Follow all sites of a list
    ///
    /// Sites of another Tidings are followed by their addresses, with their settings. Of each other subscription the feed is followed; if that leads nowhere, its site. Private addresses are
    /// refused unless --allow-private is given. The exit code is 1 if some cannot be followed.
    Import {
        /// The list, or - for standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        wishes: Wishes,
        #[command(flatten)]
        place: Place,
    },
    /// Print all sites and their settings as a list; with --feeds, all feeds
    ///
    /// The list of sites is for another Tidings: it names the address of each site, and how it is followed.
    /// The list of feeds is for a feed reader. `import` takes either.
    Export {
        /// The feeds of this server instead
        #[arg(long)]
        feeds: bool,
        /// The URL of the server that has the feeds [default: that of the last one that ran]
        #[arg(long, value_name = "URL")]
        base: Option<String>,
        #[command(flatten)]
        place: Place,
    },
}

/// Copy the state of the follower into a file, while a server runs
///
/// The file has everything as it was at one moment: sites, changes, posts, accounts, tokens, saved searches.
/// It replaces a file of that name when all of it is on the disk. PostgreSQL has tools of its own (`pg_dump`).
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    tidings backup /backups/tidings.db\n  \
    tidings restore /backups/tidings.db --replace")]
pub(crate) struct Backup {
    /// The file to write
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Put the state of the follower back from a backup, even while a server runs
///
/// The backup is checked and brought up to date first. All is replaced at once: what happened since the
/// backup was made is forgotten. A poll that is under way is not recorded. PostgreSQL has tools of its own
/// (`pg_restore`).
#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// The file that `tidings backup` wrote
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Replace the state that is there
    #[arg(long)]
    pub(crate) replace: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Tokens: what programs show to a server to be let in
#[derive(Debug, Args)]
pub(crate) struct Token {
    #[command(subcommand)]
    pub(crate) verb: TokenVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenVerb {
    /// Make a token; it is shown once, and only its hash is kept
    Add {
        /// What to call it
        name: String,
        /// Let it read, and no more
        #[arg(long, conflicts_with = "admin")]
        read: bool,
        /// Let it manage tokens, too
        #[arg(long)]
        admin: bool,
        #[command(flatten)]
        place: Place,
    },
    /// List the tokens that there are
    List {
        #[command(flatten)]
        place: Place,
    },
    /// Take a token back
    Remove {
        /// What it is called
        name: String,
        #[command(flatten)]
        place: Place,
    },
}

/// Accounts: who may sign in to the pages of a server
#[derive(Debug, Args)]
#[command(
    after_help = "The password is asked for, or read from the first line of standard input.\n\n\
    Examples:\n  \
    tidings user add ann --role admin\n  \
    tidings user list"
)]
pub(crate) struct User {
    #[command(subcommand)]
    pub(crate) verb: UserVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum UserVerb {
    /// Make an account
    Add {
        /// What to call it
        name: String,
        /// What it may do
        #[arg(long, value_enum, value_name = "ROLE", default_value_t = RoleChoice::Reader)]
        role: RoleChoice,
        #[command(flatten)]
        place: Place,
    },
    /// List the accounts that there are
    List {
        #[command(flatten)]
        place: Place,
    },
    /// Change what an account may do
    Role {
        /// What it is called
        name: String,
        /// What it may do from now on
        #[arg(value_enum)]
        role: RoleChoice,
        #[command(flatten)]
        place: Place,
    },
    /// Set a new password, and end all sessions of the account
    Password {
        /// What it is called
        name: String,
        #[command(flatten)]
        place: Place,
    },
    /// Remove an account, and end its sessions
    Remove {
        /// What it is called
        name: String,
        #[command(flatten)]
        place: Place,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoleChoice {
    /// Sees everything that is followed
    Reader,
    /// Follows, pauses and removes sites, too
    Editor,
    /// Makes accounts and tokens, too
    Admin,
}

/// A time such as `90s`, `30min`, `6h`, `2d` or `1w`, in milliseconds.
pub(crate) fn time(text: &str) -> Result<i64, String> {
    let wrong = || format!("{text:?} is no time: give it as 30min, 6h, 2d or 1w");
    let digits = text.trim().bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.trim().split_at(digits);
    let seconds = match unit.trim() {
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        _ => return Err(wrong()),
    };
    let number: i64 = number.parse().map_err(|_| wrong())?;
    let time =
        number.checked_mul(seconds * 1000).filter(|time| (1_000..=366 * 86_400_000).contains(time));
    time.ok_or_else(|| format!("{text:?} is not between a second and a year"))
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times_are_read_as_people_write_them() {
        for (text, expected) in
            [("90s", 90_000), ("30min", 1_800_000), ("6h", 21_600_000), ("2d", 172_800_000)]
        {
            assert_eq!(time(text), Ok(expected), "{text}");
        }
        for bad in ["", "6", "h", "0s", "-1h", "1y", "9999999999999d"] {
            assert!(time(bad).is_err(), "{bad}");
        }
    }
}
