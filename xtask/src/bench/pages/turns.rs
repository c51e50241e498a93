//! Pages, asked for in turn, so that a busy spell of the machine hits them all.

use anyhow::Result;

use super::line::Line;
use super::questions::Question;
use super::{GZIP, visit};
use crate::bench::data::Spread;
use crate::bench::follow::process::Process;
use crate::bench::measure::problem;
use crate::bench::works::Side;

/// How often a page is asked for in each round.
const EACH: usize = 20;

pub(super) struct Server<'a> {
    process: &'a Process,
    line: Line,
}

/// What has been seen of a page so far.
#[derive(Default)]
struct Seen {
    /// In seconds, of each request.
    wall: Vec<f64>,
    /// Of all of them.
    cpu: f64,
    bytes: u64,
    problem: Option<String>,
}

impl<'a> Server<'a> {
    pub(super) fn new(process: &'a Process, address: &str) -> Result<Self> {
        Ok(Self { process, line: Line::to(address)? })
    }

    fn take(&mut self, path: &str, seen: &mut Seen, counts: bool) -> Result<()> {
        let visit = visit()?;
        let before = self.process.cpu()?;
        for _ in 0..EACH {
            let heard = self.line.ask(path, &[GZIP, &visit])?;
            if counts {
                seen.wall.push(heard.seconds);
                seen.bytes = seen.bytes.max(heard.bytes);
            }
        }
        if counts {
            seen.cpu += self.process.cpu()? - before;
        }
        Ok(())
    }
}

/// The first server is ours.
pub(super) fn run(
    store: &str,
    mut servers: Vec<(Server<'_>, Vec<Question>)>,
    rounds: usize,
) -> Result<Vec<Side>> {
    let mut seen: Vec<Vec<Seen>> = Vec::new();
    for (_, questions) in &servers {
        seen.push(questions.iter().map(|_| Seen::default()).collect());
    }
    for round in 0..=rounds {
        eprintln!("bench: pages of {store}, round {round} of {rounds}");
        for ((server, questions), seen) in servers.iter_mut().zip(&mut seen) {
            for (question, seen) in questions.iter().zip(seen) {
                if seen.problem.is_none()
                    && let Err(error) = server.take(&question.path, seen, round > 0)
                {
                    seen.problem = Some(problem(&error));
                    // What is left of that answer is not the next one's.
                    server.line = server.line.again()?;
                }
            }
        }
    }
    let sides = servers.into_iter().zip(seen).enumerate().flat_map(|(at, ((_, asked), seen))| {
        asked.into_iter().zip(seen).map(move |(question, seen)| seen.end(&question, at == 0))
    });
    Ok(sides.collect())
}

impl Seen {
    fn end(self, question: &Question, ours: bool) -> Side {
        let requests = self.wall.len();
        let cpu: Vec<f64> =
            (requests > 0).then(|| self.cpu / requests as f64).into_iter().collect();
        Side {
            name: question.name.to_owned(),
            does: question.does.to_owned(),
            ours,
            runs: requests,
            wall: Spread::of(&self.wall),
            cpu: Spread::of(&cpu),
            most: most(&self.wall),
            sent: Some(self.bytes).filter(|bytes| *bytes > 0),
            problem: self.problem,
            ..Side::default()
        }
    }
}

/// The 95th percentile.
fn most(figures: &[f64]) -> Option<f64> {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (sorted.len() * 95).div_ceil(100).checked_sub(1)?;
    Some((sorted.get(place)? * 1e6).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use super::most;

    #[test]
    fn nineteen_of_twenty_are_within_it() {
        let figures: Vec<f64> = (1..=20).rev().map(f64::from).collect();
        assert_eq!(most(&figures), Some(19.0));
        assert_eq!(most(&[2.0]), Some(2.0));
        assert_eq!(most(&[]), None);
    }
}
