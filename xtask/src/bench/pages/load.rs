//! Pages, asked for by several at once, beside a server that says hello.

use anyhow::Result;

use super::data::{BODY, COLLECTION_LOAD, HELLO, HOME_LOAD, SERVE};
use super::{GZIP, Size, visit};
use crate::bench::follow::asked::Asked;
use crate::bench::follow::process::{Process, Served};
use crate::bench::follow::wrk::Load;
use crate::bench::works::Work;

const CONNECTIONS: u32 = 4;
/// What takes as long as is said.
const REQUESTS: u64 = 1_000;

pub(super) fn run(
    (served, hello): (&Served, &Process),
    key: &str,
    size: &Size,
) -> Result<Vec<Work>> {
    let works = [
        (HOME_LOAD, "Home, for several", "/".to_owned()),
        (COLLECTION_LOAD, "A collection, for several", format!("/collections/{key}")),
    ];
    let mut done = Vec::new();
    for (id, title, path) in works {
        let headers = [GZIP.to_owned(), visit()?];
        let load = Load { headers: &headers, connections: CONNECTIONS, seconds: size.load };
        let at = |path: &str| format!("http://{}{path}", hello.said);
        let mut asked = [
            Asked::new(&served.process, format!("http://{}{path}", served.address), REQUESTS),
            Asked::new(hello, at("/"), REQUESTS),
            Asked::new(hello, at("/body"), REQUESTS),
        ];
        for round in 0..=size.load_rounds {
            eprintln!("bench: {id}, round {round} of {}", size.load_rounds);
            asked.iter_mut().for_each(|one| one.take(&load, round > 0));
        }
        let names = [
            (SERVE, "makes the page each time", true),
            (HELLO, "a line of text, always the same", false),
            (BODY, "the same bytes each time", false),
        ];
        let sides = asked.into_iter().zip(names);
        let sides = sides.map(|(one, (name, does, ours))| one.end(name, does, ours));
        done.push(Work {
            id: id.to_owned(),
            title: title.to_owned(),
            about: format!(
                "{REQUESTS} requests. wrk has {CONNECTIONS} connections and one thread, on the same \
                 cores. CPU time is the server's, and so is the peak: that of all pages so far."
            ),
            resources: REQUESTS,
            bytes: 0,
            sides: sides.collect(),
        });
    }
    Ok(done)
}
