//! What following is measured with. `cargo xtask bench follow` runs it, and so does `bench pages`.
//!
//! ```text
//! farm CHANGES HANGING_EVERY          the sites; prints their port, ends with its input
//! crowd DATA PORT COUNT EVERY LEAD SPREAD
//!                                     follows so many sites of a farm, due after LEAD seconds from
//!                                     now and then over SPREAD seconds, and each EVERY seconds after
//!                                     that; prints when the first is due, then feeds, a line for each
//! webfeeds DATA PORT COUNT EVERY LEAD SPREAD
//!                                     the same of the webfeeds of so many sites
//! lags DATA FIRST COUNT SPREAD        how long after they were due sites were polled first; prints
//!                                     their number, the median, the 95th percentile and the maximum,
//!                                     in milliseconds
//! feed DATA BATCHES CHANGES           follows a site and polls it so often, each time with so many
//!                                     changes; prints its feed
//! leads DATA COUNT                    follows webfeeds with so many posts
//! sanitise post | css                 makes one safe again and again; prints who, bytes and seconds
//! pages DATA SITES CHANGES BATCHES FEW FEW_BATCHES
//!                                     follows so many sites, of which the first has so many changes
//!                                     over a year, that came in so many batches, and each of the
//!                                     others so few; DATA may be the URL of a database; prints the
//!                                     key of the first, which is that of its collection, too
//! ```

#[path = "../../../tests/support/alike.rs"]
mod alike;
mod crowd;
#[path = "../../../tests/support/farm.rs"]
#[allow(dead_code, missing_docs, unreachable_pub, reason = "the tests use another part of it")]
mod farm;
mod feed;
mod lags;
mod leads;
mod pages;
mod sanitise;

use std::env;
use std::error::Error;
use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;

use farm::{Farm, FarmOptions};
use tidings_store::Location;

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

const USAGE: &str = "usage: tidings-following farm CHANGES HANGING_EVERY | \
    crowd DATA PORT COUNT EVERY LEAD SPREAD | lags DATA FIRST COUNT SPREAD | \
    feed DATA BATCHES CHANGES | leads DATA COUNT | sanitise post|css | \
    webfeeds DATA PORT COUNT EVERY LEAD SPREAD | pages DATA SITES CHANGES BATCHES FEW FEW_BATCHES";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<()> {
    match arguments {
        ["farm", changes, hanging] => farm(changes.parse()?, hanging.parse()?),
        [verb @ ("crowd" | "webfeeds"), data, port, count, every, lead, spread] => {
            let times = [every, lead, spread].map(|seconds| seconds.parse::<i64>());
            let [every, lead, spread] = times;
            let plan = crowd::Plan {
                port: port.parse()?,
                count: count.parse()?,
                every: every? * 1000,
                lead: lead? * 1000,
                spread: spread? * 1000,
                webfeeds: *verb == "webfeeds",
            };
            block_on(crowd::follow(Path::new(data), plan))
        }
        ["lags", data, first, count, spread] => {
            let spread = spread.parse::<i64>()? * 1000;
            block_on(lags::tell(Path::new(data), first.parse()?, count.parse()?, spread))
        }
        ["leads", data, count] => block_on(leads::fill(Path::new(data), count.parse()?)),
        ["sanitise", what] => sanitise::run(what),
        ["feed", data, batches, changes] => {
            block_on(feed::fill(Path::new(data), batches.parse()?, changes.parse()?))
        }
        ["pages", data, figures @ ..] => {
            let figures: Vec<u32> =
                figures.iter().map(|figure| figure.parse()).collect::<Result<_, _>>()?;
            let &[sites, changes, batches, few, few_batches] = figures.as_slice() else {
                return Err(USAGE.into());
            };
            let plan = pages::Plan { sites, changes, batches, few, few_batches };
            block_on(pages::fill(location(data), plan))
        }
        _ => Err(USAGE.into()),
    }
}

fn location(data: &str) -> Location {
    if data.starts_with("postgres://") {
        Location::Database(data.to_owned())
    } else {
        Location::Folder(data.into())
    }
}

fn block_on(work: impl Future<Output = Result<()>>) -> Result<()> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(work)
}

/// Until whoever started it ends, however that comes to be.
fn farm(changes: u64, hanging_every: u64) -> Result<()> {
    let farm = Farm::start(FarmOptions { changes, hanging_every, ..FarmOptions::default() })?;
    println!("{}", farm.port());
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
