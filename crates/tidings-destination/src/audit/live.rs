//! Asks the server about resources of which the documents say too little to compare them.

use sha2::{Digest as _, Sha256};
use tidings_web::{Url, Validators};

use super::{AuditReport, Kind};
use crate::documents::Documents;
use crate::state::Validator;

/// How many resources are asked about together.
const BATCH_RESOURCES: usize = 32;

/// A resource that only its server can tell about.
pub(super) struct LiveCheck {
    pub(super) uri: String,
    /// Where its bytes are.
    pub(super) url: String,
    pub(super) sha256: [u8; 32],
    pub(super) validator: Validator,
}

/// Resources that wait to be asked about.
pub(super) struct LiveChecks {
    documents: Documents,
    waiting: Vec<LiveCheck>,
}

impl LiveChecks {
    /// Asks with connections of its own: others read documents at the same time.
    pub(super) fn new(documents: Documents) -> Self {
        Self { documents, waiting: Vec::new() }
    }

    pub(super) fn add(&mut self, check: LiveCheck, report: &mut AuditReport) {
        self.waiting.push(check);
        if self.waiting.len() >= BATCH_RESOURCES {
            self.ask(report);
        }
    }

    /// Asks about all that wait: a conditional request, and the bytes where the answer has them.
    pub(super) fn ask(&mut self, report: &mut AuditReport) {
        let checks = std::mem::take(&mut self.waiting);
        let urls: Vec<Option<(Url, Validators)>> = checks
            .iter()
            .map(|check| {
                let validators = Validators {
                    etag: check.validator.etag.clone(),
                    last_modified: check.validator.modified.clone(),
                };
                Some((Url::parse(&check.url).ok()?, validators))
            })
            .collect();
        let answers = self.documents.get_all(&urls);
        for (check, answer) in checks.into_iter().zip(answers) {
            let verdict = match answer {
                None => Some("its URL cannot be asked for".to_owned()),
                Some(Ok(None)) => None,
                Some(Ok(Some(mut document))) => match has_digest(&mut document, &check.sha256) {
                    Ok(true) => None,
                    Ok(false) => Some("the Source has another version".to_owned()),
                    Err(error) => Some(format!("it could not be compared: {error}")),
                },
                Some(Err(error)) => Some(format!("it could not be compared: {error}")),
            };
            if let Some(reason) = verdict {
                report.add(Kind::Changed, &check.uri, &reason);
            }
        }
    }
}

/// Whether bytes, or what they are compressed, have that digest.
fn has_digest(
    document: &mut crate::documents::Document,
    sha256: &[u8; 32],
) -> std::io::Result<bool> {
    struct Hashing(Sha256);
    impl std::io::Write for Hashing {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.update(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut plain = Hashing(Sha256::new());
    document.copy_to(&mut plain)?;
    if plain.0.finalize().as_slice() == sha256 {
        return Ok(true);
    }
    let mut inflated = Hashing(Sha256::new());
    // What is not compressed cannot be inflated, and is another version.
    Ok(document.inflate_to(&mut inflated).is_ok() && inflated.0.finalize().as_slice() == sha256)
}
