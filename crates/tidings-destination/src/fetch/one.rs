//! One resource, from what is wanted to its file.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

use tidings_bytes::{ByteReader, StagingArea};
use tidings_web::{Answer, Client, FetchError, GetOptions, Retry, StatusCode, Validators};
use url::Url;

use super::body::Body;
use super::candidates::{Candidate, candidates, memento};
use super::partial::Partials;
use super::resume::Begun;
use super::unverified::{Refusal, refusal};
use super::{Brought, Failure, FetchOptions, How, Landed};
use crate::bytes::{Expected, Measure, Measured};
use crate::mapping::Uri;
use crate::robots::RobotsRules;
use crate::state::Validator;
use crate::wanted::Wanted;

/// How many bytes are taken of something of which the Source does not say how long it is: it may have no
/// end.
const MOST_UNSAID: u64 = 64 << 30;

/// How often the rest of one body is asked for.
const MOST_RESUMES: u32 = 8;

/// A mirror that failed so often in a row is not asked again in this run.
const SICK: u32 = 3;

/// What one thread needs to fetch.
pub(super) struct Fetcher {
    pub(super) options: Arc<FetchOptions>,
    pub(super) client: Client,
    pub(super) temporary: RefCell<StagingArea>,
    /// The copy, to read what patches start from.
    pub(super) files: RefCell<Box<dyn ByteReader>>,
    /// How often mirrors failed in a row, by origin.
    sick: RefCell<HashMap<String, u32>>,
    pub(super) robots: RobotsRules,
    /// Bodies that broke off.
    pub(super) partials: Partials,
}

impl Fetcher {
    pub(super) fn new(
        options: Arc<FetchOptions>,
        client: Client,
        temporary: StagingArea,
        files: Box<dyn ByteReader>,
    ) -> Self {
        Self {
            partials: Partials::new(&options.folder),
            robots: RobotsRules::new(client.clone(), options.get.clone(), options.robots.clone()),
            options,
            client,
            temporary: RefCell::new(temporary),
            files: RefCell::new(files),
            sick: RefCell::default(),
        }
    }

    /// Brings it, and says how many bytes came over the network for it.
    pub(super) async fn fetch(&self, wanted: &Wanted) -> (Result<Brought, Failure>, u64) {
        let mut cost = 0;
        (self.bring(wanted, &mut cost).await, cost)
    }

    async fn bring(&self, wanted: &Wanted, cost: &mut u64) -> Result<Brought, Failure> {
        if let Some(adopted) = self.adopt(wanted) {
            return Ok(adopted);
        }
        if let Some(landed) = self.patched(wanted, cost).await {
            return Ok(Brought::File(landed));
        }
        let mut failure = None;
        for candidate in candidates(wanted, self.options.prefer.as_deref()) {
            let is_mirror = candidate.how == How::Mirror;
            let origin = match is_mirror {
                true => candidate.url.origin().ascii_serialization(),
                false => String::new(),
            };
            if is_mirror && self.sick.borrow().get(&origin).is_some_and(|count| *count >= SICK) {
                continue;
            }
            match self.from(wanted, &candidate, cost).await {
                Ok(brought) => {
                    if is_mirror {
                        self.sick.borrow_mut().remove(&origin);
                    }
                    return Ok(brought);
                }
                Err(failed) => {
                    if is_mirror {
                        *self.sick.borrow_mut().entry(origin).or_default() += 1;
                    }
                    if failure.is_none() || !is_mirror {
                        failure = Some(failed);
                    }
                }
            }
        }
        let no_place = || Failure::new("it is at no place on the web that could be asked");
        let failure = failure.unwrap_or_else(no_place);
        match memento(wanted).filter(|_| failure.moved_on || failure.missing) {
            Some(candidate) => self.from(wanted, &candidate, cost).await.map_err(|_| failure),
            None => Err(failure),
        }
    }

    /// A file that is there already with the right bytes: of a run that was killed before it could
    /// record it, or of a copy that somebody else made.
    fn adopt(&self, wanted: &Wanted) -> Option<Brought> {
        if !self.options.adopt || wanted.known.is_some() || !wanted.expected.is_certain() {
            return None;
        }
        let path = self.options.mapping.path(&Uri::known(&wanted.uri));
        let mut files = self.files.borrow_mut();
        let stamp = files.stamp(&path)?;
        if wanted.expected.length.is_some_and(|length| length != stamp.length) {
            return None;
        }
        let measured = measure(files.open(&path).ok()?, &wanted.expected)?;
        let right = wanted.expected.mismatch(&measured).is_none();
        right.then_some(Brought::Adopted(measured, stamp, path))
    }

    async fn from(
        &self,
        wanted: &Wanted,
        candidate: &Candidate,
        cost: &mut u64,
    ) -> Result<Brought, Failure> {
        self.robots.check(&candidate.url).await.map_err(Failure::new)?;
        // What a mirror or a memento says of itself is not what the resource says.
        let is_own = candidate.how == How::Whole;
        let mut options = self.options.get.clone();
        if is_own && wanted.known.is_some() && !wanted.expected.is_certain() {
            options.validators = Validators {
                etag: wanted.validator.etag.clone(),
                last_modified: wanted.validator.modified.clone(),
            };
        }
        let mut retry = Retry::new(self.options.tries);
        let mut again = candidate.expected.is_certain();
        loop {
            let failure = match self.once(wanted, candidate, &options, cost).await {
                Ok(Ok(brought)) => return Ok(brought),
                // It may have been changed while it was read; once more, past any cache of ours.
                Ok(Err(failure)) if failure.moved_on && again => {
                    again = false;
                    continue;
                }
                Ok(Err(failure)) => return Err(failure),
                Err(error) => error,
            };
            match retry.wait(&failure) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return Err(failed(&failure)),
            }
        }
    }

    /// One request, and what is left of a body that broke off.
    async fn once(
        &self,
        wanted: &Wanted,
        candidate: &Candidate,
        options: &GetOptions,
        cost: &mut u64,
    ) -> Result<Result<Brought, Failure>, FetchError> {
        let io = |url: &Url| {
            let url = url.clone();
            move |error| FetchError::Io { url, error }
        };
        let lastmod = wanted.lastmod;
        let (mut answer, kept) = match self.begin(candidate, options).await? {
            Begun::Answer(answer, kept) => (answer, kept),
            Begun::Whole(body) => {
                let mut temporary = self.temporary.borrow_mut();
                let finished = body.finish(&candidate.expected, lastmod, &mut temporary);
                let finished = finished.map_err(io(&candidate.url))?;
                let landed =
                    |finished| Landed::new(finished, Validator::default(), None, candidate.how);
                return Ok(finished.map(|finished| Brought::File(landed(finished))));
            }
        };
        let validators = answer.validators();
        if answer.status == StatusCode::NOT_MODIFIED {
            return Ok(Ok(Brought::Unchanged));
        }
        let encoding = answer.content_encoding().map(|encoding| encoding.to_ascii_lowercase());
        let encoding = encoding.as_deref().filter(|encoding| *encoding != "identity");
        if !matches!(encoding, None | Some("gzip" | "x-gzip")) {
            let encoding = encoding.unwrap_or_default();
            let reason = format!("it came with the encoding {encoding:?}, which was not asked for");
            return Ok(Err(Failure::new(reason)));
        }
        let refusal = refusal(wanted, candidate, &answer);
        let announced = answer.content_length().filter(|_| encoding.is_none() && kept.is_none());
        if let Some(refusal) = refusal.as_ref().filter(|one| one.refuses_length(announced)) {
            kept.into_iter().for_each(Body::discard);
            return Ok(Err(Failure::new(refusal.reason.clone())));
        }
        let media_type = answer.content_type();
        let mut body = match kept {
            Some(kept) => kept,
            None => Body::new(&candidate.expected, answer.content_length()),
        };
        let etag = validators.etag.as_deref().filter(|etag| !etag.starts_with("W/"));
        if let Some(etag) = etag.filter(|_| encoding.is_none() && body.length() == 0)
            && let Some(partial) =
                self.partials.begin(&candidate.url, etag, answer.content_length())
        {
            body.write_to(partial);
        }
        let limit = candidate.expected.max_length().filter(|_| encoding.is_none());
        let limit =
            limit.or(refusal.as_ref().and_then(Refusal::max_length).filter(|_| encoding.is_none()));
        let limit = limit.unwrap_or(MOST_UNSAID);
        let strong = validators.strong().map(ToOwned::to_owned).filter(|_| encoding.is_none());
        let (mut resumes, mut resumed_at) = (0, 0);
        loop {
            match self.receive(&mut answer, &mut body, limit, cost).await {
                Ok(true) => break,
                Ok(false) => {
                    let reason = format!("more than its {limit} bytes came");
                    body.discard();
                    return Ok(Err(match &refusal {
                        Some(refusal) => Failure::new(refusal.reason.clone()),
                        None => Failure::moved_on(reason),
                    }));
                }
                Err(error) => {
                    // Its place among the requests to the host is needed for the rest.
                    drop(answer);
                    let grew = body.length() > resumed_at;
                    resumed_at = body.length();
                    resumes += 1;
                    // A server that is slow is tried once more, from the beginning or what is kept.
                    let again =
                        error.is_passing() && !error.is_slow() && grew && resumes <= MOST_RESUMES;
                    let strong = strong.as_deref().filter(|_| again);
                    match self.resume(&candidate.url, options, &body, strong).await {
                        Some(rest) => answer = rest,
                        None => {
                            match error.is_passing() {
                                true => body.keep(),
                                false => body.discard(),
                            }
                            return Err(error);
                        }
                    }
                }
            }
        }
        let mut temporary = self.temporary.borrow_mut();
        let finished = if encoding.is_some() {
            body.finish_gzip(&candidate.expected, lastmod, u64::MAX, &mut temporary)
        } else {
            body.finish(&candidate.expected, lastmod, &mut temporary)
        };
        let finished = finished.map_err(io(&candidate.url))?;
        if let (Some(refusal), Ok(came)) = (&refusal, &finished)
            && refusal.refuses(&came.measured)
        {
            came.file.discard();
            return Ok(Err(Failure::new(refusal.reason.clone())));
        }
        let validator = Validator {
            etag: validators.etag,
            modified: validators.last_modified,
            media_type: None,
        };
        let landed = |finished| Landed::new(finished, validator, media_type, candidate.how);
        Ok(finished.map(|finished| Brought::File(landed(finished))))
    }

    /// Takes in the body; false if it is more than it may be.
    async fn receive(
        &self,
        answer: &mut Answer,
        body: &mut Body,
        limit: u64,
        cost: &mut u64,
    ) -> Result<bool, FetchError> {
        while let Some(piece) = answer.chunk().await? {
            *cost += piece.len() as u64;
            if body.length() + piece.len() as u64 > limit {
                return Ok(false);
            }
            body.push(&piece, &mut self.temporary.borrow_mut())
                .map_err(|error| FetchError::Io { url: answer.url.clone(), error })?;
        }
        Ok(true)
    }
}

/// What the bytes of a file are.
pub(crate) fn measure(mut file: impl Read, expected: &Expected) -> Option<Measured> {
    let mut measure = Measure::for_expected(expected);
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Some(measure.finish()),
            Ok(count) => measure.update(&buffer[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

fn failed(error: &FetchError) -> Failure {
    let missing = matches!(error, FetchError::Status { status, .. }
        if matches!(*status, StatusCode::NOT_FOUND | StatusCode::GONE));
    let is_disk = matches!(error, FetchError::Io { .. });
    Failure { missing, is_disk, ..Failure::new(error.to_string()) }
}
